"""Every metric of motion gives the number that was put into the samples."""

from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge.metrics import (
    drift,
    limits,
    outcome,
    posture,
    power,
    smoothness,
    velocity,
)
from servogym.gauge.metrics.rules import (
    DEFAULT,
    GO2_FLAT,
    GO2_TERRAIN,
    ROBOGAUGE,
)
from tests.gauge.seen import DT, GO2, SCALES, X, Y, Z, still, turned, with_


def only(values):
    """The one number that all of an array is."""
    assert np.ptp(values) < 1e-12
    return float(values.flat[0])


# Velocity


def test_the_error_of_the_velocity_is_held_against_the_largest_command():
    samples = with_(still(), command=(1.0, 0.0, 0.0), lin_vel=(0.4, 0.8, 0.0))
    assert only(velocity.lin_vel_err(samples, GO2_FLAT)) == pytest.approx(1 - 1 / np.sqrt(5))
    assert only(velocity.lin_vel_err(samples, GO2_TERRAIN)) == pytest.approx(1 - 1 / np.sqrt(2))
    exact = with_(samples, lin_vel=(1.0, 0.0, 0.0))
    assert only(velocity.lin_vel_err(exact, GO2_FLAT)) == 1.0
    wild = with_(samples, lin_vel=(-9.0, 0.0, 0.0))
    assert only(velocity.lin_vel_err(wild, GO2_FLAT)) == 0.0


def test_vertical_speed_counts_against_zero_and_the_yaw_command_does_not_count_as_speed():
    samples = with_(still(), command=(0.0, 0.0, 2.0), lin_vel=(0.0, 0.0, 0.5))
    assert only(velocity.lin_vel_err(samples, SCALES)) == pytest.approx(1 - 0.5 / np.sqrt(5))


def test_rates_of_roll_and_pitch_count_against_zero():
    samples = with_(still(), command=(1.0, 0.0, 1.0), ang_vel=(0.3, 0.4, 1.0))
    assert only(velocity.ang_vel_err(samples, SCALES, DEFAULT)) == pytest.approx(1 - 0.5 / 2)


def test_history_the_velocity_is_that_in_base_axes_and_not_in_the_worlds():
    """RoboGauge once compared the world's velocity with a command in base axes."""
    facing_left = turned(Z, 90)
    samples = with_(still(), quat=facing_left, command=(1, 0, 0), lin_vel=(1, 0, 0))
    assert only(velocity.lin_vel_err(samples, SCALES)) == 1.0
    assert velocity.made(samples)[0, 0] == pytest.approx([1, 0, 0])
    assert velocity.to_base(facing_left[None], Y[None]) == pytest.approx(X[None])


def test_history_a_gyro_is_in_base_axes_and_is_turned_into_them_by_robogauge_again():
    samples = with_(still(), quat=turned(X, 90), command=(0, 0, 1), ang_vel=(0, 0, 1))
    assert only(velocity.ang_vel_err(samples, SCALES, DEFAULT)) == 1.0
    wrong = only(velocity.ang_vel_err(samples, SCALES, ROBOGAUGE))
    assert wrong == pytest.approx(1 - np.sqrt(2) / 2)
    upright = with_(samples, quat=turned(Z, 50))
    assert only(velocity.ang_vel_err(upright, SCALES, ROBOGAUGE)) == pytest.approx(1.0)


def test_made_velocity_is_yaw_aligned_whatever_the_tilt():
    pitched = with_(still(), quat=turned(Y, 30), lin_vel=velocity.to_base(turned(Y, 30)[None], X))
    assert velocity.made(pitched)[0, 0] == pytest.approx([1, 0, 0])
    rates = velocity.to_base(turned(X, 40)[None], 0.7 * Z)
    rolled = with_(still(), quat=turned(X, 40), ang_vel=rates)
    assert velocity.made(rolled)[0, 0] == pytest.approx([0, 0, 0.7])


# Posture


