"""Pushes: sudden changes of the base's velocity every few seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from servogym.envs.ramp import current

if TYPE_CHECKING:
    from servogym.envs.randomize import Randomization


class Pushes:
    """Kicks n robots, each at its own times."""

    def __init__(
        self, settings: Randomization, n: int, dt: float, trained_steps: np.ndarray
    ) -> None:
        """Prepare pushes.

        Args:
            settings: their sizes and times, in general and in training.
            n: how many robots.
            dt: control step [s].
            trained_steps: live array of shape (), read at every push; infinite outside training.
        """
        r, training = settings, settings.training_push
        size = r.push or 0.0
        self._sizes = size if training is None else training, size
        self._intervals = r.training_push_interval or r.push_interval, r.push_interval
        self._dt, self._trained_steps = dt, trained_steps
        self._left = np.zeros(n, np.int64)

    def reset(self, rows: np.ndarray, rng) -> None:
        """Draw the time of the first push of an episode."""
        self._left[rows] = self._wait(rows, rng)

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
            steps = float(self._trained_steps)
            size = current(self._sizes[bool(np.isinf(steps))], steps)
            velocity[np.ix_(due, columns)] += rng.uniform(-size, size, 2, due)
            self._left[due] = self._wait(due, rng)

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {"left": self._left}

    def _wait(self, rows: np.ndarray, rng) -> np.ndarray:
        """Control steps until the next push of rows, (rows,)."""
        interval = self._intervals[bool(np.isinf(self._trained_steps))]
        seconds = rng.uniform(*interval, 1, rows)[:, 0]
        return np.maximum(np.rint(seconds / self._dt), 1).astype(np.int64)
