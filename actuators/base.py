"""What a motor law is: from targets and joint states to torques, for n robots at once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from servogym.actuators.motors import replace_motors
from servogym.actuators.per_joint import PerJoint, per_joint


@dataclass
class Signals:
    """What a law may know besides its target and its joint."""

    dt: float
    """Physics step [s]."""
    external_torque: np.ndarray
    """Torque from gravity, motion and contacts in the previous solve, (n, j) [N*m]."""
    motor_torque: np.ndarray
    """Torque of each motor in the previous solve, (n, j) [N*m]."""
    supply: np.ndarray | None = None
    """Voltage at the motors, (n, 1) [V]; None: the law's own nominal voltage."""


@dataclass(kw_only=True, eq=False)
class Actuator(ABC):
    """A motor law for all servo joints of n robots; rows are robots, columns joints.

    Life: construct with parameters, `edit_spec` while the model is built, `bind` once, `reset` rows
    at the start of their episodes, then per physics step `compute` and `friction`. Arrays returned
    by a law are its own buffers: valid until its next call, to be copied by who keeps them.

    A law has a class attribute `name`, under which `servogym.actuators.get` finds it.
    """

    name: ClassVar[str]
    """Name of the law, as in `actuator="pd"`."""
    command: ClassVar[Literal["position", "torque"]] = "position"
    """What the target means: "position" [rad] or "torque" [N*m]."""

    armature: PerJoint | None = None
    """Rotor inertia on the joint side [kg*m^2]; None leaves what the robot's model says."""
    damping: PerJoint = 0.0
    """Viscous friction of the joint [N*m*s/rad]; replaces what the robot's model says."""
    frictionloss: PerJoint = 0.0
    """Dry friction of the joint [N*m]; replaces what the robot's model says."""

    def edit_spec(self, spec: Any, joints: Sequence[str]) -> None:
        """Make the model's servo joints fit for this law.

        Existing actuators of the joints go; each joint gets a torque motor of its own name, gear 1,
        neither its control nor its force limited by MuJoCo, and this law's armature, damping and
        frictionloss.

        Args:
            spec: the `mujoco.MjSpec` being built; only its methods are called.
            joints: full joint names in contract order.

        Raises:
            LookupError: the model has no such joint.
        """
        replace_motors(spec, joints)
        damping = per_joint("damping", self.damping, joints)
        frictionloss = per_joint("frictionloss", self.frictionloss, joints)
        armature = None if self.armature is None else per_joint("armature", self.armature, joints)
        for k, joint in enumerate(joints):
            element = spec.joint(joint)
            element.damping = [damping[k], 0.0, 0.0]
            element.frictionloss = frictionloss[k]
            if armature is not None:
                element.armature = armature[k]

    def bind(self, joints: tuple[str, ...], n: int, dt: float) -> None:
        """Allocate arrays for n robots and resolve per-joint tables.

        Args:
            joints: joint names in contract order.
            n: number of robots.
            dt: physics step [s].

        Raises:
            ValueError: a per-joint table misses or invents a joint.
        """
        self.joints, self.n, self.dt = tuple(joints), n, dt

    def reset(self, rows: np.ndarray, rng: Any) -> None:  # noqa: B027 (a law may have no memory)
        """Start an episode for these rows: no memory, every `randomizable` at its nominal value.

        Args:
            rows: integer row numbers, (r,).
            rng: `servogym.envs.random.RowRandom`, for laws that draw numbers.
        """

    @abstractmethod
    def compute(
        self, target: np.ndarray, measured: np.ndarray, velocity: np.ndarray, signals: Signals
    ) -> np.ndarray:
        """Return the motor torque on the joint side, (n, j) [N*m].

        Args:
            target: commanded position [rad] or torque [N*m], see `command`, (n, j).
            measured: what the servo's encoder reads, (n, j) [rad].
            velocity: velocity of the servo joint itself (motor side of any backlash), (n, j)
                [rad/s].
            signals: torques of the previous solve and the supply.
        """

    def friction(
        self, velocity: np.ndarray, signals: Signals
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return (frictionloss [N*m], damping [N*m*s/rad]), each (n, j), for the coming step.

        None means the constants written by `edit_spec` hold.
        """
        return None

    def torque_limits(self, joints: Sequence[str]) -> np.ndarray:
        """Return the largest torque of each motor, either direction, (j,) [N*m]; inf for none.

        Args:
            joints: joint names in contract order.
        """
        return np.full(len(joints), math.inf)

    def bus_current(self) -> np.ndarray | None:
        """Return the current each motor drew from the supply in the last `compute`, (n, j) [A].

        Negative when braking feeds it back. None: the law has no electrical side.
        """
        return None

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return live arrays, (n, 1) or (n, j), that may be written after `reset`."""
        return {}

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array that survives a step, first axis n.

        Writing these arrays of another object with the same parameters makes it continue bit for
        bit.
        """
        return self.randomizable()

    def describe(self) -> dict[str, Any]:
        """Return the law's name, all its parameters and its firmware gains, JSON-able.

        Infinite limits appear as the string "inf".
        """
        parameters = {f.name: plain(getattr(self, f.name)) for f in fields(self)}
        return {"law": self.name, "parameters": parameters, "firmware": self.firmware()}

    def firmware(self) -> dict[str, Any]:
        """Return the gains a servo's firmware must be set to for this law to be true of it."""
        return {}


def plain(value: Any) -> Any:
    """Turn a parameter into what strict JSON can hold."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
