"""What options change of an environment, number by number: what it was and what it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from servogym.envs.edits import read
from servogym.scenes.contact import written
from servogym.scenes.owners import Subject
from servogym.scenes.readout import READ, number_of
from servogym.scenes.readout import read as value_of

if TYPE_CHECKING:
    from mujoco import MjModel

    from servogym.envs.core import Core
    from servogym.scenes.scene import Scene

SECTIONS = ("commands", "sensing", "randomization", "spawn")
"""Records of a task whose fields can be changed."""

_SUBJECT: dict[str, Subject] = {
    "set_body_physics_properties": "body",
    "set_bodies_physics_properties": "body",
    "set_joint_physics_properties": "joint",
    "set_joints_physics_properties": "joint",
    "set_contact_physics_properties": "shape",
    "set_scene_physics_properties": "scene",
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """One number that is another one now."""

    what: str
    """Its name: a scene path and a property, a section and a field, or an option."""
    before: Any
    """What it was."""
    after: Any
    """What it is."""
    unit: str = ""
    """Unit of both."""

    def __str__(self) -> str:
        """Say it in a line."""
        unit = "" if self.unit in ("", "1") else f" {self.unit}"
        return f"{self.what}: {_said(self.before)} -> {_said(self.after)}{unit}"


def changes(usual: Core, made: Core) -> tuple[Change, ...]:
    """Compare an environment with the task's own.

    Args:
        usual: the environment without options.
        made: the environment with them.
    """
    return (*_options(usual, made), *_sections(usual, made), *_physics(made))


def _options(usual: Core, made: Core) -> Iterator[Change]:
    for name, look in (
        ("actuator", lambda core: core.contract.actuator),
        ("encoder", lambda core: core.contract.encoder),
        ("terrain", lambda core: core.task.terrain or "an endless floor"),
        ("level", lambda core: core.footing.level),
        ("contact", lambda core: written(core.task.contact)),
        ("max_episode_steps", lambda core: core.max_episode_steps),
    ):
        before, after = look(usual), look(made)
        if before != after:
            yield Change(what=name, before=before, after=after)


def _sections(usual: Core, made: Core) -> Iterator[Change]:
    for name, term in made.task.rewards.items():
        before = usual.task.rewards[name].weight
        if before != term.weight:
            yield Change(what=f"rewards.{name}", before=before, after=term.weight, unit="1/s")
    for section in SECTIONS:
        was, now = getattr(usual.task, section), getattr(made.task, section)
        for field in fields(now):
            before, after = getattr(was, field.name), getattr(now, field.name)
            if before != after:
                yield Change(what=f"{section}.{field.name}", before=before, after=after)


def _physics(made: Core) -> Iterator[Change]:
    """Every property of every element that an edit names, in the unedited and the edited model."""
    edits = read(made.contract.edits)
    if not edits:
        return
    scene, plain = made.scene(), made.scene(edits=()).finalize()
    model, seen = scene.finalize(), set()
    for setter, arguments in edits:
        subject = _SUBJECT[setter]
        for path, element in _elements(scene, plain, subject, arguments):
            for prop in arguments:
                if prop in READ[subject] and (path, prop) not in seen:
                    seen.add((path, prop))
                    yield Change(
                        what=f"{path} {prop}",
                        before=value_of(plain, subject, element, prop),
                        after=value_of(model, subject, element, prop),
                        unit=READ[subject][prop][0],
                    )


def _elements(
    scene: Scene, model: MjModel, subject: Subject, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, int]]:
    """Path and id of everything that an edit names."""
    if subject == "scene":
        yield "/world", 0
    if subject in ("body", "joint"):
        paths = arguments.get("paths") or [arguments["path"]]
        for path, name in zip(paths, scene.names(subject, paths), strict=True):
            yield path, number_of(model, subject, name)
    if subject == "shape":
        shapes = arguments.get("geom_paths", ())
        for path, name in zip(shapes, scene.names("geom", shapes), strict=True):
            yield path, number_of(model, "shape", name)
        bodies = arguments.get("body_paths", ())
        for path, name in zip(bodies, scene.names("body", bodies), strict=True):
            owners = model.geom_bodyid == number_of(model, "body", name)
            for geom in np.flatnonzero(owners & (model.geom_contype | model.geom_conaffinity > 0)):
                label = model.geom(geom).name or f"(geom {geom}, without a name)"
                yield f"{path}/{label}", int(geom)


def _said(value: Any) -> str:
    """Write a value with six digits."""
    if value is None:
        return "off"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"({', '.join(map(_said, value))})"
    return str(value)
