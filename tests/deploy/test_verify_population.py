"""With noise on, the clean room and the training environment agree as two samples do."""

import numpy as np
import pytest

from servogym.deploy.cleanroom.noise import Noise
from servogym.deploy.trial import population
from servogym.deploy.trial.population import Comparison, Population
from servogym.deploy.trial.replay import training
from tests.deploy import files


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return files.write(tmp_path_factory.mktemp("walk") / "walk.onnx", files.contract())


@pytest.fixture(scope="module")
def core():
    return training(files.contract(), 1)


def test_the_size_of_the_noise_is_the_tasks(core):
    noise = population.noise_of(core)
    assert noise.width == {
        "base_ang_vel": 0.03,
        "projected_gravity": 0.01,
        "joint_pos": 0.001,
        "joint_vel": 0.25,
    }
    assert (noise.mounting, noise.bias) == pytest.approx((np.radians(6), 0.015))
    assert (noise.late, noise.late_period, noise.wire) == ((0, 1), 64, (3, 6))


def test_robots_walk_alike_in_both_and_fall_when_blind(path, core):
    ranges = core.contract.command_ranges
    here = population.in_training(path, n=6, seconds=3.0)
    room = population.in_the_room(path, population.noise_of(core), ranges, n=6, seconds=3.0)
    both = Comparison(training=here, room=room)
    assert both.passed and not here.fell.any() and not room.fell.any()
    assert 0.7 < here.speed < 1.3 and 0.7 < room.speed < 1.3
    blind = Noise(width={"projected_gravity": 1.0, "base_ang_vel": 10.0, "joint_pos": 1.0})
    dazed = population.in_the_room(path, blind, ranges, n=6, seconds=3.0)
    assert dazed.fell.all()
    assert not Comparison(training=here, room=dazed).falls_agree


def people(achieved, falls=0):
    fell = np.arange(len(achieved)) < falls
    return Population(fell=fell, achieved=np.where(fell, np.nan, achieved))


def around(mean):
    return mean + np.tile([-0.02] * 3 + [0.02] * 3, 2)


def test_speeds_that_differ_by_more_than_chance_and_margin_are_told_apart():
    same = Comparison(training=people(around(1.0)), room=people(around(1.04)))
    assert same.passed
    middle, half = same.difference
    assert middle == pytest.approx(0.04)
    assert half == pytest.approx(2.6 * np.sqrt(2 * 0.0016 / 3 / 4) / np.sqrt(3))
    slower = Comparison(training=people(around(1.0)), room=people(around(0.85)))
    assert not slower.speeds_agree and slower.falls_agree and not slower.passed


def test_commands_are_compared_one_by_one():
    """What differs between commands does not blur what differs between the two worlds."""
    of_command = np.tile([0.6, 1.0, 1.4], 4)
    noise = np.repeat([-0.01, 0.01], 6)
    apart = Comparison(training=people(of_command + noise), room=people(of_command + noise + 0.15))
    assert apart.difference == (
        pytest.approx(0.15),
        pytest.approx(2.6 * np.sqrt(2 * 0.0004 / 3 / 4) / np.sqrt(3)),
    )
    assert not apart.speeds_agree


def test_falls_are_compared_by_their_intervals():
    ones = np.ones(12)
    assert Comparison(training=people(ones), room=people(ones, 3)).falls_agree
    assert not Comparison(training=people(ones), room=people(ones, 9)).falls_agree


def test_when_all_fall_there_is_no_speed_to_compare():
    fallen = people(np.ones(12), 12)
    both = Comparison(training=fallen, room=fallen)
    assert both.difference is None and both.passed and np.isnan(fallen.speed)
