"""Contact pairs of a robot's file with geoms that only the ground brings, such as `floor`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco

_LINKS = {"classname", "compiler", "id", "info", "signature"}


def take(spec: mujoco.MjSpec) -> list[dict[str, Any]]:
    """Take the pairs out of a spec that name a geom it does not hold.

    Returns:
        Every value of each, by attribute, for `give`.
    """
    known = {geom.name for geom in spec.geoms}
    taken = []
    for pair in list(spec.pairs):
        if not {pair.geomname1, pair.geomname2} <= known:
            taken.append(_values(pair))
            spec.delete(pair)
    return taken


def give(spec: mujoco.MjSpec, pairs: Sequence[Mapping[str, Any]]) -> None:
    """Put pairs into a spec that by now holds their geoms.

    Raises:
        ValueError: It does not.
    """
    known = {geom.name for geom in spec.geoms if geom.name}
    for values in pairs:
        if lost := sorted({values["geomname1"], values["geomname2"]} - known):
            raise ValueError(
                f"the robot's file pairs {values['geomname1']!r} with {values['geomname2']!r}, but "
                f"there is no geom {', '.join(map(repr, lost))} here; take that pair out of the "
                f"file, or name one of {', '.join(sorted(known))}"
            )
        spec.add_pair(**values)


def _values(pair: mujoco.MjsPair) -> dict[str, Any]:
    """Everything that stands on a pair."""
    names = (name for name in dir(pair) if not name.startswith("_") and name not in _LINKS)
    found = {name: getattr(pair, name) for name in names}
    return {
        name: value.copy() if hasattr(value, "copy") else value
        for name, value in found.items()
        if not callable(value)
    }
