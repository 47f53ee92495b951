"""The clean room's own noise has the size it was given."""

import numpy as np
import pytest

from servogym.deploy.cleanroom.noise import Faults, Noise

UP = np.array([[0.0, 0.0, 1.0]] * 500)


def test_noise_is_uniform_within_its_half_width():
    faults = Faults(Noise(width={"joint_vel": 0.25}), 500, 14, seed=0)
    noise = faults.sense("joint_vel", np.zeros((500, 14)), 0, 0)
    assert 0.24 < np.abs(noise).max() <= 0.25
    assert noise.std() == pytest.approx(0.25 / np.sqrt(3), rel=0.05)
    assert not faults.sense("joint_pos", np.zeros((500, 14)), 0, 0).any()


def test_one_mounting_error_turns_both_signals_of_the_imu():
    faults = Faults(Noise(mounting=0.1), 500, 14, seed=0)
    gyro = faults.sense("base_ang_vel", UP, 0, 0)
    assert np.array_equal(gyro, faults.sense("projected_gravity", UP, 0, 0))
    angles = np.arccos(gyro[:, 2].clip(-1, 1))
    assert 0.08 < angles.max() <= 0.1 + 1e-9
    assert np.linalg.norm(gyro, axis=1) == pytest.approx(np.ones(500))


def test_encoder_errors_are_constant_and_bounded():
    faults = Faults(Noise(bias=0.015), 500, 14, seed=0)
    assert 0.0149 < np.abs(faults.bias).max() <= 0.015


def test_the_imu_is_late_by_a_number_drawn_once_a_period():
    faults = Faults(Noise(late=(0, 1), late_period=64), 500, 14, seed=0)
    ages = []
    for step in range(130):
        reading = np.full((500, 3), float(step))
        ages.append(step - faults.sense("base_ang_vel", reading, 0, step)[:, 0])
    ages = np.array(ages)[1:]
    assert set(np.unique(ages)) == {0.0, 1.0}
    assert ages.mean() == pytest.approx(0.5, abs=0.05)
    assert (np.abs(np.diff(ages, axis=0)).sum(axis=0) <= 3).all()


def test_targets_arrive_late_but_never_from_before_the_start():
    faults, ages = Faults(Noise(wire=(3, 6)), 500, 1, seed=0), []
    for step in range(100):
        arrived = faults.send(np.full((500, 1), float(step)))
        ages.append(step - arrived[:, 0])
    assert not np.array(ages[:4]).any() or np.array(ages[:4]).max() <= 3
    assert set(np.unique(ages[6:])) == {3.0, 4.0, 5.0, 6.0}
    assert np.mean(ages[6:]) == pytest.approx(4.5, abs=0.1)


def test_without_noise_nothing_changes():
    faults, reading = Faults(Noise(), 3, 14, seed=0), np.random.default_rng(0).normal(size=(3, 3))
    assert np.array_equal(faults.sense("base_ang_vel", reading, 0, 0), reading)
    assert faults.send(reading) is reading
    assert not faults.bias.any()
