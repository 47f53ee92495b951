"""The stress grid: every point leaves a result, a dead one 0, and nothing is played twice."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.options import keys
from servogym.gauge.cell import Cell
from servogym.gauge.plan import core_options
from servogym.gauge.stress import __main__ as command
from servogym.gauge.stress import page, runner, summary
from servogym.gauge.stress.grid import Grid
from servogym.gauge.stress.point import Point, from_record, play_point
from servogym.gauge.subject import zero

TASK = "Go2-Flat-v0"

MADE_UP = """
import json, os, signal, sys, time
job, out = json.load(open(sys.argv[1])), sys.argv[2]
name = job["point"]["name"]
with open({log!r}, "a") as file:
    file.write(name + "\\n")
act = {acts!r}.get(name)
if act == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if act == "hang":
    time.sleep(60)
if act == "fail":
    sys.exit("there is no such motor")
told = dict(level=None, score=None, value=job["point"]["cell"]["seed"] / 10, saturation=None)
json.dump(told, open(out, "w"))
"""


class Stage:
    """A folder, a made-up worker that notes what it played, and points called a, b, c."""

    def __init__(self, folder: Path, **acts: str) -> None:
        self.folder, self.log, self.program = folder / "points", folder / "log", folder / "w.py"
        self.act(**acts)

    def act(self, **acts: str) -> None:
        self.program.write_text(MADE_UP.format(log=str(self.log), acts=acts))

    def run(self, points, **how):
        how = {"jobs": 2, "limit": 30.0, **how}
        worker = (sys.executable, "-I", str(self.program))
        return runner.run(points, "zero", zero(TASK), self.folder, worker=worker, **how)

    @property
    def played(self) -> list[str]:
        names = sorted(self.log.read_text().split()) if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return names


def point(name, seed=1, **options):
    return Point(
        name=name, cell=Cell(task=TASK, seed=seed, goals=("stand_still",), options=options)
    )


def three(**seeds):
    return [point(name, seeds.get(name, k)) for k, name in enumerate("abc", 1)]


def test_what_is_finished_is_not_played_again(tmp_path):
    stage = Stage(tmp_path)
    first = stage.run(three()[:2])
    assert stage.played == ["a", "b"] and first.kept == 0
    second = stage.run(three())
    assert stage.played == ["c"] and second.kept == 2 and second.changed == ()
    assert [result["value"] for result in second.results] == [0.1, 0.2, 0.3]
    assert second.results[:2] == first.results


def test_a_changed_definition_is_noticed_and_played_again(tmp_path):
    stage = Stage(tmp_path)
    stage.run(three())
    assert stage.played == ["a", "b", "c"]
    sheet = stage.run(three(b=7))
    assert stage.played == ["b"] and sheet.changed == ("b",)
    assert sheet.results[1]["value"] == 0.7


@pytest.mark.parametrize("part", ["policy", "versions"])
def test_another_policy_or_another_engine_is_another_definition(tmp_path, part):
    stage = Stage(tmp_path)
    stage.run(three())
    file = stage.folder / "b.json"
    told = json.loads(file.read_text())
    told["definition"][part] = "of another time"
    file.write_text(json.dumps(told))
    assert stage.played and stage.run(three()).changed == ("b",)
    assert stage.played == ["b"]


def test_a_point_whose_process_dies_is_worth_nothing_and_is_there(tmp_path):
    stage = Stage(tmp_path, a="crash", b="fail", c="hang")
    sheet = stage.run(three(), limit=3.0)
    assert [result["value"] for result in sheet.results] == [0.0, 0.0, 0.0]
    assert [result["ending"]["text"] for result in sheet.results] == [
        "crashed: SIGSEGV (return code -11)",
        "failed (return code 1): there is no such motor",
        "timeout: stopped after 3 s",
    ]
    assert len(list(stage.folder.glob("*.json"))) == 3


def test_the_dead_stay_dead_until_they_are_tried_again(tmp_path):
    stage = Stage(tmp_path, b="crash")
    stage.run(three())
    stage.act()
    assert stage.played == ["a", "b", "c"]
    assert stage.run(three()).results[1]["value"] == 0.0 and stage.played == []
    assert stage.run(three(), retry=True).results[1]["value"] == 0.2
    assert stage.played == ["b"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": "servogym-point-1"}', "\x00"])
def test_a_damaged_file_is_no_result(tmp_path, damage):
    stage = Stage(tmp_path)
    stage.run(three())
    (stage.folder / "b.json").write_text(damage)
    assert stage.played and stage.run(three()).results[1]["value"] == 0.2
    assert stage.played == ["b"]


@pytest.mark.parametrize(("part", "value"), [("ending", "ran"), ("ending", {}), ("score", [1.0])])
def test_a_file_with_a_damaged_part_is_no_result(tmp_path, part, value):
    stage = Stage(tmp_path)
    stage.run(three())
    file = stage.folder / "b.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), part: value}))
    assert stage.played and stage.run(three()).results[1]["value"] == 0.2
    assert stage.played == ["b"]


def test_the_same_points_give_the_same_bytes_however_they_are_played(tmp_path):
    texts = []
    for jobs in (1, 3):
        stage = Stage(tmp_path)
        for file in stage.folder.glob("*"):
            file.unlink()
        stage.run(three(), jobs=jobs)
        texts.append([file.read_bytes() for file in sorted(stage.folder.iterdir())])
    assert texts[0] == texts[1] and len(texts[0]) == 3


def test_who_interrupts_keeps_what_is_finished_and_waits_for_nothing_more(tmp_path, monkeypatch):
    stage, write = Stage(tmp_path), runner.judgement.write

    def interrupted(*args):
        write(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(runner.judgement, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stage.run([point(name) for name in "abcdef"], jobs=1)
    assert len(stage.played) <= 2
    monkeypatch.undo()
    assert stage.run([point(name) for name in "abcdef"]).kept == 1


@pytest.mark.parametrize("names", [("a", "a"), ("a/b",), ("",), (".hidden",)])
def test_names_that_two_points_or_no_file_could_have_are_refused(tmp_path, names):
    with pytest.raises(ValueError, match="names of points"):
        Stage(tmp_path).run([point(name) for name in names])


def grid(**how):
    told = {"task": TASK, "terrains": ("flat", "wave"), "frictions": (0.5,), "masses": (1.0,)}
    return Grid(**{**told, **how})


def summed(tmp_path, *, acts, **how):
    points = grid(**how).points("pd")
    stage = Stage(tmp_path, **{points[k].name: act for k, act in acts.items()})
    return summary.summarise(points, stage.run(points))


def test_a_terrain_of_dead_points_counts_as_0_in_the_benchmark(tmp_path):
    """RoboGauge averaged over the terrains that came back."""
    for folder in ("whole", "half"):
        (tmp_path / folder).mkdir()
    whole = summed(tmp_path / "whole", acts={}, seed=8)
    assert whole["benchmark"] == pytest.approx(0.8)
    half = summed(tmp_path / "half", acts={1: "crash"}, seed=8)
    assert half["benchmark"] == pytest.approx(0.4)
    assert half["terrains"]["wave"] == {
        "points": 1,
        "dead": 1,
        "mean": 0.0,
        "mean@50": 0.0,
        "levels": [None],
    }


def test_a_terrains_number_is_the_worse_half_of_its_points():
    points = grid(terrains=("flat",), frictions=(0.3, 0.5, 0.7, 0.9)).points("pd")
    ran = {"ending": {"outcome": "ran", "text": "ran"}, "level": None, "score": None}
    results = tuple({**ran, "value": value} for value in (0.9, 0.1, 0.5, 0.3))
    sheet = runner.Sheet(results=results, kept=0, changed=())
    told = summary.summarise(points, sheet)
    assert told["terrains"]["flat"]["mean@50"] == pytest.approx(0.2)
    assert told["terrains"]["flat"]["mean"] == pytest.approx(0.45)


def test_a_grid_is_every_combination_once():
    points = grid(
        terrains=("flat", "wave", "stairs"),
        frictions=(0.4, 1.0),
        masses=(1.0, 1.2),
        actuators=(None, "dc"),
        gaps=(0.0, 0.01),
    ).points("pd")
    assert len(points) == len({point.name for point in points}) == 3 * 2 * 2 * 2 * 2
    assert {point.climb for point in points} == {None, "wave", "stairs"}
    assert {point.cell.options["actuator"] for point in points} == {"pd", "dc"}
    assert all(from_record(point.record()) == point for point in points)


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        ({"terrains": ("lava",)}, "unknown terrains"),
        ({"frictions": ()}, "frictions"),
        ({"masses": (1.0, 1.0)}, "none twice"),
        ({"gaps": (-0.1,)}, "gaps 0 or more"),
    ],
)
def test_axes_that_make_no_grid_are_refused(axis, said):
    with pytest.raises((LookupError, ValueError), match=said):
        grid(**axis)


def physics(point):
    """The model of a robot of a point, after a reset."""
    core = Core(n=1, threads=1, **core_options(point.cell))
    core.seed(np.arange(1), keys([0]))
    core.reset(np.arange(1))
    return core, core.batch.get_model(0)


def test_friction_mass_motors_and_gap_of_a_point_reach_the_physics():
    plain, rich = (
        grid(terrains=("flat",), frictions=(f,), masses=(m,), actuators=(a,), gaps=(g,)).points(
            "pd"
        )[0]
        for f, m, a, g in ((0.5, 1.0, None, 0.0), (0.9, 1.2, "dc", 0.012))
    )
    (one, light), (two, heavy) = physics(plain), physics(rich)
    for core, model, friction in ((one, light, 0.5), (two, heavy, 0.9)):
        assert model.geom_friction[core.at.foot_geom, 0] == pytest.approx(friction)
    ratio = heavy.body_mass[two.at.base_body] / light.body_mass[one.at.base_body]
    assert ratio == pytest.approx(1.2)
    assert (one.contract.actuator, two.contract.actuator) == ("pd", "dc")
    assert one.at.play_dof is None
    gaps = heavy.dof_jntid[two.at.play_dof]
    np.testing.assert_allclose(heavy.jnt_range[gaps], [[-0.012, 0.012]] * len(gaps))


@pytest.fixture(scope="module")
def small():
    cell = Cell(
        task=TASK, robots=1, seconds=1.0, goals=("stand_still",), options={"terrain": "flat"}
    )
    return Point(name="still", cell=cell, watched=True)


def test_a_point_played_in_a_process_is_the_point_played_here(small, tmp_path):
    sheet = runner.run([small], "zero", zero(TASK), tmp_path, limit=120.0)
    (result,) = sheet.results
    assert result["ending"]["outcome"] == "ran", result["ending"]
    here = play_point(small, zero(TASK))
    assert {name: result[name] for name in here} == here
    assert result["value"] == here["score"]["metrics"]["quality"]["mean"] > 0.5


def test_a_point_that_climbs_is_scored_at_the_level_it_reached(monkeypatch):
    from servogym.gauge.levels import Found, Look
    from servogym.gauge.stress import point as module

    reached = Found(level=4, looks={4: Look(tried=5, done=5, looks=1)})
    monkeypatch.setattr(module.levels, "climb", lambda *_, **__: reached)
    cell = Cell(task=TASK, robots=1, seconds=1.0, goals=("stand_still",))
    found = play_point(Point(name="x", cell=cell, climb="slope"), zero(TASK))
    assert found["score"]["cell"]["options"]["terrain"] == "slope:4:middle"
    quality = found["score"]["metrics"]["quality"]["mean"]
    assert found["value"] == pytest.approx((3 + quality) / 10, abs=1e-6)
    monkeypatch.setattr(module.levels, "climb", lambda *_, **__: Found(level=0))
    found = play_point(Point(name="x", cell=cell, climb="slope"), zero(TASK))
    assert found["score"] is None and found["value"] == 0.0


def test_the_page_shows_every_point_and_how_the_dead_died(tmp_path, monkeypatch, capsys):
    real = runner.run

    def run(points, policy, subject, folder, **how):
        worker = (sys.executable, "-I", str(stage.program))
        return real(points, policy, subject, folder, **{**how, "worker": worker})

    points = grid(terrains=("flat", "wave"), frictions=(0.5,), masses=(1.0,)).points("pd")
    stage = Stage(tmp_path, **{points[1].name: "crash"})
    monkeypatch.setattr(command.runner, "run", run)
    words = ["zero", "--terrains", "flat", "wave", "--frictions", "0.5", "--masses", "1"]
    words += ["--seed", "8"]
    words += ["--folder", str(stage.folder), "--write", str(tmp_path / "out" / "v1.2")]
    assert command.main(words) == 1, "a dead point is an exit code"
    text = (tmp_path / "out" / "v1.2.md").read_text()
    assert "**Benchmark 0.4000**" in text
    assert "crashed: SIGSEGV (return code -11)" in text
    record = json.loads((tmp_path / "out" / "v1.2.json").read_text())
    assert text == page.write(record)
    assert len(record["points"]) == 2


@pytest.mark.parametrize("how", [("--jobs", "-1"), ("--limit", "0"), ("--limit", "nan")])
def test_a_limit_that_kills_every_point_and_processes_below_none_are_refused(tmp_path, capsys, how):
    folder = tmp_path / "points"
    assert command.main(["zero", "--terrains", "flat", "--folder", str(folder), *how]) == 1
    assert "need 0 or more, and a time above 0" in capsys.readouterr().err
    assert not folder.exists()


def test_a_folder_that_is_a_file_is_named(tmp_path, capsys):
    (tmp_path / "points").touch()
    assert command.main(["zero", "--terrains", "flat", "--folder", str(tmp_path / "points")]) == 1
    assert f"'{tmp_path / 'points'}'" in capsys.readouterr().err


def test_who_interrupts_is_told_where_the_finished_points_are(tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.runner, "run", interrupted)
    assert command.main(["zero", "--terrains", "flat", "--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said == f"stress: interrupted; finished points stay in {tmp_path}\n"


def test_the_command_tells_what_it_cannot_open(tmp_path, capsys):
    assert command.main(["no/such.onnx", "--folder", str(tmp_path)]) == 1
    assert "no/such.onnx" in capsys.readouterr().err
