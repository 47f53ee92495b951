"""Inserts a joint directly behind another one, which MuJoCo's editing interface cannot do."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

_ANGLES = ("range", "ref", "springref")
_LINKS = {"name", "id", "parent", "frame", "compiler", "classname", "signature"}


def insert_behind(joint: mujoco.MjsJoint, name: str, **fields: Any) -> None:
    """Adds a hinge in series with a hinge: same body, axis and anchor, next in the chain.

    `add_joint` appends, and the order of a body's joints is the order of its chain. So the
    joints that follow are pushed back by one: their settings and names move, element by
    element, into the free place at the end. References survive, being by name.

    Args:
        joint: The hinge to follow.
        name: Name of the new hinge.
        **fields: Settings of the new hinge, angles in radians; what is not given has MuJoCo's
            own default, whatever defaults the file declares.
    """
    behind = joint.parent.joints
    behind = behind[[other.name for other in behind].index(joint.name) + 1 :]
    places = [*behind, joint.parent.add_joint(name=name)]
    hinge = {**_pristine(), "axis": joint.axis.copy(), "pos": joint.pos.copy(), **fields}
    contents = [(name, hinge, joint.frame), *((j.name, _read(j), j.frame) for j in behind)]
    for index, place in enumerate(places):
        place.name = f"{name}#{index}"
    for place, (new_name, settings, frame) in zip(places, contents, strict=True):
        _write(place, settings)
        place.name = new_name
        if frame is not None:
            place.set_frame(frame)


def _pristine() -> dict[str, Any]:
    """Settings of a hinge in a model without defaults, angles in radians."""
    return _read(mujoco.MjSpec().worldbody.add_body().add_joint())


def _unit(joint: mujoco.MjsJoint, kind: Any) -> float:
    """How many radians the angles written on this joint count in."""
    turns = kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL)
    return math.pi / 180.0 if turns and joint.compiler.degree else 1.0


def _read(joint: mujoco.MjsJoint) -> dict[str, Any]:
    """Copy of a joint's settings, angles in radians."""
    settings = {}
    for field in dir(joint):
        if field.startswith("_") or field in _LINKS:
            continue
        value = getattr(joint, field)
        if not callable(value):
            is_vector = hasattr(value, "__len__") and not isinstance(value, str)
            settings[field] = np.array(value) if is_vector else value
    for field in _ANGLES:
        settings[field] = settings[field] * _unit(joint, joint.type)
    return settings


def _write(joint: mujoco.MjsJoint, settings: dict[str, Any]) -> None:
    """Writes what `_read` gave, in the unit this joint counts in."""
    for field, value in settings.items():
        if field in _ANGLES:
            value = np.asarray(value) / _unit(joint, settings["type"])
        setattr(joint, field, value)
