"""BAM: identified servos with their firmware's control law and their friction."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from servogym.actuators.base import Actuator, Signals, plain
from servogym.actuators.current_servo import CurrentServo
from servogym.actuators.friction_budget import FrictionBudget
from servogym.actuators.goal_rate import GoalRate
from servogym.actuators.per_joint import PerJoint, per_joint
from servogym.actuators.servo_family import ServoFamily
from servogym.actuators.voltage_servo import VoltageServo

STIFF_SOLREF = (-5e4, -2e2)
"""MuJoCo solref of the friction rows, direct form: near rigid (Rhoban/bam bam/mjlab.py)."""
STIFF_SOLIMP = (0.99, 0.9999, 0.001, 0.5, 2.0)
"""MuJoCo solimp of the friction rows (same source)."""


@dataclass(kw_only=True, eq=False)
class Bam(Actuator):
    """A servo of the BAM project (Duclusaud et al., arXiv 2410.08650): control law plus friction.

    Torque is what the motor makes (`VoltageServo` or `CurrentServo`, whichever the servo has);
    what the gearbox eats is returned by `friction` for MuJoCo's constraint solver to apply, so that
    static friction holds. `edit_spec` makes those friction rows stiff: with MuJoCo's defaults a
    joint held by friction creeps about 17 mrad/s.

    The quadratic term of m6 exists in two variants, see `FrictionBudget`. The default "opposed" is
    BAM's NumPy reference, with which the parameters were identified. "always" is the variant
    Microduck's published policies were trained with.

    Nothing is assumed in silence: a servo whose resistance or gain was never identified must be
    given one, and constants that are BAM's own assumptions raise a warning.
    """

    name: ClassVar[str] = "bam"

    servo: str
    """Identified servo, one of `ServoFamily.names()`."""
    model: str = "m6"
    """Friction model, "m1" to "m6"."""
    kp_fw: PerJoint | None = None
    """Firmware P gain [-], [A/rad] for eRob; None: the gain BAM's control law starts from."""
    volts: float | None = None
    """Supply when no `Supply` block is used [V]; None: the voltage BAM's bench had."""
    quadratic: str = "opposed"
    """Where m6's quadratic term counts: "opposed" or "always"."""
    current_limit: PerJoint | None = None
    """Current limit of the firmware [A]; None: none (eRob: the drive's 12 A)."""
    torque_limit: PerJoint = math.inf
    """Clip of the motor torque, after the servo's own law [N*m]."""
    resistance: float | None = None
    """Winding resistance [ohm] for a servo without an identified one; else leave None."""
    damping: PerJoint = field(init=False)
    frictionloss: PerJoint = field(init=False)

    def __post_init__(self) -> None:
        """Look up the servo and refuse what is not known about it.

        Raises:
            LookupError: unknown servo, or a model it was not identified with.
            ValueError: unknown variant, or a constant that is missing or given twice.
        """
        self._family = ServoFamily.load(self.servo)
        self._numbers = self._family.model(self.model)
        firmware = self._family.firmware
        if self.quadratic not in ("opposed", "always"):
            raise ValueError(f"quadratic is {self.quadratic!r}: choose 'opposed' or 'always'")
        if self.kp_fw is None and "kp_fw" not in firmware:
            raise ValueError(f"servo {self.servo!r} has no known default gain: give kp_fw [A/rad]")
        if ("R" in self._numbers) == (self.resistance is not None):
            raise ValueError(
                f"servo {self.servo!r} {self.model}: resistance was identified as "
                f"{self._numbers['R']} ohm, do not give another"
                if "R" in self._numbers
                else f"servo {self.servo!r} {self.model}: no resistance was identified; give "
                "resistance [ohm] (BAM's own constructor assumes 2.0)"
            )
        if assumed := firmware.get("assumed"):
            stated = ", ".join(f"{key}={firmware[key]:.6g}" for key in assumed)
            warnings.warn(
                f"servo {self.servo!r}: {stated} are BAM's assumptions, not identified values",
                stacklevel=3,
            )
        if self.armature is None:
            self.armature = self._numbers["armature"]
        self.damping = self._numbers["friction_viscous"]
        self.frictionloss = self._numbers["friction_base"] + self._numbers.get(
            "friction_stribeck", 0.0
        )

    def edit_spec(self, spec: Any, joints: Any) -> None:
        """Fit the joints as every law does, and make their friction rows stiff."""
        super().edit_spec(spec, joints)
        for joint in joints:
            element = spec.joint(joint)
            element.solref_friction = STIFF_SOLREF
            element.solimp_friction = STIFF_SOLIMP

    def bind(self, joints: tuple[str, ...], n: int, dt: float) -> None:
        """Allocate for n robots."""
        super().bind(joints, n, dt)
        j, firmware, numbers = len(joints), self._family.firmware, self._numbers
        self._nominal_kp = per_joint("kp_fw", self._gain(), joints)
        self._kp = np.tile(self._nominal_kp, (n, 1))
        self._friction_scale = np.ones((n, j))
        volts = firmware["volts"] if self.volts is None else self.volts
        limits = None
        if self.current_limit is not None:
            limits = per_joint("current_limit", self.current_limit, joints)
        kt, ohm = numbers["kt"], numbers.get("R", self.resistance)
        assert ohm is not None, "settled in __post_init__"
        self._servo: VoltageServo | CurrentServo
        if firmware["law"] == "voltage":
            self._servo = VoltageServo(
                kt=kt,
                resistance=ohm,
                error_gain=firmware["error_gain"] * firmware.get("error_gain_ratio", 1.0),
                max_pwm=firmware["max_pwm"],
                current_limit=limits,
                n=n,
                joints=j,
            )
        else:
            self._servo = CurrentServo(
                kt=kt,
                resistance=ohm,
                damping=firmware["damping"],
                max_current=firmware["max_current"] if limits is None else limits,
                n=n,
                joints=j,
            )
        rate = firmware.get("goal_rate")
        self._goal = None if rate is None else GoalRate(rate, dt, n, j)
        self._nominal_limit = self.torque_limits(joints)
        self._limit = np.tile(self._nominal_limit, (n, 1))
        self._budget = FrictionBudget(self.model, numbers, self.quadratic, n, j)
        self._viscous = np.full((n, j), numbers["friction_viscous"])
        self._error, self._frictionloss, self._lowest = np.zeros((3, n, j))
        self._nominal_supply = np.full((n, 1), float(volts))
        self._supply, self._velocity = self._nominal_supply, self._error

    def torque_limits(self, joints: Sequence[str]) -> np.ndarray:
        """Return `torque_limit` of each joint, (j,) [N*m]."""
        return per_joint("torque_limit", self.torque_limit, joints)

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Nominal gain, limit and friction, no remembered goal, for these rows."""
        self._kp[rows] = self._nominal_kp
        self._limit[rows] = self._nominal_limit
        self._friction_scale[rows] = 1.0
        self._viscous[rows] = self._numbers["friction_viscous"]
        if self._goal is not None:
            self._goal.reset(rows)

    def compute(
        self, target: np.ndarray, measured: np.ndarray, velocity: np.ndarray, signals: Signals
    ) -> np.ndarray:
        """Return the motor torque before friction, (n, j) [N*m]."""
        self._velocity = velocity
        self._supply = self._nominal_supply if signals.supply is None else signals.supply
        goal = target if self._goal is None else self._goal.follow(target, measured)
        error = np.subtract(goal, measured, out=self._error)
        torque = self._servo.torque(error, velocity, self._kp, self._supply)
        return np.clip(torque, np.negative(self._limit, out=self._lowest), self._limit, out=torque)

    def friction(self, velocity: np.ndarray, signals: Signals) -> tuple[np.ndarray, np.ndarray]:
        """Return (budget * friction_scale, viscous friction), each (n, j)."""
        budget = self._budget.compute(signals.motor_torque, signals.external_torque, velocity)
        np.multiply(budget, self._friction_scale, out=self._frictionloss)
        return self._frictionloss, self._viscous

    def bus_current(self) -> np.ndarray:
        """Return the battery current of each motor in the last `compute`, (n, j) [A]."""
        return self._servo.bus_current(self._velocity, self._supply)

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the live arrays, (n, j).

        `friction_scale` [-], `passive_damping` (viscous friction) [N*m*s/rad], `kp_fw` and
        `effort_limit` (torque_limit) [N*m].
        """
        return {
            "friction_scale": self._friction_scale,
            "passive_damping": self._viscous,
            "kp_fw": self._kp,
            "effort_limit": self._limit,
        }

    def state(self) -> dict[str, np.ndarray]:
        """Return what survives a step: the above and a rate-limited goal."""
        return {**self.randomizable(), **({} if self._goal is None else self._goal.state())}

    def describe(self) -> dict[str, Any]:
        """Return the choices made here and every identified number with its origin."""
        return {
            **super().describe(),
            "identified": dict(self._numbers),
            "control": dict(self._family.firmware),
            "origin": dict(self._family.origin),
            "sha256": self._family.sha256,
        }

    def firmware(self) -> dict[str, Any]:
        """Return the firmware P gain."""
        return {"kp_fw": plain(self._gain())}

    def _gain(self) -> PerJoint:
        return self._family.firmware["kp_fw"] if self.kp_fw is None else self.kp_fw
