"""Robots: one folder each, holding its MJCF and one `ROBOT` record."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

from servogym.robots.base import Foot, Robot

__all__ = ["Foot", "Robot", "get", "names"]

_GROUP = "servogym.robots"


def names() -> list[str]:
    """Names of every robot: the folders here, then entry points of group `servogym.robots`."""
    shipped = [module.name for module in iter_modules(__path__) if module.ispkg]
    return sorted({*shipped, *(entry.name for entry in entry_points(group=_GROUP))})


def get(name: str) -> Robot:
    """The record of one robot.

    Args:
        name: A folder of `servogym.robots`, or an entry point of that group whose value is
            a `Robot`, e.g. `my_robot = "my_package.my_robot:ROBOT"`.

    Raises:
        LookupError: No such robot; the message lists the known ones.
    """
    if any(module.ispkg and module.name == name for module in iter_modules(__path__)):
        return import_module(f"{__name__}.{name}").ROBOT
    for entry in entry_points(group=_GROUP, name=name):
        return entry.load()
    raise LookupError(f"unknown robot {name!r}; known: {', '.join(names())}")
