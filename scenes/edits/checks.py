"""Checks of the numbers that an edit is given; every message names where, what, and what fits.

A number is a Python or NumPy number of its own: neither a bool, which Python counts among the
integers, nor an array without dimensions, nor text. TypeError speaks of a wrong kind, ValueError
of a value out of range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

SYMMETRY = 1e-9
"""How far an inertia may be from symmetric, and its moments from the triangle rule [share]."""


def number(
    value: Any,
    where: str,
    name: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float | None = None,
) -> float:
    """A finite number within bounds.

    Args:
        value: What was given.
        where: The element it was given for, e.g. `joint 'arm/elbow'`.
        name: The parameter.
        least: Smallest value accepted.
        most: Largest value accepted.
        above: The value must be larger than this one.

    Raises:
        TypeError: Not a number.
        ValueError: Not finite, or out of bounds.
    """
    accepted = _accepted(least, most, above)
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(_message(where, name, value, accepted))
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    fits = math.isfinite(result) and least <= result <= most
    if not fits or (above is not None and result <= above):
        raise ValueError(_message(where, name, value, accepted))
    return result


def whole(value: Any, where: str, name: str, *, most: int) -> int:
    """An integer from 0 to `most`.

    Raises:
        TypeError: Not an integer.
        ValueError: Out of bounds.
    """
    accepted = f"an integer from 0 to {most}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(_message(where, name, value, accepted))
    if not 0 <= int(value) <= most:
        raise ValueError(_message(where, name, value, accepted))
    return int(value)


def truth(value: Any, where: str, name: str) -> bool:
    """True or False, and no number in their place.

    Raises:
        TypeError: Anything else.
    """
    if not isinstance(value, bool):
        raise TypeError(_message(where, name, value, "True or False"))
    return value


def vector(value: Any, where: str, name: str) -> np.ndarray:
    """Three finite numbers, (3,).

    Raises:
        TypeError: Not a list, tuple or array, or an entry is not a number.
        ValueError: Not three, or an entry is not finite.
    """
    accepted = "three finite numbers"
    entries = _sequence(value, where, name, accepted)
    if len(entries) != 3:
        raise ValueError(_message(where, name, value, accepted))
    return np.array([number(entry, where, f"{name}[{i}]") for i, entry in enumerate(entries)])


def inertia(value: Any, where: str, name: str = "inertia") -> np.ndarray:
    """An inertia that a rigid body can have, (3, 3) [kg*m^2].

    Symmetric, its principal moments positive and none larger than the sum of the other two. The
    excess that rounding leaves, up to a share of 1e-9, is accepted.

    Raises:
        TypeError: Not a list, tuple or array of rows, or an entry is not a number.
        ValueError: Not 3 x 3, not finite, or no rigid body has it.
    """
    accepted = "a symmetric, positive definite 3 x 3 matrix"
    rows = _sequence(value, where, name, accepted)
    if len(rows) != 3:
        raise ValueError(_message(where, name, value, accepted))
    tensor = np.array([vector(row, where, f"{name}[{i}]") for i, row in enumerate(rows)])
    if np.abs(tensor - tensor.T).max() > SYMMETRY * np.abs(tensor).max():
        raise ValueError(_message(where, name, value, accepted) + "; this one is not symmetric")
    tensor = (tensor + tensor.T) / 2.0
    moments = np.linalg.eigvalsh(tensor)
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    if moments[0] <= 0.0:
        raise ValueError(
            _message(where, name, value, accepted) + f"; its principal moments are {shown}"
        )
    if moments[2] > (moments[0] + moments[1]) * (1.0 + SYMMETRY):
        raise ValueError(
            _message(where, name, value, "one whose largest principal moment is at most the sum of")
            + f" the other two; they are {shown}, which no rigid body has"
        )
    return tensor


def _sequence(value: Any, where: str, name: str, accepted: str) -> Sequence[Any]:
    """The entries of a list, a tuple or an array with dimensions."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return list(value)
    if not isinstance(value, list | tuple):
        raise TypeError(_message(where, name, value, accepted))
    return value


def _accepted(least: float, most: float, above: float | None) -> str:
    """The bounds in words."""
    if above is not None:
        return f"a finite number > {above:g}"
    if math.isfinite(least) and math.isfinite(most):
        return f"a number from {least:g} to {most:g}"
    return f"a finite number >= {least:g}" if math.isfinite(least) else "a finite number"


def _message(where: str, name: str, value: Any, accepted: str) -> str:
    return f"{where}: {name} is {value!r}; accepted: {accepted}"
