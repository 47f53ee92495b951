"""The runner in a control loop: named readings in, named targets out."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from servogym.deploy.readings import Readings
from servogym.deploy.runner import Policy, Runner
from servogym.deploy.style import RuntimeStyle, microduck
from tests.deploy import nets


@pytest.fixture
def runner(tmp_path) -> Runner:
    return Runner(nets.duck_file(tmp_path / "duck.onnx"), rate_hz=50, clock=None)


def turned(axis: int, angle: float) -> np.ndarray:
    quat = np.zeros(4)
    quat[0], quat[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return quat


def test_readings_by_name_become_the_observation_of_the_contract(runner):
    given = nets.duck_readings()
    shuffled = dict(reversed(given["joints"].items()))
    obs = runner.step(**given | {"joints": shuffled}, commands={"command": (0.1, 0.2, 0.3)}).obs
    pairs = np.array([given["joints"][joint] for joint in nets.DUCK.joints])
    at = runner.contract.slices()
    assert obs[at["joint_pos"]] == pytest.approx(pairs[:, 0] - nets.DUCK.pose())
    assert obs[at["joint_vel"]] == pytest.approx(pairs[:, 1])
    assert obs[at["base_ang_vel"]] == pytest.approx(given["gyro"])
    assert obs[at["projected_gravity"]].tolist() == [0.0, 0.0, -1.0]
    assert obs[at["command"]].tolist() == [0.1, 0.2, 0.3]
    assert not obs[at["head_command"]].any()


def test_the_previous_action_is_fed_back_as_in_training(runner):
    at = runner.contract.slices()["actions"]
    first = runner.step(**nets.duck_readings(0))
    second = runner.step(**nets.duck_readings(1))
    assert not first.obs[at].any()
    assert np.array_equal(second.obs[at], first.action)
    runner.clear()
    assert not runner.step(**nets.duck_readings(2)).obs[at].any()


def test_each_target_goes_to_the_joint_it_was_computed_for(tmp_path):
    scale = {joint: 0.5 + 0.1 * k for k, joint in enumerate(nets.DUCK.joints)}
    runner = Runner(nets.duck_file(tmp_path / "d.onnx", action_scale=scale), rate_hz=50, clock=None)
    answer = runner.step(**nets.duck_readings())
    action = dict(zip(nets.DUCK.joints, nets.answer(answer.obs, 14), strict=True))
    for joint, home in zip(nets.DUCK.joints, nets.DUCK.pose(), strict=True):
        assert answer.targets[joint] == pytest.approx(home + scale[joint] * action[joint], abs=1e-5)


def test_two_mappings_say_the_same_as_pairs(runner):
    given = nets.duck_readings()
    positions, velocities = ({j: pair[k] for j, pair in given["joints"].items()} for k in (0, 1))
    one = runner.step(**given)
    runner.clear()
    two = runner.step(**given | {"joints": (positions, velocities)})
    assert np.array_equal(one.obs, two.obs)


@pytest.mark.parametrize(
    ("axis", "angle", "gravity"),
    [
        (0, 0.0, (0, 0, -1)),
        (0, np.pi / 2, (0, -1, 0)),  # lying on its right side
        (1, np.pi / 2, (1, 0, 0)),  # nose down
        (2, 1.0, (0, 0, -1)),
    ],
)
def test_an_orientation_says_where_down_is(runner, axis, angle, gravity):
    given = nets.duck_readings() | {"gravity": None}
    for sign in (1.0, -1.0, 1.005):
        runner.clear()
        obs = runner.step(**given, orientation=sign * turned(axis, angle)).obs
        assert obs[runner.contract.slices()["projected_gravity"]] == pytest.approx(gravity)


def test_an_orientation_about_several_axes_says_where_down_is(runner):
    given = nets.duck_readings() | {"gravity": None}
    obs = runner.step(**given, orientation=(0.5, 0.5, 0.5, 0.5)).obs  # x to y, y to z, z to x
    assert obs[runner.contract.slices()["projected_gravity"]] == pytest.approx((0.0, -1.0, 0.0))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda g: g["joints"].pop("left_knee"), "missing left_knee"),
        (lambda g: g["joints"].update(mouth=(0.0, 0.0)), "not understood mouth"),
        (
            lambda g: g["joints"].update(left_kne=g["joints"].pop("left_knee")),
            r"missing left_knee; not understood left_kne \(did you mean left_knee\?\)",
        ),
        (lambda g: g.update(joints=dict.fromkeys(nets.DUCK.joints, 0.0)), "pair"),
        (lambda g: g.update(joints=({}, {})), "positions: missing left_hip_yaw"),
        (lambda g: g.update(commands={"comand": (0, 0, 0)}), r"comand \(did you mean command\?\)"),
        (lambda g: g.update(commands={"command": (0, 0)}), r"command 'command': shape \(2,\)"),
        (lambda g: g.update(commands={"joint_pos": np.zeros(14)}), "joint_pos"),
        (lambda g: g.pop("gyro"), "gyro is missing"),
        (lambda g: g.pop("gravity"), "gravity or orientation is missing"),
        (lambda g: g.update(orientation=(1, 0, 0, 0)), "only one of them"),
        (lambda g: g.update(base_lin_vel=(0, 0, 0)), "no slot 'base_lin_vel'"),
        (lambda g: g.update(gyro=(0, 0)), r"gyro: shape \(2,\)"),
    ],
)
def test_wrong_names_and_shapes_raise_at_once(runner, change, named):
    given = nets.duck_readings()
    change(given)
    with pytest.raises(ValueError, match=named):
        runner.step(**given)
    assert not runner.fault


@pytest.mark.parametrize("rate", [100.0, 25.0, 49.0, 0.0, float("nan")])
def test_another_rate_than_the_trained_one_is_refused(tmp_path, rate):
    path = nets.duck_file(tmp_path / "duck.onnx")
    with pytest.raises(ValueError, match="rate_hz"):
        Runner(path, rate_hz=rate)


def test_another_rate_can_be_allowed_explicitly(tmp_path):
    path = nets.duck_file(tmp_path / "duck.onnx")
    with pytest.raises(ValueError, match="trained at 50 Hz"):
        Runner(path, rate_hz=100)
    assert not Runner(path, rate_hz=100, allow_rate=True).step(**nets.duck_readings()).fault


def test_commands_beyond_training_are_read_within_bounds_and_warned_of_once(runner):
    far = {"command": (9.0, -0.1, 0.2)}
    with pytest.warns(UserWarning, match=r"'command' \[9\.0.* beyond .* \[0\.4, 0\.3, 1\.0\]"):
        obs = runner.step(**nets.duck_readings(), commands=far).obs
    assert obs[runner.contract.slices()["command"]].tolist() == [3.0, -0.1, 0.2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runner.step(**nets.duck_readings(), commands=far)


def test_the_style_of_a_microduck_alters_commands_and_targets_only(tmp_path):
    policy = Policy(nets.duck_file(tmp_path / "duck.onnx"))
    runner = Runner(policy, rate_hz=50, clock=None, style=microduck(policy.contract))
    weights = np.where([j.startswith(("neck", "head")) for j in nets.DUCK.joints], 0.5, 0.7)
    assert weights.tolist().count(0.5) == 4
    smoothed, asked = None, np.zeros(3)
    for step in range(3):
        answer = runner.step(**nets.duck_readings(step), commands={"command": (0.4, 0.0, 1.0)})
        asked = asked + 0.2 * (np.array((0.4, 0.0, 1.0)) - asked)
        assert answer.obs[policy.contract.slices()["command"]] == pytest.approx(asked)
        target = nets.DUCK.pose() + 0.9 * answer.action
        smoothed = target if step == 0 else smoothed + weights * (target - smoothed)
        assert answer.command == pytest.approx(smoothed)
        assert answer.action == pytest.approx(policy(answer.obs), abs=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [{"action_scale": 0.0}, {"command_weight": 1.5}, {"target_weights": {"left_knee": 0.0}}],
)
def test_an_impossible_style_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RuntimeStyle(**wrong)


def test_a_style_for_another_robots_joints_is_refused(tmp_path):
    style = RuntimeStyle(target_weights={"FL_hip_joint": 0.5})
    with pytest.raises(ValueError, match="FL_hip_joint"):
        Runner(nets.duck_file(tmp_path / "duck.onnx"), rate_hz=50, style=style)


def test_a_slot_whose_size_does_not_fit_its_reading_is_refused():
    slots = nets.duck_contract().slots
    wrong = (*slots[:3], replace(slots[3], size=13), *slots[4:])
    with pytest.raises(ValueError, match="'joint_vel' has 13 columns, its reading 14"):
        Readings(nets.duck_contract(slots=wrong))


class Robot:
    """Stands still for three steps and notes what it was sent."""

    def __init__(self) -> None:
        self.sent, self.given = [], nets.duck_readings()

    def on(self) -> bool:
        return len(self.sent) < 3

    def joints(self):
        return self.given["joints"]

    def gyro(self):
        return self.given["gyro"]

    def gravity(self):
        return self.given["gravity"]

    def send(self, targets) -> None:
        self.sent.append(targets)

    def say(self, text) -> None:
        assert text


def test_the_loop_of_the_page_runs(tmp_path, checkout):
    nets.duck_file(tmp_path / "policy.onnx")
    page = (checkout / "docs" / "runner.md").read_text("utf-8")
    loop = page.partition("```python\n")[2].partition("```")[0]
    robot = Robot()
    exec(compile(loop, "docs/runner.md", "exec"), {"robot": robot})
    assert [list(targets) for targets in robot.sent] == 3 * [list(nets.DUCK.joints)]
    assert np.isfinite([list(targets.values()) for targets in robot.sent]).all()
