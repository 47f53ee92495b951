"""A runner that meets something wrong answers with the safe action, and stays with it."""

import threading

import numpy as np
import pytest

from servogym.deploy.runner import Runner
from servogym.deploy.safety import DefaultPose, Hold, Limp
from tests.deploy import nets
from tests.deploy.watched import PERIOD, Odd, walk, with_joint

BAD = [
    (with_joint("left_knee", (float("nan"), 0.0)), r"joint_pos\[left_knee\] is nan"),
    (with_joint("head_yaw", (0.0, float("inf"))), r"joint_vel\[head_yaw\] is inf"),
    (with_joint("left_knee", (None, 0.0)), r"joint_pos\[left_knee\] is nan"),
    (nets.duck_readings() | {"gyro": (0.0, float("nan"), 0.0)}, r"base_ang_vel\[1\] is nan"),
    (nets.duck_readings() | {"gravity": (0.0, 0.0, -9.81)}, "gravity has length 9.81"),
    (nets.duck_readings() | {"gravity": (0.0, 0.0, 0.0)}, "gravity has length 0"),
    (
        nets.duck_readings() | {"gravity": None, "orientation": (0.5, 0.0, 0.0, 0.0)},
        "orientation has length 0.5; 1 ± 0.01",
    ),
    (
        nets.duck_readings() | {"gravity": None, "orientation": (float("nan"), 0.0, 0.0, 0.0)},
        r"projected_gravity\[0\] is nan",
    ),
    (nets.duck_readings() | {"commands": {"command": (float("nan"), 0, 0)}}, r"command\[0\]"),
]


@pytest.mark.parametrize(("given", "said"), BAD, ids=[said for _, said in BAD])
def test_a_bad_reading_gives_the_safe_action_in_the_same_call_until_cleared(
    policy, clock, given, said
):
    runner = Runner(policy, rate_hz=50, clock=clock, safe=Hold())
    last = walk(runner, clock)
    clock.now += PERIOD
    answer = runner.step(**given)
    assert said.replace("\\", "") in answer.fault
    assert np.array_equal(answer.command, last.command)
    assert answer.action is None and answer.obs is None
    for step in range(5):
        clock.now += PERIOD
        later = runner.step(**nets.duck_readings(step))
        assert (later.fault, later.targets) == (answer.fault, last.targets)
    runner.clear()
    clock.now += PERIOD
    assert not runner.step(**nets.duck_readings()).fault


def test_an_inference_that_raises_gives_the_safe_action(tmp_path, clock):
    def broken(_):
        raise RuntimeError("out of memory")

    odd = Odd(tmp_path)
    runner = Runner(odd, rate_hz=50, clock=clock, safe=Hold())
    last = walk(runner, clock)
    odd.then = broken
    clock.now += PERIOD
    answer = runner.step(**nets.duck_readings())
    assert answer.fault == "inference failed: RuntimeError: out of memory"
    assert np.array_equal(answer.command, last.command)


def test_an_action_that_is_not_finite_never_reaches_a_servo(tmp_path, clock):
    runner = Runner(Odd(tmp_path, lambda actions: actions * np.nan), rate_hz=50, clock=clock)
    answer = runner.step(**nets.duck_readings())
    assert "not finite" in answer.fault
    assert np.isfinite(answer.command).all()


def test_a_step_that_takes_longer_than_a_period_is_a_fault_in_the_same_call(tmp_path, clock):
    def slowly(actions):
        clock.now += 0.03
        return actions

    answer = Runner(Odd(tmp_path, slowly), rate_hz=50, clock=clock).step(**nets.duck_readings())
    assert answer.fault == "deadline missed: the step took 30.0 ms, 20.0 ms is accepted"


@pytest.mark.parametrize(("gap", "late"), [(0.0299, False), (0.0301, True), (0.5, True)])
def test_a_step_that_comes_too_late_is_a_fault(runner, clock, gap, late):
    walk(runner, clock)
    clock.now += gap
    assert bool(runner.step(**nets.duck_readings()).fault) == late


