"""The command delay: whole command, right lag, no memory of the last episode."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servogym.actuators.delay import CommandDelay

JOINTS = ("hip", "knee", "ankle")


def bound(low: int, high: int, n: int = 4) -> CommandDelay:
    delay = CommandDelay(low, high)
    delay.bind(JOINTS, n, 0.005)
    delay.reset(np.arange(n), None)
    return delay


def tape(steps: int, n: int = 4) -> np.ndarray:
    """Targets that tell step, row and joint apart."""
    step, row, joint = np.indices((steps, n, len(JOINTS)))
    return 100.0 * step + 10.0 * row + joint


@given(lag=st.integers(0, 7))
def test_a_fixed_lag_shifts_every_joint_by_exactly_that_many_substeps(lag):
    delay, targets = bound(lag, lag), tape(20)
    for k, target in enumerate(targets):
        assert np.array_equal(delay.push(target, None), targets[max(k - lag, 0)])


def test_no_delay_is_the_target_itself():
    target = tape(1)[0]
    assert bound(0, 0).push(target, None) is target


def test_a_random_lag_stays_within_its_bounds_and_meets_both(streams):
    delay, targets, rng = bound(3, 6), tape(300), streams(4)
    seen = set()
    for k, target in enumerate(targets):
        arrived = delay.push(target, rng)
        lag = (target - arrived) / 100.0
        assert (lag == lag[:, :1]).all(), "one lag for the whole command of a robot"
        seen |= set(lag[:, 0].tolist()) if k >= 6 else set()
    assert seen == {3.0, 4.0, 5.0, 6.0}


def test_rows_draw_lags_of_their_own(streams):
    delay, rng = bound(0, 5, 64), streams(64)
    targets = tape(30, 64)
    arrived = [delay.push(target, rng).copy() for target in targets]
    assert len(set(((targets[-1] - arrived[-1]) / 100.0)[:, 0].tolist())) == 6


@pytest.mark.parametrize(("low", "high"), [(3, 3), (2, 6)])
def test_a_lag_does_not_reach_behind_a_reset(streams, low, high):
    delay, rng = bound(low, high), streams(4)
    for target in tape(20):
        delay.push(target, rng)
    delay.reset(np.array([1, 3]), rng)
    first = np.full((4, 3), -7.0)
    arrived = [delay.push(first, rng).copy() for _ in range(low + 1)]
    assert all((a[[1, 3]] == -7.0).all() for a in arrived)
    assert (arrived[0][[0, 2]] != -7.0).all(), "the other rows still get their past"


def test_resetting_one_row_leaves_the_others_in_flight():
    delay, targets = bound(3, 3), tape(20)
    for target in targets[:10]:
        delay.push(target, None)
    delay.reset(np.array([0]), None)
    arrived = delay.push(targets[10], None)
    assert np.array_equal(arrived[1:], targets[7, 1:])
    assert np.array_equal(arrived[0], targets[10, 0])


@pytest.mark.parametrize(("low", "high"), [(-1, 2), (3, 2)])
def test_impossible_lags_are_refused(low, high):
    with pytest.raises(ValueError, match="0 <= low <= high"):
        CommandDelay(low, high)
