"""What goals ask for, and when."""

import numpy as np
import pytest

from servogym.gauge.goals.grid import command_grid, stand_still, straight_line
from servogym.gauge.goals.head import head_poses
from servogym.gauge.goals.pushes import all_round, recovery_time
from servogym.gauge.goals.schedule import Goal, Part, Piece, hold
from servogym.gauge.goals.settle import Settling
from servogym.gauge.goals.target import Target
from servogym.gauge.goals.velocity import (
    GO2_FLAT,
    GO2_TERRAIN,
    Ranges,
    diagonal_velocity,
    max_velocity,
)
from tests.gauge.seen import X, Z, turned

DT = 0.02


def asked(part):
    """Every command of a part and for how long."""
    return [(piece.twist, piece.seconds) for piece in part.pieces]


def test_the_largest_velocities_are_asked_for_one_by_one_for_5_s_and_then_nothing_for_2_s():
    parts = max_velocity(GO2_FLAT).parts
    firsts = [(-2, 0, 0), (2, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -2), (0, 0, 2)]
    assert [asked(p) for p in parts] == [[(t, 5.0), ((0, 0, 0), 2.0)] for t in firsts]
    assert max_velocity(GO2_FLAT).seconds == 42.0


def test_a_bound_of_0_is_not_asked_for():
    forward = Ranges(vx=(0.0, 1.0), vy=(0.0, 0.0), wz=(-0.5, 0.0))
    assert [p.pieces[0].twist for p in max_velocity(forward).parts] == [(1, 0, 0), (0, 0, -0.5)]


def test_diagonals_are_eight_and_turn_round_after_3_s():
    parts = diagonal_velocity(GO2_TERRAIN).parts
    assert len(parts) == 8 and len({p.name for p in parts}) == 8
    assert {p.pieces[0].twist[:2] for p in parts} == {
        (a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)
    } - {(0, 0)}
    for part in parts:
        (first, a), (second, b) = asked(part)
        assert (a, b) == (3.0, 3.0) and np.allclose(np.add(first, second), 0)


def test_a_reverse_the_ranges_do_not_hold_is_cut():
    uneven = Ranges(vx=(-0.2, 0.4), vy=(0.0, 0.0), wz=(0.0, 0.0))
    assert [[t for t, _ in asked(p)] for p in diagonal_velocity(uneven).parts] == [
        [(-0.2, 0, 0), (0.2, 0, 0)],
        [(0.4, 0, 0), (-0.2, 0, 0)],
    ]


def test_the_grid_holds_standing_slow_backward_sideways_and_turning_in_place():
    duck = Ranges(vx=(-0.3, 0.4), vy=(-0.2, 0.2), wz=(-1.0, 1.0))
    for ranges in (duck, GO2_FLAT, GO2_TERRAIN):
        twists = [part.pieces[0].twist for part in command_grid(ranges).parts]
        assert {(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)} <= set(twists)
        top = (ranges.vx[1], 0, 0), (ranges.vx[0], 0, 0), (0, ranges.vy[1], 0)
        assert {*top, (0, ranges.vy[0], 0)} <= set(twists)
        assert {(0, 0, ranges.wz[0]), (0, 0, ranges.wz[1])} <= set(twists)
        assert {(vx, -vy + 0.0, -wz + 0.0) for vx, vy, wz in twists} == set(twists)
        for part in command_grid(ranges).parts:
            assert part.seconds == 20.0
            axes = (ranges.vx, ranges.vy, ranges.wz)
            for value, (low, high) in zip(part.pieces[0].twist, axes, strict=True):
                assert low <= value <= high


def test_a_robot_that_only_walks_ahead_is_asked_for_nothing_else():
    slow = Ranges(vx=(0.0, 0.15), vy=(0.0, 0.0), wz=(0.0, 0.0))
    twists = [part.pieces[0].twist for part in command_grid(slow).parts]
    assert (0.1, 0, 0) in twists and (0.15, 0, 0) in twists and (0.2, 0, 0) not in twists
    assert all(vy == 0 and wz == 0 and vx >= 0 for vx, vy, wz in twists)
    assert len(set(twists)) == len(twists)


def test_the_line_and_the_stand_last_20_s():
    (line,), (stand,) = straight_line(0.25).parts, stand_still().parts
    assert asked(line) == [((0.25, 0, 0), 20.0)] and asked(stand) == [((0, 0, 0), 20.0)]
    with pytest.raises(ValueError, match="0 m/s"):
        straight_line(0.0)


def test_commands_change_with_the_control_step():
    part = max_velocity(GO2_FLAT).parts[1]
    commands = part.commands(DT)
    assert commands.shape == (350, 3)
    assert (commands[:250] == [2, 0, 0]).all() and (commands[250:] == 0).all()
    with pytest.raises(ValueError, match=r"no whole number of control steps of 0\.03 s"):
        part.commands(0.03)


def test_what_cannot_be_played_is_refused():
    for pieces in (
        (),
        (Piece(twist=(0, 0, 0), seconds=0.0),),
        (Piece(twist=(np.nan, 0, 0), seconds=1),),
    ):
        with pytest.raises(ValueError, match="odd"):
            Part(name="odd", pieces=pieces)
    with pytest.raises(ValueError, match="no name twice"):
        Goal(name="twice", parts=(hold((1, 0, 0), 1.0), hold((1, 0, 0), 2.0)))
    with pytest.raises(ValueError, match="range vy"):
        Ranges(vx=(0, 1), vy=(0.1, 1), wz=(0, 1))
    with pytest.raises(ValueError, match="1 or more"):
        max_velocity(Ranges(vx=(0, 0), vy=(0, 0), wz=(0, 0)))


