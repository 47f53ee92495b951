"""A servo firmware's own limit on how fast its internal goal may move."""

from __future__ import annotations

import numpy as np


class GoalRate:
    """The goal follows the target at no more than `rate` [rad/s].

    It starts each episode at the first angle measured (BAM starts it at zero, its bench's rest).
    """

    def __init__(self, rate: float, dt: float, n: int, joints: int) -> None:
        """Allocate for n robots; dt is the physics step [s]."""
        self._step = rate * dt
        self._goal, self._low, self._high = np.zeros((3, n, joints))
        self._fresh = np.ones((n, 1), bool)

    def reset(self, rows: np.ndarray) -> None:
        """Forget the goal of these rows."""
        self._goal[rows] = 0.0
        self._fresh[rows] = True

    def follow(self, target: np.ndarray, measured: np.ndarray) -> np.ndarray:
        """Return the goal after this physics step, (n, j) [rad]; valid until the next call."""
        if self._fresh.any():
            np.copyto(self._goal, measured, where=self._fresh)
            self._fresh.fill(False)
        low = np.subtract(self._goal, self._step, out=self._low)
        high = np.add(self._goal, self._step, out=self._high)
        return np.clip(target, low, high, out=self._goal)

    def state(self) -> dict[str, np.ndarray]:
        """Return what survives a step."""
        return {"goal": self._goal, "goal_fresh": self._fresh}
