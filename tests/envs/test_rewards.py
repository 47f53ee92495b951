"""Reward terms on scripted states with known answers, the gait clocks, and ramps."""

from dataclasses import replace

import numpy as np
import pytest

from servogym import robots
from servogym.envs import rewards, rotation
from servogym.envs.commands import Commander, Commands
from servogym.envs.core import Core
from servogym.envs.footing import Footing
from servogym.envs.gait import Gait
from servogym.envs.ramp import Ramp, current
from servogym.envs.rewards import Moment
from servogym.envs.state import State
from servogym.robots import Foot
from servogym.scenes.terrain import Terrain

DT = 0.02
ROBOT = robots.get("microduck")


@pytest.fixture
def moment():
    state = State(ROBOT, 1, np.tile([-1.0, 1.0], (14, 1)))
    state.joint_pos[:] = state.servo_pos[:] = ROBOT.pose()
    state.projected_gravity[:] = [0, 0, -1]
    state.foot_force[:] = 3.5
    return Moment(state, Gait(ROBOT, 1, DT), Commander(Commands(), 1, DT))


def ask(moment, *twist):
    moment.command.hold(np.array([0]), np.array(twist, float))


def feet(moment, left, right, height=0.0, speed=0.0, steps=1):
    """Let steps pass with feet loaded or in the air; return the gait reward of each."""
    s, scores = moment.state, []
    for _ in range(steps):
        s.foot_force[:] = [3.5 * left, 3.5 * right]
        s.foot_height[0, :] = [0.0 if left else height, 0.0 if right else height]
        s.foot_vel[0, :, 0] = speed
        moment.gait.advance(s)
        scores.append(rewards.gait(moment)[0])
    return scores


def test_tracking_is_one_on_the_command_and_falls_as_written(moment):
    ask(moment, 0.3, -0.1, 0.5)
    s = moment.state
    s.heading_vel[0, :2], s.yaw_rate_mean[0] = [0.3, -0.1], 0.5
    assert rewards.track_linear_velocity(moment)[0] == 1.0
    assert rewards.track_angular_velocity(moment)[0] == 1.0
    s.heading_vel[0, :2], s.yaw_rate_mean[0] = [0.1, 0.1], 0.0
    assert rewards.track_linear_velocity(moment)[0] == pytest.approx(np.exp(-0.08 / 0.05))
    assert rewards.track_angular_velocity(moment)[0] == pytest.approx(np.exp(-0.5 / 0.3))


@pytest.mark.parametrize(
    ("velocity", "expected"), [(0.0, 0.0), (0.15, 0.5), (0.3, 1.0), (0.6, 1.0), (-0.9, -1.0)]
)
def test_progress_is_linear_and_pays_nothing_for_standing(moment, velocity, expected):
    ask(moment, 0.3, 0, 0)
    moment.state.heading_vel[0, 0] = velocity
    assert rewards.progress(moment)[0] == pytest.approx(expected)
    ask(moment, 0, 0, 0.5)
    assert rewards.progress(moment)[0] == 0.0


@pytest.mark.parametrize(
    ("velocity", "expected"),
    [(0.0, 0.0), (0.15, 0.5), (0.3, 1.0), (0.45, 0.5), (0.6, 0.0), (1.2, -1.0), (-0.9, -1.0)],
)
def test_pace_sinks_again_beyond_what_is_asked(moment, velocity, expected):
    ask(moment, 0.3, 0, 0)
    moment.state.heading_vel[0, 0] = velocity
    assert rewards.pace(moment)[0] == pytest.approx(expected)
    ask(moment, 0, 0, 0.5)
    assert rewards.pace(moment)[0] == 0.0


def test_haste_pays_by_progress_and_not_by_pace(moment):
    ask(moment, 0.3, 0, 0)
    earned = []
    for velocity in (0.1, 0.5):  # swaying around 0.3 m/s
        moment.state.heading_vel[0, 0] = velocity
        earned.append((rewards.progress(moment)[0], rewards.pace(moment)[0]))
    np.testing.assert_allclose(earned, [(1 / 3, 1 / 3), (1.0, 1 / 3)])