@pytest.mark.parametrize("degrees", [10, -25, 90])
def test_history_roll_and_pitch_both_count_and_robogauge_sees_roll_alone(degrees):
    rolled = with_(still(), quat=turned(X, degrees))
    pitched = with_(still(), quat=turned(Y, degrees))
    left = 1 - abs(np.sin(np.radians(degrees)))
    for samples in (rolled, pitched):
        found = only(posture.orientation_stability(samples, DEFAULT))
        assert found == pytest.approx(left, abs=1e-12)
        assert only(posture.tilt(samples)) == pytest.approx(np.radians(abs(degrees)))
    assert only(posture.orientation_stability(rolled, ROBOGAUGE)) == pytest.approx(left, abs=1e-12)
    assert only(posture.orientation_stability(pitched, ROBOGAUGE)) == pytest.approx(1.0)


def test_heading_is_no_tilt():
    assert only(posture.tilt(with_(still(), quat=turned(Z, 130)))) == pytest.approx(0.0)


def test_a_robot_on_its_side_has_fallen_and_robogauge_does_not_notice():
    lying = with_(still(), quat=turned(X, 90))
    assert posture.fallen(lying, DEFAULT).all() and not posture.fallen(lying, ROBOGAUGE).any()
    assert posture.fallen(with_(still(), quat=turned(Y, 150)), ROBOGAUGE).all()


def test_who_has_fallen_stays_fallen():
    quat = np.tile(turned(X, 0), (100, 1, 1))
    quat[40] = turned(X, 71)
    samples = with_(still(), quat=quat)
    assert posture.fallen(samples, DEFAULT)[:, 0].tolist() == [False] * 40 + [True] * 60


# Limits


def test_the_overshoot_of_a_joint_is_a_share_of_its_range():
    angles = np.zeros(12)
    angles[2] = 1.0  # FL_calf, 0.1 beyond 0.9 of +-1
    samples = with_(still(), joint_pos=angles)
    assert limits.overshoot(samples, GO2)[0, 0] == pytest.approx([0, 0, 0.1] + [0] * 9)
    wanted = 1 - np.sqrt((0.1 / 2) ** 2 / 12)
    assert only(limits.dof_limits(samples, GO2, DEFAULT)) == pytest.approx(wanted)
    low = with_(still(), joint_pos=-angles)
    assert only(limits.dof_limits(low, GO2, DEFAULT)) == pytest.approx(wanted)


def test_robogauge_holds_hips_and_thighs_to_two_fifths_of_their_range_and_calves_to_nothing():
    calf, thigh = np.zeros(12), np.zeros(12)
    calf[2], thigh[1] = 1.0, 0.5
    assert only(limits.dof_limits(with_(still(), joint_pos=calf), GO2, ROBOGAUGE)) == 1.0
    found = only(limits.dof_limits(with_(still(), joint_pos=thigh), GO2, ROBOGAUGE))
    assert found == pytest.approx(1 - np.sqrt((0.1 / 2) ** 2 / 8))
    assert limits.counted(GO2, ROBOGAUGE).tolist() == [0, 1, 3, 4, 6, 7, 9, 10]
    assert only(limits.dof_limits(with_(still(), joint_pos=thigh), GO2, DEFAULT)) == 1.0


def test_rules_for_joints_a_robot_has_not_are_refused():
    arm = replace(GO2, joints=tuple(f"arm_{k}" for k in range(12)))
    with pytest.raises(LookupError, match=r"'hip' or 'thigh'.*'robogauge'.*arm_0"):
        limits.dof_limits(still(), arm, ROBOGAUGE)


def test_motors_at_their_limit_are_counted():
    torque = np.zeros((100, 1, 12))
    torque[:50, 0, :3] = [-10.0, 9.95, 9.8]
    strong = replace(GO2, effort=np.full(12, 10.0))
    assert limits.saturation(with_(still(), torque=torque), strong) == pytest.approx(2 / 24)
    with pytest.raises(ValueError, match="largest torques"):
        limits.saturation(still(), GO2)


# Power


