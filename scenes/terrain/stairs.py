"""Stairs of a training field: on each tile a pyramid or a pit of boxes with upright risers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from servogym.scenes.terrain import laws, tiles
from servogym.scenes.terrain.solids import Box

if TYPE_CHECKING:
    import mujoco

STEPS = int((tiles.SIDE / 2 - tiles.RIM - tiles.PLATFORM) / laws.TREAD)
"""Steps between the rim of a tile and the platform in its middle."""

_FOOT = tiles.SIDE / 2 - tiles.RIM  # half length of the square that the outermost riser goes round


@dataclass(frozen=True, kw_only=True, eq=False)
class Stairs:
    """All the stairs of a field, known at once: steps lie in square rings around a tile's middle.

    A pyramid is `STEPS` boxes, one upon the other. A pit is a plate in the middle and, around it,
    four boxes a ring, the outermost level with the rim; the height field under it must be `deep`.
    """

    riser: np.ndarray
    """Height of a step on each tile, (kinds, levels) [m]: above zero leads up to the middle,
    below zero down to it; zero where a tile is no stairs."""
    scale: float = 1.0
    """Every length of a tile times this [1]; `riser` is as it is."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the geoms: step_<column>_<level>_<number>."""
        return tuple(box.name for box in self.boxes())

    @property
    def deep(self) -> float:
        """How far below zero a height field must lie under the pits [m]."""
        return STEPS * max(0.0, -float(self.riser.min(initial=0.0))) + 0.2 * self.scale

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the height of the step at places [m], -inf beside all stairs."""
        side = self.scale * tiles.SIDE
        u, v = np.asarray(x, float) / side, np.asarray(y, float) / side
        column, row = np.floor(u + 0.5).astype(int), np.floor(v + 0.5).astype(int)
        kinds, levels = self.riser.shape
        on = (column >= 0) & (column < levels) & (row >= 0) & (row < kinds)
        riser = self.riser[np.clip(row, 0, kinds - 1), np.clip(column, 0, levels - 1)]
        ring = tiles.SIDE * np.maximum(np.abs(u - column), np.abs(v - row))
        step = np.clip(np.ceil((_FOOT - ring) / laws.TREAD - 1e-9), 0, STEPS)
        return np.where(on & (riser != 0) & ((step > 0) | (riser < 0)), riser * step, -np.inf)

    def add(self, spec: mujoco.MjSpec, material: str) -> None:
        """Add the boxes to the world body of a spec."""
        for box in self.boxes():
            box.add(spec, material)

    def boxes(self) -> Iterator[Box]:
        """Every box, tile by tile."""
        for column, level in zip(*np.nonzero(self.riser), strict=True):
            riser = float(self.riser[column, level])
            shape = _pyramid(riser) if riser > 0 else _pit(riser)
            for number, ((x, y), half, low, high) in enumerate(shape):
                yield Box(
                    name=f"step_{column}_{level + 1}_{number}",
                    centre=(
                        self.scale * (level * tiles.SIDE + x),
                        self.scale * (column * tiles.SIDE + y),
                        0.5 * (low + high),
                    ),
                    half=(self.scale * half[0], self.scale * half[1], 0.5 * (high - low)),
                )


_Plank = tuple[tuple[float, float], tuple[float, float], float, float]
# Middle and half lengths on an unscaled tile, lower and upper face as they are [m].


def _pyramid(riser: float) -> Iterator[_Plank]:
    for step in range(1, STEPS + 1):
        half = _FOOT - (step - 1) * laws.TREAD
        yield (0.0, 0.0), (half, half), (step - 1) * riser, step * riser


def _pit(riser: float) -> Iterator[_Plank]:
    floor = (STEPS + 1) * riser
    outer = tiles.SIDE / 2
    for step in range(STEPS):
        inner = _FOOT - step * laws.TREAD
        middle, thick = 0.5 * (outer + inner), 0.5 * (outer - inner)
        for sign in (-1.0, 1.0):
            yield (0.0, sign * middle), (outer, thick), floor, step * riser
            yield (sign * middle, 0.0), (thick, inner), floor, step * riser
        outer = inner
    yield (0.0, 0.0), (outer, outer), floor, STEPS * riser
