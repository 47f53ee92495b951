"""Puts specs into one another: where a thing lies, the frame it hangs in, and a plain box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from servogym.scenes.edits import checks
from servogym.scenes.paths import Entry

_KINDS = ("bodies", "geoms", "joints", "sites", "actuators", "sensors", "tendons", "materials")

Place = dict[str, np.ndarray]
"""Keyword arguments `pos` (3,) [m] and `quat` (w, x, y, z) of a frame, where they were given."""


def place(where: str, pos: Sequence[float] | None, quat: Sequence[float] | None) -> Place:
    """Check where a thing is to lie.

    Raises:
        TypeError: A value is of the wrong kind.
        ValueError: Not three and four finite numbers, or a quaternion that is zero.
    """
    found: Place = {}
    if pos is not None:
        found["pos"] = checks.vector(pos, where, "pos")
    if quat is not None:
        wrong = f"{where}: quat is {quat!r}; accepted: four numbers, (w, x, y, z)"
        if not isinstance(quat, list | tuple | np.ndarray):
            raise TypeError(wrong)
        if len(quat) != 4:
            raise ValueError(wrong)
        turn = np.array([checks.number(q, where, f"quat[{i}]") for i, q in enumerate(quat)])
        largest = np.abs(turn).max()
        if largest == 0.0:
            raise ValueError(f"{where}: quat is {quat!r}, which is no rotation")
        turn /= largest  # so that squares neither vanish nor overflow
        found["quat"] = turn / np.linalg.norm(turn)
    return found


def move(spec: mujoco.MjSpec, entry: Entry, where: Place) -> None:
    """Move everything in the world of a spec, by hanging it in one frame."""
    if not where:
        return
    world = spec.worldbody
    elements: list[Any] = [
        element
        for kind in ("frames", "bodies", "geoms", "sites", "cameras", "lights")
        for element in getattr(world, kind)
        if element.frame is None
    ]
    frame = world.add_frame(name=entry.frame, **where)
    for element in elements:
        element.set_frame(frame)


def attach(spec: mujoco.MjSpec, child: mujoco.MjSpec, entry: Entry, where: Place) -> None:
    """Attach a spec to the world of another, in a frame and with a prefix of its own.

    Raises:
        ValueError: The prefix is in use already, or MuJoCo cannot attach the child.
    """
    for kind in _KINDS:
        for element in getattr(spec, kind):
            if element.name.startswith(entry.prefix):
                raise ValueError(
                    f"{entry.name!r} cannot be attached: {element.name!r} in the scene begins with "
                    f"{entry.prefix!r}; use another name"
                )
    try:
        frame = spec.worldbody.add_frame(name=entry.frame, **where)
        spec.attach(child, prefix=entry.prefix, frame=frame)
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"{entry.name!r} cannot be attached: {error}") from None


def box(
    where: str,
    *,
    half_size: Sequence[float],
    mass: float | None,
    friction: Sequence[float],
) -> mujoco.MjSpec:
    """A spec that holds a box: body `body`, geom `shape`, and joint `free` if it has a mass.

    Raises:
        TypeError: A value is of the wrong kind.
        ValueError: A value is out of range.
    """
    size = checks.vector(half_size, where, "half_size")
    coefficients = checks.vector(friction, where, "friction")
    if not (size > 0.0).all():
        raise ValueError(f"{where}: half_size is {half_size!r}; accepted: three numbers > 0")
    if (coefficients < 0.0).any():
        raise ValueError(f"{where}: friction is {friction!r}; accepted: three numbers >= 0")
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="body")
    shape = body.add_geom(
        name="shape", type=mujoco.mjtGeom.mjGEOM_BOX, size=size, friction=coefficients
    )
    if mass is not None:
        shape.mass = checks.number(mass, where, "mass", above=0.0)
        body.add_freejoint(name="free")
    return spec
