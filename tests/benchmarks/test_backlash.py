"""The backlash experiment: known walks give known tables, and foreign runs are turned away."""

import json
import sys
from dataclasses import replace
from math import radians

import numpy as np
import pytest

from benchmarks import backlash
from benchmarks.gap import experiment, groups, measures, page, picture, seeds, summary, worlds
from benchmarks.gap.groups import BACKLASH, DC, GROUPS, IDEAL, PLAIN, Entry
from benchmarks.gap.measures import GRID, MEASURES, STAND, STRAIGHT, TURNS, Sample
from servogym import robots
from servogym.envs.core import Core
from servogym.envs.options import keys
from tests.gauge.made_up import walk
from tests.learning import duck


def visited(*, fell=0, error=0.0, drift=0.0, head=0.0, left=1.0, right=1.0):
    """Everything a policy walks in a world; every number is known."""
    walks = [walk(c, episodes=4, vx=c[0] + error, vy=c[1], power=3.0) for c in GRID]
    walks[0] = walk(GRID[0], episodes=4, falls=fell, vx=GRID[0][0] + error, power=3.0)
    walks += [walk(c, episodes=4, wz=c[2] * (left if c[2] > 0 else right)) for c in TURNS]
    walks += [walk(STRAIGHT, episodes=4, looking=True, head_error=head)]
    walks += [walk(STAND, episodes=4, pushed=False, base_drift=drift, strides=0.5, power=0.1)]
    walks += [walk(STAND, episodes=4, pushed=False, looking=True, head_error=head / 2)]
    return walks


def entry(group, seed, **changes):
    return Entry(
        **{
            "group": group,
            "path": f"runs/{group.name}-{seed}",
            "task": group.task,
            "actuator": group.actuator,
            "sha256": f"{group.name}{seed}".ljust(64, "0"),
            "act": lambda obs: obs,
            "seed": seed,
            "env_steps": 1000,
            "recipe": {"gamma": 0.98},
        }
        | changes
    )


def numbers(*values):
    """Runs of one group in one world whose every measure is the given number."""
    return [
        {m.key: Sample(value=value, cells=((value, value),)) for m in MEASURES} for value in values
    ]


def row(rows, **known):
    (found,) = [r for r in rows if all(r[k] == v for k, v in known.items())]
    return found


@pytest.fixture
def made(monkeypatch):
    """A result of all four groups; a degree of gap costs drift: 1 mm if trained for, else 2 mm."""

    def visit(act, world, *, episodes, seconds):
        width = world.half_range or 0.0
        return visited(drift=1e-3 * (act + (2.0 if act < 5 else 1.0) * width))

    monkeypatch.setattr(worlds, "visit", visit)
    entries = [
        replace(entry(group, seed), act=seed + (5 if group is BACKLASH else 0), path=path)
        for group in GROUPS
        for seed in (0, 1, 2)
        for path in [backlash.ROOT / "runs" / f"{group.name}-{seed}"]
    ]
    return experiment.run(entries, episodes=4, seconds=20.0, command="python benchmarks/x")


def test_every_measure_of_a_known_walk_is_what_was_put_there():
    found = measures.take(visited(fell=1, error=0.02, drift=0.003, head=0.1, left=0.9, right=0.6))
    assert {key: round(sample.value, 9) for key, sample in found.items()} == {
        "falls": round(100 / 44, 9),
        "speed_error": 0.02,
        "power": 3.0,
        "stand_falls": 0.0,
        "stand_drift": 3.0,
        "stand_steps": 0.5,
        "stand_power": 0.1,
        "head_walking": round(np.degrees(0.1), 9),
        "head_standing": round(np.degrees(0.05), 9),
        "turn": 0.75,
        "left_right": 40.0,
    }


def test_a_number_of_a_command_in_which_all_fell_is_no_number():
    found = measures.take(visited(fell=4))
    assert np.isnan(found["speed_error"].value) and found["turn"].value == 1.0
    assert found["falls"].value == pytest.approx(400 / 44)


