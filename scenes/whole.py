"""Specs that refer to nothing they do not hold, because a copy would leave that out in silence.

MuJoCo refuses a file whose actuator, sensor, tendon, equality, pair, exclude, skin, flex or tuple
names something that is not there. `MjSpec.copy` and `MjSpec.attach` do not: the copy lacks it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import mujoco

_KINDS = {
    "actuators": "actuator",
    "sensors": "sensor",
    "tendons": "tendon",
    "equalities": "equality",
    "pairs": "contact pair",
    "excludes": "contact exclude",
    "skins": "skin",
    "flexes": "flex",
    "tuples": "tuple",
    "keys": "keyframe",
}
_NAMES = (
    *("target", "refsite", "slidersite", "objname", "refname", "name1", "name2"),
    *("geomname1", "geomname2", "bodyname1", "bodyname2"),
)


def check(spec: mujoco.MjSpec, where: str) -> None:
    """Refuse a spec of which a copy would hold less.

    Args:
        spec: The spec, as it was read or changed.
        where: What it came from; begins the message.

    Raises:
        ValueError: Elements refer to something that the spec does not hold; names them.
    """
    lost = Counter(_described(spec)) - Counter(_described(spec.copy()))
    if lost:
        raise ValueError(
            f"{where}: {', '.join(lost.elements())}: refers to something that is not there; "
            "MuJoCo compiles no such model, and copies of it would leave that out without a word"
        )


def _described(spec: mujoco.MjSpec) -> Iterator[str]:
    """Every element that may refer to others, in words."""
    for kind, word in _KINDS.items():
        for element in getattr(spec, kind):
            given = [getattr(element, name, "") for name in _NAMES]
            named = [n for g in given for n in ([g] if isinstance(g, str) else g) if n]
            of = f" of {', '.join(map(repr, named))}" if named else ""
            yield f"{word}{f' {element.name!r}' if element.name else ''}{of}"