def test_energy_per_way_costs_a_slow_robot_more_than_a_fast_one(moment):
    moment.state.power[0] = 3.0
    for command, cost in (((0.25, 0, 0), 7.5), ((0, -0.45, 0), 5.0), ((0, 0, -1), 3 / 0.45)):
        ask(moment, *command)
        assert rewards.cost_of_transport(moment)[0] == pytest.approx(cost)
    ask(moment, 0, 0, 0)
    assert rewards.cost_of_transport(moment)[0] == pytest.approx(20.0)


def test_alternating_swings_pay_and_the_same_foot_twice_does_not(moment):
    ask(moment, 0.2, 0, 0)
    left = feet(moment, False, True, height=0.024, steps=8)
    both = feet(moment, True, True, steps=2)
    right = feet(moment, True, False, height=0.024, steps=8)
    feet(moment, True, True, steps=2)
    again = feet(moment, True, False, height=0.024, steps=8)
    assert min(left) > 0.2 and min(right) > 0.2
    assert both == pytest.approx([0.5, 0.5])
    assert again == [0.0] * 8


def test_a_swing_pays_no_longer_than_a_third_of_a_second_nor_double_support_beyond_0_12(moment):
    ask(moment, 0.2, 0, 0)
    swing = feet(moment, False, True, height=0.02, steps=20)
    assert min(swing[:15]) > 0.2 and swing[16:] == [0.0] * 4
    both = feet(moment, True, True, steps=10)
    assert both[:6] == pytest.approx([0.5] * 6) and both[7:] == [0.0] * 3


def test_a_stand_pays_for_two_feet_at_rest_and_flight_for_nothing(moment):
    ask(moment, 0, 0, 0)
    stance(moment, 0.03)
    assert feet(moment, True, True) == [0.0] and rewards.stand(moment)[0] == 1.0
    feet(moment, True, True, speed=0.2)
    assert rewards.stand(moment)[0] == pytest.approx(np.exp(-0.04 / 0.02))
    feet(moment, False, True)
    assert rewards.stand(moment)[0] == 0.0
    ask(moment, 0.2, 0, 0)
    assert feet(moment, False, False) == [0.0] and rewards.stand(moment)[0] == 0.0


def stance(moment, split):
    """One sole ahead of the centre of mass and the other behind it by `split` [m]."""
    moment.state.sole_pos[0, :, :2] = [[0.3 + split, 0.24], [0.3 - split, 0.16]]
    moment.state.com[0] = [0.3, 0.2, 0.13]


def test_a_stand_pays_less_the_nearer_the_weight_is_to_an_edge(moment):
    stance(moment, 0.05)
    assert rewards.stand(moment)[0] == 1.0
    moment.state.com[0, 0] = 0.28
    assert rewards.stand(moment)[0] == pytest.approx(np.exp(-1))


