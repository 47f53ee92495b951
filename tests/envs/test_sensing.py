"""Noise, latency, mounting error and encoder bias: each as stated, each switchable."""

from dataclasses import fields

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.lag import Lag
from servogym.envs.random import RowRandom
from servogym.envs.sensing import Sensing

STILL = {"randomization": False, "spawn": False, "actuator": "pd"}


def core(n=1, **options):
    c = Core("microduck_flat", n, threads=1, **options)
    rows = np.arange(n)
    c.seed(rows, rows.astype(np.uint64) + np.uint64(17))
    return c, c.reset(rows)


def only(**faults):
    perfect = Sensing.off()
    return {f.name: getattr(perfect, f.name) for f in fields(perfect)} | faults


@pytest.mark.parametrize(
    ("fault", "slot", "half"),
    [
        ("gyro_noise", "base_ang_vel", 0.03),
        ("gravity_noise", "projected_gravity", 0.01),
        ("joint_pos_noise", "joint_pos", 0.001),
        ("joint_vel_noise", "joint_vel", 0.25),
    ],
)
def test_noise_is_uniform_with_the_stated_half_width_and_touches_its_slot_alone(fault, slot, half):
    assert getattr(Sensing(), fault) == half
    _, first = core(400, sensing=False, **STILL)
    noisy, second = core(400, sensing=only(**{fault: half}), **STILL)
    difference = (second - first)[:, :34]
    columns = noisy.contract.slices()[slot]
    inside = difference[:, columns]
    assert np.abs(inside).max() <= half * 1.0001 and np.abs(inside).max() > 0.98 * half
    assert inside.std() == pytest.approx(half / np.sqrt(3), rel=0.05)
    difference[:, columns] = 0
    assert not difference.any()


def test_joint_velocity_arrives_exactly_one_control_step_late():
    late, _ = core(sensing=only(joint_vel_lag=1), **STILL)
    prompt, _ = core(sensing=False, **STILL)
    column = late.contract.slices()["joint_vel"]
    generator = np.random.default_rng(1)
    seen, true = [], []
    for _ in range(20):
        action = generator.normal(0, 0.2, (1, 14))
        seen.append(late.step(action).observation[0, column])
        true.append(prompt.step(action).observation[0, column])
    assert np.array_equal(seen[1:], true[:-1])


def test_the_imu_lags_zero_or_one_step_drawn_again_every_64_steps():
    c, _ = core(64, sensing=only(imu_lag=(0, 1)), **STILL)
    prompt, _ = core(64, sensing=False, **STILL)
    generator = np.random.default_rng(1)
    lags, before = [], None
    for _ in range(200):
        action = generator.normal(0, 0.3, (64, 14))
        seen, true = c.step(action).observation[:, :6], prompt.step(action).observation[:, :6]
        if before is not None:
            now = (seen == true).all(axis=1)
            assert (now | (seen == before).all(axis=1)).all()
            lags.append(~now)
        before = true
    lags = np.array(lags)
    assert 0.4 < lags.mean() < 0.6
    changes = [np.flatnonzero(np.diff(lags[:, row].astype(int))) for row in range(64)]
    assert all((np.diff(when) % 64 == 0).all() for when in changes)
    assert len({int(when[0]) % 64 for when in changes if len(when)}) > 20  # a phase of its own


def test_one_mounting_rotation_turns_gyro_and_gravity_by_up_to_six_degrees():
    c, obs = core(300, sensing=only(imu_mounting=np.radians(6)), **STILL)
    seen, true = obs[:, 3:6].astype(float), c.state.projected_gravity
    angle = np.degrees(np.arccos(np.clip((seen * true).sum(axis=1), -1, 1)))
    assert angle.max() <= 6.0 and angle.max() > 3.5
    spin = np.array([[0.3, -0.2, 0.5]])
    c.state.base_ang_vel[:] = spin
    read = c.sensors.read(c.state, np.zeros((300, 14)), c.rng)
    assert np.allclose((read[:, :3] ** 2).sum(axis=1), (spin**2).sum())
    dot = (read[:, :3] * read[:, 3:6]).sum(axis=1)
    assert np.allclose(dot, (spin * true).sum(axis=1))  # the same rotation for both


def test_the_encoder_bias_is_seen_by_firmware_and_policy_alike():
    c, obs = core(200, sensing=only(encoder_bias=0.015), **STILL)
    bias = obs[:, 6:20]
    assert np.abs(bias).max() <= 0.0150001 and np.abs(bias).max() > 0.0145
    c.step(np.zeros((200, 14)))
    # A servo told to hold the default pose drives its reading there, so the link turns against it.
    away = c.state.joint_pos - c.state.default_pose
    assert np.corrcoef(away[:, 7], bias[:, 7])[0, 1] < -0.95


def test_everything_off_is_the_plain_state():
    _, obs = core(sensing=False, **STILL)
    assert np.allclose(obs[0, :3], 0) and np.allclose(obs[0, 3:6], [0, 0, -1])
    assert np.abs(obs[0, 6:20]).max() < 1e-6


def test_a_lag_forgets_the_last_episode():
    rng = RowRandom(2)
    rng.seed(np.arange(2), np.array([1, 2], np.uint64))
    rng.begin_episode(np.arange(2))
    lag = Lag(2, 1, 2, 2)
    lag.reset(np.arange(2), np.zeros((2, 1)), rng)
    for k in range(1, 6):
        lag.push(np.full((2, 1), float(k)), rng)
    lag.reset(np.array([1]), np.array([[50.0]]), rng)
    read = [lag.push(np.full((2, 1), float(k)), rng)[:, 0].tolist() for k in (6, 7, 8)]
    assert read == [[4.0, 50.0], [5.0, 50.0], [6.0, 6.0]]


@pytest.mark.parametrize(("low", "high", "period"), [(2, 1, 1), (-1, 1, 1), (0, 1, 0)])
def test_an_impossible_lag_is_refused(low, high, period):
    with pytest.raises(ValueError, match="needs 0 <= low <= high"):
        Lag(1, 1, low, high, period)
