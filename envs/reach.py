"""What edits of the physics reach: properties of single bodies, joints and shapes of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from servogym.envs.edits import PATHS
from servogym.scenes.owners import Subject
from servogym.scenes.paths import Kind
from servogym.scenes.readout import number_of

if TYPE_CHECKING:
    from mujoco import MjModel

    from servogym.scenes.scene import Scene
    from servogym.scenes.world import Edit

_SUBJECT: dict[str, Subject] = {
    "set_body_physics_properties": "body",
    "set_bodies_physics_properties": "body",
    "set_joint_physics_properties": "joint",
    "set_joints_physics_properties": "joint",
    "set_actuator_physics_properties": "actuator",
    "set_actuators_physics_properties": "actuator",
    "set_contact_physics_properties": "shape",
    "set_scene_physics_properties": "scene",
}


_LEADS_TO: dict[str, Kind] = {"body_paths": "body", "geom_paths": "geom"}
"""Arguments that say themselves what their paths lead to."""


@dataclass(frozen=True, kw_only=True)
class Reached:
    """One property of one element."""

    edit: int
    """Number of the edit, from 0."""
    subject: Subject
    """What the element is."""
    path: str
    """Its scene path."""
    element: int
    """Its id in the model; an actuator goes by its joint."""
    prop: str
    """The property, as the setter calls it."""


def reach(edits: Sequence[Edit], scene: Scene, model: MjModel) -> Iterator[Reached]:
    """Go over everything that edits set, in order.

    Args:
        edits: what `servogym.envs.edits.read` returned.
        scene: the scene they were made in, with nothing left out.
        model: what was built of it, or of the same without these edits.
    """
    for number, (setter, arguments) in enumerate(edits):
        subject = _SUBJECT[setter]
        for path, element in _elements(subject, arguments, scene, model):
            for prop in arguments:
                if prop not in PATHS:
                    yield Reached(
                        edit=number, subject=subject, path=path, element=element, prop=prop
                    )


def _elements(
    subject: Subject, arguments: Mapping[str, Any], scene: Scene, model: MjModel
) -> Iterator[tuple[str, int]]:
    """Path and id of everything that an edit names."""
    if subject == "scene":
        yield "/world", 0
        return
    for name in PATHS:
        if name not in arguments:
            continue
        given = arguments[name]
        paths = [given] if isinstance(given, str) else given
        kind = _LEADS_TO.get(name) or ("body" if subject == "body" else "joint")
        for path, element in zip(paths, scene.names(kind, paths), strict=True):
            if name == "body_paths":
                yield from _shapes(path, model, number_of(model, "body", element))
            else:
                found = number_of(model, "shape" if kind == "geom" else kind, element)
                yield path, found


def _shapes(path: str, model: MjModel, body: int) -> Iterator[tuple[str, int]]:
    """The collision shapes of a body itself."""
    touching = (model.geom_contype | model.geom_conaffinity) > 0
    for geom in np.flatnonzero((model.geom_bodyid == body) & touching).tolist():
        yield f"{path}/{model.geom(geom).name or f'(geom {geom}, nameless)'}", geom