# The way to a target


def command(x, y, yaw=0.0, **more):
    target = Target(place=(x, y, 0.0), vx=1.0, **more)
    return target.command(np.zeros((1, 3)), turned(Z, yaw)[None])[0]


def test_a_target_ahead_is_walked_to_and_one_aside_is_stepped_and_turned_to():
    assert command(5.0, 0.0) == pytest.approx([1.0, 0.0, 0.0])
    assert command(5.0, 0.5) == pytest.approx([1.0, 0.0, 2 * np.arctan(0.1)])
    assert command(0.0, 3.0) == pytest.approx([0.0, 1.0, 1.5])
    assert command(0.0, -0.4) == pytest.approx([0.0, -0.4, -1.5])
    assert command(-3.0, 0.2) == pytest.approx([0.0, 0.2, 1.5])


def test_the_side_changes_at_45_degrees():
    assert command(1.001, 1.0)[0] == 1.0 and command(1.001, 1.0)[1] == 0.0
    assert command(0.999, 1.0)[0] == 0.0 and command(0.999, 1.0)[1] == 1.0


def test_what_counts_is_where_the_target_is_from_the_robot():
    for yaw in (-170, 30, 90):
        there = np.radians(yaw)
        found = command(4 * np.cos(there), 4 * np.sin(there), yaw)
        assert found == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


def test_backward_goes_there_back_first():
    assert command(-5.0, 0.0, backward=True)[0] == -1.0
    assert abs(command(-5.0, 0.0, backward=True)[2]) < 1e-9
    # The target lies behind and to the left: the back turns to the left when the robot turns right.
    found = command(-5.0, 0.5, backward=True)
    assert found == pytest.approx([-1.0, 0.0, -2 * np.arctan(0.1)])
    assert command(0.0, 3.0, backward=True) == pytest.approx([0.0, 1.0, -1.5])
    assert abs(command(5.0, 0.0, backward=True)[2]) == 1.5  # facing it: turn, whichever way


def test_a_point_mass_that_obeys_arrives():
    for backward in (False, True):
        target = Target(place=(6.5, -2.0, 0.0), vx=1.0, backward=backward)
        place, yaw = np.array([0.5, 2.0, 0.0]), np.pi if backward else 0.0
        steps = 0
        while np.linalg.norm(place[:2] - [6.5, -2.0]) >= 0.1:
            v = target.command(place[None], turned(Z, np.degrees(yaw))[None])[0]
            c, s = np.cos(yaw), np.sin(yaw)
            place += DT * np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], 0.0])
            yaw += DT * v[2]
            steps += 1
            assert steps * DT < 9.0, backward


def test_a_slope_does_not_turn_the_way_unless_it_is_seen_as_robogauge_does():
    rolled = turned(X, 40)[None]
    here = np.zeros((1, 3))
    up = Target(place=(5.0, 0.0, 3.0), vx=1.0)
    assert up.command(here, rolled)[0] == pytest.approx([1, 0, 0])
    theirs = Target(place=(5.0, 0.0, 3.0), vx=1.0, level=False)
    assert theirs.command(here, rolled)[0, 2] > 0.5


def test_a_target_without_speed_or_time_is_refused():
    for name in ("vx", "vy", "wz", "seconds"):
        with pytest.raises(ValueError, match=f"{name} of a target is 0"):
            Target(**{"place": (1, 0, 0), "vx": 1.0, name: 0.0})


# Settling and pushes


def test_a_robot_settles_when_it_is_slow_after_a_tenth_of_a_second_or_after_three():
    settling = Settling(3, DT)
    speeds = np.array([[0.0, 0, 0], [0.06, 0, 0], [0.0, 0.2, 0]])
    history = []
    for step in range(160):
        if step == 50:
            speeds[1] = 0.01
        history.append(settling.look(speeds))
        if step == 60:
            speeds[1] = 9.0
    first = np.array(history).argmax(axis=0)
    assert first.tolist() == [5, 50, 149]  # samples of 0.12, 1.02 and 3.00 s
    assert np.array(history)[149:].all()


def test_pushes_come_from_all_round():
    pushes = all_round(0.3, 8)
    changes = np.array([push.change for push in pushes])
    assert np.linalg.norm(changes, axis=1) == pytest.approx(0.3)
    assert np.abs(changes.sum(axis=0)).max() < 1e-12 and changes[0] == pytest.approx([0.3, 0])
    assert {push.time for push in pushes} == {3.0}
    with pytest.raises(ValueError, match="0 pushes"):
        all_round(0.3, 0)


def test_a_head_is_asked_for_both_ends_of_every_joint():
    assert head_poses([0.4, 0.1]).tolist() == [[0, 0], [0.4, 0], [-0.4, 0], [0, 0.1], [0, -0.1]]
    for wrong in ([], [0.4, 0.0], [[0.1]]):
        with pytest.raises(ValueError, match="reach is"):
            head_poses(wrong)


def test_recovery_ends_when_the_error_stays_small():
    error = np.full((500, 4), 0.01)
    error[150:200, 0] = 0.4
    error[250, 0] = 0.4  # not calm before this
    error[150:, 1] = np.nan  # fell
    error[499, 2] = 0.4
    error[:100, 3] = 0.4  # wild before the push alone
    found = recovery_time(error, DT, push=3.0, calm=0.1)
    assert found == pytest.approx([251 * DT - 3.0, np.inf, np.inf, 0.0])
