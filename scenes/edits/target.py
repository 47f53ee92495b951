"""What an edit is aimed at, and the notes kept of what an MjSpec has no place for.

A planner takes targets, each an element together with its notes. Notes are plain records that the
scene owns, one per shape and one per joint; a plan writes into them as it writes into elements, so
they change in the same commit or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import mujoco


@dataclass(kw_only=True)
class ShapeNotes:
    """What the scene remembers of one collision shape."""

    collision_group: int | None = None
    """Group the shape was put in; None: never put in one. It does not select what is drawn."""
    resting_masks: tuple[int, int] | None = None
    """contype and conaffinity that come back with the collisions; None while they are on."""
    friction_given: bool = False
    """Whether an edit has set the friction; for a URDF shape the first one gave all three."""


@dataclass(kw_only=True)
class JointNotes:
    """What the scene remembers of one joint; angles are radians, a slide's lengths metres."""

    velocity_limit: float | None = None
    """Largest speed the joint may have [rad/s or m/s]; None: no limit."""
    initial_position: float | None = None
    """Position in which the scene begins [rad or m]; None: the source's."""
    initial_velocity: float | None = None
    """Velocity with which the scene begins [rad/s or m/s]; None: the source's."""
    mode: Literal["position", "velocity"] | None = None
    """What an edit made of the joint's actuator; None: no edit did."""
    target_position: float | None = None
    """Position that the actuator is told to hold when the scene begins [rad or m]."""
    target_velocity: float | None = None
    """Velocity that the actuator is told to hold when the scene begins [rad/s or m/s]."""


@dataclass(frozen=True, kw_only=True)
class ShapeTarget:
    """One geom."""

    path: str
    """How the caller names it; errors repeat it."""
    element: mujoco.MjsGeom
    """The geom."""
    source: str = "mjcf"
    """What kind of file it came from: `mjcf` or `urdf`."""
    notes: ShapeNotes = field(default_factory=ShapeNotes)
    """The scene's notes of this geom."""


@dataclass(frozen=True, kw_only=True)
class BodyTarget:
    """One body."""

    path: str
    """How the caller names it; errors repeat it."""
    element: mujoco.MjsBody
    """The body."""
    source: str = "mjcf"
    """What kind of file it came from: `mjcf` or `urdf`."""


@dataclass(frozen=True, kw_only=True)
class JointTarget:
    """One joint, for its own properties or for those of its actuator."""

    path: str
    """How the caller names it; errors repeat it."""
    element: mujoco.MjsJoint
    """The joint."""
    source: str = "mjcf"
    """What kind of file it came from: `mjcf` or `urdf`."""
    notes: JointNotes = field(default_factory=JointNotes)
    """The scene's notes of this joint."""


def check_distinct(targets: Iterable[Any]) -> None:
    """Refuses two targets that are one and the same element.

    Raises:
        ValueError: Two paths lead to the same element; the message names both.
    """
    seen: dict[Any, str] = {}
    for target in targets:
        if target.element in seen:
            first = seen[target.element]
            raise ValueError(f"{first!r} and {target.path!r} are the same element; name it once")
        seen[target.element] = target.path


def check_turns_or_slides(target: JointTarget) -> None:
    """Refuses a joint that has not exactly one degree of freedom.

    Raises:
        TypeError: It is a ball or a free joint.
    """
    kind = mujoco.mjtJoint(target.element.type)
    if kind not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        raise TypeError(
            f"joint {target.path!r} is of kind {kind.name[len('mjJNT_') :].lower()}; "
            "accepted: hinge, slide"
        )