def test_a_walk_that_is_missing_is_named():
    with pytest.raises(LookupError, match=r"no walk at \(0.4, 0.0, 0.0\)"):
        measures.take([w for w in visited() if w.command != (0.4, 0.0, 0.0)])


def test_the_interval_over_runs_is_students():
    # 1, 2, 3: mean 2, standard deviation 1; t(2) = 4.303
    middle, interval = seeds.mean([1.0, 2.0, 3.0])
    assert middle == 2.0 and interval == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5))
    assert seeds.mean([1.0, float("nan")]) == (1.0, None)
    assert seeds.mean([float("nan")]) == (None, None)


def test_runs_that_agree_exactly_do_not_tell_how_far_runs_lie_apart():
    assert seeds.mean([4.5, 4.5, 4.5]) == seeds.paired([9.0, 9.0], [4.5, 4.5]) == (4.5, None)
    assert seeds.difference([4.5, 4.5, 4.5], [0.0, 0.0, 0.0]) == (4.5, None)


def test_a_difference_between_worlds_is_taken_run_by_run():
    middle, interval = seeds.paired([11.0, 22.0, 33.0], [10.0, 20.0, 30.0])
    assert middle == 2.0 and interval == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5))


def test_a_difference_between_groups_is_welchs():
    # equal spread: four degrees of freedom, t = 2.776; one group without spread: two, t = 4.303
    middle, interval = seeds.difference([5.0, 6.0, 7.0], [1.0, 2.0, 3.0])
    half = 2.776 * (2 / 3) ** 0.5
    assert middle == 4.0 and interval == pytest.approx((4 - half, 4 + half))
    _, interval = seeds.difference([5.0, 6.0, 7.0], [2.0, 2.0, 2.0])
    assert interval == pytest.approx((4 - 4.303 / 3**0.5, 4 + 4.303 / 3**0.5))


@pytest.mark.parametrize(
    ("apart", "low", "high"), [(0.0, 0.015, 0.04), (2.0, 0.25, 0.35), (4.0, 0.75, 0.87)]
)
def test_three_runs_against_three_find_what_the_page_says(apart, low, high):
    runs = np.random.default_rng(0).normal(size=(4000, 2, 3))
    intervals = [seeds.difference(a + apart, b)[1] for a, b in runs]
    assert low < np.mean([seeds.excludes_zero(interval) for interval in intervals]) < high
    assert np.median(0.5 * np.diff(np.array(intervals))) == pytest.approx(2.7, abs=0.1)


def test_robots_tell_about_their_policy_and_not_about_the_next_training():
    # two runs far apart whose robots hardly differ
    runs = [[[1.0, 1.1, 0.9, 1.0]], [[9.0, 9.1, 8.9, 9.0]]]
    low, high = seeds.robots(runs) or (0.0, 0.0)
    assert 4.9 < low < 5.0 < high < 5.1
    _, interval = seeds.mean([1.0, 9.0])
    assert interval is not None and interval[0] < -40.0


def test_falls_of_all_runs_have_wilsons_interval():
    assert seeds.falls([[[100.0] + [0.0] * 9]]) == pytest.approx((1.787, 40.415), abs=0.01)


def test_what_the_gap_costs_and_what_training_gains_come_out_as_put_in(made):
    def told(**known):
        return row(made["differences"], measure="stand_drift", **known)["mean"]

    for width in (0.25, 0.5, 1.0, 2.0):
        gap = f"gap ±{width:g}°"
        assert told(about="gap", name=f"plain: {gap}") == pytest.approx(2 * width)
        assert told(about="gap", name=f"backlash: {gap}") == pytest.approx(width)
        assert told(about="training", name=gap) == pytest.approx(5 - width)
    for name in ("plain", "backlash"):
        assert told(about="encoder", name=name) == 0.0
    for name in ("ideal", "dc"):
        assert told(about="motor", name=f"{name}: BAM instead of own motors") == 0.0
        assert told(about="instead", name=f"{name} minus plain: gap ±1°") == 0.0


def test_means_carry_every_run_its_spread_and_who_was_lost():
    found = {("plain", "no gap"): numbers(1.0, float("nan"), 3.0)}
    told = row(summary.means(found), measure="turn")
    assert told["runs"] == [1.0, None, 3.0] and told["mean"] == 2.0
    assert told["seeds"] == pytest.approx((2 - 12.706, 2 + 12.706))


