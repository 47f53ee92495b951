"""What differs in the shapes that touch and in the IMU of two robots."""

from __future__ import annotations

from collections.abc import Iterator

from servogym.robots.links import BASE, Link
from servogym.robots.side import Difference, Side, differ

_GEOM = {  # arrays with a row per geom
    "size": "m",
    "friction": "-",
    "condim": "-",
    "priority": "-",
    "contype": "-",
    "conaffinity": "-",
    "margin": "m",
    "gap": "m",
    "solmix": "-",
    "solref": "s, -",
    "solimp": "-",
    "adhesion": "-",
    "surfacevel": "m/s",
}
_ROUND = ("capsule", "cylinder")


def feet(a: Side, b: Side) -> Iterator[Difference]:
    """Compare the feet, by the names of their sites."""
    for one, foot in zip(a.feet, a.robot.feet, strict=True):
        k = [other.site for other in b.robot.feet].index(foot.site)
        where = f"foot {foot.site}"
        yield from _shape(where, a, one, b, b.feet[k])
        middles = a.data.geom_xpos[one], b.data.geom_xpos[b.feet[k]]
        seen = [s.data.site(foot.site).xpos - p for s, p in zip((a, b), middles, strict=True)]
        yield from differ(where, "site seen from the middle", "m", *seen, together=True)


def shapes(a: Side, b: Side) -> Iterator[Difference]:
    """Compare what else touches: one by one on links where both have the same kinds of shapes."""
    for name in (BASE, *b.robot.joints):
        found = _touching(a, a.links[name]), _touching(b, b.links[name])
        kinds = [
            ", ".join(s.kind(geom) for geom in geoms) or "none"
            for s, geoms in zip((a, b), found, strict=True)
        ]
        yield from differ(name, "shapes that touch", "-", *kinds)
        if kinds[0] == kinds[1]:
            seen = [a.kind(geom) for geom in found[0]]
            for place, (one, other) in enumerate(zip(*found, strict=True)):
                number = f" {1 + seen[:place].count(seen[place])}"
                which = seen[place] + (number if seen.count(seen[place]) > 1 else "")
                yield from _shape(f"{name} {which}", a, one, b, other)


def imu(a: Side, b: Side) -> Iterator[Difference]:
    """Compare place and axes of the IMU, seen from the base."""
    sites = [s.data.site(s.robot.imu_site) for s in (a, b)]
    yield from differ("imu", "place", "m", *(site.xpos for site in sites), together=True)
    yield from differ("imu", "axes", "-", *(site.xmat for site in sites), together=True)


def _touching(side: Side, link: Link) -> list[int]:
    """Shapes of a link that can touch something, feet apart, sorted by kind and place."""
    m = side.model
    geoms = [
        geom
        for geom in range(m.ngeom)
        if m.geom_bodyid[geom] in link.bodies
        and geom not in side.feet
        and (m.geom_contype[geom] or m.geom_conaffinity[geom])
    ]
    return sorted(geoms, key=lambda geom: (side.kind(geom), *side.data.geom_xpos[geom].round(4)))


def _shape(where: str, a: Side, one: int, b: Side, other: int) -> Iterator[Difference]:
    pair = ((a, one), (b, other))
    kinds = [s.kind(geom) for s, geom in pair]
    yield from differ(where, "shape", "-", *kinds)
    seen = [s.data.geom_xpos[geom] - s.link_of(geom).anchor for s, geom in pair]
    yield from differ(where, "middle seen from the joint", "m", *seen, together=True)
    if kinds[0] == kinds[1] != "sphere":
        turns = [s.data.geom_xmat[geom].reshape(3, 3) for s, geom in pair]
        axes = [turn[:, 2] if kinds[0] in _ROUND else turn.ravel() for turn in turns]
        flipped = kinds[0] in _ROUND and axes[0] @ axes[1] < 0  # either end may come first
        yield from differ(
            where, "axes", "-", -axes[0] if flipped else axes[0], axes[1], together=True
        )
    for field, unit in _GEOM.items():
        known = hasattr(a.model, f"geom_{field}") and (field != "size" or kinds[0] == kinds[1])
        if known:
            values = [getattr(s.model, f"geom_{field}")[geom] for s, geom in pair]
            yield from differ(where, field, unit, *values)
