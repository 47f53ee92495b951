"""Pushes: how hard and how often, while a policy trains and where it is judged."""

import numpy as np
import pytest

from servogym.envs.pushes import Pushes
from servogym.envs.ramp import Ramp
from servogym.envs.random import RowRandom
from servogym.envs.randomize import Randomization

N, DT = 400, 0.02
SETTINGS = Randomization(
    push=0.3,
    push_interval=(3.0, 6.0),
    training_push=Ramp(0.0, 0.6, 1e6, 2e6),
    training_push_interval=(1.0, 2.0),
)


def kicks(settings, trained_steps, seconds=12.0):
    """Largest kick along an axis [m/s] and shortest and longest time between kicks [s]."""
    rows, rng = np.arange(N), RowRandom(N)
    rng.seed(rows, rows.astype(np.uint64))
    rng.begin_episode(rows)
    pushes = Pushes(settings, N, DT, np.array(trained_steps))
    pushes.reset(rows, rng)
    velocity = np.zeros((N, 8))
    largest, since, waits = 0.0, np.zeros(N), []
    for _ in range(round(seconds / DT)):
        before = velocity.copy()
        pushes.advance(velocity, np.array([2, 3]), rng)
        kick = velocity - before
        assert not kick[:, [0, 1, 4, 5, 6, 7]].any()
        since += DT
        hit = kick.any(axis=1)
        waits.extend(since[hit])
        since[hit] = 0.0
        largest = max(largest, np.abs(kick).max())
    return largest, (min(waits), max(waits)) if waits else None


@pytest.mark.parametrize(
    ("trained_steps", "size", "interval"),
    [(np.inf, 0.3, (3.0, 6.0)), (1.5e6, 0.3, (1.0, 2.0)), (3e6, 0.6, (1.0, 2.0))],
)
def test_in_training_pushes_are_those_of_training_and_else_the_tasks(trained_steps, size, interval):
    largest, waits = kicks(SETTINGS, trained_steps)
    assert 0.98 * size < largest <= size
    np.testing.assert_allclose(waits, interval, atol=0.03)


def test_without_settings_of_their_own_pushes_in_training_are_the_tasks():
    settings = Randomization(push=0.3, push_interval=(1.0, 2.0))
    assert kicks(settings, 1e6) == kicks(settings, np.inf)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"training_push": -0.1}, "training_push is -0.1; needs 0 or more"),
        ({"training_push": Ramp(0.0, -1.0, 0, 1)}, "training_push is"),
        ({"training_push_interval": (2.0, 1.0)}, "training_push_interval is .* smaller number"),
        ({"training_push_interval": (-1.0, 1.0)}, "training_push_interval is .* 0 or more"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changed, said):
    with pytest.raises(ValueError, match=said):
        Randomization(**changed)
