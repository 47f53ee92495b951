"""A field of tiles to train on: every kind at every level in one model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servogym.scenes.terrain import laws, tiles
from servogym.scenes.terrain.ground import Ground
from servogym.scenes.terrain.solids import Hills
from servogym.scenes.terrain.stairs import Stairs

NAME = "field"
"""Name of the geom of all that is no stairs."""

STAIRS = {"stairs_down": 1.0, "stairs_up": -1.0}
"""Kinds that are boxes: from the middle, where robots begin, steps lead down or up. Value: whether
that makes a pyramid (1) or a pit (-1)."""

KINDS = (*tiles.KINDS, *STAIRS)
"""Every kind there is."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Tiles side by side: levels ascend along x, kinds lie along y, level ground is all around.

    The robots of a batch share one model, so a curriculum moves a robot by where it begins:
    `origin` is the middle of a tile, on its level platform. Stairs are boxes, whose risers are
    upright as on a test terrain; all the rest is one height field.
    """

    kinds: tuple[str, ...] = (
        "slope_down",
        "slope_up",
        "stairs_down",
        "stairs_up",
        "wave",
        "obstacle",
        "rough",
    )
    """Kinds of the columns of tiles, along y; one may come more than once."""
    shares: tuple[float, ...] = ()
    """Parts of the robots that begin on each of these kinds, to any sum; empty: as many on each."""
    levels: int = 10
    """How many levels there are, from 1 on, along x."""
    seed: int = 0
    """Of everything random; the same seed gives the same bits."""
    scale: float = 1.0
    """Every length, those below included, times this [1]; tiles are made for a dog 0.3 m high."""
    cell: float = 0.08
    """About how far heights are apart [m]; a whole number of cells makes a tile."""
    margin: float = 4.0
    """Width of the level ground around all tiles [m]."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built.

        Raises:
            ValueError: naming the setting and what would do.
        """
        if unknown := [kind for kind in self.kinds if kind not in KINDS]:
            raise ValueError(f"field: no kinds {unknown}; there are {', '.join(KINDS)}")
        if not self.kinds:
            raise ValueError(f"field: needs kinds; there are {', '.join(KINDS)}")
        positive = all(np.isfinite(share) and share > 0 for share in self.shares)
        if self.shares and not (positive and len(self.shares) == len(self.kinds)):
            raise ValueError(
                f"field: shares {self.shares}; needs a positive number for each of the "
                f"{len(self.kinds)} kinds, or none at all"
            )
        laws.check(self.levels)
        if not (self.scale > 0 and self.margin >= 0 and 0 < self.cell <= tiles.SIDE / 20):
            raise ValueError(
                f"field: scale {self.scale:g}, margin {self.margin:g}, cell {self.cell:g}; needs a "
                f"positive scale, no negative margin, and cells of at most {tiles.SIDE / 20:g} m"
            )

    @property
    def side(self) -> float:
        """Length of a tile [m]."""
        return self.scale * tiles.SIDE

    def ground(self) -> Ground:
        """Build it."""
        cells = round(tiles.SIDE / self.cell)
        step = tiles.SIDE / cells  # before scaling
        around = int(np.ceil(self.margin / step - 1e-9))
        rows, columns = len(self.kinds) * cells + 1, self.levels * cells + 1
        z = np.zeros((rows + 2 * around, columns + 2 * around))
        stairs = Stairs(riser=self._risers(), scale=self.scale)
        places = np.linspace(-tiles.SIDE / 2, tiles.SIDE / 2, cells + 1)
        x, y = places[None, :], places[:, None]
        for column, kind in enumerate(self.kinds):
            for level in range(1, self.levels + 1):
                r, c = around + column * cells, around + (level - 1) * cells
                if kind in tiles.KINDS:
                    rng = np.random.default_rng((self.seed, column, level))
                    z[r : r + cells + 1, c : c + cells + 1] = tiles.KINDS[kind](x, y, level, rng)
                elif STAIRS[kind] < 0:  # room for a pit, as far as to the edge of the tile
                    z[r + 1 : r + cells, c + 1 : c + cells] = -stairs.deep / self.scale
        first = -(tiles.SIDE / 2 + around * step)
        hills = Hills(
            name=NAME,
            corner=(self.scale * first, self.scale * first),
            cell=(self.scale * step, self.scale * step),
            z=self.scale * z,
            base=0.5 * self.scale,
        )
        (west, south), (length, width) = hills.corner, hills.size
        return Ground(
            solids=(hills, stairs) if stairs.riser.any() else (hills,),
            bounds=((west, west + length), (south, south + width)),
        )

    def _risers(self) -> np.ndarray:
        up = np.array([STAIRS.get(kind, 0.0) for kind in self.kinds])
        heights = [self.scale * laws.training_riser(level) for level in range(1, self.levels + 1)]
        return up[:, None] * np.array(heights)

    def origin(self, level: np.ndarray | int, column: np.ndarray | int) -> np.ndarray:
        """Middles of tiles, x and y (n, 2) [m]; their height is the ground's.

        Args:
            level: of the tiles, 1 to `levels`, (n,).
            column: of the tiles, index into `kinds`, (n,).

        Raises:
            IndexError: there is no such tile.
        """
        level, column = np.broadcast_arrays(level, column)
        if ((level < 1) | (level > self.levels)).any():
            raise IndexError(f"levels {np.unique(level)}; this field has 1 to {self.levels}")
        if ((column < 0) | (column >= len(self.kinds))).any():
            raise IndexError(
                f"columns {np.unique(column)}; this field has 0 to {len(self.kinds) - 1}"
            )
        return self.side * np.stack((level - 1.0, column.astype(float)), axis=-1)

    def tile(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which tile places lie on: (level, column), each (n,); (0, -1) on the margin."""
        level = np.floor(np.asarray(x) / self.side + 0.5).astype(int) + 1
        column = np.floor(np.asarray(y) / self.side + 0.5).astype(int)
        on = (level >= 1) & (level <= self.levels) & (column >= 0) & (column < len(self.kinds))
        return np.where(on, level, 0), np.where(on, column, -1)
