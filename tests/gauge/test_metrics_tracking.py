"""Achieved by commanded, and a policy that stands still is found out."""

import numpy as np
import pytest

from servogym.gauge.goals.grid import command_grid
from servogym.gauge.goals.velocity import Ranges
from servogym.gauge.metrics.tracking import bins, left_right, mean_velocity, stands_still
from servogym.gauge.spread import bootstrap
from tests.gauge.seen import X, still, turned, with_

STILL = (0.1, 0.1, 0.2)
DUCK = Ranges(vx=(-0.3, 0.4), vy=(-0.2, 0.2), wz=(-1.0, 1.0))
GRID = np.array([part.pieces[0].twist for part in command_grid(DUCK).parts])


def follow(share, command=GRID, fallen=None):
    fallen = np.zeros(len(command), bool) if fallen is None else fallen
    return bins(share * command, fallen, command, still=STILL)


def test_a_policy_that_stands_still_scores_0_in_every_moving_bin_and_is_flagged():
    found = follow(0.0)
    assert len(found) == len(GRID)
    for b in found:
        assert b.score == (0.0 if b.moving else 1.0), b.command
        assert b.achieved == 0.0 if b.moving else np.isnan(b.achieved)
    assert stands_still(found)
    assert stands_still(follow(0.09)) and not stands_still(follow(0.11))


def test_a_policy_that_walks_only_when_asked_for_much_is_not_flagged():
    found = bins(
        np.where(np.abs(GRID).max(axis=1, keepdims=True) > 0.3, GRID, 0.0),
        np.zeros(len(GRID), bool),
        GRID,
        still=STILL,
    )
    slow = {b.command: b.score for b in found}
    assert slow[0.1, 0.0, 0.0] == 0.0 and slow[0.4, 0.0, 0.0] == 1.0 and not stands_still(found)


def test_falling_is_not_standing_still():
    every = np.ones(len(GRID), bool)
    assert not stands_still(follow(0.0, fallen=every))
    some = GRID[:, 0] > 0  # falls forward, stands otherwise
    assert stands_still(follow(0.0, fallen=some))
    assert not stands_still(follow(0.5, fallen=~some))


def test_a_policy_nobody_asked_to_move_is_not_flagged():
    assert not stands_still(follow(0.0, np.zeros((3, 3))))


@pytest.mark.parametrize(
    ("share", "achieved", "score"), [(1.0, 1, 1), (0.7, 0.7, 0.7), (1.5, 1.5, 0.5), (-1, -1, 0)]
)
def test_too_fast_is_achieved_but_scores_less(share, achieved, score):
    for b in follow(share):
        if b.moving:
            assert (b.achieved, b.score) == pytest.approx((achieved, score))


def test_speed_and_turn_are_judged_apart_and_the_worse_counts():
    curve = np.array([[0.2, 0.0, 1.0]])
    (b,) = bins(np.array([[0.2, 0.0, 0.4]]), np.array([False]), curve, still=STILL)
    assert (b.achieved, b.score) == pytest.approx((0.4, 0.4))
    (b,) = bins(np.array([[0.1, 0.1, 1.0]]), np.array([False]), curve, still=STILL)
    assert b.achieved == pytest.approx(0.5)
    assert b.score == pytest.approx(1 - np.sqrt(0.5))


def test_the_fallen_count_as_zero_and_are_in_the_interval():
    command = np.tile([0.3, 0.0, 0.0], (4, 1))
    velocity = np.array([[0.3, 0, 0]] * 3 + [[np.nan] * 3])
    (b,) = bins(velocity, np.array([False, False, False, True]), command, still=STILL)
    assert (b.robots, b.achieved, b.score) == (4, 0.75, 0.75)
    assert b.score_interval == b.achieved_interval == bootstrap([1.0, 1.0, 1.0, 0.0])
    (none,) = bins(velocity, np.ones(4, bool), command, still=STILL)
    assert none.score == none.achieved == 0.0


def test_standing_scores_by_the_worst_velocity_nobody_asked_for():
    (b,) = bins(np.array([[0.05, 0.0, 0.15]]), np.array([False]), np.zeros((1, 3)), still=STILL)
    assert b.score == pytest.approx(0.25) and b.achieved_interval is None


def test_bins_come_in_the_order_of_the_commands():
    commands = np.array([[0.3, 0, 0], [0.0, 0, 0], [0.3, 0, 0], [-0.1, 0, 0]])
    found = follow(1.0, commands)
    assert [b.command for b in found] == [(0.3, 0, 0), (0, 0, 0), (-0.1, 0, 0)]
    assert [b.robots for b in found] == [2, 1, 1]


def test_left_and_right_are_compared():
    commands = np.array([[0, 0, 1.0], [0, 0, -1.0], [0.2, 0.1, 0], [0.2, -0.1, 0], [0.3, 0, 0]])
    velocity = commands * np.array([1.0, 0.8, 1.0, 1.0, 1.0])[:, None]
    found = left_right(bins(velocity, np.zeros(5, bool), commands, still=STILL))
    assert found == {(0, 0, 1.0): pytest.approx(0.2 / 0.9), (0.2, 0.1, 0): pytest.approx(0.0)}


def test_the_mean_velocity_leaves_out_settling_and_the_time_after_a_fall():
    speed = np.zeros((100, 2, 3))
    speed[:20], speed[20:60], speed[60:] = 9.0 * X, 0.5 * X, -9.0 * X
    settled, alive = np.ones((100, 2), bool), np.ones((100, 2), bool)
    settled[:20], alive[60:] = False, False
    samples = with_(still(n=2), lin_vel=speed, settled=settled, alive=alive, quat=turned(X, 0))
    assert mean_velocity(samples) == pytest.approx(np.tile(0.5 * X, (2, 1)))
    dead = with_(samples, alive=False)
    assert np.isnan(mean_velocity(dead)).all()


def test_velocities_that_cannot_be_are_refused():
    command, up = np.array([[0.3, 0.0, 0.0]]), np.array([False])
    with pytest.raises(ValueError, match="no finite velocity"):
        bins(np.full((1, 3), np.nan), up, command, still=STILL)
    with pytest.raises(ValueError, match="three velocities above 0"):
        bins(command, up, command, still=(0.1, 0.0, 0.1))
