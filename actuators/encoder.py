"""The servo's position sensor: on the output side of the gear gap, or on the motor's side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(kw_only=True, eq=False)
class Encoder:
    """Reading = servo angle (+ play angle when the sensor sits on the output) + bias."""

    side: str = "output"
    """Where the sensor sits: "output" (reads through the gap) or "motor"."""

    def __post_init__(self) -> None:
        """Refuse an unknown side."""
        if self.side not in ("output", "motor"):
            raise ValueError(f"encoder side {self.side!r}: choose 'output' or 'motor'")

    def bind(self, joints: Sequence[str], n: int, dt: float) -> None:
        """Allocate for n robots."""
        self._bias, self._reading = np.zeros((2, n, len(joints)))

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Take the bias of these rows back to zero."""
        self._bias[rows] = 0.0

    def read(self, servo_pos: np.ndarray, play_pos: np.ndarray | None) -> np.ndarray:
        """Return what the encoders read, (n, j) [rad]; valid until the next call.

        Args:
            servo_pos: angle of the servo joints, (n, j) [rad].
            play_pos: angle of the passive joints in series with them, (n, j) [rad]; None without
                backlash.
        """
        reading = np.add(servo_pos, self._bias, out=self._reading)
        if play_pos is not None and self.side == "output":
            reading += play_pos
        return reading

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the live bias, `encoder_bias` (n, j) [rad], nominal 0."""
        return {"encoder_bias": self._bias}

    def state(self) -> dict[str, np.ndarray]:
        """Return what survives a step."""
        return self.randomizable()

    def describe(self) -> dict[str, Any]:
        """Return the parameters, JSON-able."""
        return {"side": self.side}
