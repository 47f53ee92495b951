"""Motor laws, found by name, and the blocks around them: encoder, delay, supply, drive.

A module of this folder that defines an `Actuator` with a `name` is a law; other packages add theirs
through the entry point group `servogym.actuators` (name -> class).
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pkgutil
from collections.abc import Mapping
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
        which: a motor of the robot's record, `dc-24v`, or a law's name; behind a `+`, if given, a
            set of passive joint figures of the record instead of its first, `pd+menagerie`. None
            for the robot's own motor. Or an object, which is copied so that two environments
            never share arrays.
        robot: the robot's record.

    Raises:
        LookupError: no such motor, law or set of passive figures; the message lists the known ones.
        TypeError: `which` is neither a name nor an object, e.g. the class of a law.
        ValueError: the robot's record lacks parameters the law needs.
    """
    from servogym.actuators.base import Actuator

    if isinstance(which, Actuator):
        return copy.deepcopy(which)
    asked = robot.actuator if which is None else which
    if not isinstance(asked, str):
        given_class = isinstance(asked, type) and issubclass(asked, Actuator)
        cure = f"; make one: {asked.__name__}(...)" if given_class else ""
        raise TypeError(f"actuator {asked!r}: a name or an Actuator object is needed{cure}")
    name, plus, passive = asked.partition("+")
    given: dict[str, Any] = dict(robot.motors.get(name, {}))
    law = _law(given.pop("law", name), asked, robot)
    given = {**_passive(passive if plus else None, asked, robot), **given}
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


def name_of(actuator: Actuator, robot: Robot) -> str:
    """Return the name under which `make` makes this very law again, all parameters equal.

    A law that is none of the robot's goes by its own name, under which `make` gives another one.
    """
    for motor in dict.fromkeys((*robot.motors, actuator.name)):
        for asked in (motor, *(f"{motor}+{passive}" for passive in robot.passives)):
            try:
                same = make(asked, robot).describe() == actuator.describe()
            except (LookupError, ValueError):  # a law without a name, or without parameters
                continue
            if same:
                return asked
    return actuator.name


def _law(name: str, asked: str, robot: Robot) -> type[Actuator]:
    """Return the class of a motor; the error lists what this robot could be asked for."""
    try:
        return get(name)
    except LookupError:
        motors = ", ".join(robot.motors)
        raise LookupError(
            f"unknown actuator {asked!r}; known laws: {', '.join(names())}; motors of "
            f"{robot.name!r}: {motors}"
        ) from None


def _passive(name: str | None, asked: str, robot: Robot) -> Mapping[str, Any]:
    """Return the passive joint figures of that name; None means the first of the robot's."""
    if name is None:
        return next(iter(robot.passives.values()), {})
    if name not in robot.passives:
        raise LookupError(
            f"actuator {asked!r}: robot {robot.name!r} has no passive joint figures {name!r}; it "
            f"has {', '.join(robot.passives) or 'none'}"
        )
    return robot.passives[name]


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
