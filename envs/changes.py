"""What options change of an environment, number by number: what it was and what it is now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from servogym.envs import servos
from servogym.envs.reach import Reached, reach
from servogym.scenes.contact import written
from servogym.scenes.readout import READ
from servogym.scenes.readout import read as value_of

if TYPE_CHECKING:
    from servogym.envs.built import Built
    from servogym.envs.core import Core

SECTIONS = ("commands", "sensing", "randomization", "spawn")
"""Records of a task whose fields can be changed."""


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
    built = made.built
    if not built.edits:
        return
    scene, plain = built.scene(), built.scene(edits=(), actuator=built.motor).finalize()
    model, seen = scene.finalize(), set()
    for one in reach(built.edits, scene, plain):
        if (key := (one.path, one.subject, one.prop)) in seen:
            continue
        seen.add(key)
        if one.subject == "actuator":
            yield _servo(built, one, plain.joint(one.element).name)
        elif one.prop in READ[one.subject]:
            yield Change(
                what=f"{one.path} {one.prop}",
                before=value_of(plain, one.subject, one.element, one.prop),
                after=value_of(model, one.subject, one.element, one.prop),
                unit=READ[one.subject][one.prop][0],
            )


def _servo(built: Built, one: Reached, joint: str) -> Change:
    """What a servo's property is in the motor law, as it was asked for and as it acts."""
    joints, name = built.robot.joints, servos.parameter(built.motor, one.prop)
    assert name is not None, "what the law has no parameter for, its scene refuses"
    before, after = (
        float(servos.values(law, name, joints)[joints.index(joint)])
        for law in (built.motor, built.actuator)
    )
    unit = servos.UNITS.get(name, "N·m")
    return Change(what=f"{one.path} {one.prop} ({name})", before=before, after=after, unit=unit)


def _said(value: Any) -> str:
    """Write a value with six digits."""
    if value is None:
        return "off"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"({', '.join(map(_said, value))})"
    return str(value)
