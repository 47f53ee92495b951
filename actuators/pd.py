"""An ideal servo: proportional-derivative control with a torque limit and no electrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from servogym.actuators.base import Actuator, Signals, plain
from servogym.actuators.per_joint import PerJoint, per_joint


@dataclass(kw_only=True, eq=False)
class Pd(Actuator):
    """Torque = clip(kp*(target - measured) - kd*velocity, -effort_limit, +effort_limit).

    Explicit: evaluated once per physics step and held. Stable while kd is well below
    2/(dt * (M^-1)_ii), the joint's own entry of the inverse inertia matrix. The target may lie
    beyond the joint's range: the torque is kp times the full error.
    """

    name: ClassVar[str] = "pd"

    kp: PerJoint
    """Stiffness [N*m/rad]."""
    kd: PerJoint
    """Damping of the controller [N*m*s/rad]."""
    effort_limit: PerJoint
    """Largest torque in either direction [N*m]; `math.inf` for none."""

    def bind(self, joints: tuple[str, ...], n: int, dt: float) -> None:
        """Allocate for n robots."""
        super().bind(joints, n, dt)
        names = ("kp", "kd", "effort_limit")
        self._nominal = {name: per_joint(name, getattr(self, name), joints) for name in names}
        self._live = {name: np.tile(row, (n, 1)) for name, row in self._nominal.items()}
        self._torque, self._scratch = np.zeros((2, n, len(joints)))

    def torque_limits(self, joints: Sequence[str]) -> np.ndarray:
        """Return `effort_limit` of each joint, (j,) [N*m]."""
        return per_joint("effort_limit", self.effort_limit, joints)

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Put the gains and limits of these rows back to nominal."""
        for name, live in self._live.items():
            live[rows] = self._nominal[name]

    def compute(
        self, target: np.ndarray, measured: np.ndarray, velocity: np.ndarray, signals: Signals
    ) -> np.ndarray:
        """Return the clipped PD torque, (n, j) [N*m]."""
        torque, scratch = self._torque, self._scratch
        np.subtract(target, measured, out=torque)
        torque *= self._live["kp"]
        torque -= np.multiply(self._live["kd"], velocity, out=scratch)
        limit = self._live["effort_limit"]
        return np.clip(torque, np.negative(limit, out=scratch), limit, out=torque)

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the live gains `kp`, `kd` and the live `effort_limit`, (n, j)."""
        return dict(self._live)

    def firmware(self) -> dict[str, Any]:
        """Return kp [N*m/rad] and kd [N*m*s/rad]."""
        return {"kp": plain(self.kp), "kd": plain(self.kd)}
