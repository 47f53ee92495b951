"""What differs between two files of one robot: every number, by the name of what it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from servogym.robots.base import Robot
from servogym.robots.compare_shapes import feet, imu, shapes
from servogym.robots.links import BASE, Link
from servogym.robots.side import Difference, Side, differ, lowest_foot

__all__ = ["Difference", "differences"]

_LINK = {"place": "m", "axis": "-", "mass": "kg", "com": "m", "inertia": "kg·m²"}
_JOINT = {  # arrays with a row per joint, coordinate or degree of freedom
    "jnt_stiffness": "N·m/rad",
    "jnt_stiffnesspoly": "-",
    "jnt_margin": "rad",
    "jnt_solref": "s, -",
    "jnt_solimp": "-",
    "jnt_actgravcomp": "-",
    "qpos_spring": "rad",
    "dof_damping": "N·m·s/rad",
    "dof_dampingpoly": "-",
    "dof_frictionloss": "N·m",
    "dof_armature": "kg·m²",
    "dof_solref": "s, -",
    "dof_solimp": "-",
}
_MOTOR = {"gear": "-", "armature": "kg·m²", "damping": "N·m·s/rad", "delay": "s"}
_NAMED = {"cone": mujoco.mjtCone, "integrator": mujoco.mjtIntegrator, "solver": mujoco.mjtSolver}
_NAMED |= {"jacobian": mujoco.mjtJacobian}
_LAW = {"dyn": mujoco.mjtDyn, "gain": mujoco.mjtGain, "bias": mujoco.mjtBias}
_COUNTS = {"neq": "equalities", "ntendon": "tendons", "npair": "contact pairs"}
_COUNTS |= {"nexclude": "contact exclusions"}


def differences(theirs: Robot, ours: Robot, model: str = "walk") -> tuple[Difference, ...]:
    """Compare two robots that share joint names, as their files have them.

    Links are compared as machines, see `links`; joints, motors, feet, other shapes that touch,
    IMU, solver options and keyframes number by number. Left out: sensors, names of bodies, and
    what only an eye would notice. Motors are matched by joint and keyframes by name, not by place;
    another order of joints or motors is a difference of its own.

    Args:
        theirs: The robot in question.
        ours: The robot it is compared with.
        model: Which of their models.

    Raises:
        ValueError: The two have other servo joints, or other feet.
    """
    sites = [sorted(foot.site for foot in robot.feet) for robot in (theirs, ours)]
    if set(theirs.joints) != set(ours.joints) or sites[0] != sites[1]:
        raise ValueError(
            f"{theirs.name} has joints {sorted(theirs.joints)} and feet {sites[0]}; "
            f"{ours.name} has {sorted(ours.joints)} and {sites[1]}; they must be the same"
        )
    a, b = Side(theirs, model), Side(ours, model)
    parts = (_whole, _links, _joints, _motors, feet, shapes, imu, _options, _keyframes)
    return tuple(difference for part in parts for difference in part(a, b))


def _whole(a: Side, b: Side) -> Iterator[Difference]:
    """Orders of joints and motors, and what the one robot has and the other has not."""
    orders = {
        "order of joints": [[name for name in s.links if name != BASE] for s in (a, b)],
        "order of motors": [list(s.motors()) for s in (a, b)],
    }
    for what, (one, other) in orders.items():
        shared = ([name for name in one if name in other], [name for name in other if name in one])
        yield from differ("robot", what, "-", " ".join(shared[0]), " ".join(shared[1]))
    further = [[n for n in s.links if n not in s.robot.joints and n != BASE] for s in (a, b)]
    yield from differ("robot", "further joints", "-", *(" ".join(f) or "none" for f in further))
    for field, what in _COUNTS.items():
        yield from differ("robot", what, "-", getattr(a.model, field), getattr(b.model, field))


def _pairs(a: Side, b: Side) -> Iterator[tuple[Link, Link]]:
    yield from ((a.links[name], b.links[name]) for name in (BASE, *b.robot.joints))


def _links(a: Side, b: Side) -> Iterator[Difference]:
    for one, other in _pairs(a, b):
        yield from differ(one.name, "hangs on", "-", one.above, other.above)
        for what, unit in _LINK.items():
            values = getattr(one, what), getattr(other, what)
            yield from differ(one.name, what, unit, *values, together=True)
        lifted = [s.model.body_gravcomp[[*link.bodies]].max() for s, link in ((a, one), (b, other))]
        yield from differ(one.name, "gravity compensation", "-", *lifted)


def _joints(a: Side, b: Side) -> Iterator[Difference]:
    for one, other in _pairs(a, b):
        if one.joint < 0:
            continue
        pair = ((a.model, one.joint), (b.model, other.joint))
        kinds = [
            mujoco.mjtJoint(m.jnt_type[j]).name.removeprefix("mjJNT_").lower() for m, j in pair
        ]
        yield from differ(one.name, "kind", "-", *kinds)
        for what, unit in {"": "rad", "actfrc": "N·m"}.items():
            ranges = [_range(m, f"jnt_{what}", j) for m, j in pair]
            yield from differ(one.name, "torque range" if what else "range", unit, *ranges)
        for field, unit in _JOINT.items():
            if hasattr(a.model, field):
                values = [getattr(m, field)[_row(m, j, field)] for m, j in pair]
                yield from differ(one.name, field.partition("_")[2], unit, *values)


def _row(model: mujoco.MjModel, joint: int, field: str) -> int:
    """Row of a joint in an array of joints, degrees of freedom or coordinates."""
    kind = field.partition("_")[0]
    return {"jnt": joint, "dof": model.jnt_dofadr[joint], "qpos": model.jnt_qposadr[joint]}[kind]


def _range(model: mujoco.MjModel, start: str, row: int) -> np.ndarray | str:
    """A range of a joint or a motor; `none` where it does not limit."""
    return (
        getattr(model, f"{start}range")[row] if getattr(model, f"{start}limited")[row] else "none"
    )


def _motors(a: Side, b: Side) -> Iterator[Difference]:
    driven = a.motors(), b.motors()
    for joint in b.robot.joints:
        mine = [found.get(joint, []) for found in driven]
        yield from differ(joint, "motors", "-", len(mine[0]), len(mine[1]))
        for one, other in zip(*mine, strict=False):
            pair = ((a.model, one), (b.model, other))
            yield from differ(joint, "motor", "-", *(_law(m, k) for m, k in pair))
            for field, unit in _MOTOR.items():
                if hasattr(a.model, f"actuator_{field}"):
                    values = [getattr(m, f"actuator_{field}")[k] for m, k in pair]
                    yield from differ(joint, f"motor {field}", unit, *values)
            for kind, unit in {"ctrl": "-", "force": "N·m"}.items():
                ranges = [_range(m, f"actuator_{kind}", k) for m, k in pair]
                yield from differ(joint, f"motor {kind}range", unit, *ranges)


def _law(model: mujoco.MjModel, motor: int) -> str:
    """What a motor does with its control, e.g. `gain fixed 20, bias affine 0 -20 -0.5`."""
    told = []
    for part, kinds in _LAW.items():
        kind = _enum(kinds, getattr(model, f"actuator_{part}type")[motor])
        numbers = np.trim_zeros(getattr(model, f"actuator_{part}prm")[motor], "b")
        if kind != "none":
            told.append(" ".join((part, kind, *(f"{number:.6g}" for number in numbers))))
    return ", ".join(told)


def _enum(kinds: Any, value: Any) -> str:
    """Name of a setting of MuJoCo's, e.g. `elliptic`."""
    start = f"mj{kinds.__name__.removeprefix('mjt').upper()}_"
    return kinds(int(value)).name.removeprefix(start).removeprefix("mjINT_").lower()


