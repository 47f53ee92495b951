"""Edits of servos, made where an environment keeps them: in the parameters of the motor law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from servogym.actuators.base import Actuator
from servogym.actuators.per_joint import per_joint
from servogym.scenes.edits import checks
from servogym.scenes.paths import one_path, path_list
from servogym.scenes.scene import Scene
from servogym.scenes.world import Edit

SETTERS = {
    "set_actuator_physics_properties": "joint_path",
    "set_actuators_physics_properties": "joint_paths",
}
"""Setter of servos -> its argument that says which."""
PARAMETERS = {
    "stiffness": ("kp", "kp_fw"),
    "damping": ("kd",),
    "effort_limit": ("effort_limit", "torque_limit"),
}
"""Property -> parameters of motor laws that are this; a law has one of them, or none."""
UNITS = {"kp": "N·m/rad", "kp_fw": "firmware", "kd": "N·m·s/rad"}
"""Unit of a parameter where it is not N·m."""


def parameter(law: Actuator, prop: str) -> str | None:
    """Give the law's name for a property of its servos; None when it has none."""
    known = {f.name for f in fields(law) if f.init}
    return next((name for name in PARAMETERS.get(prop, ()) if name in known), None)


def values(law: Actuator, name: str, joints: Sequence[str]) -> np.ndarray:
    """Give a parameter of the law, joint by joint, (j,)."""
    value = getattr(law, name)
    return per_joint(name, law.firmware()[name] if value is None else value, joints)


def tuned(
    law: Actuator, joints: Sequence[str], edits: Sequence[Edit], scene: Scene
) -> tuple[Actuator, tuple[Edit, ...]]:
    """Make the edits of servos; the rest is for the scene, also what this law has no place for.

    Args:
        law: the motor law, not bound yet; it is not changed.
        joints: joints that it drives.
        edits: what `servogym.envs.edits.read` returned.
        scene: knows the paths.

    Returns:
        The law with the edits made, and the edits that are left.

    Raises:
        LookupError: a path leads nowhere.
        TypeError: a value is no number.
        ValueError: a value is below 0.
    """
    left = []
    for edit in edits:
        setter, arguments = edit
        where = SETTERS.get(setter)
        properties = {k: v for k, v in arguments.items() if k != where}
        named = {prop: parameter(law, prop) for prop in properties}
        if where is None or where not in arguments or None in named.values():
            left.append(edit)
            continue
        given = arguments[where]
        paths = (one_path(where, given),) if where == "joint_path" else path_list(where, given)
        found = scene.names("joint", paths)
        if not set(found) <= set(joints):
            left.append(edit)
            continue
        changed = {}
        for prop, name in named.items():
            assert name is not None
            what = f"the servo of {paths[0]!r}"
            value = checks.number(properties[prop], what, prop, least=0.0)
            changed[name] = _table(values(law, name, joints), joints, found, value)
        law = replace(law, **changed)
    return law, tuple(left)


def _table(before: np.ndarray, joints: Sequence[str], found: Sequence[str], value: float) -> Any:
    """Give a number a joint, or one where all are alike."""
    table = dict(zip(joints, before.tolist(), strict=True)) | dict.fromkeys(found, value)
    return table if len(set(table.values())) > 1 else value
