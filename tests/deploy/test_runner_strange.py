"""Values, clocks and threads nobody planned for: a runner stays safe and says what is wrong."""

import threading
import warnings

import numpy as np
import pytest

from servogym.deploy.runner import Policy, Runner
from servogym.deploy.safety import DefaultPose, Hold, Limp
from tests.deploy import nets
from tests.deploy.watched import PERIOD, Odd, walk, with_joint

A, B = 1, 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (with_joint("left_knee", None), "joint_pos[left_knee] is nan"),
        (with_joint("left_knee", ("ERR", 0.0)), "joint_pos[left_knee] is nan"),
        (with_joint("left_knee", (0.0, 10**400)), "joint_vel[left_knee] is nan"),
        (nets.duck_readings() | {"gyro": (0.0, "?", 0.0)}, "base_ang_vel[1] is nan"),
        (nets.duck_readings() | {"commands": {"command": (np.inf, 0, 0)}}, "command[0] is inf"),
        (nets.duck_readings() | {"commands": {"command": (0, -np.inf, 0)}}, "command[1] is -inf"),
    ],
)
def test_what_is_no_finite_number_is_a_fault(runner, clock, given, said):
    walk(runner, clock)
    clock.now += PERIOD
    answer = runner.step(**given)
    assert said in answer.fault
    assert np.isfinite(answer.command).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"joints": None}, "joints: a mapping of joint to reading is needed.* NoneType"),
        ({"joints": [(0.0, 0.0)] * 14}, "joints: a mapping"),
        ({"joints": ({}, {}, {})}, "joints: a mapping"),
        ({"joints": with_joint("left_knee", (0.0, 0.0, 0.0))["joints"]}, "not so for left_knee"),
        ({"joints": with_joint(5, (0.0, 0.0))["joints"]}, "not understood 5"),
        ({"commands": (0.1, 0.0, 0.0)}, "commands .* a mapping of slot to values"),
        ({"commands": {3: (0.1, 0.0, 0.0)}}, "commands not understood: 3"),
        ({"gyro": "abc"}, r"gyro: shape \(\)"),
    ],
)
def test_what_has_another_form_raises_and_names_it(runner, change, named):
    with pytest.raises(ValueError, match=named):
        runner.step(**nets.duck_readings() | change)
    assert not runner.fault


def test_whole_numbers_are_numbers(runner):
    given = {"joints": dict.fromkeys(nets.DUCK.joints, (0, 0)), "gyro": np.zeros(3, int)}
    quat = np.array((1, 0, 0, 0))
    answer = runner.step(**given, orientation=quat, commands={"command": [0, 0, 1]})
    assert not answer.fault
    assert answer.obs[runner.contract.slices()["command"]].tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("safe", [Limp(), Hold(), DefaultPose()])
def test_an_angle_no_joint_can_have_is_not_taken_for_where_it_is(policy, safe):
    runner = Runner(policy, rate_hz=50, clock=None, safe=safe)
    far = with_joint("left_knee", (1e30, 0.0)) | {"gravity": (0.0, 0.0, 0.0)}
    answer = runner.step(**far)
    assert answer.fault
    home = dict(zip(nets.DUCK.joints, nets.DUCK.pose(), strict=True))["left_knee"]
    assert answer.targets["left_knee"] == pytest.approx(home)


def test_a_command_that_is_not_finite_never_reaches_a_servo(tmp_path, clock):
    path = nets.duck_file(tmp_path / "d.onnx", action_scale=1e308, action_clip=1e30, loud=1e20)
    runner = Runner(path, rate_hz=50, clock=clock)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        answer = runner.step(**nets.duck_readings())
    assert "the command is not finite" in answer.fault
    assert np.isfinite(answer.command).all()


@pytest.mark.parametrize("then", [-50.0, float("nan")])
def test_a_clock_that_goes_back_or_stops_counting_does_not_drive_away_from_the_pose(
    runner, clock, then
):
    last = walk(runner, clock).command
    clock.now += PERIOD
    runner.step(**with_joint("left_knee", (float("nan"), 0.0)))
    clock.now += then
    command = runner.step(**nets.duck_readings()).command
    away, before = (np.abs(c - nets.DUCK.pose()) for c in (command, last))
    assert (away <= before).all()