def _options(a: Side, b: Side) -> Iterator[Difference]:
    for field in dir(a.model.opt):
        values = getattr(a.model.opt, field), getattr(b.model.opt, field)
        if not field.startswith("_") and isinstance(values[0], (int, float, np.ndarray)):
            named = _NAMED.get(field)
            told = values if named is None else [_enum(named, value) for value in values]
            yield from differ("options", field, "-", *told)


def _keyframes(a: Side, b: Side) -> Iterator[Difference]:
    keys = [{s.model.key(k).name: k for k in range(s.model.nkey)} for s in (a, b)]
    for name in dict.fromkeys((*keys[0], *keys[1])):
        where, found = f"keyframe {name}", [side.get(name) for side in keys]
        if None in found:
            sides = zip((a, b), found, strict=True)
            told = [
                "none" if k is None else f"{round(_height(s, k), 4) + 0.0:.4f}" for s, k in sides
            ]
            yield from differ(where, "lowest foot above the floor", "m", *told)
            continue
        poses = [_pose(s, int(k or 0)) for s, k in zip((a, b), found, strict=True)]
        for what, unit in (told for told in poses[1] if told in poses[0]):
            yield from differ(where, what, unit, poses[0][what, unit], poses[1][what, unit])


def _height(side: Side, key: int) -> float:
    data = mujoco.MjData(side.model)
    mujoco.mj_resetDataKeyframe(side.model, data, key)
    mujoco.mj_kinematics(side.model, data)
    return lowest_foot(side.model, data, side.robot)


def _pose(side: Side, key: int) -> dict[tuple[str, str], Any]:
    """A keyframe by name and unit: base, then angle, speed and control of each joint."""
    m, motors = side.model, side.motors()
    free = m.jnt_qposadr[m.body(side.robot.base_body).jntadr[0]]
    found: dict[tuple[str, str], Any] = {
        ("base place", "m"): m.key_qpos[key, free : free + 3],
        ("base turn", "-"): m.key_qpos[key, free + 3 : free + 7],
    }
    for joint in side.robot.joints:
        found[f"{joint} angle", "rad"] = m.key_qpos[key, m.joint(joint).qposadr[0]]
        found[f"{joint} speed", "rad/s"] = m.key_qvel[key, m.joint(joint).dofadr[0]]
        if joint in motors:
            place = getattr(m, "actuator_ctrladr", np.arange(m.nu))[motors[joint][0]]
            found[f"{joint} control", "-"] = m.key_ctrl[key, place]
    return found
