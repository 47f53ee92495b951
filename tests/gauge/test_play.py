"""A cell is played as it says, whoever plays, and always comes out the same."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from servogym.gauge import plan, rollout, subject
from servogym.gauge.cell import Cell
from servogym.gauge.metrics.velocity import made
from servogym.gauge.play import play

DUCK, DOG = "MicroDuck-Flat-v0", "Go2-Flat-v0"
SHIPPED = Path(__file__).resolve().parent.parent.parent / "policies" / "microduck-walk.onnx"


@pytest.fixture(scope="module")
def duck():
    return subject.load(SHIPPED)


@pytest.fixture(scope="module")
def walk(duck):
    """The shipped duck in every goal, one robot each, briefly."""
    return play(Cell(task=DUCK, robots=1, seconds=4.0, seed=3), duck)


def text(score):
    return json.dumps(score.record(), allow_nan=False)


def watch(act, cell, **options):
    seen, _ = rollout.play(
        act, plan.errands(cell), seed=cell.seed, settling=False, **plan.core_options(cell)
    )
    return seen


def test_the_same_cell_gives_the_same_bytes_whatever_the_threads():
    cell = Cell(task=DOG, goals=("stand_still",), robots=66, seconds=1.0)
    who = subject.random(DOG)
    one, two = (text(play(cell, who, threads=threads)) for threads in (1, 2))
    assert one == two
    assert text(play(replace(cell, seed=1), who)) != one


def test_a_walking_duck_walks(walk):
    record = walk.record()
    moving = [b for b in walk.bins if b.moving]
    assert np.mean([b.score for b in moving]) > 0.7 and walk.flags == ()
    assert walk.goals["target"].success == 1.0
    assert 0 < walk.goals["target"].numbers["arrival_time"].mean < 5.0
    assert walk.goals["stand_still"].metrics["quality"]["mean"] > 0.9
    assert walk.goals["straight_line"].numbers["yaw_drift"].mean < 20
    assert walk.goals["head_poses"].numbers["head_error"].mean < 0.1
    assert record["metrics"]["follow"]["mean"] > 0.6
    assert record["bins"][0]["command"] == [0.0, 0.0, 0.0] and record["bins"][0]["achieved"] is None


def test_overall_is_the_mean_over_goals_and_the_sum_of_zeros(walk):
    goals = [goal.metrics["quality"] for goal in walk.goals.values()]
    assert walk.quality == pytest.approx(np.mean([q["mean"] for q in goals]))
    assert walk.metrics["quality"]["zeros"] == sum(q["zeros"] for q in goals)
    assert walk.episodes == len(walk.played) == len(plan.errands(Cell(task=DUCK, robots=1)))


def test_the_worst_moments_come_first_and_are_where_they_are_said_to_be(walk):
    assert [b.quality for b in walk.bad] == sorted(b.quality for b in walk.bad)
    for bad in walk.bad:
        assert bad.course[round(10 * bad.time) - 1] == bad.quality == np.nanmin(bad.course)


def test_a_robot_that_stands_still_scores_0_in_every_moving_bin_and_is_flagged():
    found = play(Cell(task=DOG, goals=("command_grid",), robots=1, seconds=3.0), subject.zero(DOG))
    moving = [b for b in found.bins if b.moving]
    assert found.falls == 0 and len(moving) == 20
    assert max(b.score for b in moving) < 0.1 and max(b.achieved for b in moving) < 0.1
    assert found.flags == ("stands_still",)
    assert found.metrics["follow"]["mean"] < 0.1 < 0.8 < found.metrics["dof_power"]["mean"]


def test_standing_still_is_seen_without_a_command_that_is_held():
    """Level searches play nothing but the largest commands, which end in a stop."""
    cell = Cell(task=DOG, goals=("max_velocity",), robots=1)
    assert play(cell, subject.zero(DOG)).flags == ("stands_still",)


def test_who_acts_at_random_falls_and_has_nothing_from_then_on():
    found = play(Cell(task=DUCK, goals=("command_grid",), robots=1), subject.random(DUCK))
    assert found.falls == found.episodes == 21 and found.quality < 0.02
    assert "falls" in found.flags and "stands_still" not in found.flags
    assert found.goals["command_grid"].falls_interval[0] > 0.8
    assert {b.metric for b in found.bad} == {"fall"}
    assert found.goals["command_grid"].numbers == {}  # told of robots that did not fall


def test_random_robots_act_each_by_itself():
    who = subject.random(DUCK)
    who.act.begin(np.array([7, 8, 7], np.uint64))
    first, second, again = who.act(np.zeros((3, 61)))
    np.testing.assert_array_equal(first, again)
    assert (first != second).all() and np.abs(first).max() <= who.contract.action_clip
    assert (who.act(np.zeros((3, 61)))[0] != first).all()


def test_robogauges_rules_forget_a_fall_and_score_the_settling():
    cell = Cell(task=DUCK, goals=("max_velocity",), robots=1)
    ours, theirs = (
        play(replace(cell, rules=rules), subject.zero(DUCK)) for rules in ("servogym", "robogauge")
    )
    assert ours.falls == theirs.falls > 0
    assert theirs.quality > 2 * ours.quality
    assert ours.metrics["dof_power"]["zeros"] > 0 == theirs.metrics["dof_power"]["zeros"]
    assert (ours.rules, theirs.rules) == ("servogym", "robogauge")
    assert "follow" in ours.metrics and "follow" not in theirs.metrics
    stands = play(replace(cell, task=DOG, rules="robogauge"), subject.zero(DOG)).played
    assert min(one.moments for one in stands) > 70  # 7 s, and the time before


def test_a_push_comes_when_how_hard_and_from_where_it_is_said(duck):
    cell = Cell(task=DUCK, goals=("push_recovery",), robots=8, seconds=4.0)
    (seen,) = watch(duck.act, cell)
    velocity, kick = made(seen.samples)[..., :2], round(0.4 * 4.0 / 0.02)
    for n, errand in enumerate(seen.errands[:8]):  # those that stand
        assert errand.twist == (0.0, 0.0, 0.0) and errand.push.time == 1.6
        assert np.abs(velocity[20:kick, n]).max() < 0.05
        # most of it is caught by the feet within the first control step
        change, asked = velocity[kick, n] - velocity[kick - 1, n], np.array(errand.push.change)
        assert change @ asked > 0.8 * np.linalg.norm(change) * np.linalg.norm(asked)
        assert 0.05 < np.linalg.norm(change) < 0.3


def test_commands_are_those_of_the_schedule(duck):
    (seen,) = watch(duck.act, Cell(task=DUCK, goals=("max_velocity",), robots=1))
    assert len(seen.samples) == 350
    for n, errand in enumerate(seen.errands):
        np.testing.assert_array_equal(seen.samples.command[:, n], errand.schedule.commands(0.02))


def test_commands_begin_when_a_robot_has_come_to_rest():
    """By one that does nothing: the first act of the shipped duck is a step into its stance."""
    (seen,) = watch(subject.zero(DUCK).act, Cell(task=DUCK, goals=("max_velocity",), robots=1))
    assert (np.linalg.norm(seen.samples.lin_vel[0], axis=-1) < 0.06).all()


def test_a_robot_at_its_target_is_done_and_no_longer_scored(duck):
    (seen,) = watch(duck.act, Cell(task=DUCK, goals=("target",), robots=1, seconds=6.0))
    done = ~seen.samples.settled[-1]
    assert done.all() and not seen.fell.any()
    for n in range(4):
        last = seen.samples.settled[:, n].sum() - 1
        away = seen.samples.position[:, n, :2] - seen.target[n]
        assert np.linalg.norm(away[last]) < 0.1 <= np.linalg.norm(away[last - 1])
        start = np.linalg.norm(away[0])
        assert start == pytest.approx(0.25 * 0.45 * 6.0, abs=0.02)


def test_terrain_contacts_motors_and_gears_of_a_cell_are_those_it_is_played_on():
    options = {"terrain": "obstacle:1", "contact": "B", "actuator": "dc", "encoder": "motor"}
    cell = Cell(
        task="Go2-Flat-Backlash-v0", goals=("target",), robots=1, seconds=1.0, options=options
    )
    world = play(cell, subject.zero(cell.task)).world
    assert world["actuator"] == "dc" and world["backlash"] > 0 and world["encoder"] == "motor"
    assert "obstacle" in world["terrain"] and "FootPairs" in world["contact"]
    assert any(each.startswith("actuator is") for each in world["differs"])


def test_a_card_states_which_geoms_collide():
    """Pain 79: where the feet alone collide a fallen robot sinks into the ground."""
    worlds = {
        task: play(
            Cell(task=task, goals=("stand_still",), robots=1, seconds=1.0), subject.zero(task)
        ).world
        for task in (DUCK, DOG)
    }
    assert worlds[DUCK]["collides"] == ["left_foot_collision", "right_foot_collision"]
    assert worlds[DUCK]["feet_only"] and not worlds[DOG]["feet_only"]
    assert {"trunk_collision", "FL_foot", "RR_calf_collision"} <= set(worlds[DOG]["collides"])


def test_a_toppled_duck_is_out_before_it_sinks():
    """Pain 79: only its feet collide, so its episode must end while it is above the ground."""
    seen, core = rollout.play(
        lambda obs: np.full((len(obs), 14), 1.5),
        plan.errands(Cell(task=DUCK, goals=("straight_line",), robots=8)),
        seed=0,
        settling=True,
        **plan.core_options(Cell(task=DUCK)),
    )
    assert seen[0].fell.all()
    samples, _ = seen[0].whole
    height = np.where(samples.alive, samples.position[..., 2], np.inf).min()
    assert height > 0.2 * core.robot.spawn_height


def test_a_policy_of_another_rate_or_robot_is_refused_before_anything_moves(duck):
    """Pain 63."""
    cell = Cell(task=DUCK, goals=("stand_still",), robots=1, seconds=1.0)

    def act(obs):
        pytest.fail("it was asked")

    fast = replace(duck.contract, control_dt=0.01, decimation=2)
    with pytest.raises(ValueError, match=r"control_dt is 0.01 in the file, 0.02 here"):
        play(cell, replace(duck, act=act, contract=fast))
    with pytest.raises(ValueError, match=r"microduck-walk does not fit Go2-Flat-v0: robot"):
        play(replace(cell, task=DOG), replace(duck, act=act))


def test_physics_that_blows_up_is_a_fall_and_is_counted():
    cell = Cell(
        task=DOG,
        goals=("stand_still",),
        robots=4,
        seconds=1.0,
        options={"spawn": {"lin_vel": 400.0}},
    )
    found = play(cell, subject.zero(DOG))
    goal = found.goals["stand_still"]
    assert 0 < goal.diverged <= goal.falls
    assert sum(one.fell for one in found.played) == goal.falls
    json.dumps(found.record(), allow_nan=False)


def test_any_function_can_play_and_hears_of_new_episodes():
    class Lean:
        def begin(self, keys):
            self.keys = keys

        def __call__(self, obs):
            assert len(obs) == len(self.keys) == 2 and self.keys.dtype == np.uint64
            return np.full((2, 14), 0.02)

    cell = Cell(task=DUCK, goals=("stand_still",), robots=2, seconds=1.0)
    found = play(cell, subject.controller(Lean(), DUCK, "lean"))
    assert found.subject["name"] == "lean" and found.subject["sha256"] == ""


def test_baselines_go_by_name_unless_a_file_has_it(tmp_path):
    assert subject.find("zero", DUCK).name == "zero"
    (tmp_path / "zero").write_text("no policy")
    assert not subject.baseline("zero")  # tests run in this folder
    with pytest.raises(FileNotFoundError):
        subject.find("nothing", DUCK)
    with pytest.raises(LookupError, match="unknown environment"):
        subject.find("random", "Duck-v9")


def test_a_run_is_called_by_its_folder_and_a_file_by_its_stem(duck):
    names = {
        "policies/microduck-walk.onnx": "microduck-walk",
        "runs/duck/checkpoints/0000258048/weights.safetensors": "duck-258048",
        "runs/duck/best/weights.safetensors": "duck-best",
        "runs/duck/policy.onnx": "policy",
        "bundle/weights.safetensors": "bundle",
    }
    for file, name in names.items():
        assert replace(duck, file=Path(file)).name == name


def test_who_falls_before_setting_out_has_not_arrived():
    """A robot that acts at random on steep stairs falls before it comes to rest: no target yet."""
    cell = Cell(
        task=DOG,
        goals=("target",),
        rules="robogauge",
        robots=1,
        seconds=1.0,
        seed=2_000_003,
        options={"terrain": "stairs:10"},
    )
    score = play(cell, subject.random(cell.task))
    assert score.goals["target"].falls == 1 and score.goals["target"].success == 0.0
    assert "arrival_time" not in score.goals["target"].numbers


def test_a_policy_that_knows_delays_plays_without_them_and_the_card_says_so(duck):
    calm = {"randomization": False, "sensing": False}
    cell = Cell(task=DUCK, goals=("stand_still",), robots=1, seconds=1.0, options=calm)
    score = play(cell, duck)
    assert not score.falls
    assert any("delay is 1 in the file, 0 here" in each for each in score.world["differs"])
