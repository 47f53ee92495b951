"""What the clean room's sensors and wires do wrong, drawn by a generator of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Sizes of the faults; the defaults are perfect sensors and wires."""

    width: Mapping[str, float] = field(default_factory=dict)
    """Half width of the uniform noise on each column of a slot, each control step. [slot unit]"""
    mounting: float = 0.0
    """Largest error of the IMU's orientation, about a random axis, constant. [rad]"""
    bias: float = 0.0
    """Half width of each encoder's constant error. [rad]"""
    late: tuple[int, int] = (0, 0)
    """Latency of gyro and gravity, drawn between these two. [control steps]"""
    late_period: int = 1
    """Control steps between two draws of that latency."""
    wire: tuple[int, int] = (0, 0)
    """Latency of the targets, drawn between these two in every physics step. [physics steps]"""


IMU = ("base_ang_vel", "projected_gravity")
"""Slots of the IMU, which share its mounting error and latency."""


class Faults:
    """The faults of n robots in one run."""

    def __init__(self, noise: Noise, n: int, joints: int, seed: int) -> None:
        """Draw what is constant."""
        self.noise, self._n, self._rng = noise, n, np.random.default_rng(seed)
        self.bias = self._rng.uniform(-noise.bias, noise.bias, (n, joints))
        axis = self._rng.normal(size=(n, 3))
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
        angle = self._rng.uniform(0.0, noise.mounting, n)
        self._turned = np.stack([_turn(a, w) for a, w in zip(axis, angle, strict=True)])
        self._phase = self._rng.integers(0, noise.late_period, n)
        self._late = self._rng.integers(noise.late[0], noise.late[1] + 1, n)
        self._seen: dict[str, list[np.ndarray]] = {}
        self._sent: list[np.ndarray] = []

    def sense(self, slot: str, reading: np.ndarray, delay: int, step: int) -> np.ndarray:
        """Spoil the readings of a slot (n, k) and give the ones that have arrived by now.

        Args:
            slot: Its name.
            reading: What a perfect sensor would say, (n, k).
            delay: Control steps by which the slot is always late.
            step: Control steps since the start; the first reading stands for all before it.
        """
        if slot in IMU and self.noise.mounting:
            reading = np.einsum("nij,ni->nj", self._turned, reading)
        if half := self.noise.width.get(slot, 0.0):
            reading = reading + self._rng.uniform(-half, half, reading.shape)
        if slot == IMU[0]:
            due = (step + self._phase) % self.noise.late_period == 0
            drawn = self._rng.integers(self.noise.late[0], self.noise.late[1] + 1, self._n)
            self._late = np.where(due, drawn, self._late)
        age = np.full(self._n, delay) + (self._late if slot in IMU else 0)
        past = self._seen.setdefault(slot, [])
        past.append(reading.copy())
        del past[: -1 - delay - self.noise.late[1]]
        return np.stack([past[max(len(past) - 1 - a, 0)][k] for k, a in enumerate(age)])

    def send(self, target: np.ndarray) -> np.ndarray:
        """Put targets (n, j) on the wire; give the ones that arrive in this physics step."""
        low, high = self.noise.wire
        if not high:
            return target
        self._sent.append(target.copy())
        del self._sent[: -1 - high]
        age = self._rng.integers(low, high + 1, self._n)
        return np.stack([self._sent[max(len(self._sent) - 1 - a, 0)][k] for k, a in enumerate(age)])


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Give the matrix (3, 3) that turns by an angle about a unit axis (Rodrigues)."""
    x, y, z = axis
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * across + (1.0 - np.cos(angle)) * (across @ across)
