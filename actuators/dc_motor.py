"""A DC motor with a gear, a supply, a current limit and a torque controller."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from servogym.actuators.base import Actuator, Signals, plain
from servogym.actuators.per_joint import PerJoint, per_joint


@dataclass(kw_only=True, eq=False)
class DcMotor(Actuator):
    """Four-quadrant DC motor behind a PD controller that knows the motor.

    With w the joint velocity, N the gear and N*w the rotor's velocity, in this order:

    1. wanted torque = kp*(target - measured) - kd*w, on the joint;
    2. voltage that would make it, v = R/(N*kt)*wanted + ke*N*w, clipped to -+voltage;
    3. current i = (v - ke*N*w)/R, clipped to -+current_limit;
    4. rotor torque kt*i, joint torque N*kt*i, clipped to -+torque_limit.

    A later limit wins over an earlier one. Until a limit is met the torque is exactly the PD's.
    Above the no-load speed voltage/(ke*N) the voltage limit leaves only braking torque: back-EMF
    drives the current, and it is held to the current and torque limits, not to zero.

    Power balances: joint torque times joint velocity equals rotor torque times rotor velocity.
    The same law as MuJoCo's `<dcmotor>` with position input, to rounding.
    """

    name: ClassVar[str] = "dc"

    voltage: float
    """Supply when no `Supply` block is used [V]."""
    resistance: PerJoint
    """Winding resistance R [ohm]."""
    kt: PerJoint
    """Torque constant of the rotor [N*m/A]."""
    ke: PerJoint | None = None
    """Back-EMF constant of the rotor [V*s/rad]; None: equal to kt."""
    gear: PerJoint = 1.0
    """Gear ratio N, rotor turns per joint turn [-]."""
    kp: PerJoint
    """Stiffness of the controller, on the joint [N*m/rad]."""
    kd: PerJoint
    """Damping of the controller, on the joint [N*m*s/rad]."""
    current_limit: PerJoint = math.inf
    """Largest winding current [A]."""
    torque_limit: PerJoint = math.inf
    """Largest joint torque [N*m]."""

    def bind(self, joints: tuple[str, ...], n: int, dt: float) -> None:
        """Allocate for n robots; warn when no limit lies below the stall torque."""
        super().bind(joints, n, dt)
        ohm, kt = (per_joint(k, getattr(self, k), joints) for k in ("resistance", "kt"))
        ke = kt if self.ke is None else per_joint("ke", self.ke, joints)
        gear = per_joint("gear", self.gear, joints)
        self._per_volt = gear * kt / ohm
        self._back_emf = gear * gear * kt * ke / ohm
        self._per_torque, self._ohm, self._emf = 1.0 / (gear * kt), ohm, gear * ke
        self._by_current = gear * kt * per_joint("current_limit", self.current_limit, joints)
        limits = self.torque_limits(joints)
        stall = self._per_volt * self.voltage
        loose = {
            joint: f"limit {limit:.6g} > stall {most:.6g} N*m"
            for joint, limit, most in zip(joints, limits, stall, strict=True)
            if limit > most
        }
        if loose:
            warnings.warn(
                "torque_limit (with current_limit) never binds below the no-load speed, the "
                f"motor's continuous limit is not modelled: {loose}",
                stacklevel=2,
            )
        self._nominal = {
            "kp": per_joint("kp", self.kp, joints),
            "kd": per_joint("kd", self.kd, joints),
            "effort_limit": per_joint("torque_limit", self.torque_limit, joints),
        }
        self._live = {name: np.tile(row, (n, 1)) for name, row in self._nominal.items()}
        self._torque, self._a, self._b, self._current = np.zeros((4, n, len(joints)))
        self._nominal_supply = np.full((n, 1), float(self.voltage))
        self._supply, self._velocity = self._nominal_supply, self._a

    def torque_limits(self, joints: Sequence[str]) -> np.ndarray:
        """Return the lower of `torque_limit` and what `current_limit` allows, (j,) [N*m]."""
        gear, kt = per_joint("gear", self.gear, joints), per_joint("kt", self.kt, joints)
        by_current = gear * kt * per_joint("current_limit", self.current_limit, joints)
        return np.minimum(by_current, per_joint("torque_limit", self.torque_limit, joints))

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Put the gains and limits of these rows back to nominal."""
        for name, live in self._live.items():
            live[rows] = self._nominal[name]

    def compute(
        self, target: np.ndarray, measured: np.ndarray, velocity: np.ndarray, signals: Signals
    ) -> np.ndarray:
        """Return the joint torque, (n, j) [N*m]."""
        torque, brake, bound = self._torque, self._a, self._b
        supply = self._nominal_supply if signals.supply is None else signals.supply
        self._supply, self._velocity = supply, velocity
        np.subtract(target, measured, out=torque)
        torque *= self._live["kp"]
        torque -= np.multiply(self._live["kd"], velocity, out=brake)
        np.multiply(velocity, self._back_emf, out=brake)
        np.multiply(supply, self._per_volt, out=bound)
        bound -= brake
        np.minimum(torque, bound, out=torque)
        np.multiply(supply, -self._per_volt, out=bound)
        bound -= brake
        np.maximum(torque, bound, out=torque)
        limit = np.minimum(self._live["effort_limit"], self._by_current, out=bound)
        return np.clip(torque, np.negative(limit, out=brake), limit, out=torque)

    def bus_current(self) -> np.ndarray:
        """Return electrical power / supply of the last `compute`, (n, j) [A]."""
        current = np.multiply(self._torque, self._per_torque, out=self._current)
        voltage = np.multiply(current, self._ohm, out=self._a)
        voltage += np.multiply(self._velocity, self._emf, out=self._b)
        current *= voltage
        current /= self._supply
        return current

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the live gains `kp`, `kd` and the live `effort_limit` (torque_limit), (n, j)."""
        return dict(self._live)

    def firmware(self) -> dict[str, Any]:
        """Return kp [N*m/rad] and kd [N*m*s/rad]."""
        return {"kp": plain(self.kp), "kd": plain(self.kd)}
