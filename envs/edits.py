"""Edits of the physics as plain data: which setter of `Scene` is called, with which arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from servogym.deploy.record import hinted
from servogym.scenes.paths import ROOT
from servogym.scenes.scene import Scene
from servogym.scenes.world import FLOOR, GROUND, Edit

SET = "set"
"""Key under which a table names its setter."""
PATHS = ("path", "paths", "joint_path", "joint_paths", "body_paths", "geom_paths")
"""Arguments of setters that are scene paths; the others are properties."""

_FLOOR = f"{ROOT}/{GROUND}/{FLOOR}"


def setters() -> dict[str, tuple[list[str], list[str]]]:
    """Give every setter of `Scene` with its two kinds of arguments: paths, and properties."""
    names = (name for name in dir(Scene) if name.startswith("set_"))
    takes = {name: list(signature(getattr(Scene, name)).parameters)[1:] for name in names}
    return {
        name: ([a for a in all_ if a in PATHS], [a for a in all_ if a not in PATHS])
        for name, all_ in takes.items()
    }


def read(given: Any) -> tuple[Edit, ...]:
    """Check the form of edits; whether a scene takes them shows when it is built.

    Args:
        given: A sequence of tables, each the name of a setter under `set` and its arguments beside
            it, e.g. `{"set": "set_body_physics_properties", "path": "/world/microduck/trunk_base",
            "mass": 0.25}`; or of pairs (setter, arguments), as `world.build` takes them.

    Returns:
        Pairs; arrays and tuples in them have become lists.

    Raises:
        ValueError: Naming the edit, and what would have been accepted.
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise ValueError(f"edits is {given!r}; a list of tables is needed, one a call")
    return tuple(_read(f"edit {number}", entry) for number, entry in enumerate(given))


def plain(edits: Sequence[Edit]) -> tuple[dict[str, Any], ...]:
    """Give edits that `read` returned as tables, which JSON and TOML can hold."""
    return tuple({SET: setter, **arguments} for setter, arguments in edits)


def portable(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Give the edits that can be made on an endless floor: without other ground."""
    kept = []
    for setter, arguments in edits:
        shapes = arguments.get("geom_paths")
        if shapes is None or not isinstance(shapes, list):
            kept.append((setter, arguments))
        elif there := [path for path in shapes if path == _FLOOR or not _on_ground(path)]:
            kept.append((setter, {**arguments, "geom_paths": there}))
    return tuple(kept)


def _on_ground(path: Any) -> bool:
    return isinstance(path, str) and path.startswith(f"{ROOT}/{GROUND}/")


def _read(where: str, entry: Any) -> Edit:
    if isinstance(entry, Mapping):
        arguments = dict(entry)
        setter = arguments.pop(SET, None)
    elif isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[1], Mapping):
        setter, arguments = entry[0], dict(entry[1])
    else:
        raise ValueError(
            f"{where} is {entry!r}; a table is needed, {SET} = the name of a setter and its"
            " arguments beside it"
        )
    known = setters()
    if setter not in known:
        near = hinted([setter], set(known)) if isinstance(setter, str) else repr(setter)
        raise ValueError(f"{where}: {SET} is {near}; setters: {', '.join(known)}")
    paths, properties = known[setter]
    taken = [*paths, *properties]
    if unknown := [str(name) for name in arguments if name not in taken]:
        raise ValueError(
            f"{where}: {setter} takes no {hinted(unknown, set(taken))}; it takes {', '.join(taken)}"
        )
    given = {name: value for name, value in arguments.items() if value is not None}
    for kind in (paths, properties):
        if kind and not set(kind) & set(given):
            raise ValueError(f"{where}: {setter} needs {' or '.join(kind)}")
    return setter, {name: _plain(f"{where}: {name}", value) for name, value in given.items()}


def _plain(what: str, value: Any) -> Any:
    """Give a value as JSON holds it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(f"{what}[{k}]", item) for k, item in enumerate(value)]
    if isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"{what} is {value!r}; a number, true or false, a text, or a list is needed")
