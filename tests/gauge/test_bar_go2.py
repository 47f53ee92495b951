"""Go2's bar is the published one: each limit is met up to its edge and guarded by one line."""

import numpy as np
import pytest

from servogym import envs  # noqa: F401
from servogym.envs import registration
from servogym.gauge.bars import go2_flat as bar
from tests.gauge.made_up import walk

QUIET = (bar.STAND, "quiet")


def walks(change=None, everywhere=None):
    """Every command followed exactly; `change` and `everywhere` say what is not."""
    found = []
    for command, kind in [*((c, "grid") for c in bar.COMMANDS), QUIET]:
        known = dict(everywhere or {}) | (change or {}).get((command, kind), {})
        found.append(walk(command, pushed=kind == "grid", **known))
    return found


def failed(found):
    return [(c.mark, c.name.split(",")[0].split(" [")[0]) for c in bar.judge(found) if not c.passed]


def test_a_trot_that_follows_reaches_both_marks():
    criteria = bar.judge(walks())
    assert len(criteria) == 8 and failed(walks()) == []
    assert all(bar.reached(criteria, mark) for mark in bar.MARKS)


def test_every_extreme_of_the_issue_is_asked_and_as_far_as_the_task_goes():
    vx, vy, wz = registration.find("go2_flat").commands.twist
    assert (vx, vy, wz) == (1.0, 0.5, 1.0)
    for axis, most in enumerate((vx, vy, wz)):
        for way in (1.0, -1.0):
            extreme = [0.0, 0.0, 0.0]
            extreme[axis] = way * most
            assert tuple(extreme) in bar.COMMANDS
        assert max(abs(command[axis]) for command in bar.COMMANDS) == most
    assert bar.STAND in bar.COMMANDS and len(set(bar.COMMANDS)) == len(bar.COMMANDS)
    assert 7 * len(bar.COMMANDS) >= 100  # episodes


@pytest.mark.parametrize(
    ("statistic", "limit", "name"),
    [("error_xy", 0.12, "velocity error"), ("error_yaw", 0.15, "yaw rate error")],
)
def test_errors_are_held_against_the_published_limits_the_limit_itself_refused(
    statistic, limit, name
):
    assert failed(walks(everywhere={statistic: limit - 1e-9})) == []
    assert failed(walks(everywhere={statistic: limit + 1e-9})) == [("walking", name)]
    assert failed(walks(everywhere={statistic: 2 * limit + 1e-9})) == [
        ("usable", name),
        ("walking", name),
    ]


def test_an_error_is_the_root_mean_square_over_all_commands_not_the_mean():
    one = {((1.0, 0.5, 1.0), "grid"): {"error_xy": 0.4}}
    (found,) = [c for c in bar.judge(walks(one)) if c.name.startswith("velocity") and c.strict][:1]
    assert found.value == pytest.approx(np.sqrt(0.4**2 / len(bar.COMMANDS)))


@pytest.mark.parametrize(("falls", "marks"), [(1, ["walking"]), (5, ["walking"])])
def test_a_single_fall_fails_the_bar(falls, marks):
    fall = {((0.2, 0.0, 0.0), "grid"): {"falls": falls}}
    assert failed(walks(fall)) == [(mark, "falls per 100 episodes") for mark in marks]


def test_six_falls_of_112_are_not_usable():
    fall = {((0.2, 0.0, 0.0), "grid"): {"falls": 6}}
    assert [mark for mark, _ in failed(walks(fall))] == ["usable", "walking"]


@pytest.mark.parametrize(
    ("inside", "outside", "name"),
    [
        ({"base_drift": 0.0199}, {"base_drift": 0.02}, "drift in 10 s"),
        ({"strides": 0.0}, {"strides": 0.01}, "strides per foot"),
    ],
)
def test_a_stand_is_exact(inside, outside, name):
    assert failed(walks({QUIET: inside})) == []
    assert failed(walks({QUIET: outside})) == [("walking", name)]
    pushed = {(bar.STAND, "grid"): outside}
    assert failed(walks(pushed)) == [], "a pushed robot may step"


def test_who_always_falls_meets_nothing():
    fallen = [walk(w.command, falls=7, pushed=w.pushed) for w in walks()]
    assert not any(c.passed for c in bar.judge(fallen))


def test_a_missing_stand_is_named():
    with pytest.raises(LookupError, match="no walk at stand; there are"):
        bar.judge([w for w in walks() if w.pushed])
