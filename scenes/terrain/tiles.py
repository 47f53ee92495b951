"""Heights of one square tile of a training field, by kind and level; `stairs` has the stairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from servogym.scenes.terrain import laws

SIDE = 8.0
"""Length of a tile [m]."""

PLATFORM = 1.0
"""Half length of the level square in the middle of a tile, where robots begin [m]."""

RIM = 0.25
"""Width of the level strip along the edge, at height zero, where tiles meet [m]."""

_FADE = 0.5  # over which waves and bumps grow from nothing, at the rim and at the platform [m]
_BLOCKS = 24  # thrown on a tile, some upon others
_BUMP = 0.1  # from one random height to the next [m]


def _square(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distance from the middle as a square ring counts it [m]."""
    return np.maximum(np.abs(x), np.abs(y))


def _descent(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Way down from the platform that lies ahead before the rim [m]."""
    reach = SIDE / 2 - RIM
    return reach - np.clip(_square(x, y), PLATFORM, reach)


def _fade(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """One on the open tile, zero on the platform and the rim [-]."""
    ring = _square(x, y)
    room = np.minimum(ring - PLATFORM, SIDE / 2 - RIM - ring)
    return np.clip(room / _FADE, 0.0, 1.0)


def flat(x: np.ndarray, y: np.ndarray, level: int, rng: np.random.Generator) -> np.ndarray:
    """Return level ground, at every level."""
    return np.zeros(np.broadcast_shapes(x.shape, y.shape))


def slope_down(x: np.ndarray, y: np.ndarray, level: int, rng: np.random.Generator) -> np.ndarray:
    """Return a pyramid: from the middle, slopes lead down on four sides."""
    return laws.slope(level) * _descent(x, y)


def slope_up(x: np.ndarray, y: np.ndarray, level: int, rng: np.random.Generator) -> np.ndarray:
    """Return a pit: from the middle, slopes lead up on four sides."""
    return -slope_down(x, y, level, rng)


def wave(x: np.ndarray, y: np.ndarray, level: int, rng: np.random.Generator) -> np.ndarray:
    """Return waves along x and along y, added, of random phase."""
    phase = rng.uniform(0.0, 2 * np.pi, 2)
    long, wide = laws.WAVE
    ripple = np.sin(2 * np.pi * x / long + phase[0]) + np.sin(2 * np.pi * y / wide + phase[1])
    return laws.amplitude(level) * ripple * _fade(x, y)


def obstacle(x: np.ndarray, y: np.ndarray, level: int, rng: np.random.Generator) -> np.ndarray:
    """Return blocks of one height, half to one and a half blocks long, thrown about."""
    high = np.zeros(np.broadcast_shapes(x.shape, y.shape), bool)
    reach = SIDE / 2 - RIM
    for _ in range(_BLOCKS):
        centre = rng.uniform(-reach, reach, 2)
        half = 0.5 * laws.BLOCK * rng.uniform(0.5, 1.5, 2)
        high |= (np.abs(x - centre[0]) < half[0]) & (np.abs(y - centre[1]) < half[1])
    ring = _square(x, y)
    return np.where(high & (ring > PLATFORM) & (ring < reach), laws.block(level), 0.0)


def rough(x: np.ndarray, y: np.ndarray, level: int, rng: np.random.Generator) -> np.ndarray:
    """Return random heights a decimetre apart, straight lines between them."""
    count = round(SIDE / _BUMP) + 1
    knots = np.linspace(-SIDE / 2, SIDE / 2, count)
    heights = rng.uniform(-1.0, 1.0, (count, count))
    along = np.stack([np.interp(x.ravel(), knots, row) for row in heights])
    both = np.stack([np.interp(y.ravel(), knots, column) for column in along.T], axis=1)
    return laws.bumps(level) * both * _fade(x, y)


KINDS: dict[str, Callable[[np.ndarray, np.ndarray, int, np.random.Generator], np.ndarray]] = {
    law.__name__: law
    for law in (
        flat,
        slope_down,
        slope_up,
        wave,
        obstacle,
        rough,
    )
}
"""Name of a kind -> its heights [m] at x (1, c) and y (r, 1) from the middle [m], (r, c)."""
