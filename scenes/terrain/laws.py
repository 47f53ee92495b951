"""How hard a level is: the laws that turn 1 to 10 into slopes, waves, steps and blocks.

All but `bumps` and `training_riser` are those of RoboGauge 1.1.3 (wty-yy/RoboGauge,
resources/terrains), checked against its ten files a terrain; they are made for a dog whose trunk
stands 0.3 m high.
"""

from __future__ import annotations

from numbers import Integral

LEVELS = range(1, 11)
"""The levels of every kind of ground but the flat one."""

TREAD = 0.31
"""From one riser to the next [m]."""

WAVE = (2.0, 2.5)
"""Length of a wave along x and along y [m]."""

BLOCK = 1.0
"""Length of a block along x, and of the gap behind it [m]."""

_RISERS = (0.08, 0.11, 0.14, 0.17, 0.18, 0.19, 0.20, 0.21, 0.22, 0.23)


def check(level: int) -> None:
    """Refuse what is not a level.

    Raises:
        ValueError: naming the level and those there are.
    """
    if not isinstance(level, Integral) or level not in LEVELS:
        raise ValueError(f"level {level!r} does not exist; levels are 1 to 10, whole numbers")


def slope(level: int) -> float:
    """Tangent of the angle of a slope: 0.1 + 0.047 L, 8.4 to 29.7 degrees."""
    return 0.1 + 0.047 * level


def amplitude(level: int) -> float:
    """Amplitude of each of the two waves that are added [m]: 0.02 L, a quarter of their range."""
    return 0.02 * level


def riser(level: int) -> float:
    """Height of a step [m]: 0.08, 0.11, 0.14, 0.17, then a centimetre more each level."""
    return _RISERS[level - 1]


def training_riser(level: int) -> float:
    """Height of a step on a training field [m]: 0.01 + 0.02 L, 0.03 to 0.21; our own.

    Before an upright step of 8 cm, the lowest of `riser`, a trot that has never met one stops and
    learns nothing (docs/training.md); over 3 cm it goes without noticing.
    """
    return 0.01 + 0.02 * level


def block(level: int) -> float:
    """Height of a block [m]: 0.05 + 0.023 L."""
    return 0.05 + 0.023 * level


def bumps(level: int) -> float:
    """Half range of random heights a decimetre apart [m]: 0.01 + 0.004 L; our own."""
    return 0.01 + 0.004 * level
