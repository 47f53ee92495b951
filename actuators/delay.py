"""The time a command takes to reach the servo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(eq=False)
class CommandDelay:
    """Delays the whole command by a lag in physics substeps, fixed or drawn anew per substep.

    After a reset the past is filled with the first target written, so that a lag never reaches
    behind the episode's start. With low == high == 0 the target passes through untouched.
    """

    low: int = 0
    """Smallest lag [physics substeps]."""
    high: int = 0
    """Largest lag, included [physics substeps]; equal to low for a fixed lag."""

    def __post_init__(self) -> None:
        """Refuse lags that are negative or out of order."""
        if not 0 <= self.low <= self.high:
            raise ValueError(f"delay {self.low}..{self.high} substeps: need 0 <= low <= high")

    def bind(self, joints: Sequence[str], n: int, dt: float) -> None:
        """Allocate for n robots."""
        slots = self.high + 1
        self._past = np.zeros((n, slots, len(joints)))
        self._flat = self._past.reshape(n * slots, len(joints))
        self._head = np.zeros((n, 1), np.int64)
        self._fresh = np.ones((n, 1), bool)
        self._first_slot = slots * np.arange(n)[:, None]
        self._lag = np.full((n, 1), self.low)
        self._delayed = np.zeros((n, len(joints)))

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Forget the past of these rows."""
        self._past[rows] = 0.0
        self._head[rows] = 0
        self._fresh[rows] = True

    def push(self, target: np.ndarray, rng: Any) -> np.ndarray:
        """Take this substep's target, return the one that arrives, (n, j); valid until next call.

        Args:
            target: (n, j) as the law's command.
            rng: `servogym.envs.random.RowRandom`; drawn from only when low < high.
        """
        if self.high == 0:
            return target
        if self._fresh.any():
            rows = np.flatnonzero(self._fresh[:, 0])
            self._past[rows] = target[rows, None]
            self._fresh[rows] = False
        self._flat[(self._first_slot + self._head)[:, 0]] = target
        lag = self._lag if self.low == self.high else rng.integers(self.low, self.high, 1)
        slot = self._head - lag
        slot %= self.high + 1
        slot += self._first_slot
        np.take(self._flat, slot[:, 0], axis=0, out=self._delayed, mode="clip")
        self._head += 1
        self._head %= self.high + 1
        return self._delayed

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return nothing: the lag is drawn here."""
        return {}

    def state(self) -> dict[str, np.ndarray]:
        """Return what survives a step: the past targets and where the row stands in them."""
        return {"past": self._past, "head": self._head, "fresh": self._fresh}

    def describe(self) -> dict[str, Any]:
        """Return the parameters, JSON-able."""
        return {"low": self.low, "high": self.high}
