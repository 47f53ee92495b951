"""A sensor that answers late: rows of samples read some control steps after they were taken."""

from __future__ import annotations

import numpy as np


class Lag:
    """Delays (n, width) samples by a whole number of control steps.

    Every row draws its lag uniformly from low to high, again every `period` steps, at a phase of
    its own. The first sample of an episode fills the buffer.
    """

    def __init__(self, n: int, width: int, low: int, high: int, period: int = 1) -> None:
        """Make the buffer.

        Args:
            n: rows.
            width: numbers in a sample.
            low: smallest lag [control steps].
            high: largest lag [control steps].
            period: control steps between two draws; unused when low equals high.

        Raises:
            ValueError: when not 0 <= low <= high or period < 1.
        """
        if not 0 <= low <= high or period < 1:
            raise ValueError(
                f"lag from {low} to {high} steps with period {period}; "
                "needs 0 <= low <= high and period >= 1"
            )
        self._low, self._high, self._period = low, high, period
        self._buffer = np.zeros((high + 1, n, width))
        self._newest = np.zeros((), np.int64)
        self._lag = np.full(n, low)
        self._wait = np.zeros(n, np.int64)

    def reset(self, rows: np.ndarray, sample: np.ndarray, rng) -> None:
        """Fill the buffers of rows with their first sample (rows, width); draw phase and lag."""
        self._buffer[:, rows] = sample
        if self._high > self._low:
            self._wait[rows] = rng.integers(1, self._period, 1, rows)[:, 0]
            self._lag[rows] = rng.integers(self._low, self._high, 1, rows)[:, 0]

    def push(self, sample: np.ndarray, rng) -> np.ndarray:
        """Take the newest sample (n, width) of all rows; return what the sensor reads now."""
        if self._high == 0:
            return sample
        depth = self._high + 1
        self._newest[...] = (self._newest + 1) % depth
        self._buffer[self._newest] = sample
        if self._high == self._low:
            return self._buffer[(self._newest - self._low) % depth]
        self._wait -= 1
        due = np.flatnonzero(self._wait <= 0)
        if len(due):
            self._lag[due] = rng.integers(self._low, self._high, 1, due)[:, 0]
            self._wait[due] = self._period
        return self._buffer[(self._newest - self._lag) % depth, np.arange(len(sample))]

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {
            "buffer": self._buffer,
            "newest": self._newest,
            "lag": self._lag,
            "wait": self._wait,
        }
