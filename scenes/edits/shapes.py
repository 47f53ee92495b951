"""Which geoms are collision shapes: those that can touch something, now or when allowed again."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from servogym.scenes.edits.target import ShapeTarget

PAIR_WINS = ("friction", "margin", "gap")
"""What an explicit pair decides on its own, whatever its geoms say."""


def pairs_of(spec: mujoco.MjSpec, geom: mujoco.MjsGeom) -> list[mujoco.MjsPair]:
    """The explicit contact pairs that name a geom; a geom without a name is in none."""
    return [p for p in spec.pairs if geom.name and geom.name in (p.geomname1, p.geomname2)]


def outranked(spec: mujoco.MjSpec, geoms: Sequence[mujoco.MjsGeom]) -> list[bool]:
    """Whether everything that a geom can touch, of what is there now, has a higher priority.

    MuJoCo then takes the other's friction, dimensions and solver settings, whatever this one says.

    Args:
        spec: What the geoms belong to.
        geoms: The geoms.
    """
    others = list(spec.geoms)
    rank = np.array([int(geom.priority) for geom in others])
    types = np.array([int(geom.contype) for geom in others])
    affinity = np.array([int(geom.conaffinity) for geom in others])
    bodies = {body: number for number, body in enumerate(spec.bodies)}
    owner = np.array([bodies[geom.parent] for geom in others])
    found = []
    for geom in geoms:
        meets = ((types & int(geom.conaffinity)) | (int(geom.contype) & affinity)) != 0
        meets &= owner != bodies[geom.parent]
        found.append(bool(meets.any() and (rank[meets] > int(geom.priority)).all()))
    return found


def is_collision_shape(spec: mujoco.MjSpec, target: ShapeTarget) -> bool:
    """Whether a geom collides, or did until an edit turned it off.

    It does when its masks say so (contype or conaffinity is not 0) or when an explicit pair names
    it. A geom that was visual in its file stays visual: no edit makes a collision shape of it.
    """
    geom = target.element
    return bool(
        geom.contype
        or geom.conaffinity
        or target.notes.resting_masks is not None
        or pairs_of(spec, geom)
    )


def collision_shapes(
    spec: mujoco.MjSpec, body_path: str, targets: Sequence[ShapeTarget]
) -> list[ShapeTarget]:
    """Those of a body's own geoms that are collision shapes.

    Args:
        spec: What the body belongs to.
        body_path: How the caller names the body.
        targets: One for each geom of the body itself, none for those of child bodies.

    Raises:
        LookupError: None of them is.
    """
    found = [target for target in targets if is_collision_shape(spec, target)]
    if not found:
        raise LookupError(
            f"body {body_path!r} has no collision shape of its own"
            + (f"; its {len(targets)} geoms are visual" if targets else "; it has no geoms")
        )
    return found
