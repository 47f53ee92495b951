"""One policy hands over to another in the middle of a run."""

from dataclasses import replace

import numpy as np
import pytest

from servogym.deploy.runner import Policy, Runner
from tests.deploy import nets

A, B = 1, 2


@pytest.fixture
def a(tmp_path) -> Policy:
    return Policy(nets.duck_file(tmp_path / "a.onnx", A))


@pytest.fixture
def b(tmp_path) -> Policy:
    return Policy(nets.duck_file(tmp_path / "b.onnx", B))


def begin(policy: Policy, steps: int = 4) -> Runner:
    runner = Runner(policy, rate_hz=50, clock=None)
    for step in range(steps):
        runner.step(**nets.duck_readings(step))
    return runner


def test_a_hands_over_to_b_and_back(a, b):
    runner = begin(a)
    for policy, seed in ((b, B), (a, A)):
        before = runner.step(**nets.duck_readings(5)).action
        runner.swap(policy)
        answer = runner.step(**nets.duck_readings(6))
        at = policy.contract.slices()["actions"]
        assert answer.obs[at] == pytest.approx(before)
        assert answer.action == pytest.approx(policy(answer.obs), abs=1e-6)
        assert answer.action == pytest.approx(nets.answer(answer.obs, 14, seed), abs=1e-5)
        assert answer.command == pytest.approx(nets.DUCK.pose() + answer.action)


def test_a_file_can_be_handed_over_to_by_path(a, tmp_path):
    runner = begin(a)
    runner.swap(nets.duck_file(tmp_path / "other.onnx", B))
    answer = runner.step(**nets.duck_readings())
    assert answer.action == pytest.approx(nets.answer(answer.obs, 14, B), abs=1e-5)


def test_the_previous_action_is_carried_over_as_the_command_it_made(a, tmp_path):
    half = Policy(nets.duck_file(tmp_path / "half.onnx", B, action_scale=0.5))
    runner = begin(a)
    last = runner.step(**nets.duck_readings(5))
    runner.swap(half)
    obs = runner.step(**nets.duck_readings(6)).obs
    previous = obs[half.contract.slices()["actions"]]
    assert half.command(previous) == pytest.approx(last.command)
    assert previous == pytest.approx(2.0 * last.action)


def test_a_ramp_fades_the_jump_between_the_two(a, b):
    plain, ramped = begin(a), begin(a)
    last = plain.step(**nets.duck_readings(5)).command
    ramped.step(**nets.duck_readings(5))
    plain.swap(b)
    ramped.swap(b, ramp_s=0.1)
    jump, rests = None, []
    for step in range(7):
        hard = plain.step(**nets.duck_readings(step))
        soft = ramped.step(**nets.duck_readings(step))
        assert np.array_equal(hard.action, soft.action)
        jump = last - hard.command if jump is None else jump
        rests.append((soft.command - hard.command) / jump)
    assert np.array(rests) == pytest.approx(
        np.repeat([[0.8], [0.6], [0.4], [0.2], [0.0], [0.0], [0.0]], 14, axis=1), abs=1e-9
    )


def slots(**change):
    first, *others = nets.duck_contract().slots
    return (replace(first, **change), *others)


def swapped(values, i: int, j: int):
    values = list(values)
    values[i], values[j] = values[j], values[i]
    return tuple(values)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (
            {"joints": swapped(nets.DUCK.joints, 0, 9)},
            r"joints\[0\] is 'right_hip_yaw', not 'left_hip_yaw'",
        ),
        ({"control_dt": 0.01, "decimation": 2}, r"control_dt is 0\.01, not 0\.02"),
        ({"sim_dt": 0.01, "decimation": 2}, "sim_dt is 0.01"),
        ({"slots": slots(low=-5.0)}, r"slots\[0\] \(base_ang_vel\): low is -5\.0, not -20\.0"),
        ({"slots": swapped(nets.duck_contract().slots, 0, 1)}, r"slots\[0\].*name is 'projected"),
        (
            {"default_pose": (0.1, *nets.duck_contract().default_pose[1:])},
            r"default_pose\[0\] is 0\.1, not 0\.0",
        ),
        ({"firmware": {"kp_fw": 160.0}}, r"firmware is \{'kp_fw': 160\.0\}"),
        ({"encoder": "motor"}, "encoder is 'motor', not 'output'"),
    ],
)
def test_another_contract_is_refused_by_its_first_difference_and_a_goes_on(
    a, tmp_path, change, named
):
    other = nets.duck_file(tmp_path / "other.onnx", B, **change)
    runner, alone = begin(a), begin(a)
    with pytest.raises(ValueError, match=f"swap refused: {named}"):
        runner.swap(other)
    one, two = runner.step(**nets.duck_readings(5)), alone.step(**nets.duck_readings(5))
    assert np.array_equal(one.action, two.action)
    assert np.array_equal(one.obs, two.obs)


@pytest.mark.parametrize("ramp_s", [-0.1, float("nan"), float("inf")])
def test_an_impossible_ramp_is_refused(a, b, ramp_s):
    runner = begin(a)
    with pytest.raises(ValueError, match="ramp_s"):
        runner.swap(b, ramp_s=ramp_s)
    answer = runner.step(**nets.duck_readings())
    assert answer.action == pytest.approx(nets.answer(answer.obs, 14, A), abs=1e-5)
