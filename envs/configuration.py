"""A configuration file: what differs from a task, in TOML; read, checked, never executed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from servogym.deploy.record import hinted
from servogym.envs import registration

if TYPE_CHECKING:
    from servogym.envs.changes import Change

EDIT = "edit"
"""Name of the tables that call a setter of `Scene` each."""
TEXTS = ("actuator", "encoder", "terrain", "contact")
"""Options of `Core` that are texts."""
NUMBERS = ("level", "max_episode_steps")
"""Options of `Core` that are whole numbers."""
SECTIONS = ("rewards", "commands", "sensing", "randomization", "spawn")
"""Options of `Core` that are tables."""
KNOWN = (*TEXTS, *NUMBERS, *SECTIONS, EDIT)
"""Every key of a file."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What a file changes of a task."""

    file: Path
    """The file."""
    options: Mapping[str, Any]
    """Options of `Core`, as plain data that survives JSON."""
    changes: tuple[Change, ...]
    """What the numbers were, and what they are now."""

    def page(self) -> str:
        """Say what is changed, a line each."""
        lines = [f"  {change}" for change in self.changes] or ["  nothing"]
        return "\n".join([f"{self.file} changes", *lines])


def load(file: Path, env_id: str, **more: Any) -> Configuration:
    """Read a file and try it on the task it is for.

    Args:
        file: The configuration.
        env_id: Id of the environment.
        **more: Further options of `Core` that count as the task's own, e.g. the actuator.

    Raises:
        LookupError: There is no such environment.
        OSError: There is no such file.
        ValueError: Something in it is unknown, of the wrong kind, out of range, or somebody else's
            to decide; the message names file, key and value, and what is accepted.
    """
    from servogym.envs.changes import changes  # MuJoCo: not needed to read a file
    from servogym.envs.core import Core

    where, options = registration.resolve(env_id), read(file)
    try:
        made = Core(n=1, threads=1, **where, **{**more, **options})
        found = changes(Core(n=1, threads=1, **where, **more), made)
    except (LookupError, RuntimeError, TypeError, ValueError) as error:
        said = error.args[0] if isinstance(error, LookupError) else error
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        raise ValueError(f"{file}: {said}{notes}") from error
    return Configuration(file=file, options=options, changes=found)


def read(file: Path) -> dict[str, Any]:
    """Give the options of `Core` that stand in a file, as plain data.

    `[[edit]]` tables become `edits`. TOML has no null: `false` switches a field off that may be
    None, and a section as a whole.

    Raises:
        OSError: There is no such file.
        ValueError: It is no TOML, or a key is unknown or of the wrong kind.
    """
    if not file.exists():
        raise FileNotFoundError(f"{file}: no such file")
    try:
        found = tomllib.loads(file.read_text("utf-8"))
        _refuse_dates(found, "")
        if unknown := [key for key in found if key not in KNOWN]:
            known = ", ".join(KNOWN)
            raise ValueError(f"unknown key {hinted(unknown, set(KNOWN))}; known: {known}")
        options = {key: _option(key, value) for key, value in found.items()}
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{file}: {error}") from error
    if EDIT in options:
        options["edits"] = options.pop(EDIT)
    return options


def _option(key: str, value: Any) -> Any:
    if key in SECTIONS:
        return _section(key, value)
    if key == EDIT:
        return _edits(value)
    if key == "terrain" and value is False:
        return value
    kind, wanted = (str, 'a text in quotes, e.g. "C"') if key in TEXTS else (int, "a whole number")
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{key} is {value!r}; {wanted} is needed")
    return value


def _edits(tables: Any) -> list[dict[str, Any]]:
    from servogym.envs import edits  # MuJoCo: not needed to read a file without any

    if not isinstance(tables, list):
        raise ValueError(f"{EDIT} is {tables!r}; tables [[{EDIT}]] are needed")
    return list(edits.plain(edits.read(tables)))


def _section(key: str, values: Any) -> Any:
    """Give a section, with None for what is switched off."""
    if values is False and key != "rewards":
        return False
    if not isinstance(values, dict):
        off = "" if key == "rewards" else ", or false for all of it off"
        raise ValueError(f"{key} is {values!r}; a table [{key}] is needed{off}")
    if key == "rewards":
        return values
    from servogym.envs.task import Task

    known = get_type_hints(get_type_hints(Task)[key])
    return {
        name: _off(key, name, known.get(name)) if value is False else value
        for name, value in values.items()
    }


def _off(key: str, name: str, hint: Any) -> None:
    """Give None, if a field may be that; an unknown one is for the task to refuse."""
    if hint is not None and type(None) not in get_args(hint):
        raise ValueError(f"{key}.{name} is false; it cannot be switched off, give it a value")


def _refuse_dates(value: Any, where: str) -> None:
    """Refuse TOML's dates and times, wherever they stand."""
    if isinstance(value, date | datetime | time):
        raise ValueError(f"{where} is {value}; dates and times mean nothing here")
    if isinstance(value, dict):
        for name, part in value.items():
            _refuse_dates(part, f"{where}.{name}" if where else name)
    if isinstance(value, list):
        for number, part in enumerate(value):
            _refuse_dates(part, f"{where}[{number}]")
