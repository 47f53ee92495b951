"""Pushes: sudden changes of the base's velocity every few seconds."""

from __future__ import annotations

import numpy as np

from servogym.envs.ramp import Ramp, current


class Pushes:
    """Kicks n robots, each at its own times."""

    def __init__(
        self,
        size: float | Ramp,
        interval: tuple[float, float],
        n: int,
        dt: float,
        trained_steps: np.ndarray,
    ) -> None:
        """Prepare pushes of up to size [m/s] along x and y, every `interval` seconds.

        Args:
            size: largest change of velocity along each axis [m/s].
            interval: shortest and longest time between two pushes [s].
            n: how many robots.
            dt: control step [s].
            trained_steps: live array of shape (), read at every push.
        """
        self._size, self._interval, self._dt = size, interval, dt
        self._trained_steps = trained_steps
        self._left = np.zeros(n, np.int64)

    def reset(self, rows: np.ndarray, rng) -> None:
        """Draw the time of the first push of an episode."""
        self._left[rows] = self._steps(rng.uniform(*self._interval, 1, rows)[:, 0])

    def advance(self, velocity: np.ndarray, columns: np.ndarray, rng) -> None:
        """Let one control step pass; add pushes to the live velocity array.

        Args:
            velocity: generalised velocities of all rows, (n, nv), changed in place.
            columns: the columns of the base's world velocity along x and y.
            rng: the rows' random streams.
        """
        self._left -= 1
        due = np.flatnonzero(self._left <= 0)
        if len(due):
            size = current(self._size, float(self._trained_steps))
            velocity[np.ix_(due, columns)] += rng.uniform(-size, size, 2, due)
            self._left[due] = self._steps(rng.uniform(*self._interval, 1, due)[:, 0])

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {"left": self._left}

    def _steps(self, seconds: np.ndarray) -> np.ndarray:
        return np.maximum(np.rint(seconds / self._dt), 1).astype(np.int64)
