"""What the gauge says of policies whose walk is known."""

import numpy as np
import pytest

from servogym.actuators.pd import Pd
from servogym.evaluate import load
from servogym.gauge.walking import measure

STRONG = Pd(kp=8.0, kd=0.15, effort_limit=3.0)
CALM = {"sensing": False, "randomization": False, "spawn": False, "threads": 1}


def still(obs):
    return np.zeros((len(obs), 14))


def test_a_policy_that_lets_the_robot_tip_over_has_only_falls():
    (walk,) = measure(
        still, "microduck_flat", commands=[(0.2, 0.0, 0.0)], episodes=2, seconds=4.0, **CALM
    )
    assert (walk.episodes, walk.falls) == (2, 2)
    assert walk.velocity == (0.0, 0.0, 0.0) and walk.strides == 0.0


def test_a_standing_robot_is_measured_as_standing():
    (walk,) = measure(
        still,
        "microduck_flat",
        commands=[(0.0, 0.0, 0.0)],
        episodes=1,
        seconds=3.0,
        actuator=STRONG,
        **CALM,
    )
    assert walk.falls == 0 and walk.double_support == 1.0 and walk.strides == 0.0
    assert np.abs(walk.velocity).max() < 0.01 and walk.power < 0.1
    assert walk.head_error < 0.05


def test_the_same_seed_gives_the_same_numbers():
    def walk(seed):
        return measure(
            still,
            "microduck_flat",
            commands=[(0.0, 0.0, 0.0)],
            episodes=2,
            seconds=2.5,
            seed=seed,
            actuator=STRONG,
            randomization=False,
            threads=1,
        )

    assert walk(1) == walk(1)
    assert walk(1) != walk(2)


def test_a_policy_must_be_found_before_it_is_judged(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        load(tmp_path / "nowhere")
