"""Give servo joints of a model plain torque motors, whatever drove them before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_JOINT_TRANSMISSION = 0  # mjtTrn.mjTRN_JOINT
_NOT_LIMITED = 0  # mjtLimited.mjLIMITED_FALSE
_ACTUATOR_OBJECT = "mjOBJ_ACTUATOR"


def replace_motors(spec: Any, joints: Sequence[str]) -> None:
    """Replace the actuators of these joints by one torque motor each, named like the joint.

    Gear 1 and no limits: MuJoCo must clamp neither a torque nor a position target, of which a law
    gets the full error even beyond the range of the joint. Sensors that read a replaced actuator
    read the new motor, and the controls of keyframes, which are positional, follow their joints.

    Args:
        spec: the `mujoco.MjSpec` being built.
        joints: full joint names in contract order, which the motors follow.

    Raises:
        LookupError: the model has no such joint.
    """
    known = [joint.name for joint in spec.joints]
    missing = [joint for joint in joints if joint not in known]
    if missing:
        raise LookupError(f"the model has no joints {missing}; it has {known}")
    before = list(spec.actuators)
    drove = [a.target if a.trntype == _JOINT_TRANSMISSION else "" for a in before]
    renamed: dict[str, str] = {}
    controls = [np.array(key.ctrl) for key in spec.keys]
    for actuator, joint in zip(before, drove, strict=True):
        if joint in joints:
            renamed[actuator.name] = joint
            spec.delete(actuator)
    for key, old in zip(spec.keys, controls, strict=True):
        if old.size == len(drove):
            key.ctrl = _follow(old, drove, joints)
    for sensor in spec.sensors:
        if sensor.objtype.name == _ACTUATOR_OBJECT and sensor.objname in renamed:
            sensor.objname = renamed[sensor.objname]
    for joint in joints:
        motor = spec.add_actuator(name=joint, target=joint, trntype=_JOINT_TRANSMISSION)
        motor.set_to_motor()
        motor.ctrllimited = _NOT_LIMITED
        motor.forcelimited = _NOT_LIMITED


def _follow(old: np.ndarray, drove: list[str], joints: Sequence[str]) -> list[float]:
    """Reorder one keyframe's controls: other actuators keep their order, then a value a joint."""
    kept = [float(value) for value, joint in zip(old, drove, strict=True) if joint not in joints]
    return kept + [float(old[drove.index(joint)]) if joint in drove else 0.0 for joint in joints]