@pytest.mark.parametrize("yaw", [0.0, 2.0])
def test_a_stand_pays_the_more_the_more_of_a_steps_stance_it_is(moment, yaw):
    for split, pay in ((0.0, 0.0), (0.0125, 0.5), (0.025, 1.0), (0.06, 1.0), (-0.0125, 0.5)):
        stance(moment, split)
        moment.state.base_quat[0] = [1, 0, 0, 0]
        assert rewards.stand(moment)[0] == pytest.approx(pay)
        turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
        for place in (moment.state.sole_pos, moment.state.com):
            place[0, ..., :2] = place[0, ..., :2] @ turn
        moment.state.base_quat[0] = [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        assert rewards.stand(moment)[0] == pytest.approx(pay)


def test_a_dog_always_stands_in_such_a_stance():
    core = Core("go2_flat", 2, threads=1)
    core.seed(np.arange(2), np.arange(2, dtype=np.uint64))
    core.hold(np.arange(2), (0.0, 0.0, 0.0))
    core.reset(np.arange(2))
    cos, sin = rotation.heading(core.state.base_quat)
    x, y, _ = np.moveaxis(core.state.sole_pos - core.state.com[:, None], -1, 0)
    ahead = cos[:, None] * x + sin[:, None] * y
    assert (np.abs(ahead) > 4 * core.task.stride.reach).all()


def test_heading_pays_for_a_turn_rate_that_is_right_on_average(moment):
    assert rewards.heading(moment)[0] == 1.0
    moment.state.turn_error_mean[0] = -0.05
    assert rewards.heading(moment)[0] == pytest.approx(np.exp(-0.5))


def test_landing_counts_the_speed_just_before_touch_down(moment):
    ask(moment, 0.2, 0, 0)
    s = moment.state
    s.foot_vel[0, 0, 2] = -0.3
    feet(moment, False, True)
    s.foot_vel[0, 0, 2] = 0.0
    feet(moment, True, True)
    assert rewards.landing(moment)[0] == pytest.approx(0.09)
    feet(moment, True, True)
    assert rewards.landing(moment)[0] == 0.0


def test_short_swings_are_charged_once_when_they_land(moment):
    ask(moment, 0.2, 0, 0)
    feet(moment, False, True, steps=5)
    assert rewards.short_swing(moment)[0] == 0.0
    feet(moment, True, True)
    assert rewards.short_swing(moment)[0] == pytest.approx(moment.stride.shortest - 5 * DT)
    feet(moment, True, True)
    assert rewards.short_swing(moment)[0] == 0.0


@pytest.mark.parametrize(
    ("twist", "velocity", "yaw_rate", "share"),
    [
        ((0.4, 0, 0), (0.4, 0.1), 0.0, 1.0),
        ((0.4, 0, 0), (0.1, 0.0), 2.0, 0.25),
        ((0.4, 0, 0), (0.9, 0.0), 0.0, 1.0),
        ((0.4, 0, 0), (-0.4, 0.0), 0.0, 0.0),
        ((0, 0, 1.0), (0.1, 0.0), 0.6, 0.6),
        ((0.3, 0, 1.0), (0.3, 0.0), 0.0, 0.5),  # a radian counts as 0.3 m
        ((0, 0, 0), (0.1, 0.0), 0.1, 0.0),
    ],
)
def test_steps_are_paid_for_as_far_as_they_lead(moment, twist, velocity, yaw_rate, share):
    ask(moment, 0.4, 0, 0)
    whole = feet(moment, False, True, height=0.02, steps=5)[-1]
    ask(moment, *twist)
    moment.state.heading_vel[0, :2], moment.state.yaw_rate_mean[0] = velocity, yaw_rate
    assert rewards.underway(moment)[0] == pytest.approx(share * whole)


def test_lingering_is_all_feet_down_for_longer_than_a_pause_when_asked_to_move(moment):
    ask(moment, 0.2, 0, 0)
    feet(moment, True, True, steps=6)
    assert not rewards.lingering(moment)[0]
    feet(moment, True, True)
    assert rewards.lingering(moment)[0]
    ask(moment, 0, 0, 0)
    assert not rewards.lingering(moment)[0]
    ask(moment, 0, 0, 0.5)
    feet(moment, False, True)
    assert not rewards.lingering(moment)[0]


@pytest.mark.parametrize(("foot", "share"), [(0.3, 1.0), (0.28, 1.0), (0.205, 0.5), (0.1, 0.0)])
def test_where_the_ground_ahead_counts_a_foot_below_it_earns_less(moment, foot, share):
    moment.state.footing = Footing(Terrain(kind="stairs", level=3), 1, DT)
    moment.state.foot_pos[0] = [0.25, 0.0, foot]  # above the first step; from 0.3 m on it is 0.28 m
    ask(moment, 0.4, 0, 0)
    whole = feet(moment, False, True, height=0.02, steps=5)[-1]
    moment = replace(moment, stride=replace(moment.stride, ahead=0.12))
    assert rewards.gait(moment)[0] == pytest.approx(share * whole)
    ask(moment, 0, 0.4, 0)  # along the step
    moment.state.foot_pos[0, :, 2] = 0.14
    assert rewards.gait(moment)[0] == pytest.approx(whole)


def test_a_reset_gait_has_no_past(moment):
    ask(moment, 0.2, 0, 0)
    feet(moment, False, True, height=0.02, steps=7)
    moment.gait.reset(np.array([0]))
    fresh = Gait(ROBOT, 1, DT)
    for name, array in fresh.state().items():
        assert np.array_equal(array, moment.gait.state()[name]), name


def test_simple_terms_measure_what_they_say(moment):
    s = moment.state
    s.projected_gravity[0] = [0.3, -0.4, -0.8]
    s.heading_vel[0, 2] = 0.5
    s.base_ang_vel[0] = [1, 2, 9]
    s.action[0, 3], s.previous_action[0, 3] = 0.5, 0.1
    s.servo_pos[0, 0] = 0.95
    s.power[0] = 3.0
    assert rewards.tilt(moment)[0] == pytest.approx(0.25)
    assert rewards.vertical_velocity(moment)[0] == pytest.approx(0.25)
    assert rewards.body_ang_vel(moment)[0] == pytest.approx(5.0)
    assert rewards.action_rate_l2(moment)[0] == pytest.approx(0.16)
    assert rewards.dof_pos_limits(moment)[0] == pytest.approx(0.05)
    assert rewards.energy(moment)[0] == 3.0


def test_pose_and_head_are_one_at_their_targets_and_head_reads_the_command(moment):
    assert rewards.pose(moment)[0] == 1.0 and rewards.head_pose_tracking(moment)[0] == 1.0
    head = np.array([0.1, -0.2, 0.3, 0.05])
    moment.command.hold(np.array([0]), np.zeros(3), head)
    expected = np.exp(-np.abs(head) / 0.2).mean()
    assert rewards.head_pose_tracking(moment)[0] == pytest.approx(expected)
    columns = [ROBOT.joints.index(name) for name in ROBOT.head]
    moment.state.joint_pos[0, columns] += head
    assert rewards.head_pose_tracking(moment)[0] == pytest.approx(1.0)


def test_restless_counts_only_when_asked_to_stand(moment):
    moment.state.joint_vel[0, 2] = 2.0
    ask(moment, 0, 0, 0)
    assert rewards.restless(moment)[0] == 4.0
    ask(moment, 0.1, 0, 0)
    assert rewards.restless(moment)[0] == 0.0


def test_a_ramp_goes_from_its_weight_to_its_end_over_the_stated_steps():
    ramp = Ramp(-1.0, -3.0, 100.0, 200.0)
    assert [current(ramp, s) for s in (0, 100, 150, 200, np.inf)] == [-1, -1, -2, -3, -3]
    assert current(-1.0, np.inf) == -1.0
    with pytest.raises(ValueError, match="needs 0 <= start <= end"):
        Ramp(0.0, 1.0, 2.0, 1.0)


FOUR = replace(
    ROBOT,
    feet=tuple(Foot(site=name, geom=name) for name in ("FL", "FR", "RL", "RR")),
    swing_groups=(("FL", "RR"), ("FR", "RL")),
)


def test_gait_clocks_are_for_feet_in_two_groups():
    with pytest.raises(ValueError, match="microduck has 4; give its record swing_groups"):
        Gait(replace(FOUR, swing_groups=()), 1, DT)
    with pytest.raises(ValueError, match=r"needs each of \['FL', 'FR', 'RL', 'RR'\] once"):
        replace(FOUR, swing_groups=(("FL", "RR"), ("FR",)))


def test_a_trot_is_a_walk_on_diagonals_and_half_a_diagonal_in_the_air_is_half_a_swing():
    state, gait = State(FOUR, 1, np.zeros((14, 2))), Gait(FOUR, 1, DT)

    def stand_on(*feet):
        state.foot_force[:] = [5.0 * (name in feet) for name in ("FL", "FR", "RL", "RR")]
        gait.advance(state)
        return gait.single[0], gait.share[0], gait.swinging[0], gait.fair[0]

    assert stand_on("FL", "FR", "RL", "RR")[0] == False  # noqa: E712
    assert stand_on("FR", "RL") == (True, 1.0, 0, True)
    assert stand_on("FL", "FR", "RR") == (True, 0.5, 1, True)
    assert stand_on("FL", "RR") == (True, 1.0, 1, True)
    stand_on("FL", "FR", "RL", "RR")
    assert stand_on("FL", "RR")[3] == False  # noqa: E712  the same diagonal again
    assert stand_on("FL", "FR")[0] == False  # noqa: E712  a bound is no trot


def test_moving_means_any_part_of_the_twist(moment):
    flags = []
    for twist in ((0, 0, 0), (0.1, 0, 0), (0, -0.1, 0), (0, 0, 0.2)):
        ask(moment, *twist)
        flags.append(bool(moment.moving[0]))
    assert flags == [False, True, True, True]
