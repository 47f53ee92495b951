"""One battery for all motors of a robot, which sags under their load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(eq=False)
class Supply:
    """Voltage at the motors = max(volts - drop, floor), the drop shared by all joints of a robot.

    Two ways to sag, both from the previous physics step's motors:

    - `sag_gain` [V/(N*m)]: drop = sag_gain * sum_j |torque_j| (Rhoban/bam before its battery
      current model, as trained with in pollen-robotics/microduck_rl).
    - `resistance` [ohm]: drop = resistance * max(0, sum_j current_j), bus currents with their sign,
      so that a braking motor feeds its neighbours (Rhoban/bam bam/mjlab.py).
    """

    volts: float
    """Voltage of the unloaded battery [V]."""
    sag_gain: float = 0.0
    """Voltage lost per summed motor torque [V/(N*m)]."""
    resistance: float | None = None
    """Internal resistance [ohm], instead of sag_gain."""
    floor: float = 0.0
    """The voltage never sags below this [V]."""

    def __post_init__(self) -> None:
        """Refuse two ways to sag at once."""
        if self.resistance is not None and self.sag_gain:
            raise ValueError(
                f"supply has sag_gain={self.sag_gain} and resistance={self.resistance}: give one"
            )

    @property
    def by_current(self) -> bool:
        """Whether the drop follows the bus current [A] rather than the torque [N*m]."""
        return self.resistance is not None

    def bind(self, joints: Sequence[str], n: int, dt: float) -> None:
        """Allocate for n robots."""
        self._nominal_sag = self.resistance if self.resistance is not None else self.sag_gain
        self._volts = np.full((n, 1), float(self.volts))
        self._sag = np.full((n, 1), float(self._nominal_sag))
        self._available = np.full((n, 1), float(self.volts))
        self._load = np.zeros((n, len(joints)))

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Put voltage and sag of these rows back to nominal."""
        self._volts[rows] = self.volts
        self._sag[rows] = self._nominal_sag

    def available(self, load: np.ndarray) -> np.ndarray:
        """Return the voltage at the motors, (n, 1) [V]; valid until the next call.

        Args:
            load: of the previous physics step and each joint, (n, j): motor torque [N*m], or bus
                current [A] when the supply has a resistance.
        """
        each = load if self.by_current else np.abs(load, out=self._load)
        drop = np.add.reduce(each, axis=1, keepdims=True, out=self._available)
        if self.by_current:
            np.maximum(drop, 0.0, out=drop)
        drop *= self._sag
        np.subtract(self._volts, drop, out=drop)
        return np.maximum(drop, self.floor, out=drop)

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the live `volts` [V] and `sag` [V/(N*m)] or [ohm], each (n, 1)."""
        return {"volts": self._volts, "sag": self._sag}

    def state(self) -> dict[str, np.ndarray]:
        """Return what survives a step."""
        return self.randomizable()

    def describe(self) -> dict[str, Any]:
        """Return the parameters, JSON-able."""
        return {
            "volts": self.volts,
            "sag_gain": self.sag_gain,
            "resistance": self.resistance,
            "floor": self.floor,
        }
