"""Random numbers for a batch in which every robot has a stream of its own.

A row's numbers depend on its key, its episode and how many it has drawn, on nothing else: row i of
a batch of any size draws what a single robot with the same seed draws, in one process or in many.
The generator is SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
generators") used as a counter-based hash, so that one call serves all rows.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = (np.uint64(s) for s in (30, 27, 31, 11))
_UNIT = 2.0**-53


def _mix(z: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser, in place on a uint64 array."""
    z ^= z >> _S30
    z *= _MIX1
    z ^= z >> _S27
    z *= _MIX2
    z ^= z >> _S31
    return z


def _unit_interval(z: np.ndarray) -> np.ndarray:
    """Turn a uint64 array, which is overwritten, into numbers in [0, 1)."""
    bits = _mix(z)
    bits >>= _S11
    return bits * _UNIT


@cache
def _number_of(label: str) -> np.uint64:
    return np.frombuffer(sha256(label.encode()).digest(), "<u8", 1)[0]


class RowRandom:
    """One stream of random numbers per row of a batch of n."""

    def __init__(self, n: int) -> None:
        """Make n streams; `seed` them before use."""
        self._key = np.zeros(n, np.uint64)
        self._episode = np.zeros(n, np.uint64)
        self._stream = np.zeros(n, np.uint64)
        self._count = np.zeros(n, np.uint64)

    def seed(self, rows: np.ndarray, keys: np.ndarray) -> None:
        """Give rows new keys (uint64) and start before their first episode."""
        self._key[rows] = keys
        self._episode[rows] = 0

    def begin_episode(self, rows: np.ndarray) -> None:
        """Move rows to the stream of their next episode, whatever the last one has drawn."""
        self._episode[rows] += np.uint64(1)
        self._stream[rows] = _mix(self._key[rows] + _mix(self._episode[rows] * _GAMMA))
        self._count[rows] = 0

    def uniform(
        self,
        low: float | np.ndarray,
        high: float | np.ndarray,
        width: int,
        rows: np.ndarray | None = None,
    ) -> np.ndarray:
        """Draw uniform numbers in [low, high), shape (rows, width).

        Args:
            low: lower bound, broadcast against (rows, width).
            high: upper bound, likewise.
            width: how many numbers each row draws.
            rows: which rows draw (integers); None means all.
        """
        return low + (high - low) * self._unit(width, rows)

    def apart(self, label: str, width: int, rows: np.ndarray) -> np.ndarray:
        """Draw numbers in [0, 1) from a stream apart, (rows, width): always its first ones.

        A row has one for each label and episode. Drawing from it moves no other stream.

        Args:
            label: names the stream.
            width: how many numbers each row draws.
            rows: which rows draw (integers).
        """
        stream = _mix(self._stream[rows] ^ _number_of(label))[:, None]
        return _unit_interval(np.arange(1, width + 1, dtype=np.uint64) * _GAMMA + stream)

    def integers(
        self, low: int, high: int, width: int, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Draw integers from low to high, both included, shape (rows, width), int64."""
        return low + (self._unit(width, rows) * (high - low + 1)).astype(np.int64)

    def state(self) -> dict[str, np.ndarray]:
        """Return the live arrays that define all streams."""
        return {
            "key": self._key,
            "episode": self._episode,
            "stream": self._stream,
            "count": self._count,
        }

    def _unit(self, width: int, rows: np.ndarray | None) -> np.ndarray:
        index = np.arange(1, width + 1, dtype=np.uint64)
        if rows is None:
            counter = self._count[:, None] + index
            stream = self._stream[:, None]
            self._count += np.uint64(width)
        else:
            counter = self._count[rows][:, None] + index
            stream = self._stream[rows][:, None]
            self._count[rows] += np.uint64(width)
        counter *= _GAMMA
        counter += stream
        return _unit_interval(counter)