def test_what_is_done_to_an_answer_does_not_reach_the_next(policy):
    kept, changed = (Runner(policy, rate_hz=50, clock=None) for _ in range(2))
    for step in range(3):
        one = kept.step(**nets.duck_readings(step))
        two = changed.step(**nets.duck_readings(step))
        assert np.array_equal(one.obs, two.obs)
        assert np.array_equal(one.command, two.command)
        for array in (two.obs, two.action, two.command):
            array[:] = 9.0


def test_what_is_done_to_a_safe_answer_does_not_reach_the_next(policy, clock):
    runner = Runner(policy, rate_hz=50, clock=clock, safe=Hold())
    last = walk(runner, clock)
    clock.now += PERIOD
    runner.step(**with_joint("left_knee", (float("nan"), 0.0))).command[:] = 9.0
    clock.now += PERIOD
    assert runner.step(**nets.duck_readings()).targets == last.targets


class Short:
    """A safe action that forgets a joint."""

    def targets(self, moment):
        return moment.start[1:]


@pytest.mark.parametrize("safe", [Hold, "hold", Short()])
def test_a_safe_action_that_gives_no_targets_is_refused_before_it_is_needed(policy, safe):
    with pytest.raises(ValueError, match="safe "):
        Runner(policy, rate_hz=50, safe=safe)


def test_nothing_is_late_after_a_pause_that_clear_ends(runner, clock):
    walk(runner, clock)
    clock.now += 5.0
    assert runner.check().fault.startswith("deadline missed")
    runner.clear()
    assert runner.check() is None
    clock.now += 60.0
    assert runner.check() is None
    assert not runner.step(**nets.duck_readings()).fault
    clock.now += 2 * PERIOD
    assert runner.check().fault.startswith("deadline missed")


def test_a_fault_in_a_ramp_starts_from_what_was_sent_and_ends_the_ramp(tmp_path, clock):
    a, b = (Policy(nets.duck_file(tmp_path / f"{k}.onnx", k)) for k in (A, B))
    runner = Runner(a, rate_hz=50, clock=clock, safe=Hold())
    walk(runner, clock)
    runner.swap(b, ramp_s=0.2)
    last = walk(runner, clock, 2)
    clock.now += PERIOD
    assert runner.step(**with_joint("left_knee", None)).targets == last.targets
    runner.swap(a)
    clock.now += PERIOD
    assert runner.step(**nets.duck_readings()).targets == last.targets
    runner.clear()
    answer = walk(runner, clock, 1)
    assert answer.action == pytest.approx(nets.answer(answer.obs, 14, A), abs=1e-5)
    assert answer.command == pytest.approx(nets.DUCK.pose() + answer.action)


@pytest.mark.parametrize("what", ["swap", "clear"])
def test_another_thread_waits_for_the_step_that_is_going_on(tmp_path, what):
    inside, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slowly(actions):
        inside.set()
        assert go_on.wait(10.0)
        return actions

    odd = Odd(tmp_path)
    odd.then = slowly
    half = Policy(nets.duck_file(tmp_path / "half.onnx", B, action_scale=0.5))
    runner, answers = Runner(odd, rate_hz=50, clock=None), []
    step = threading.Thread(target=lambda: answers.append(runner.step(**nets.duck_readings())))

    def interfere():
        runner.swap(half) if what == "swap" else runner.clear()
        done.set()

    other = threading.Thread(target=interfere)
    step.start()
    assert inside.wait(10.0)
    other.start()
    assert not done.wait(0.05)
    assert runner.check() is None  # the watch never waits
    go_on.set()
    step.join()
    other.join()
    assert answers[0].command == pytest.approx(nets.DUCK.pose() + answers[0].action)
    previous = runner.step(**nets.duck_readings()).obs[runner.contract.slices()["actions"]]
    wanted = np.clip(2.0 * answers[0].action, -2.0, 2.0) if what == "swap" else np.zeros(14)
    assert previous == pytest.approx(wanted)
