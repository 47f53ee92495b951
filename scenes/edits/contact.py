"""Plans an edit of how shapes touch: friction, collisions on or off, groups, margin and gap.

What a shape says is one side of a contact. MuJoCo takes the larger friction of the two geoms,
element by element, or that of the geom with the higher `priority`; and it adds up their margins
and their gaps. An explicit pair decides all three alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import mujoco
import numpy as np

from servogym.scenes.edits import checks
from servogym.scenes.edits.shapes import is_collision_shape, outranked, pairs_of
from servogym.scenes.edits.target import ShapeTarget, check_distinct
from servogym.scenes.edits.write import Write

_INT32 = 2**32
_LARGEST_GROUP = 2**31 - 1
_LARGEST_MASK = 31


def plan(
    spec: mujoco.MjSpec,
    targets: Sequence[ShapeTarget],
    *,
    sliding_friction: float | None = None,
    torsional_friction: float | None = None,
    rolling_friction: float | None = None,
    collision_enabled: bool | None = None,
    collision_group: int | None = None,
    margin: float | None = None,
    gap: float | None = None,
    filter_from_group: bool = False,
) -> list[Write]:
    """Checks an edit of collision shapes and says what it would change; changes nothing.

    None keeps what is there, shape by shape; 0, 0.0 and False are values like any other.

    The first friction. An MJCF geom always has three frictions: MuJoCo documents the ones that a
    file leaves out (1, 0.005, 0.0001), so one may be set alone at once. A URDF file says nothing of
    friction; what MuJoCo fills in is not the file's, and so all three are needed the first time.

    Off and on again. With collisions off both masks are 0, and the notes keep what they were. A
    shape in an explicit pair cannot be turned off this way, since pairs ignore masks.

    Groups. A group is a number in the notes. It is not the geom's `group`, which selects what is
    drawn and which geoms have weight: MuJoCo leaves a geom of group 40 out of the body's mass.
    With `filter_from_group`, group g becomes contype = conaffinity = 1 << g, so that shapes collide
    when they are in the same group; group 0 is the one that MuJoCo puts every geom in.

    Args:
        spec: What the shapes belong to.
        targets: One for each shape.
        sliding_friction: First friction coefficient [-], >= 0, without an upper bound.
        torsional_friction: Second one [m], >= 0; acts from condim 4 on.
        rolling_friction: Third one [m], >= 0; acts with condim 6.
        collision_enabled: Whether the shape collides.
        collision_group: Any integer from 0 on; from 0 to 31 with `filter_from_group`.
        margin: Distance at which contact is detected [m], >= 0 (MuJoCo from 3.9 on: margin + gap).
        gap: Part of the detection distance in which no force acts [m], >= 0.
        filter_from_group: Whether groups decide what collides with what.

    Returns:
        The changes, for `commit`.

    Raises:
        TypeError: A value is of the wrong kind, or a geom is visual.
        ValueError: A value is out of range, a friction is missing, two targets are one geom, or a
            shape in an explicit pair is to be turned off.

    Warns:
        UserWarning: Friction, margin or gap of a shape that an explicit pair decides instead, or
            friction of one that everything it can touch outranks.
    """
    check_distinct(targets)
    changes: list[Write] = []
    notices: list[str] = []
    for target in targets:
        where = f"shape {target.path!r}"
        geom = target.element
        if not is_collision_shape(spec, target):
            raise TypeError(
                f"{where} is visual (contype and conaffinity are 0), not a collision shape"
            )
        given = {
            "sliding_friction": sliding_friction,
            "torsional_friction": torsional_friction,
            "rolling_friction": rolling_friction,
        }
        friction = _friction(target, where, given)
        if friction is not None:
            changes.append(Write(geom, "friction", friction))
            changes.append(Write(target.notes, "friction_given", True))
        for name, value in (("margin", margin), ("gap", gap)):
            if value is not None:
                changes.append(Write(geom, name, checks.number(value, where, name, least=0.0)))
        changes += _masks(
            spec, target, where, collision_enabled, collision_group, filter_from_group
        )
        touched = [
            name
            for name, value in (("friction", friction), ("margin", margin), ("gap", gap))
            if value is not None
        ]
        if touched and pairs_of(spec, geom):
            others = ", ".join(
                repr(p.geomname2 if p.geomname1 == geom.name else p.geomname1)
                for p in pairs_of(spec, geom)
            )
            notices.append(
                f"{where}: contacts with {others} follow an explicit pair, "
                f"which the new {', '.join(touched)} does not reach"
            )
    if any(value is not None for value in (sliding_friction, torsional_friction, rolling_friction)):
        shapes = [target.element for target in targets]
        for target, lost in zip(targets, outranked(spec, shapes), strict=True):
            if lost and not pairs_of(spec, target.element):
                notices.append(
                    f"shape {target.path!r}: everything that it can touch has a higher priority, "
                    "so that the friction of the other counts"
                )
    for notice in notices:
        warnings.warn(notice, stacklevel=2)
    return changes


def _friction(target: ShapeTarget, where: str, given: dict[str, float | None]) -> np.ndarray | None:
    """The three frictions after the edit; None: the edit is not about friction."""
    if all(value is None for value in given.values()):
        return None
    merged = np.array(target.element.friction, dtype=float)
    for place, (name, value) in enumerate(given.items()):
        if value is not None:
            merged[place] = checks.number(value, where, name, least=0.0)
    missing = [name for name, value in given.items() if value is None]
    if missing and target.source == "urdf" and not target.notes.friction_given:
        raise ValueError(
            f"{where}: its URDF file gives no friction, so the first edit needs "
            f"{', '.join(missing)} too"
        )
    return merged


def _masks(
    spec: mujoco.MjSpec,
    target: ShapeTarget,
    where: str,
    enabled: bool | None,
    group: int | None,
    filters: bool,
) -> list[Write]:
    """Changes to what the shape collides with, and to the notes of it."""
    geom, notes = target.element, target.notes
    if enabled is not None:
        enabled = checks.truth(enabled, where, "collision_enabled")
    if group is not None:
        most = _LARGEST_MASK if filters else _LARGEST_GROUP
        group = checks.whole(group, where, "collision_group", most=most)
    if enabled is False and pairs_of(spec, geom):
        pair = pairs_of(spec, geom)[0]
        raise ValueError(
            f"{where}: collision_enabled is False, but the explicit pair of {pair.geomname1!r} and "
            f"{pair.geomname2!r} collides whatever the masks say; take the pair out of the file"
        )
    changes: list[Write] = []
    if group is not None:
        changes.append(Write(notes, "collision_group", group))
    awake = notes.resting_masks is None
    masks = notes.resting_masks or (int(geom.contype), int(geom.conaffinity))
    if group is not None and filters:
        bit = 1 << group
        masks = (bit - _INT32 if bit > _LARGEST_GROUP else bit,) * 2
    elif enabled is None:
        return changes
    collides = awake if enabled is None else enabled
    changes.append(Write(notes, "resting_masks", None if collides else masks))
    for attribute, mask in zip(("contype", "conaffinity"), masks, strict=True):
        changes.append(Write(geom, attribute, mask if collides else 0))
    return changes
