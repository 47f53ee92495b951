"""Give servo joints of a model plain torque motors, whatever drove them before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_JOINT_TRANSMISSION = 0  # mjtTrn.mjTRN_JOINT
_NOT_LIMITED = 0  # mjtLimited.mjLIMITED_FALSE
_ACTUATOR_OBJECT = "mjOBJ_ACTUATOR"


def replace_motors(spec: Any, joints: Sequence[str]) -> None:
    """Replace the actuators of these joints by one torque motor each, named like the joint.

    Gear 1 and no limits: MuJoCo must clamp neither a torque nor a position target, of which a law
    gets the full error even beyond the range of the joint. Sensors that read a replaced actuator
    read the new motor.

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
    renamed: dict[str, str] = {}
    for actuator in list(spec.actuators):
        if actuator.trntype == _JOINT_TRANSMISSION and actuator.target in joints:
            renamed[actuator.name] = actuator.target
            spec.delete(actuator)
    for sensor in spec.sensors:
        if sensor.objtype.name == _ACTUATOR_OBJECT and sensor.objname in renamed:
            sensor.objname = renamed[sensor.objname]
    for joint in joints:
        motor = spec.add_actuator(name=joint, target=joint, trntype=_JOINT_TRANSMISSION)
        motor.set_to_motor()
        motor.ctrllimited = _NOT_LIMITED
        motor.forcelimited = _NOT_LIMITED
