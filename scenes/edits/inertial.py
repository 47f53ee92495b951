"""The inertial of a body: where its numbers come from, and how they are written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from servogym.scenes.edits.write import Write

_UNDEFINED = np.array([np.nan, 0.0, 0.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, kw_only=True)
class Inertial:
    """Mass, centre of mass and inertia of one body, in the body's frame."""

    mass: float
    """[kg]."""
    center: np.ndarray
    """Centre of mass, (3,) [m]."""
    tensor: np.ndarray
    """Inertia about the centre of mass, axes of the body's frame, (3, 3) [kg*m^2]."""


def weighing_geoms(body: mujoco.MjsBody) -> list[mujoco.MjsGeom]:
    """The geoms that MuJoCo would take a body's inertial from: those in `inertiagrouprange`."""
    first, last = body.compiler.inertiagrouprange
    return [geom for geom in body.geoms if first <= geom.group <= last]


def comes_from_geoms(body: mujoco.MjsBody) -> bool:
    """Whether MuJoCo works out the body's inertial from its geoms, as the compiler is told to."""
    rule = body.compiler.inertiafromgeom
    always = rule == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    never = rule == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    return bool(weighing_geoms(body)) and (always or (not never and bool(np.isnan(body.ipos[0]))))


def in_scaled_frame(body: mujoco.MjsBody) -> bool:
    """Whether a frame multiplies the inertials of what lies in it, the body among them."""
    holder: Any = body
    while holder is not None:
        frame = holder.frame
        while frame is not None:
            if not np.array_equal(getattr(frame, "scale", np.ones(3)), np.ones(3)):
                return True
            frame = frame.frame
        holder = holder.parent
    return False


def compiled(spec: mujoco.MjSpec) -> list[Inertial]:
    """The inertials that MuJoCo makes of a spec, one for each of `spec.bodies`; compiles a copy.

    They are those of the bodies themselves, before the compiler raises them to its bounds and
    fuses bodies that stand still.

    Raises:
        ValueError: MuJoCo refuses the spec.
    """
    copy = spec.copy()
    # What was attached keeps a compiler of its own, which a copy of the spec shares with the spec.
    compilers = [body.compiler for body in copy.bodies]
    rules = [(each.fusestatic, each.boundmass, each.boundinertia) for each in compilers]
    try:
        for each in compilers:
            each.fusestatic, each.boundmass, each.boundinertia = False, 0.0, 0.0
        model = copy.compile()
    finally:
        for each, rule in zip(compilers, rules, strict=True):
            each.fusestatic, each.boundmass, each.boundinertia = rule
    return [_of(model, body.id) for body in copy.bodies]


def described(body: mujoco.MjsBody) -> list[Write]:
    """What makes the inertial that stands on a body count, and be written out with it."""
    changes = [Write(body, "explicitinertial", True)]
    if np.isnan(body.ipos[0]):
        changes.append(Write(body, "ipos", np.zeros(3)))
    return changes


def tensor_writes(body: mujoco.MjsBody, tensor: np.ndarray) -> list[Write]:
    """Puts an inertia on a body, as principal moments and the axes they belong to.

    A diagonal matrix stays as it is given, to the last digit.

    Args:
        body: The body.
        tensor: A valid inertia about the centre of mass, axes of the body's frame [kg*m^2].
    """
    moments, axes = np.diag(tensor).copy(), np.array([1.0, 0.0, 0.0, 0.0])
    if not np.array_equal(np.diag(moments), tensor):
        moments, vectors = np.linalg.eigh(tensor)
        vectors[:, 0] *= np.sign(np.linalg.det(vectors))
        mujoco.mju_mat2Quat(axes, np.ascontiguousarray(vectors).ravel())
    largest = int(np.argmax(moments))  # rounding may leave it just beyond the sum of the others
    moments[largest] = min(moments[largest], np.delete(moments, largest).sum())
    return [
        Write(body, "inertia", moments),
        Write(body, "fullinertia", _UNDEFINED.copy()),
        Write(body, "iquat", axes),
        Write(body.ialt, "type", mujoco.mjtOrientation.mjORIENTATION_QUAT),
    ]


def scaled(body: mujoco.MjsBody, factor: float) -> list[Write]:
    """Multiplies the inertia that stands on a body."""
    changes = [Write(body, "inertia", body.inertia * factor)]
    if not np.isnan(body.fullinertia[0]):
        changes.append(Write(body, "fullinertia", body.fullinertia * factor))
    return changes


def scaled_geoms(body: mujoco.MjsBody, factor: float) -> list[Write]:
    """Multiplies the mass of each geom that a body's inertial is taken from, or its density."""
    return [
        Write(geom, "density", geom.density * factor)
        if np.isnan(geom.mass)
        else Write(geom, "mass", geom.mass * factor)
        for geom in weighing_geoms(body)
    ]


def least_moment(body: mujoco.MjsBody) -> float:
    """Smallest principal moment of the inertia that stands on a body [kg*m^2]."""
    full = body.fullinertia
    if np.isnan(full[0]):
        return float(body.inertia.min())
    xx, yy, zz, xy, xz, yz = full
    return least_of(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def least_of(tensor: np.ndarray) -> float:
    """Smallest principal moment of an inertia, (3, 3) [kg*m^2]."""
    return float(np.linalg.eigvalsh(tensor)[0])


def _of(model: mujoco.MjModel, body: int) -> Inertial:
    """The inertial of one body of a compiled model."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body_iquat[body])
    rotation = rotation.reshape(3, 3)
    tensor = rotation @ np.diag(model.body_inertia[body]) @ rotation.T
    return Inertial(
        mass=float(model.body_mass[body]),
        center=model.body_ipos[body].copy(),
        tensor=(tensor + tensor.T) / 2.0,
    )