def test_power_is_torque_times_velocity_whatever_the_sign():
    torque, speed = np.zeros(12), np.full(12, 5.0)
    torque[:2] = 20.0, -10.0
    samples = with_(still(), torque=torque, joint_vel=speed)
    assert only(power.mechanical_power(samples)) == pytest.approx(150.0)
    wanted = 1 - np.sqrt((100**2 + 50**2) / 12) / 100
    assert only(power.dof_power(samples, SCALES)) == pytest.approx(wanted)
    assert only(power.dof_power(with_(samples, torque=1e4), SCALES)) == 0.0


def walking(speed, t=1001, **more):
    place = np.zeros((t, 1, 3))
    place[:, 0, 0] = speed * DT * np.arange(t)
    return with_(still(t), position=place, **more)


def test_the_cost_of_transport_is_power_by_weight_and_speed():
    samples = walking(0.5, torque=2.0, joint_vel=1.25)  # 30 W, 150 N, 0.5 m/s
    assert power.distance(samples) == pytest.approx(10.0)
    assert power.cost_of_transport(samples, GO2) == pytest.approx(0.4)


def test_swaying_is_no_way_and_a_standing_robot_has_no_cost_of_transport():
    sway = np.zeros((1001, 1, 3))
    sway[:, 0, 1] = 0.05 * np.sin(2 * np.pi * 2 * DT * np.arange(1001))  # 2 Hz
    samples = with_(still(1001), position=sway, torque=1.0, joint_vel=1.0)
    assert power.distance(samples) == pytest.approx(0.0, abs=1e-9)
    assert np.isnan(power.cost_of_transport(samples, GO2)).all()


def test_a_circle_is_a_way_although_it_ends_where_it_began():
    angle = 2 * np.pi * np.arange(1001) / 1000
    place = np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1)[:, None]
    assert power.distance(with_(still(1001), position=place)) == pytest.approx(2 * np.pi, rel=0.01)


# Smoothness


def test_history_a_jump_of_the_torque_is_seen_for_a_tenth_of_a_second_and_no_longer():
    """RoboGauge once never updated the torque it compared with."""
    torque = np.zeros((100, 1, 12))
    torque[50:] = 15.0
    found = smoothness.torque_smoothness(with_(still(), torque=torque), SCALES, DEFAULT)[:, 0]
    assert found[50:55] == pytest.approx(0.5)
    assert (np.delete(found, range(50, 55)) == 1.0).all()


def test_the_first_tenth_of_a_second_has_nothing_to_compare_with():
    ramp = 3.0 * np.arange(100.0)[:, None, None]
    found = smoothness.torque_smoothness(with_(still(), torque=ramp), SCALES, ROBOGAUGE)[:, 0]
    assert (found[:5] == 1.0).all() and found[5:] == pytest.approx(0.5)


def test_a_sampling_that_does_not_fit_a_tenth_of_a_second_is_refused():
    with pytest.raises(ValueError, match=r"0\.1 s is no whole number of samples of 0\.03 s"):
        smoothness.torque_smoothness(still(dt=0.03), SCALES, DEFAULT)


def test_the_action_rate_is_the_mean_squared_change():
    action = np.zeros((100, 1, 12))
    action[10:, 0, 0] = 0.6
    found = smoothness.action_rate(with_(still(), action=action))[:, 0]
    assert found[10] == pytest.approx(0.36 / 12) and np.delete(found, 10).max() == 0.0


# Outcome


def falling(at, t=1000):
    alive = np.ones((t, 1), bool)
    alive[at:] = False
    return with_(still(t), alive=alive)


def test_a_fall_is_dated():
    assert outcome.falls(falling(50)).all() and outcome.fall_time(falling(50)) == [51 * DT]
    assert not outcome.falls(still()).any() and outcome.fall_time(still()) == [np.inf]


def arriving(distance, at, t=1100, **more):
    place = np.full((t, 1, 3), 5.0)
    place[at:] = [2.0 - distance, 1.0, 0.3]
    return with_(still(t, dt=0.02), position=place, **more)


