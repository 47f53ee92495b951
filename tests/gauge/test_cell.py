"""A cell says all that is played, as plain data, and the same robots play it everywhere."""

import pickle
from collections import Counter

import numpy as np
import pytest

from servogym.gauge import cell, plan
from servogym.gauge.cell import GOALS, Cell
from servogym.gauge.rollout import seeds

DUCK, DOG = "MicroDuck-Flat-v0", "Go2-Flat-v0"


def asked(errands, goal):
    return [errand for errand in errands if errand.goal == goal]


def test_a_cell_survives_the_way_to_another_process_and_to_a_file():
    one = Cell(task=DUCK, goals=("target",), options={"actuator": "pd", "spawn": {"yaw": 0.0}})
    assert pickle.loads(pickle.dumps(one)) == one == cell.of(one.record())
    assert one.key == cell.of(one.record()).key != Cell(task=DUCK, goals=("target",)).key


def test_what_happens_to_the_options_afterwards_is_not_the_cells_business():
    mine = {"randomization": {"foot_friction": [0.4, 0.4]}}
    one = Cell(task=DUCK, options=mine)
    mine["randomization"]["foot_friction"][0] = 9.9
    assert one.options["randomization"] == {"foot_friction": [0.4, 0.4]}


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"goals": ("fly",)}, LookupError, r"'fly'.*max_velocity"),
        ({"goals": ()}, ValueError, "needs 1 or more"),
        ({"goals": ("target", "target")}, ValueError, "none twice"),
        ({"rules": "mine"}, LookupError, "'mine'.*servogym, robogauge"),
        ({"robots": 0}, ValueError, "robots 0"),
        ({"seed": -1}, ValueError, "seed -1"),
        ({"seconds": 0.9}, ValueError, "seconds 0.9"),
        ({"seconds": 2.05}, ValueError, "multiple of 0.1"),
        ({"options": {"robot": object()}}, ValueError, "plain data"),
        ({"options": {"level": float("nan")}}, ValueError, "plain data"),
    ],
)
def test_what_cannot_be_played_is_refused_with_what_could(wrong, error, words):
    with pytest.raises(error, match=words):
        Cell(task=DUCK, **wrong)


def test_the_default_card_of_the_duck_has_200_episodes_of_20_s():
    found = plan.errands(Cell(task=DUCK))
    assert sum(errand.seconds == 20.0 for errand in found) >= 200
    assert [*dict.fromkeys(errand.goal for errand in found)] == list(GOALS)


def test_the_grid_asks_for_slow_backward_sideways_and_turning_in_place():
    twists = {e.twist for e in asked(plan.errands(Cell(task=DOG)), cell.GRID)}
    wanted = {(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.0), (-1.0, 0.0, 0.0)}
    assert wanted | {(0.0, 0.5, 0.0), (0.0, -0.5, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)} <= twists


def test_a_robot_without_a_head_is_not_asked_for_its_head():
    dog = plan.errands(Cell(task=DOG))
    assert not asked(dog, cell.HEAD) and {e.goal for e in dog} == set(GOALS) - {cell.HEAD}
    poses = {e.head for e in asked(plan.errands(Cell(task=DUCK)), cell.HEAD)}
    assert len(poses) == 8 and all(sum(map(bool, pose)) == 1 for pose in poses)
    with pytest.raises(ValueError, match="nothing to do for the goals head_poses"):
        plan.errands(Cell(task=DOG, goals=(cell.HEAD,)))


def test_pushes_come_from_eight_sides_standing_and_walking():
    found = asked(plan.errands(Cell(task=DOG)), cell.PUSHES)
    changes = np.array([e.push.change for e in found])
    assert np.hypot(*changes.T) == pytest.approx(0.5)  # as hard as in training
    angles = np.round(np.degrees(np.arctan2(*changes.T[::-1]))).astype(int) % 360
    assert Counter(angles.tolist()) == {angle: 2 for angle in range(0, 360, 45)}
    assert {e.twist for e in found} == {(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)}


def test_targets_lie_around_the_robot_or_where_the_terrain_has_its_own():
    flat = asked(plan.errands(Cell(task=DOG, robots=1)), cell.TARGET)
    assert {e.part: e.aim.bearing for e in flat}["behind"] == np.pi
    assert [e.aim.lead.backward for e in flat] == [False, False, False, True]
    (wave,) = plan.errands(
        Cell(task=DOG, robots=1, goals=("target",), options={"terrain": "wave:3"})
    )
    assert (wave.aim.place, wave.seconds, wave.aim.lead.vx) == ((6.5, -2.65), 20.0, 1.0)
    (stairs,) = plan.errands(
        Cell(task=DOG, robots=1, goals=("target",), options={"terrain": "stairs:3"})
    )
    assert (stairs.seconds, stairs.aim.lead.vx) == (30.0, 0.8)  # RoboGauge's


def test_by_robogauges_rules_go2_is_asked_what_robogauge_asks():
    def top(task, **options):
        parts = plan.errands(Cell(task=task, rules="robogauge", goals=("max_velocity",), **options))
        return {e.part for e in parts}

    assert {"forward -2", "sideways +1", "yaw +2"} <= top(DOG)
    assert {"forward -1", "sideways +1", "yaw +1.5"} <= top(DOG, options={"terrain": "slope:1"})
    assert "forward +0.45" in top(DUCK)


def test_a_robot_is_the_same_whatever_is_played_beside_it():
    all_of = plan.errands(Cell(task=DUCK))
    some = plan.errands(Cell(task=DUCK, goals=("target",), robots=3))
    keys = {(e.goal, e.part, e.robot): k for e, k in zip(all_of, seeds(all_of, 5), strict=True)}
    mine = [keys[e.goal, e.part, e.robot] for e in some]
    assert seeds(some, 5).tolist() == mine
    assert len(set(keys.values())) == len(all_of)
    assert not set(seeds(some, 6).tolist()) & set(mine)


def test_pushes_that_nobody_asked_for_are_off():
    def drawn(**options):
        return plan.core_options(Cell(task=DUCK, options=options)).get("randomization")

    assert drawn() == {"push": None}
    assert drawn(randomization={"volts": [7.0, 7.0]}) == {"push": None, "volts": [7.0, 7.0]}
    assert drawn(randomization={"push": 0.3}) == {"push": 0.3}
    assert drawn(randomization=False) is False
