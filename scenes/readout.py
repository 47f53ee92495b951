"""What the properties of Scene's setters are in a compiled model, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from servogym.scenes.owners import Subject

Read = Callable[[mujoco.MjModel, int], Any]
"""Gives a property of an element by its id."""


def _inertia(model: mujoco.MjModel, body: int) -> np.ndarray:
    """About the centre of mass, in the axes of the body, (3, 3)."""
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[body])
    axes = turn.reshape(3, 3)
    return axes @ np.diag(model.body_inertia[body]) @ axes.T


def _limit(model: mujoco.MjModel, joint: int, end: int) -> float:
    """One end of a joint's range; infinite where it has none."""
    return float(
        model.jnt_range[joint, end] if model.jnt_limited[joint] else (-np.inf, np.inf)[end]
    )


def _dof(field: str) -> Read:
    return lambda model, joint: getattr(model, field)[model.jnt_dofadr[joint]]


READ: dict[Subject, dict[str, tuple[str, Read]]] = {
    "body": {
        "mass": ("kg", lambda m, i: m.body_mass[i]),
        "center_of_mass": ("m", lambda m, i: m.body_ipos[i]),
        "inertia": ("kg·m²", _inertia),
        "gravcomp": ("1", lambda m, i: m.body_gravcomp[i]),
    },
    "joint": {
        "limit_lower": ("rad or m", lambda m, i: _limit(m, i, 0)),
        "limit_upper": ("rad or m", lambda m, i: _limit(m, i, 1)),
        "passive_damping": ("N·m·s/rad or N·s/m", _dof("dof_damping")),
        "friction": ("N·m or N", _dof("dof_frictionloss")),
        "armature": ("kg·m² or kg", _dof("dof_armature")),
    },
    "shape": {
        "sliding_friction": ("1", lambda m, i: m.geom_friction[i, 0]),
        "torsional_friction": ("m", lambda m, i: m.geom_friction[i, 1]),
        "rolling_friction": ("m", lambda m, i: m.geom_friction[i, 2]),
        "collision_enabled": ("", lambda m, i: bool(m.geom_contype[i] | m.geom_conaffinity[i])),
        "margin": ("m", lambda m, i: m.geom_margin[i]),
        "gap": ("m", lambda m, i: m.geom_gap[i]),
    },
    "scene": {
        "gravity": ("m/s²", lambda m, i: m.opt.gravity),
    },
}
"""Subject -> property as its setter calls it -> unit, and where a model keeps it."""

_OBJECT = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "joint": mujoco.mjtObj.mjOBJ_JOINT,
    "shape": mujoco.mjtObj.mjOBJ_GEOM,
}


def number_of(model: mujoco.MjModel, subject: Subject, name: str) -> int:
    """Id of an element by its name in the model; 0 for the scene.

    Raises:
        LookupError: The model has no such element.
    """
    found = 0 if subject == "scene" else mujoco.mj_name2id(model, _OBJECT[subject], name)
    if found < 0:
        raise LookupError(f"the model has no {subject} {name!r}")
    return found


def read(model: mujoco.MjModel, subject: Subject, element: int, prop: str) -> Any:
    """A property as plain data: a number, a bool, or lists of numbers.

    Args:
        model: The model.
        subject: What has the property.
        element: Its id.
        prop: The property, as the setter calls it.

    Raises:
        LookupError: No model keeps such a property.
    """
    if prop not in READ.get(subject, {}):
        known = ", ".join(READ.get(subject, {}))
        raise LookupError(f"no {subject} of a model has {prop!r}; there are {known or 'none'}")
    value = READ[subject][prop][1](model, element)
    return value if isinstance(value, bool) else np.asarray(value, float).tolist()
