"""Motor laws, found by name, and the blocks around them: encoder, delay, supply, drive.

A module of this folder that defines an `Actuator` with a `name` is a law; other packages add theirs
through the entry point group `servogym.actuators` (name -> class).
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from servogym.actuators.base import Actuator
    from servogym.robots.base import Robot

_GROUP = "servogym.actuators"


def names() -> list[str]:
    """Return the names of all known motor laws, sorted."""
    return sorted({*_own(), *(point.name for point in entry_points(group=_GROUP))})


def get(name: str) -> type[Actuator]:
    """Return the class of the motor law called `name`.

    Raises:
        LookupError: no such law; the message lists the known ones.
    """
    own = _own()
    if name in own:
        return own[name]
    for point in entry_points(group=_GROUP, name=name):
        return point.load()
    raise LookupError(f"unknown actuator {name!r}; known: {', '.join(names())}")


def make(which: str | Actuator | None, robot: Robot) -> Actuator:
    """Make an unbound motor law for a robot.

    Args:
        which: a law's name, with the parameters the robot's record has for it; None for the
            robot's own law; or an object, which is copied so that two environments never share
            arrays.
        robot: the robot's record.

    Raises:
        LookupError: no such law.
        ValueError: the robot's record lacks parameters the law needs.
    """
    from servogym.actuators.base import Actuator

    if isinstance(which, Actuator):
        return copy.deepcopy(which)
    name = robot.actuator if which is None else which
    law = get(name)
    given: dict[str, Any] = dict(robot.motors.get(name, {}))
    needed = [
        f.name
        for f in (dataclasses.fields(law) if dataclasses.is_dataclass(law) else ())
        if f.init
        and f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
        and f.name not in given
    ]
    if needed:
        raise ValueError(
            f"robot {robot.name!r} has no parameters {needed} for actuator {name!r}; it has "
            f"motors for {sorted(robot.motors)}. Give them in the robot's record, "
            f"motors={{{name!r}: {{...}}}}, or pass an actuator object instead of a name"
        )
    return law(**given)


def _own() -> dict[str, type[Actuator]]:
    """Return the laws defined in this folder, name -> class."""
    from servogym.actuators.base import Actuator

    laws: dict[str, type[Actuator]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for item in vars(module).values():
            if (
                isinstance(item, type)
                and issubclass(item, Actuator)
                and item.__module__ == module.__name__
                and "name" in vars(item)
            ):
                laws[item.name] = item
    return laws
