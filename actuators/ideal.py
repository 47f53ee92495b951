"""A motor that delivers the torque it is told, up to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from servogym.actuators.base import Actuator, Signals
from servogym.actuators.per_joint import PerJoint, per_joint


@dataclass(kw_only=True, eq=False)
class IdealTorque(Actuator):
    """Torque = clip(target, -effort_limit, +effort_limit) [N*m], whatever the speed."""

    name: ClassVar[str] = "ideal"
    command: ClassVar[Literal["position", "torque"]] = "torque"

    effort_limit: PerJoint
    """Largest torque in either direction [N*m]; `math.inf` for none."""

    def bind(self, joints: tuple[str, ...], n: int, dt: float) -> None:
        """Allocate for n robots."""
        super().bind(joints, n, dt)
        self._nominal = self.torque_limits(joints)
        self._limit = np.tile(self._nominal, (n, 1))
        self._torque = np.zeros((n, len(joints)))

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Put the limits of these rows back to nominal."""
        self._limit[rows] = self._nominal

    def torque_limits(self, joints: Sequence[str]) -> np.ndarray:
        """Return `effort_limit` of each joint, (j,) [N*m]."""
        return per_joint("effort_limit", self.effort_limit, joints)

    def compute(
        self, target: np.ndarray, measured: np.ndarray, velocity: np.ndarray, signals: Signals
    ) -> np.ndarray:
        """Return the clipped target, (n, j) [N*m]."""
        low = np.negative(self._limit, out=self._torque)
        return np.clip(target, low, self._limit, out=self._torque)

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the live `effort_limit`, (n, j)."""
        return {"effort_limit": self._limit}
