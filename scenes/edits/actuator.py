"""Plans an edit of the servos that drive joints; each is addressed by its joint.

An actuator is a servo when its file made it one (position, velocity, or general with the same
law); then its mode and gains count as given, and an edit may change one of them. A torque motor has
neither mode nor gains, and becomes a servo when all of them are given. A joint without an actuator
gets one that bears its name. Nothing is ever invented.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import mujoco
import numpy as np

from servogym.scenes.edits import checks, servo
from servogym.scenes.edits.joint import limits_of
from servogym.scenes.edits.servo import Mode, Servo
from servogym.scenes.edits.target import JointTarget, check_distinct, check_turns_or_slides
from servogym.scenes.edits.write import AddActuator, Change, Write

MODES: tuple[Mode, ...] = ("position", "velocity")
"""What a servo may follow."""

NO_FORCE = 1e-12
"""Force that stands for none, since MuJoCo takes the range 0 to 0 for no range [N*m or N]."""

_JOINT_TRANSMISSIONS = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
_ROUNDING = 1e-9


def plan(
    spec: mujoco.MjSpec,
    targets: Sequence[JointTarget],
    *,
    mode: Mode | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    target_position: float | None = None,
    target_velocity: float | None = None,
    effort_limit: float | None = None,
) -> list[Change]:
    """Checks an edit of joints' servos and says what it would change; changes nothing.

    None keeps what is there, joint by joint; 0 and 0.0 are values like any other, and a call that
    gives nothing changes nothing. Gains are at the joint whatever the actuator's gear: position
    mode stiffness * (target - q) - damping * v, velocity mode damping * (target - v). The damping
    is the servo's own; the joint's passive damping is another number and stays. A damping ratio in
    the file stays until a damping is given.

    From one mode to the other the damping goes along, unless it is 0 or a ratio, of which nothing
    would follow a velocity; the stiffness and the target of a position servo go, as a velocity
    servo has none; and so does the control range, which was in another unit. Keyframes keep their
    controls, and a warning says so when they are not 0.

    Targets hold from the moment the scene begins; they go to the joint's notes and move nothing.

    Args:
        spec: What the joints belong to.
        targets: One for each joint, hinges and slides only.
        mode: `position` or `velocity`; the one of the joint's servo if not given. A URDF joint is
            always in position mode.
        stiffness: >= 0 [N*m/rad or N/m]; position mode only.
        damping: >= 0 [N*m*s/rad or N*s/m].
        target_position: Position to hold [rad or m]; position mode only.
        target_velocity: Velocity to hold [rad/s or m/s]; velocity mode only.
        effort_limit: Largest torque or force at the joint, either way, >= 0 [N*m or N].

    Returns:
        The changes, for `commit`.

    Raises:
        TypeError: A value is of the wrong kind, or a joint is neither hinge nor slide.
        ValueError: A value is out of range or does not belong to the mode, something is missing
            that neither the call nor the source gives, or two actuators drive the joint.
    """
    check_distinct(targets)
    values = {
        "stiffness": stiffness,
        "damping": damping,
        "target_position": target_position,
        "target_velocity": target_velocity,
        "effort_limit": effort_limit,
    }
    changes: list[Change] = []
    switched: list[str] = []
    for target in targets:
        where = f"actuator of joint {target.path!r}"
        check_turns_or_slides(target)
        given = _numbers(values, where)
        if mode is not None:
            _check_mode(mode, target, where)
        found = _actuator_of(spec, target, where)
        if mode is None and not given:
            continue
        now = None if found is None else servo.read(found, target.notes.mode)
        wanted = _merged(target, where, mode, given, now)
        if found is None:
            changes.append(_created(spec, target, where, wanted, given))
        else:
            changes += _changed(target, where, found, now, wanted, given)
            if now is not None and now.mode != wanted.mode:
                switched.append(target.path)
        changes += _reach_of_joint(target.element, given)
        changes += _notes(target, wanted, given)
    if switched and any(np.any(np.asarray(key.ctrl)) for key in spec.keys):
        warnings.warn(
            f"the servos of {switched} now follow another quantity, but the keyframes of the file "
            "keep the controls that they had",
            stacklevel=2,
        )
    return changes


def _numbers(values: dict[str, float | None], where: str) -> dict[str, float]:
    """The values that were given, checked."""
    signed = ("target_position", "target_velocity")
    return {
        name: checks.number(value, where, name)
        if name in signed
        else checks.number(value, where, name, least=0.0)
        for name, value in values.items()
        if value is not None
    }


def _check_mode(mode: object, target: JointTarget, where: str) -> None:
    """Refuses a mode that is none, or that the source cannot have."""
    accepted = MODES[:1] if target.source == "urdf" else MODES
    if not isinstance(mode, str):
        raise TypeError(f"{where}: mode is {mode!r}; accepted: {', '.join(accepted)}")
    if mode not in accepted:
        reason = " (its file is URDF)" if target.source == "urdf" else ""
        raise ValueError(f"{where}: mode is {mode!r}; accepted: {', '.join(accepted)}{reason}")


def _actuator_of(spec: mujoco.MjSpec, target: JointTarget, where: str) -> mujoco.MjsActuator | None:
    """The one actuator of a joint, or None."""
    joint = target.element
    if not joint.name:
        raise ValueError(f"{where}: the joint has no name, and actuators go by the joint's name")
    found = [
        actuator
        for actuator in spec.actuators
        if actuator.trntype in _JOINT_TRANSMISSIONS and actuator.target == joint.name
    ]
    if len(found) > 1:
        names = ", ".join(repr(actuator.name) for actuator in found)
        raise ValueError(
            f"{where}: {len(found)} actuators drive it ({names}); accepted: one or none"
        )
    return found[0] if found else None


def _merged(
    target: JointTarget,
    where: str,
    mode: Mode | None,
    given: dict[str, float],
    now: Servo | None,
) -> Servo:
    """The servo after the edit."""
    if mode is None:
        mode = "position" if now is None and target.source == "urdf" else now and now.mode
    if mode is None:
        raise ValueError(
            f"{where} is no servo yet, so mode is needed; accepted: {', '.join(MODES)}"
        )
    foreign = ("target_velocity",) if mode == "position" else ("target_position", "stiffness")
    for name in foreign:
        if name in given:
            raise ValueError(f"{where}: {name} does not belong to {mode} mode")
    known = dict(given)
    ratio = 0.0
    if now is not None:
        if now.mode == mode == "position":
            known.setdefault("stiffness", now.stiffness)
        if now.damping is not None and (now.mode == mode or now.damping > 0.0):
            known.setdefault("damping", now.damping)
        elif now.damping is None and mode == "position":
            ratio = 0.0 if "damping" in known else now.ratio
    needed = ("stiffness", "damping") if mode == "position" else ("damping",)
    missing = [name for name in needed if name not in known and not (ratio and name == "damping")]
    if missing:
        raise ValueError(
            f"{where}: {mode} mode needs {' and '.join(missing)}, "
            "which neither the call nor the source gives"
        )
    return Servo(
        mode=mode,
        stiffness=known["stiffness"] if mode == "position" else 0.0,
        damping=None if ratio else known["damping"],
        ratio=ratio,
    )


def _created(
    spec: mujoco.MjSpec,
    target: JointTarget,
    where: str,
    wanted: Servo,
    given: dict[str, float],
) -> AddActuator:
    """The actuator that a joint without one gets."""
    name = target.element.name
    if any(actuator.name == name for actuator in spec.actuators):
        raise ValueError(
            f"{where}: an actuator {name!r} is there already and drives something else, "
            "and a new one is named like its joint"
        )
    values = servo.creation(name, wanted)
    if "effort_limit" in given:
        values |= _force_range(given["effort_limit"])
    return AddActuator(spec, values)


def _changed(
    target: JointTarget,
    where: str,
    actuator: mujoco.MjsActuator,
    now: Servo | None,
    wanted: Servo,
    given: dict[str, float],
) -> list[Write]:
    """Changes to an actuator that is there."""
    gear = float(actuator.gear[0])
    if gear == 0.0:
        raise ValueError(f"{where} has gear 0, which moves nothing; accepted: any other gear")
    if actuator.plugin.active:
        raise ValueError(f"{where} is a plugin's, which decides its force; take it out of the file")
    if now is None or now.mode != wanted.mode:
        values = servo.conversion(actuator, wanted)
    else:
        values = servo.gains(wanted, gear) if now != wanted else {}
        for name in ("target_position", "target_velocity"):
            if name in given:
                _check_in_control_range(target, where, actuator, name, given[name])
    if "effort_limit" in given:
        values |= _force_range(given["effort_limit"] / abs(gear))
    return [Write(actuator, name, value) for name, value in values.items()]


def _force_range(limit: float) -> dict[str, object]:
    """Values that hold an actuator's force within a limit, either way."""
    limit = max(limit, NO_FORCE)
    return {
        "forcerange": np.array([-limit, limit]),
        "forcelimited": mujoco.mjtLimited.mjLIMITED_TRUE,
    }


