"""Reads an actuator as the servo that it is, and says what makes a servo of one.

The force law of both kinds, at the joint: position mode stiffness * (target - q) - damping * v,
velocity mode damping * (target - v). MuJoCo keeps it per unit of transmission length, which is
gear * q, and multiplies the force by the gear once more: a stiffness at the joint is gear^2 times
what stands in the actuator, and a control is gear times the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

Mode = Literal["position", "velocity"]
"""What a servo follows."""

_LINKS = {"name", "id", "classname", "compiler", "signature", "plugin", "userdata", "info"}
_FILTERS = (
    mujoco.mjtDyn.mjDYN_NONE,
    mujoco.mjtDyn.mjDYN_FILTER,
    mujoco.mjtDyn.mjDYN_FILTEREXACT,
)
_LAW = ("type", "ctrlspec", "gaintype", "gainprm", "biastype", "biasprm")
_DYNAMICS = ("dyntype", "dynprm", "actdim", "actlimited", "actrange", "actearly")
_CONTROL = ("ctrllimited", "ctrlrange", "inheritrange")


@dataclass(frozen=True, kw_only=True)
class Servo:
    """A servo on a joint, in the joint's own units."""

    mode: Mode
    """What it follows."""
    stiffness: float
    """[N*m/rad or N/m]; 0 in velocity mode."""
    damping: float | None
    """[N*m*s/rad or N*s/m]; None: the file gives a damping ratio instead."""
    ratio: float = 0.0
    """Damping ratio, which MuJoCo turns into a damping when it compiles [-]; 0: none."""


def read(actuator: mujoco.MjsActuator, edited: Mode | None) -> Servo | None:
    """What kind of servo an actuator is; None: none, such as a torque motor.

    Args:
        actuator: Any actuator on a joint.
        edited: What an earlier edit made of it. A servo whose gains are 0 looks like nothing.
    """
    if actuator.gaintype != mujoco.mjtGain.mjGAIN_FIXED or actuator.dyntype not in _FILTERS:
        return None
    if actuator.biastype != mujoco.mjtBias.mjBIAS_AFFINE or actuator.gear[0] == 0.0:
        return None
    gain, gear2 = float(actuator.gainprm[0]), float(actuator.gear[0]) ** 2
    constant, length, speed = (float(number) for number in actuator.biasprm[:3])
    if constant != 0.0:
        return None
    if gain == -length and (gain > 0.0 or edited == "position"):
        if speed > 0.0:
            return Servo(mode="position", stiffness=gain * gear2, damping=None, ratio=speed)
        return Servo(mode="position", stiffness=gain * gear2, damping=-speed * gear2)
    if length == 0.0 and gain == -speed and (gain > 0.0 or edited == "velocity"):
        return Servo(mode="velocity", stiffness=0.0, damping=gain * gear2)
    return None


def gains(servo: Servo, gear: float) -> dict[str, Any]:
    """Values of the two arrays that hold a servo's gains.

    Args:
        servo: The servo wanted.
        gear: First number of the actuator's gear, not 0.
    """
    gain, bias = np.zeros(mujoco.mjNGAIN), np.zeros(mujoco.mjNBIAS)
    damping = servo.ratio if servo.damping is None else -servo.damping / gear**2
    if servo.mode == "position":
        gain[0] = servo.stiffness / gear**2
        bias[1], bias[2] = -gain[0], damping
    else:
        gain[0], bias[2] = -damping, damping
    return {"gainprm": gain, "biasprm": bias + 0.0}  # no zero with a minus sign


def conversion(actuator: mujoco.MjsActuator, servo: Servo) -> dict[str, Any]:
    """Values that turn any actuator into a servo of another kind.

    Gear, force range and delay stay; so does a filter of the control. The control range goes: it
    was in another unit. Whatever else the actuator kept of its old kind goes too.
    """
    kind = _blank(servo.mode)
    names = [*_LAW, *_CONTROL]
    if actuator.dyntype not in _FILTERS:
        names += _DYNAMICS
    values = {name: getattr(kind, name) for name in names if hasattr(kind, name)}
    return {**values, **gains(servo, float(actuator.gear[0]))}


def creation(joint: str, servo: Servo) -> dict[str, Any]:
    """Every value of a new actuator, named like its joint, whatever the file's defaults are."""
    blank = _blank(servo.mode)
    values = {
        name: getattr(blank, name)
        for name in dir(blank)
        if not name.startswith("_") and name not in _LINKS and not callable(getattr(blank, name))
    }
    return {
        **values,
        "name": joint,
        "target": joint,
        "trntype": mujoco.mjtTrn.mjTRN_JOINT,
        **gains(servo, 1.0),
    }


def _blank(mode: Mode) -> mujoco.MjsActuator:
    """An actuator of a kind, as MuJoCo itself makes it, on a spec without defaults."""
    actuator = mujoco.MjSpec().add_actuator()
    if mode == "position":
        actuator.set_to_position(kp=1.0, kv=1.0)
    else:
        actuator.set_to_velocity(kv=1.0)
    return actuator
