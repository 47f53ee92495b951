"""One range of a randomised quantity: of which parts, in which way, how far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Real
from typing import Any, Literal

import numpy as np

from servogym.envs.ramp import Ramp, current

Range = tuple[float, float]
Way = Literal["scale", "offset", "value"]


@dataclass(frozen=True, kw_only=True)
class Draw:
    """A uniform draw at the start of an episode, in exactly one way: scale, offset or value.

    Scale and offset start from the nominal that was compiled, never from an earlier draw.
    """

    of: str | tuple[str, ...] = "all"
    """Which parts: a group ("all", "base", "feet", "servos", "gaps" ...), a name, or several."""
    scale: Range | None = None
    """Smallest and largest factor on the nominal [1]."""
    offset: float | Ramp | None = None
    """Largest deviation from the nominal, either way, each axis [the quantity's unit]."""
    value: Range | None = None
    """Smallest and largest value, whatever the nominal [the quantity's unit]."""
    each: bool = False
    """Whether every part draws a number of its own; otherwise one number serves all of them."""

    def __post_init__(self) -> None:
        """Bring ranges and names into tuples.

        Raises:
            ValueError: naming the field, what it is and what it needs.
        """
        given = [name for name in ("scale", "offset", "value") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"needs exactly one of scale, offset, value; has {given or 'none'}")
        if not isinstance(self.each, bool):
            raise ValueError(f"each is {self.each!r}; needs True or False")
        if not isinstance(self.of, str):
            object.__setattr__(self, "of", _names(self.of))
        if self.way == "offset":
            object.__setattr__(self, "offset", _reach(self.offset))
        else:
            object.__setattr__(self, self.way, _range(self.way, getattr(self, self.way)))

    @classmethod
    def read(cls, given: Any) -> Draw:
        """Return a draw, or make one of plain data such as {"of": "feet", "value": (0.7, 1.3)}.

        Raises:
            ValueError: saying what is needed.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise ValueError(
                "needs a draw such as {'of': 'all', 'scale': (0.9, 1.1)}, a list of draws, or None"
            )
        known = [f.name for f in fields(cls)]
        if unknown := sorted(map(str, set(given) - set(known))):
            raise ValueError(f"needs no {', '.join(unknown)}; known: {', '.join(known)}")
        return cls(**given)

    def __str__(self) -> str:
        """Write it for a table: `base · 0.95 … 1.05`."""
        parts = self.of if isinstance(self.of, str) else "+".join(self.of)
        who = f"{parts}{' each' if self.each else ''}"
        if self.way == "offset":
            return f"{who} ± {self.offset}"
        low, high = self.range()
        return f"{who} {'·' if self.way == 'scale' else '='} {low:g} … {high:g}"

    @property
    def way(self) -> Way:
        """In which of the three ways the draw changes the nominal."""
        if self.scale is not None:
            return "scale"
        return "value" if self.offset is None else "offset"

    def range(self, steps: float | None = None) -> Range:
        """Return the smallest and largest number drawn.

        Args:
            steps: trained environment steps, for an offset that ramps; None: its widest.
        """
        if self.way == "scale":
            return self.scale  # type: ignore[return-value]
        if self.way == "value":
            return self.value  # type: ignore[return-value]
        reach = self.offset
        if steps is None and isinstance(reach, Ramp):
            reach = max(reach.before, reach.after)
        reach = current(reach, steps or 0.0)  # type: ignore[arg-type]
        return -reach, reach

    def change(self, nominal: np.ndarray, number: np.ndarray | float) -> np.ndarray:
        """Return what the nominal becomes when this number is drawn."""
        if self.way == "scale":
            return nominal * number
        if self.way == "offset":
            return nominal + number
        return number + np.zeros_like(nominal)


def _range(name: str, ends: Any) -> Range:
    if not isinstance(ends, Sequence) or len(ends) != 2 or not all(map(_number, ends)):
        raise ValueError(f"{name} is {ends!r}; needs two finite numbers, such as (0.9, 1.1)")
    if ends[0] > ends[1]:
        raise ValueError(f"{name} is {tuple(ends)}; needs the smaller number first")
    return float(ends[0]), float(ends[1])


def _reach(reach: Any) -> float | Ramp:
    if isinstance(reach, Mapping):
        try:
            reach = Ramp(**reach)
        except TypeError:
            raise ValueError(
                f"offset is {dict(reach)}; a ramp needs before, after, start and end"
            ) from None
    sizes = (reach.before, reach.after) if isinstance(reach, Ramp) else (reach,)
    if not all(_number(size) and size >= 0 for size in sizes):
        raise ValueError(f"offset is {reach!r}; needs a finite number, 0 or more, or a Ramp")
    return reach


def _names(of: Any) -> tuple[str, ...]:
    if not isinstance(of, Sequence) or not of or not all(isinstance(name, str) for name in of):
        raise ValueError(f"of is {of!r}; needs a name or several names")
    return tuple(of)


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