def test_a_loop_at_twice_the_promised_rate_is_found_out(runner, clock):
    faults = []
    for _ in range(15):
        clock.now += PERIOD / 2
        faults.append(runner.step(**nets.duck_readings()).fault)
    assert not any(faults[:10])
    assert faults[-1] == "steps come every 10.0 ms; every 20.0 ms was promised"


def test_without_a_clock_time_does_not_matter(policy):
    runner = Runner(policy, rate_hz=50, clock=None)
    assert not any(runner.step(**nets.duck_readings(k)).fault for k in range(30))


def test_a_loop_that_hangs_is_caught_from_another_thread_within_a_period(runner, clock):
    walk(runner, clock)
    due = clock.now + PERIOD
    found = []

    def watch():
        for _ in range(10):
            clock.now += PERIOD / 4
            found.append((clock.now - due, runner.check()))

    thread = threading.Thread(target=watch)
    thread.start()
    thread.join()
    late = next(when for when, answer in found if answer is not None)
    assert 0.0 < late <= PERIOD
    assert all(answer is None for when, answer in found if when <= 0.0)
    answer = runner.step(**nets.duck_readings())
    assert answer.fault.startswith("deadline missed") and runner.fault == answer.fault


def test_nothing_is_late_before_the_first_step(runner, clock):
    clock.now += 60.0
    assert runner.check() is None
    assert not runner.step(**nets.duck_readings()).fault


def test_the_default_pose_is_reached_at_a_limited_speed_and_kept(policy, clock):
    runner = Runner(policy, rate_hz=50, clock=clock, safe=DefaultPose(speed=0.5))
    command = walk(runner, clock).command
    assert np.abs(command - nets.DUCK.pose()).max() > 0.5
    for _ in range(200):
        clock.now += PERIOD
        answer = runner.step(**with_joint("left_knee", (float("nan"), 0.0)))
        assert np.abs(answer.command - command).max() <= 0.5 * PERIOD + 1e-9
        command = answer.command
    assert command == pytest.approx(nets.DUCK.pose())


def test_the_default_pose_is_the_safe_action_unless_told_otherwise(runner, clock):
    walk(runner, clock)
    runner.step(**BAD[0][0])
    clock.now += 10.0
    assert runner.step(**nets.duck_readings()).command == pytest.approx(nets.DUCK.pose())


def test_limp_asks_every_servo_for_where_it_was_measured_last(policy, clock):
    runner = Runner(policy, rate_hz=50, clock=clock, safe=Limp())
    walk(runner, clock)
    known = nets.duck_readings(2)["joints"]["left_knee"][0]
    given = with_joint("left_knee", (float("nan"), 0.0))
    answer = runner.step(**given)
    assert answer.targets["left_knee"] == known
    others = {j: pair[0] for j, pair in given["joints"].items() if j != "left_knee"}
    assert {j: answer.targets[j] for j in others} == others


def test_a_fault_in_the_first_step_starts_from_the_measured_pose(policy):
    runner = Runner(policy, rate_hz=50, clock=None, safe=DefaultPose(speed=1.0))
    given = with_joint("left_knee", (float("nan"), 0.0))
    answer = runner.step(**given)
    for joint, home in zip(nets.DUCK.joints, nets.DUCK.pose(), strict=True):
        measured = given["joints"][joint][0]
        start = home if joint == "left_knee" else measured
        assert abs(answer.targets[joint] - start) <= PERIOD + 1e-9
        assert answer.targets[joint] == pytest.approx(
            start + np.clip(home - start, -PERIOD, PERIOD)
        )


def test_a_torque_policy_is_safe_without_torque(tmp_path, clock):
    path = nets.duck_file(tmp_path / "torque.onnx", command="torque")
    runner = Runner(path, rate_hz=50, clock=clock)
    assert walk(runner, clock).command.any()
    assert not runner.step(**BAD[0][0]).command.any()
    with pytest.raises(ValueError, match=r"safe Hold\(\): Limp\(\) is accepted"):
        Runner(path, rate_hz=50, safe=Hold())


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_a_speed_that_is_no_speed_is_refused(speed):
    with pytest.raises(ValueError, match="speed"):
        DefaultPose(speed=speed)
