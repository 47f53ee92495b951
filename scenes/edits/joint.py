"""Plans an edit of joints: limits, passive forces, and how they begin.

Every angle is in radians. An MJCF file counts in degrees unless its compiler says otherwise, and an
MjSpec keeps the file's unit; the conversion happens here and in nothing that calls this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from servogym.scenes.edits import checks
from servogym.scenes.edits.target import JointTarget, check_distinct, check_turns_or_slides
from servogym.scenes.edits.write import Write

_ROUNDING = 1e-9


def plan(
    targets: Sequence[JointTarget],
    *,
    limit_lower: float | None = None,
    limit_upper: float | None = None,
    velocity_limit: float | None = None,
    passive_damping: float | None = None,
    friction: float | None = None,
    armature: float | None = None,
    initial_position: float | None = None,
    initial_velocity: float | None = None,
) -> list[Write]:
    """Checks an edit of joints and says what it would change; changes nothing.

    None keeps what is there, joint by joint; 0, 0.0 and False are values like any other. An
    MjSpec has no place for `velocity_limit`, `initial_position` and `initial_velocity`: these three
    go to the target's notes, for whoever builds and steps the scene.

    A URDF file says nothing of how a joint begins, so position and velocity must both be known
    once one of them is: from this call, or one from an earlier call. An MJCF joint begins at its
    `ref` at rest.

    Args:
        targets: One for each joint, hinges and slides only.
        limit_lower: Lower end of the range [rad or m]; with the source's upper end if alone.
        limit_upper: Upper end of the range [rad or m]; with the source's lower end if alone.
        velocity_limit: Largest speed [rad/s or m/s], >= 0.
        passive_damping: Linear damping, >= 0 [N*m*s/rad or N*s/m]; whatever nonlinear damping the
            file has ends with it.
        friction: Dry friction, >= 0 [N*m or N].
        armature: Inertia on the joint's axis, >= 0 [kg*m^2 or kg].
        initial_position: Where the joint begins, within its range [rad or m].
        initial_velocity: How fast it moves then, within its velocity limit [rad/s or m/s].

    Returns:
        The changes, for `commit`.

    Raises:
        TypeError: A value is of the wrong kind, or a joint is neither hinge nor slide.
        ValueError: A value is out of range, the range incomplete or out of order, the initial
            position outside the range, the initial velocity beyond its limit, or what a URDF joint
            begins with only half known.
    """
    check_distinct(targets)
    changes: list[Write] = []
    for target in targets:
        where = f"joint {target.path!r}"
        check_turns_or_slides(target)
        limits = _merged_limits(target, where, limit_lower, limit_upper)
        if limits is not None and not (limit_lower is None and limit_upper is None):
            written = np.array(limits) / unit(target.element)
            changes.append(Write(target.element, "range", written))
            changes.append(Write(target.element, "limited", mujoco.mjtLimited.mjLIMITED_TRUE))
        changes += _passive(target, where, passive_damping, friction, armature)
        changes += _beginning(target, where, initial_position, initial_velocity, limits)
        changes += _speed(target, where, velocity_limit, initial_velocity)
    return changes


def _speed(
    target: JointTarget, where: str, limit: float | None, velocity: float | None
) -> list[Write]:
    """Changes to the notes of how fast the joint may be, which no beginning may exceed."""
    notes = target.notes
    fastest = notes.velocity_limit
    if limit is not None:
        fastest = checks.number(limit, where, "velocity_limit", least=0.0)
    speed = notes.initial_velocity if velocity is None else velocity
    if fastest is not None and speed is not None and abs(speed) > fastest:
        since = "" if velocity is not None else ", from an earlier edit,"
        raise ValueError(
            f"{where}: initial_velocity{since} is {speed:g}; accepted: -{fastest:g} to "
            f"{fastest:g}, its velocity limit"
        )
    return [] if limit is None else [Write(notes, "velocity_limit", fastest)]


def unit(joint: mujoco.MjsJoint) -> float:
    """How many radians the angles that stand on a joint count in; 1 for a slide, which has none."""
    turns = mujoco.mjtJoint(joint.type) == mujoco.mjtJoint.mjJNT_HINGE
    return math.pi / 180.0 if turns and joint.compiler.degree else 1.0


def limits_of(joint: mujoco.MjsJoint) -> tuple[float, float] | None:
    """The range of a joint as it is now [rad or m]; None: it is not limited."""
    never = joint.limited == mujoco.mjtLimited.mjLIMITED_FALSE
    if never or not joint.range[0] < joint.range[1]:
        return None
    lower, upper = joint.range * unit(joint)
    return float(lower), float(upper)


def _merged_limits(
    target: JointTarget, where: str, lower: float | None, upper: float | None
) -> tuple[float, float] | None:
    """The range after the edit [rad or m]; None: not limited."""
    now = limits_of(target.element)
    if lower is None and upper is None:
        return now
    ends = []
    for side, (name, value) in enumerate((("limit_lower", lower), ("limit_upper", upper))):
        if value is not None:
            ends.append(checks.number(value, where, name))
        elif now is not None:
            ends.append(now[side])
        else:
            raise ValueError(f"{where} has no limits of its own; {name} is needed too")
    if not ends[0] < ends[1]:
        origin = ["the source's" if end is None else "the new" for end in (lower, upper)]
        raise ValueError(
            f"{where}: {origin[0]} lower limit {ends[0]:g} is not below {origin[1]} upper limit "
            f"{ends[1]:g}; accepted: lower < upper"
        )
    return ends[0], ends[1]


def _passive(
    target: JointTarget,
    where: str,
    damping: float | None,
    friction: float | None,
    armature: float | None,
) -> list[Write]:
    """Changes to the forces that act without an actuator."""
    joint = target.element
    changes: list[Write] = []
    if damping is not None:
        linear = checks.number(damping, where, "passive_damping", least=0.0)
        if np.all(joint.springdamper > 0.0):
            raise ValueError(
                f"{where}: its file gives springdamper={joint.springdamper.tolist()}, from which "
                "MuJoCo works the damping out anew; take that out of the file first"
            )
        changes.append(Write(joint, "damping", _polynomial(joint.damping, linear)))
    for attribute, name, value in (
        ("frictionloss", "friction", friction),
        ("armature", "armature", armature),
    ):
        if value is not None:
            changes.append(Write(joint, attribute, checks.number(value, where, name, least=0.0)))
    return changes


def _polynomial(old: np.ndarray | float, linear: float) -> np.ndarray | float:
    """A damping that is linear, in the shape this MuJoCo keeps it: a number, or coefficients."""
    if not isinstance(old, np.ndarray):
        return linear
    return np.array([linear, *np.zeros(old.size - 1)])


def _beginning(
    target: JointTarget,
    where: str,
    position: float | None,
    velocity: float | None,
    limits: tuple[float, float] | None,
) -> list[Write]:
    """Changes to the notes of how the joint begins."""
    notes = target.notes
    begins = {"initial_position": position, "initial_velocity": velocity}
    known = {
        name: getattr(notes, name) if value is None else checks.number(value, where, name)
        for name, value in begins.items()
    }
    place = known["initial_position"]
    if place is not None and limits is not None:
        lower, upper = limits
        if not lower - _ROUNDING <= place <= upper + _ROUNDING:
            since = "" if position is not None else ", from an earlier edit,"
            raise ValueError(
                f"{where}: initial_position{since} is {place:g}; "
                f"accepted: {lower:g} to {upper:g}, its limits"
            )
    missing = [name for name, value in known.items() if value is None]
    if target.source == "urdf" and len(missing) == 1:
        raise ValueError(
            f"{where}: its URDF file does not say how it begins; {missing[0]} is needed too"
        )
    return [Write(notes, name, known[name]) for name, value in begins.items() if value is not None]
