"""A task with what the caller changes of it, before anything is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from servogym.envs import registration
from servogym.envs.ramp import Ramp
from servogym.envs.task import Task
from servogym.scenes.contact import Contact, on, parse
from servogym.scenes.terrain import Field, Terrain

Section = Mapping[str, Any] | bool | None
"""Fields of a record of the task to change; False: all off; None: as the task has it."""

_RAMP = {"before", "after", "start", "end"}


def check(
    n: int,
    max_episode_steps: int | None,
    backlash: bool,
    unknown: Mapping[str, Any],
    known: Any,
) -> None:
    """Refuse options that make no environment.

    Raises:
        ValueError: Naming the option and what would have been accepted.
    """
    if unknown:
        words = ", ".join(k for k in known if k not in ("n", "unknown"))
        raise ValueError(f"unknown options {', '.join(unknown)}; known: {words}")
    if n < 1:
        raise ValueError(f"num_envs is {n}; at least 1 robot is needed")
    if max_episode_steps is not None and max_episode_steps < 1:
        raise ValueError(f"max_episode_steps is {max_episode_steps}; needs 1 or more, or None")
    if not isinstance(backlash, bool):
        raise ValueError(f"backlash is {backlash!r}; needs True or False")


def check_threads(threads: int) -> None:
    """Refuse what is no number of physics threads.

    Raises:
        ValueError: Naming the value and what would have been accepted.
    """
    if not isinstance(threads, int) or threads < 0:
        raise ValueError(f"threads is {threads!r}; needs a number of threads, or 0 for every CPU")


def task(
    name: str,
    *,
    terrain: Terrain | Field | str | Literal[False] | None = None,
    contact: Contact | str | None = None,
    **sections: Section,
) -> Task:
    """Find a task and change what the options of `Core` say.

    Values of sections may be plain data, as JSON and TOML hold them: a list of numbers for a tuple,
    a table with `before`, `after`, `start` and `end` for a `Ramp`.

    Args:
        name: Name of a task file in `envs/tasks` or of a `servogym.tasks` entry point.
        terrain: Other ground; False: the endless floor; None: the task's.
        contact: Another contact setting; None: the task's. What the task returned holds is what
            it comes to on its ground.
        **sections: rewards, commands, sensing, randomization, spawn.

    Raises:
        LookupError: For an unknown task, listing the known ones.
        ValueError: For a section or field that does not exist, or a value out of range.
    """
    changed = registration.find(name).override(
        **{section: _records(section, values) for section, values in sections.items()}
    )
    if terrain is not None:
        ground = Terrain.parse(terrain) if isinstance(terrain, str) else terrain
        if ground is False:
            ground = None
        elif not isinstance(ground, Terrain | Field):
            raise ValueError(
                f"terrain={terrain!r}; needs a text such as 'wave:3', a Terrain, a Field, or False "
                "for the endless floor"
            )
        changed = replace(changed, terrain=ground)
    if contact is not None:
        setting = parse(contact) if isinstance(contact, str) else contact
        if not isinstance(setting, Contact):
            raise ValueError(f"contact={contact!r}; needs a text such as 'C', or a setting")
        changed = replace(changed, contact=setting)
    return _settled(changed)


def _settled(changed: Task) -> Task:
    """Let the contact setting be what it comes to on this ground, which is built only if asked."""
    level = on(changed.contact, hilly=False)
    if level == changed.contact or (changed.terrain and changed.terrain.ground().hilly):
        return changed
    return replace(changed, contact=level)


def merged(options: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Put more options of `Core` on top of others, field by field where both are tables.

    A section that is off as a whole stays off, whatever fields would be changed.
    """
    together = {**options, **more}
    for name, above in more.items():
        below = options.get(name)
        if isinstance(above, Mapping) and isinstance(below, Mapping):
            together[name] = {**below, **above}
        elif isinstance(above, Mapping) and below is False:
            together[name] = False
    return together


def _records(section: str, values: Section) -> Section:
    """Give a section with tuples for lists of numbers and ramps for their tables."""
    if not isinstance(values, Mapping):
        return values
    return {name: _record(f"{section}: {name}", value) for name, value in values.items()}


def _record(what: str, value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(v, int | float) for v in value):
        return tuple(value)
    if isinstance(value, Mapping) and set(value) == _RAMP:
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in value.values()):
            return Ramp(**value)
        raise ValueError(f"{what} is {dict(value)}; a ramp needs a number for each of these")
    return value