@pytest.mark.parametrize(
    ("distance", "step", "arrives"),
    [(0.099, 500, True), (0.101, 500, False), (0.099, 998, True), (0.099, 1000, False)],
)
def test_success_is_a_tenth_of_a_metre_before_twenty_seconds(distance, step, arrives):
    """Sample 998 is of 19.98 s, sample 1000 of 20.02 s."""
    found = outcome.success(arriving(distance, step), np.array([2.0, 1.0, 0.0]), 20.0, DEFAULT)
    assert found.tolist() == [arrives]


def test_arrival_at_19_99_s_counts_and_at_20_01_s_does_not():
    for time, arrives in ((19.99, True), (20.01, False)):
        place = np.full((2100, 1, 3), 5.0)
        place[round(time / 0.01) - 1 :] = 0.0
        samples = with_(still(2100, dt=0.01), position=place)
        assert outcome.arrival_time(samples, np.zeros(2), DEFAULT) == pytest.approx(time)
        assert outcome.success(samples, np.zeros(2), 20.0, DEFAULT).tolist() == [arrives]


def test_history_a_fallen_robot_does_not_arrive_by_lying_with_its_axis_towards_the_target():
    lying = with_(still(), quat=turned(Y, 90), position=(1.5, 1.0, 0.1))
    target = np.array([2.0, 1.0, 0.1])
    assert only(outcome.target_distance(lying, target, DEFAULT)) == pytest.approx(0.5)
    assert only(outcome.target_distance(lying, target, ROBOGAUGE)) == pytest.approx(0.0, abs=1e-12)


def test_who_falls_before_the_target_does_not_arrive_and_who_falls_after_it_did():
    target = np.array([2.0, 1.0])
    for fall, arrives in ((300, False), (700, True)):
        alive = np.ones((1100, 1), bool)
        alive[fall:] = False
        samples = arriving(0.05, 500, alive=alive)
        assert outcome.success(samples, target, 20.0, DEFAULT).tolist() == [arrives]


# Drift


@pytest.mark.parametrize("rate", [0.02, -0.5, 2.0])
def test_yaw_drift_is_what_was_not_asked_for_through_full_turns(rate):
    angles = np.degrees(rate * DT * np.arange(1000))
    quat = np.array([turned(Z, a) for a in angles])[:, None]
    turning = with_(still(1000), quat=quat, command=(0.3, 0.0, rate))
    assert drift.yaw_drift(turning) == pytest.approx(0.0, abs=1e-9)
    straight = with_(turning, command=(0.3, 0.0, 0.0))
    assert drift.yaw_drift(straight) == pytest.approx(abs(angles[-1]))


def test_base_drift_is_looked_for_in_windows():
    place = np.zeros((1000, 1, 3))
    place[300:600, 0, 1] = 0.03
    place[:, 0, 2] = np.arange(1000)  # height is no drift
    assert drift.base_drift(with_(still(1000), position=place)) == pytest.approx(0.03)


def test_a_pose_is_followed_by_the_joints_that_are_named():
    angles = np.zeros(12)
    angles[[0, 1]] = 0.3, -0.1
    samples = with_(still(), joint_pos=angles)
    wanted = np.array([0.2, 0.1])
    found = drift.pose_error(samples, GO2.joints, ("FL_hip", "FL_thigh"), wanted)
    assert only(found) == pytest.approx(0.15)
    with pytest.raises(LookupError, match="'neck'"):
        drift.pose_error(samples, GO2.joints, ("neck",), wanted)


# The records