def test_the_tables_name_every_policy_world_and_measure_and_survive_json(made):
    text = page.write(json.loads(json.dumps(made, allow_nan=False)), "x.json", [])
    for group in GROUPS:
        for number in (0, 1, 2):
            assert text.count(f"| {group.name}, seed {number} ") == 1 + len(group.worlds)
        for world in group.worlds:
            lines = [line for line in text.splitlines() if line.startswith(f"| {world.title} ")]
            assert sum(f" {group.name} " in line for line in lines) == len(measures.PARTS)
    for measure in MEASURES:
        assert measure.full in text


def test_a_difference_that_leaves_out_zero_is_bold_and_counted():
    found = {
        ("plain", "no gap"): numbers(1.0, 2.0, 3.0),
        ("backlash", "no gap"): numbers(11.0, 12.0, 13.0),
    }
    rows = summary.differences(found)
    assert len(rows) == len(MEASURES) and all(seeds.excludes_zero(r["seeds"]) for r in rows)
    result = {
        "differences": rows,
        "means": summary.means(found),
        "policies": [],
        "evaluations": [],
        "date": "2030-01-02",
        "minutes": 1.0,
        "command": "x",
        "versions": {},
        "protocol": {"episodes": 4, "seconds": 20.0},
    }
    text = page.write(result, "x.json", [])
    assert "**10.00 (7.73 to 12.27)**" in text and "11 of 11 here" in text


def test_the_prose_around_the_tables_stays_and_the_pictures_are_drawn(made, tmp_path):
    there = tmp_path / "page.md"
    there.write_text(f"# Before\n{page.BEGIN}\nyesterday\n{page.END}\nafter\n")
    pictures = picture.draw(made, tmp_path / "media")
    for _ in range(2):
        page.put(page.write(made, "x.json", pictures), there)
    text = there.read_text()
    assert text.startswith("# Before\n") and text.endswith(f"{page.END}\nafter\n")
    assert "yesterday" not in text and text.count("### Who was judged") == 1
    assert [p.name for p in pictures] == ["backlash_gaps.png", "backlash_motors.png"]
    assert all(
        p.read_bytes().startswith(b"\x89PNG") and f"media/{p.name}" in text for p in pictures
    )


def test_a_page_without_a_place_for_tables_is_refused_before_anything_is_measured(
    tmp_path, monkeypatch
):
    (tmp_path / "page.md").write_text("nothing here")
    monkeypatch.setattr(sys, "argv", ["x", "--plain", "a", "--backlash", "b", "--write", "page.md"])
    with pytest.raises(SystemExit, match=r"page.md: the lines <!-- measured --> and"):
        backlash.main()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--plain", "none", "--backlash", "b"], "--plain none does not exist"),
        (["--plain", "a"], "both --plain and --backlash need"),
        (["--json", "none.json"], "none.json"),
    ],
)
def test_what_is_missing_is_named(words, complaint, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["x", *words])
    with pytest.raises(SystemExit, match=complaint):
        backlash.main()


def test_a_file_of_the_other_twin_is_foreign(checkout):
    path = checkout / "policies" / "microduck-walk-backlash.onnx"
    assert groups.gather({"backlash": [path]})[0].name == "backlash, microduck-walk-backlash"
    with pytest.raises(ValueError, match=r"--plain .*onnx was trained in MicroDuck-Flat-Backlash"):
        groups.gather({"plain": [path]})


def test_a_file_that_is_no_policy_is_named(tmp_path):
    (tmp_path / "notes.onnx").write_text("no policy")
    with pytest.raises(ValueError, match=r"--dc .*notes.onnx cannot be opened"):
        groups.gather({"dc": [tmp_path / "notes.onnx"]})