def _reach_of_joint(joint: mujoco.MjsJoint, given: dict[str, float]) -> list[Write]:
    """Widens the joint's own limit of actuator force where it would undercut the effort limit."""
    lower, upper = joint.actfrcrange
    off = joint.actfrclimited == mujoco.mjtLimited.mjLIMITED_FALSE or not lower < upper
    limit = given.get("effort_limit", 0.0)
    if off or (lower <= -limit and limit <= upper):
        return []
    return [Write(joint, "actfrcrange", np.array([min(lower, -limit), max(upper, limit)]))]


def _check_in_control_range(
    target: JointTarget, where: str, actuator: mujoco.MjsActuator, name: str, value: float
) -> None:
    """Refuses a target that the actuator's control range would clip without a word."""
    gear = float(actuator.gear[0])
    lower, upper = (float(end) for end in actuator.ctrlrange)
    if actuator.ctrllimited == mujoco.mjtLimited.mjLIMITED_FALSE:
        return
    if not lower < upper:
        limits = limits_of(target.element)
        if actuator.inheritrange == 0.0 or limits is None or name != "target_position":
            return
        middle, half = sum(limits) / 2.0, (limits[1] - limits[0]) / 2.0 * actuator.inheritrange
        lower, upper = middle - half, middle + half
    if not lower - _ROUNDING <= gear * value <= upper + _ROUNDING:
        ends = sorted((lower / gear, upper / gear))
        raise ValueError(
            f"{where}: {name} is {value:g}, beyond the control range of actuator "
            f"{actuator.name!r}; accepted: {ends[0]:g} to {ends[1]:g}"
        )


def _notes(target: JointTarget, wanted: Servo, given: dict[str, float]) -> list[Write]:
    """Changes to what the scene remembers; a target of the other mode is forgotten."""
    notes = target.notes
    other = "target_velocity" if wanted.mode == "position" else "target_position"
    changes = [Write(notes, "mode", wanted.mode)]
    if getattr(notes, other) is not None:
        changes.append(Write(notes, other, None))
    for name in ("target_position", "target_velocity"):
        if name in given:
            changes.append(Write(notes, name, given[name]))
    return changes
