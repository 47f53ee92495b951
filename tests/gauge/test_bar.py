"""The bar is met exactly up to its limits, and each limit is guarded by one criterion."""

import pytest

from servogym.gauge.bars import microduck_flat as bar
from servogym.gauge.statistics import measure
from servogym.gauge.walking import Walk
from tests.gauge.made_up import FIRST, standing, stepping, walk, walks


def failed(found, mark=None):
    return [c.name for c in bar.judge(found) if not c.passed and mark in (None, c.mark)]


def test_a_walk_that_does_all_of_it_reaches_both_marks():
    criteria = bar.judge(walks())
    assert [c.name for c in criteria if not c.passed] == []
    assert all(bar.reached(criteria, mark) for mark in bar.MARKS)


S, T = bar.STRAIGHT, bar.STAND
LIMITS = [
    ((T, "quiet"), {"base_drift": 0.0199}, {"base_drift": 0.02}, "drift in 10 s"),
    ((T, "quiet"), {"strides": 0.0}, {"strides": 0.01}, "strides per foot, standing"),
    ((T, "quiet"), {"falls": 0}, {"falls": 1}, "falls per 100 episodes, standing"),
    ((S, "grid"), {"yaw_drift": 14.9}, {"yaw_drift": 15.0}, "yaw drift"),
    ((S, "grid"), {"clearance": 0.008}, {"clearance": 0.0079}, "foot clearance"),
    ((S, "grid"), {"strides": 3.5}, {"strides": 3.51}, "strides per foot, straight"),
    ((S, "grid"), {"swing": 0.15}, {"swing": 0.149}, "swing duration"),
    ((S, "grid"), {"power": 4.0}, {"power": 4.01}, "mechanical power"),
    ((S, "grid"), {"asymmetry": 0.15}, {"asymmetry": 0.151}, "limp"),
    ((S, "head"), {"head_error": 0.1}, {"head_error": 0.101}, "head error"),
    (((0.15, 0, 0), "grid"), {"vx": 0.0901}, {"vx": 0.0899}, "commanded, forward +0.15"),
    (((0.4, 0, 0), "grid"), {"vx": 0.3401}, {"vx": 0.3399}, "commanded, forward +0.4"),
    (((-0.2, 0, 0), "grid"), {"vx": -0.1401}, {"vx": -0.1399}, "commanded, forward -0.2"),
    (((0, 0.2, 0), "grid"), {"vy": 0.1401}, {"vy": 0.1399}, "commanded, sideways +0.2"),
    (((0, -0.2, 0), "grid"), {"vy": -0.1401}, {"vy": -0.1399}, "commanded, sideways -0.2"),
    (((0, 0, 1.0), "grid"), {"wz": 0.91}, {"wz": 0.9}, "left and right differ, yaw 1"),
    (((0, 0, -0.5), "grid"), {"wz": -0.46}, {"wz": -0.45}, "left and right differ, yaw 0.5"),
    (((0.2, 0, 0), "grid"), {"vx": 0.2599}, {"vx": 0.2601}, "error of forward speed at 0.2 "),
    (((0.3, 0, 0), "grid"), {"vx": 0.3599}, {"vx": 0.3601}, "error of forward speed at 0.3 "),
]


@pytest.mark.parametrize(("place", "inside", "outside", "name"), LIMITS, ids=lambda v: str(v)[:30])
def test_each_limit_is_guarded_by_its_criterion_alone(place, inside, outside, name):
    place = (tuple(float(v) for v in place[0]), place[1])
    assert failed(walks({place: inside})) == []
    (found,) = failed(walks({place: outside}))
    assert name in found


def test_both_ways_of_turning_must_be_fast_enough():
    slow = {((0.0, 0.0, way * 0.5), "grid"): {"wz": way * 0.42} for way in (1, -1)}
    assert failed(walks(slow)) == [
        "achieved / commanded, yaw +0.5",
        "achieved / commanded, yaw -0.5",
    ]


@pytest.mark.parametrize(("falls", "marks"), [(2, []), (3, ["walking"]), (5, ["walking"])])
def test_falls_are_counted_over_the_whole_grid(falls, marks):
    fall = {((0.2, 0.1, 0.0), "grid"): {"falls": falls}}
    assert [c.mark for c in bar.judge(walks(fall)) if not c.passed] == marks


def test_six_falls_of_112_are_not_usable():
    fall = {((0.2, 0.1, 0.0), "grid"): {"falls": 6}}
    assert [c.mark for c in bar.judge(walks(fall)) if not c.passed] == ["usable", "walking"]


def test_a_policy_that_always_falls_meets_nothing_that_moves():
    fallen = [walk(w.command, falls=7, looking=w.looking, pushed=w.pushed) for w in walks()]
    criteria = bar.judge(fallen)
    assert {c.name for c in criteria if c.passed} == set()


def of(trace, looking=False, pushed=True):
    """Turn one trace into what judges would see at every command."""

    def one(command):
        found = measure(trace, command, FIRST)
        robots = {name: tuple(values.tolist()) for name, values in found.items()}
        return Walk(
            command=command, looking=looking, pushed=pushed, episodes=1, falls=0, robots=robots
        )

    return one


def everywhere(trace):
    return [
        *map(of(trace), bar.COMMANDS),
        of(trace, looking=True)(bar.STRAIGHT),
        of(trace, pushed=False)(bar.STAND),
    ]


def test_standing_still_meets_the_stand_and_no_speed_at_all():
    missed = failed(everywhere(standing()))
    assert not [name for name in missed if "standing" in name]
    asked = [name for name in missed if name.startswith("achieved")]
    assert len(asked) == len(bar.ACHIEVED)
    assert len([name for name in missed if name.startswith("error of forward")]) == 3
    assert any("swing" in name for name in missed) and any("clearance" in name for name in missed)


def test_marching_in_place_is_not_standing():
    missed = failed(everywhere(stepping()))
    assert "strides per foot, standing unpushed [1/s]" in missed
    assert "foot clearance, straight [m]" not in missed


def test_a_missing_walk_is_named():
    with pytest.raises(LookupError, match=r"no walk at yaw \+1; there are stand"):
        bar.judge([w for w in walks() if w.command != (0.0, 0.0, 1.0)])
