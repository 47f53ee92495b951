"""What the motor tests share: signals without load, and seeded random streams."""

from collections.abc import Callable

import numpy as np
import pytest

from servogym.actuators.base import Signals
from servogym.envs.random import RowRandom

DT = 0.005


@pytest.fixture
def idle() -> Callable[..., Signals]:
    """Make signals for n robots of j joints that feel no load."""

    def make(n: int, j: int, supply: np.ndarray | None = None) -> Signals:
        zero = np.zeros((n, j))
        return Signals(dt=DT, external_torque=zero, motor_torque=zero, supply=supply)

    return make


@pytest.fixture
def streams() -> Callable[..., RowRandom]:
    """Make random streams for rows; a row's numbers depend on its key alone."""

    def make(rows: int | list[int]) -> RowRandom:
        keys = np.arange(rows) if isinstance(rows, int) else np.asarray(rows)
        rng = RowRandom(len(keys))
        rng.seed(np.arange(len(keys)), keys.astype(np.uint64))
        rng.begin_episode(np.arange(len(keys)))
        return rng

    return make