def test_robots_are_measured_apart():
    rng = np.random.default_rng(0)
    both = with_(
        still(n=2),
        lin_vel=rng.normal(size=(100, 2, 3)),
        ang_vel=rng.normal(size=(100, 2, 3)),
        torque=rng.normal(size=(100, 2, 12)),
        joint_vel=rng.normal(size=(100, 2, 12)),
        joint_pos=rng.normal(size=(100, 2, 12)),
        action=rng.normal(size=(100, 2, 12)),
        position=rng.normal(size=(100, 2, 3)),
        quat=[turned(X, 20), turned(Y, 30)],
    )
    one = both.only(np.array([1]))
    measures = {
        "lin": lambda s: velocity.lin_vel_err(s, SCALES),
        "ang": lambda s: velocity.ang_vel_err(s, SCALES, DEFAULT),
        "ang, theirs": lambda s: velocity.ang_vel_err(s, SCALES, ROBOGAUGE),
        "limits": lambda s: limits.dof_limits(s, GO2, DEFAULT),
        "power": lambda s: power.dof_power(s, SCALES),
        "cost": lambda s: power.cost_of_transport(s, GO2)[None],
        "posture": lambda s: posture.orientation_stability(s, DEFAULT),
        "smooth": lambda s: smoothness.torque_smoothness(s, SCALES, DEFAULT),
        "rate": smoothness.action_rate,
        "yaw": lambda s: drift.yaw_drift(s)[None],
        "made": velocity.made,
    }
    for name, measure in measures.items():
        np.testing.assert_array_equal(measure(one)[:, 0], measure(both)[:, 1], err_msg=name)


# Following, over a second


def test_following_is_of_the_mean_over_a_second_against_the_command_itself():
    slow = with_(still(200), command=0.6 * X, lin_vel=0.45 * X)
    found = velocity.follow(slow, SCALES)
    assert np.isnan(found[:49]).all() and found[49:] == pytest.approx(0.75)
    sway = 2.0 * np.sin(2 * np.pi * 2 * np.arange(200) * DT)[:, None, None] * Y
    assert velocity.follow(replace(slow, lin_vel=slow.lin_vel + sway), SCALES)[
        49:
    ] == pytest.approx(0.75)
    for asked in (0.02 * X, 2.0 * X, 0.1 * Z):  # standing is 0, however little is asked
        assert velocity.follow(with_(still(200), command=asked), SCALES)[49:].max() < 1e-12


def test_following_takes_the_worse_of_what_is_asked_and_all_when_nothing_is():
    both = with_(still(200), command=X + Z, lin_vel=X, ang_vel=0.4 * Z)
    assert velocity.follow(both, SCALES)[-1, 0] == pytest.approx(0.4)
    turned_aside = with_(still(200), command=X, lin_vel=X, ang_vel=0.4 * Z)
    assert velocity.follow(turned_aside, SCALES)[-1, 0] == pytest.approx(1.0)
    idle = with_(still(200), lin_vel=0.1 * X, ang_vel=0.4 * Z)
    assert velocity.follow(idle, SCALES)[-1, 0] == pytest.approx(1 - 0.4 / SCALES.slow_turn)


def test_following_through_a_reversal_forgives_the_time_it_takes_but_not_a_refusal():
    command = np.where(np.arange(300)[:, None, None] < 150, X, -X)
    late = np.roll(command, 10, axis=0)
    late[:10] = X
    found = velocity.follow(with_(still(300), command=command, lin_vel=late), SCALES)[:, 0]
    assert found[149] == found[-1] == pytest.approx(1.0) and np.nanmin(found) >= 0.6 - 1e-9
    stubborn = velocity.follow(with_(still(300), command=command, lin_vel=X), SCALES)[:, 0]
    assert stubborn[-1] == 0.0


def test_following_to_a_stop_forgives_the_time_it_takes():
    command = np.where(np.arange(300)[:, None, None] < 150, X, 0 * X)
    late = np.roll(command, 10, axis=0)
    late[:10] = X
    found = velocity.follow(with_(still(300), command=command, lin_vel=late), SCALES)[:, 0]
    assert np.nanmin(found) >= 0.6 - 1e-9 and found[-1] == 1.0
    runs_on = velocity.follow(with_(still(300), command=command, lin_vel=X), SCALES)[:, 0]
    assert runs_on[-1] == 0.0


def test_following_begins_a_second_after_coming_to_rest():
    settled = np.arange(200)[:, None] >= 30
    found = velocity.follow(with_(still(200), settled=settled), SCALES)[:, 0]
    assert np.isnan(found[:79]).all() and (found[79:] == 1.0).all()
