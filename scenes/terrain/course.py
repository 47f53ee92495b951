"""Ten by ten metres of one kind of ground at one level, as RoboGauge tests walkers on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from servogym.scenes.terrain import laws
from servogym.scenes.terrain.ground import Ground
from servogym.scenes.terrain.solids import Box, Hills, Plane, Solid

Kind = Literal["flat", "slope", "wave", "stairs", "obstacle"]

FLOOR = "floor"
"""Name of the plane that lies under every terrain."""

SIDE = 10.0
"""Length of the patch: x from 0 to SIDE, y to SIDE / 2 on either side [m]."""

_GRID = 128  # heights along each side of the waves
_STEPS = 33
_OVERLAP = 1.2  # boxes of the stairs reach into each other, so that no foot finds a seam
_WALL_HEIGHT, _WALL_THICKNESS = 10.0, 0.5
_SLOPE_STARTS = 0.8
_TARGETS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "flat": ((0.0, 0.0), (4.0, 0.0)),
    "slope": ((0.5, 0.0), (4.8, 0.0)),
    "wave": ((1.5, 1.25), (6.5, -2.65)),
    "stairs": ((1.15, 0.0), (4.5, 0.0)),
    "obstacle": ((0.5, 2.0), (6.5, -2.0)),
}
# Ours: a trough of the waves, a gap between blocks, and as far from the next step as a start is.
_MIDDLES = {
    "flat": (0.0, 0.0),
    "slope": (5.0, 0.0),
    "wave": (5.5, 1.25),
    "stairs": (4.87, 0.0),
    "obstacle": (4.5, 0.0),
}


@dataclass(frozen=True, kw_only=True)
class Terrain:
    """A kind of ground, how hard it is, and whether there are walls around it.

    | kind | what it is | geoms, floor included |
    |---|---|---|
    | flat | an endless plane; it has one level and no walls | 1 |
    | slope | a plane that rises along x from 0.8 m on | 2 |
    | wave | waves along x and along y, added, on 128 by 128 heights; its lowest is the floor | 2 |
    | stairs | 33 steps up along x, 0.31 m each | 34 |
    | obstacle | five blocks 1 m long and as wide as the patch, a metre between them | 6 |

    Four walls more make it 1, 6, 6, 38 and 10. `laws` has the heights.
    """

    kind: Kind = "flat"
    """What it is."""
    level: int = 1
    """How hard, 1 to 10; without meaning on flat ground."""
    walls: bool = True
    """Whether four walls of 10 m stand around it, just outside the patch; flat has none."""
    scale: float = 1.0
    """Every length times this [1]; RoboGauge's terrains are made for a dog 0.3 m high."""
    from_middle: bool = False
    """Whether robots begin in the middle, where there is room on all sides, and not where a search
    for the highest level begins."""

    def __post_init__(self) -> None:
        """Refuse what does not exist.

        Raises:
            ValueError: naming the kind, level or scale, and what would do.
        """
        if self.kind not in get_args(Kind):
            raise ValueError(f"no terrain {self.kind!r}; there are {', '.join(get_args(Kind))}")
        laws.check(self.level)
        if not 0.0 < self.scale < np.inf:
            raise ValueError(f"terrain: scale is {self.scale!r}; needs a positive number")

    @classmethod
    def parse(cls, text: str) -> Terrain:
        """Read what a command line says: `flat`, `wave:3`, `stairs:10:open` without walls.

        `wave:3:middle` is one whose robots begin in its middle; both words go together.

        Raises:
            ValueError: naming the text and what it should look like.
        """
        kind, *rest = text.split(":")
        words = rest[1:]
        known = set(words) <= {"open", "middle"} and len(set(words)) == len(words)
        if not known or (rest and not rest[0].isdecimal()):
            raise ValueError(
                f"terrain {text!r}; write it as kind:level, e.g. wave:3 or wave:3:open"
            )
        return cls(
            kind=cast(Kind, kind),
            level=int(rest[0]) if rest else 1,
            walls="open" not in words,
            from_middle="middle" in words,
        )

    def ground(self) -> Ground:
        """Build it."""
        solids: list[Solid] = [Plane(name=FLOOR), *getattr(self, f"_{self.kind}")()]
        if self.kind == "flat":
            return Ground(solids=tuple(solids), bounds=((-np.inf, np.inf), (-np.inf, np.inf)))
        if self.walls:
            solids += self._walls()
        half = self.scale * SIDE / 2
        return Ground(solids=tuple(solids), bounds=((0.0, 2 * half), (-half, half)))

    def start(self) -> tuple[float, float]:
        """Where robots begin, x and y [m]: for a search facing along x, or in the middle."""
        x, y = _MIDDLES[self.kind] if self.from_middle else _TARGETS[self.kind][0]
        return self.scale * x, self.scale * y

    def target(self) -> tuple[float, float]:
        """Where such a search wants the robot to arrive, x and y [m]."""
        x, y = _TARGETS[self.kind][1]
        return self.scale * x, self.scale * y

    def middle(self) -> tuple[float, float]:
        """Where an evaluation at one level begins, x and y [m]."""
        x, y = _MIDDLES[self.kind]
        return self.scale * x, self.scale * y

    def _box(self, name: str, centre, half, rise: float = 0.0, shown: bool = True) -> Box:
        s = self.scale
        x, y, z = (s * v for v in centre)
        a, b, c = (s * v for v in half)
        return Box(name=name, centre=(x, y, z), half=(a, b, c), rise=rise, shown=shown)

    def _flat(self) -> list[Box]:
        return []

    def _slope(self) -> list[Box]:
        """A box 1 m thick whose top begins at the floor and covers SIDE metres of it."""
        tangent = laws.slope(self.level)
        rise, half = np.arctan(tangent), 0.5
        middle = SIDE / 2
        centre = (
            _SLOPE_STARTS + middle + half * np.sin(rise),
            0.0,
            middle * tangent - half * np.cos(rise),
        )
        return [self._box("slope", centre, (middle / np.cos(rise), SIDE / 2, half), rise)]

    def _wave(self) -> list[Hills]:
        """Crest at y = 0, trough at x = 1.5, as RoboGauge's starts and targets have it."""
        amplitude = laws.amplitude(self.level)
        along = np.linspace(0.0, SIDE, _GRID)
        across = np.linspace(-SIDE / 2, SIDE / 2, _GRID)
        x, y = (2 * np.pi * v / w for v, w in zip((along, across), laws.WAVE, strict=True))
        z = self.scale * amplitude * (2.0 + np.sin(x)[None, :] + np.cos(y)[:, None])
        cell = self.scale * SIDE / (_GRID - 1)
        corner = (0.0, -self.scale * SIDE / 2)
        return [
            Hills(name="wave", corner=corner, cell=(cell, cell), z=z, base=0.1 * self.scale),
        ]

    def _stairs(self) -> list[Box]:
        height, half = laws.riser(self.level), laws.TREAD / 2
        return [
            self._box(
                f"step_{i + 1}",
                (half + laws.TREAD * i, 0.0, height * (i + 0.5)),
                (_OVERLAP * half, SIDE / 2, height / 2),
            )
            for i in range(_STEPS)
        ]

    def _obstacle(self) -> list[Box]:
        half = laws.block(self.level) / 2
        return [
            self._box(f"block_{i + 1}", (1.5 + 2 * i, 0.0, half), (laws.BLOCK / 2, SIDE / 2, half))
            for i in range(5)
        ]

    def _walls(self) -> list[Box]:
        """Inner faces on the edges of the patch; hidden, or they would darken every picture."""
        tall, thick, reach = _WALL_HEIGHT / 2, _WALL_THICKNESS / 2, SIDE / 2
        long = reach + 2 * thick
        places = {
            "wall_left": ((reach, reach + thick), (long, thick)),
            "wall_right": ((reach, -reach - thick), (long, thick)),
            "wall_top": ((SIDE + thick, 0.0), (thick, reach)),
            "wall_bottom": ((-thick, 0.0), (thick, reach)),
        }
        return [
            self._box(name, (*centre, tall), (*half, tall), shown=False)
            for name, (centre, half) in places.items()
        ]
