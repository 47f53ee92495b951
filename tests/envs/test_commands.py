"""Commands: their ranges, buckets and dead band, when they change, and holding them."""

import numpy as np
import pytest

from servogym.envs.commands import Commander, Commands
from servogym.envs.random import RowRandom


def many(n=20_000, commands=None):
    rng = RowRandom(n)
    rows = np.arange(n)
    rng.seed(rows, rows.astype(np.uint64))
    rng.begin_episode(rows)
    commander = Commander(commands or Commands(), n, 0.02)
    commander.reset(rows, rng)
    return commander, rng


def test_commands_fill_their_ranges_and_no_more():
    c, _ = many()
    assert (np.abs(c.twist) <= [0.4, 0.3, 1.0]).all()
    assert (np.abs(c.twist).max(axis=0) > [0.39, 0.29, 0.98]).all()
    head = np.array(Commands().head)
    assert (np.abs(c.head) <= head).all() and (np.abs(c.head).max(axis=0) > 0.98 * head).all()
    body = np.array(Commands().body)
    assert (np.abs(c.body) <= body).all() and (np.abs(c.body).max(axis=0) > 0.98 * body).all()


def test_one_in_five_stands_exactly_and_every_bucket_has_its_share():
    c, _ = many()
    vx, vy, wz = c.twist.T
    still = (c.twist == 0).all(axis=1)
    assert 0.19 < still.mean() < 0.22
    only_x = (vy == 0) & (wz == 0) & (vx != 0)
    assert (only_x & (vx >= 0.1)).mean() > 0.16 and (only_x & (vx <= -0.1)).mean() > 0.09
    only_y = (vx == 0) & (wz == 0) & (np.abs(vy) >= 0.1)
    assert only_y.mean() > 0.07 and 0.4 < (vy[only_y] > 0).mean() < 0.6
    turns = (vx == 0) & (vy == 0) & (np.abs(wz) >= 0.4)
    assert turns.mean() > 0.09
    assert 0.4 < (wz[turns] > 0).mean() < 0.6


def test_nothing_is_asked_inside_the_dead_band():
    c, _ = many()
    speed = np.hypot(c.twist[:, 0], c.twist[:, 1])
    assert ((speed == 0) | (speed >= 0.06)).all()
    assert ((c.twist[:, 2] == 0) | (np.abs(c.twist[:, 2]) >= 0.12)).all()


def test_twists_last_three_to_eight_seconds_and_poses_two_to_five():
    c, rng = many(300)
    twist_changes, pose_changes = [[] for _ in range(300)], [[] for _ in range(300)]
    for step in range(1, 1500):
        twist, head = c.twist.copy(), c.head.copy()
        c.advance(rng)
        for row in np.flatnonzero((c.head != head).any(axis=1)):
            pose_changes[row].append(step)
        for row in np.flatnonzero((c.twist != twist).any(axis=1)):
            twist_changes[row].append(step)
    gaps = np.concatenate([np.diff(when) for when in pose_changes])
    assert gaps.min() >= 100 and gaps.max() <= 250
    gaps = np.concatenate([np.diff(when) for when in twist_changes])
    assert gaps.min() >= 150  # the longest is longer: two stands in a row do not show


def test_a_held_command_stays_and_a_released_one_moves_on():
    c, rng = many(2)
    c.hold(np.array([1]), [0.2, 0.0, 0.1], [0.1, 0, 0, 0])
    for _ in range(1000):
        c.advance(rng)
    c.reset(np.array([0, 1]), rng)
    assert c.twist[1].tolist() == [0.2, 0.0, 0.1] and c.head[1].tolist() == [0.1, 0, 0, 0]
    c.release(np.array([1]))
    c.advance(rng)
    assert c.head[1].tolist() != [0.1, 0, 0, 0]


@pytest.mark.parametrize("twist", [[0.1, 0.2], [0.1, 0.2, np.nan], [0.1] * 4])
def test_a_command_of_the_wrong_size_is_refused_and_nothing_changes(twist):
    c, _ = many(1)
    before = {k: v.copy() for k, v in c.state().items()}
    with pytest.raises(ValueError, match=r"twist command .* needs 3 finite numbers"):
        c.hold(np.array([0]), twist)
    assert all(np.array_equal(before[k], v) for k, v in c.state().items())


@pytest.mark.parametrize("share", [{"forward": 0.8, "turning": 0.3}, {"standing": -0.1}])
def test_shares_that_do_not_fit_are_refused(share):
    with pytest.raises(ValueError, match="command shares"):
        Commands(**share)