def test_a_run_folder_tells_its_seed_its_steps_and_its_recipe(tmp_path):
    trained = duck.bundle(duck.policy())
    trained.save(tmp_path / "run" / "best")
    replace(trained, seed=1, overrides={"actuator": "bam"}).save(tmp_path / "same" / "best")
    replace(trained, seed=2, overrides={"rewards": {"pose": 0.0}}).save(tmp_path / "apart" / "best")
    found = groups.gather({"plain": [tmp_path / "run"]})[0]
    assert (found.name, found.env_steps) == ("plain, seed 0", 96)
    assert (found.recipe or {})["gamma"] == duck.PRESET.gamma
    with pytest.raises(ValueError, match=r"--plain .*same is the same policy"):
        groups.gather({"plain": [tmp_path / "run", tmp_path / "same"]})
    with pytest.raises(ValueError, match=r"apart was trained by another recipe .*'pose': 0.0"):
        run, apart = (groups.open_one(PLAIN, tmp_path / name) for name in ("run", "apart"))
        groups.check([run, replace(apart, sha256="another")])


def test_a_run_that_has_not_ended_is_named(tmp_path):
    (tmp_path / "run" / "checkpoints").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"--plain .*run cannot be opened: there is no result.js"):
        groups.gather({"plain": [tmp_path / "run"]})
    (tmp_path / "run" / "result.json").write_text('{"status": "interrupted"}')
    with pytest.raises(ValueError, match=r"--plain .*run cannot be opened: .* says interrupted"):
        groups.gather({"plain": [tmp_path / "run"]})


@pytest.mark.parametrize(
    ("group", "changes", "complaint"),
    [
        (PLAIN, {"actuator": "pd"}, "--plain runs/plain-1 was trained in .* with pd motors"),
        (IDEAL, {"actuator": "bam"}, "--ideal runs/ideal-1 was trained in .* with bam motors"),
        (DC, {"task": BACKLASH.task}, "--dc runs/dc-1 was trained in .*Backlash"),
        (PLAIN, {"sha256": "plain0".ljust(64, "0")}, "same policy or seed as runs/plain-0"),
        (PLAIN, {"seed": 0}, "--plain runs/plain-1 is the same policy or seed"),
        (BACKLASH, {"recipe": {"gamma": 0.99}}, "another recipe than runs/plain-0: gamma 0.99"),
    ],
)
def test_a_run_that_would_spoil_the_comparison_is_refused(group, changes, complaint):
    groups.check([entry(PLAIN, 0), entry(group, 1)])
    with pytest.raises(ValueError, match=complaint):
        groups.check([entry(PLAIN, 0), replace(entry(group, 1), **changes)])


@pytest.mark.parametrize("width", [0.25, 2.0])
def test_robots_made_in_between_have_the_gap_that_was_asked_for(width):
    shipped = robots.get("microduck").backlash
    with worlds.gears(width):
        core = Core(worlds.TASK, 1, backlash=True)
    gaps = [core.model.joint(f"passive_{joint}_backlash").range for joint in core.robot.joints]
    assert np.allclose(gaps, [-radians(width), radians(width)])
    assert robots.get("microduck").backlash == shipped == radians(worlds.GAP.half_range or 0.0)


def test_robot_i_is_the_same_with_and_without_the_gap():
    def drawn(backlash):
        core, rows = Core(worlds.TASK, 3, backlash=backlash), np.arange(3)
        core.seed(rows, keys([worlds.SEED + i for i in range(3)]))
        core.reset(rows)
        mass = core.batch.expand("body_mass")[:, [core.at.base_body]]
        return {"mass": mass.copy(), **core.drive.randomizable()}

    plain, twin = drawn(False), drawn(True)
    for name in ("mass", "friction_scale", "volts", "sag", "encoder_bias"):
        assert np.ptp(plain[name], axis=0).all() and np.array_equal(plain[name], twin[name])


def test_a_policy_walks_every_command_with_and_without_the_gap():
    def still(obs):
        return np.zeros((len(obs), 14))

    for world in (worlds.own_motor("pd", "ideal PD"), worlds.MOTOR_SIDE):
        walks = worlds.visit(still, world, episodes=1, seconds=2.1)
        measures.take(walks)
        assert len(walks) == 13 and [w.pushed for w in walks] == [True] * 11 + [False] * 2
