"""What an edit will change, and the one place where it is changed: all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np


@dataclass(frozen=True)
class Write:
    """One value to put on one element."""

    element: Any
    """What is changed: an element of an MjSpec, its option or compiler, or a record of notes."""
    attribute: str
    """Name of the attribute, as the element spells it."""
    value: Any
    """The new value, in the unit the element keeps it in."""


@dataclass(frozen=True)
class AddActuator:
    """One actuator to create."""

    spec: mujoco.MjSpec
    """Where it is created."""
    values: Mapping[str, Any]
    """Every value it is to have, by attribute; the defaults of the file do not reach it."""


Change = Write | AddActuator
"""One step of a plan."""


def commit(changes: Iterable[Change]) -> None:
    """Makes the changes, in order; either every one of them or none.

    Each is first held against what is there: the attribute exists, the new value has the kind and
    the shape of the old one, and a new actuator is tried on a spec of its own. Should an element
    still refuse a value, whatever was changed before it is put back and the refusal is raised.

    Args:
        changes: A plan.

    Raises:
        AttributeError: An element has no such attribute.
        TypeError: A value is not of the kind that the element keeps there.
        ValueError: An array has another shape.
    """
    changes = tuple(changes)
    for change in changes:
        if isinstance(change, Write):
            _check(change)
        else:
            _fill(mujoco.MjSpec().add_actuator(), change.values)
    undo: list[Callable[[], None]] = []
    try:
        for change in changes:
            if isinstance(change, Write):
                restore = _restore(change.element, change.attribute)
                setattr(change.element, change.attribute, change.value)
                undo.append(restore)
            else:
                actuator = change.spec.add_actuator()
                undo.append(_delete(change.spec, actuator))
                _fill(actuator, change.values)
    except BaseException:
        for step in reversed(undo):
            step()
        raise


def _check(write: Write) -> None:
    """Holds a new value against the old one."""
    old = getattr(write.element, write.attribute)
    where = f"{type(write.element).__name__}.{write.attribute}"
    if isinstance(old, np.ndarray):
        new = np.asarray(write.value)
        if new.dtype.kind not in "iuf":
            raise TypeError(f"{where} is an array of numbers; got {write.value!r}")
        if new.shape != old.shape:
            raise ValueError(f"{where} has shape {old.shape}; got {write.value!r}")
    elif isinstance(old, bool | str):
        if not isinstance(write.value, type(old)):
            raise TypeError(f"{where} is a {type(old).__name__}; got {write.value!r}")
    elif isinstance(old, int | float) and _belongs_to_mujoco(write.element):
        accepted = int | float if isinstance(old, float) else int
        if isinstance(write.value, bool) or not isinstance(write.value, accepted):
            raise TypeError(f"{where} is a {type(old).__name__}; got {write.value!r}")


def _belongs_to_mujoco(element: Any) -> bool:
    """Whether MuJoCo keeps the element, and so decides what may stand in it."""
    return type(element).__module__.startswith("mujoco")


def _fill(actuator: Any, values: Mapping[str, Any]) -> None:
    """Puts values on an actuator."""
    for name, value in values.items():
        setattr(actuator, name, value)


def _restore(element: Any, attribute: str) -> Callable[[], None]:
    """What puts an attribute back to what it is now."""
    old = getattr(element, attribute)
    if isinstance(old, np.ndarray):
        old = old.copy()
    return lambda: setattr(element, attribute, old)


def _delete(spec: mujoco.MjSpec, actuator: Any) -> Callable[[], None]:
    """What takes an actuator out again."""
    return lambda: spec.delete(actuator)
