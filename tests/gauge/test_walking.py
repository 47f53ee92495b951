"""What the gauge says of policies whose walk is known."""

import numpy as np
import pytest

from servogym.actuators.pd import Pd
from servogym.envs.core import Core
from servogym.gauge.subject import load
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
    assert np.isnan(walk.velocity).all() and walk.interval("strides") is None


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
    assert walk.falls == 0 and walk.mean("double_support") == 1.0 and walk.mean("strides") == 0.0
    assert np.abs(walk.velocity).max() < 0.01 and walk.mean("power") < 0.1
    assert walk.mean("head_error") < 0.05 and walk.mean("base_drift") < 0.01
    assert walk.mean("action_rate") == 0.0 and walk.mean("outside") == 0.0
    assert 0.005 < walk.mean("torque") < 0.5


def test_robots_that_look_around_hold_head_commands_from_the_whole_range():
    grid, around = measure(
        still,
        "microduck_flat",
        commands=[(0.0, 0.0, 0.0)],
        looking=[(0.0, 0.0, 0.0)],
        episodes=24,
        seconds=2.1,
        actuator=STRONG,
        **CALM,
    )
    assert (grid.looking, around.looking) == (False, True)
    half_the_range = np.mean([0.39, 0.39, 0.49, 0.11]) / 2
    assert around.mean("head_error") == pytest.approx(half_the_range, rel=0.2)
    assert np.ptp(around.robots["head_error"]) > 0.05


def test_a_fallen_robot_changes_nothing_for_the_others():
    twist = Core("microduck_flat", 1).contract.slices()["command"]

    def shy(obs):  # lets go when asked to move
        return np.where(obs[:, twist].any(axis=1), 1.5, 0.0)[:, None] * np.ones(14)

    def walk(*commands):
        how = {"actuator": STRONG, "episodes": 1, "seconds": 4.0, **CALM}
        return measure(shy, "microduck_flat", commands=commands, **how)

    stand, move = (0.0, 0.0, 0.0), (0.4, 0.0, 0.0)
    first, second, last = walk(stand, move, stand)
    assert second.falls == 1 and first == last == walk(stand)[0]


@pytest.mark.parametrize(("episodes", "seconds"), [(0, 20.0), (2, 2.0)])
def test_a_measurement_of_nothing_is_refused(episodes, seconds):
    with pytest.raises(ValueError, match="episodes of"):
        measure(
            still,
            "microduck_flat",
            commands=[(0.0, 0.0, 0.0)],
            episodes=episodes,
            seconds=seconds,
        )


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
