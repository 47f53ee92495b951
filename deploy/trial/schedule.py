"""What a policy is asked to do while its file is verified: legs of two and a half seconds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

LEG = 2.5
"""Length of a leg [s]."""
TWISTS = (
    (0.5, 0.0, 0.0),
    (0.6, 0.0, 0.3),
    (0.0, 0.0, 0.0),
    (0.0, 0.5, 0.0),
    (0.0, 0.0, 0.6),
    (-0.5, 0.0, 0.0),
    (0.5, 0.25, 0.0),
    (0.7, 0.0, -0.3),
)
"""Shares of the largest forward, sideways speed and yaw rate, a leg each; then from the start."""
POSE = 0.4
"""Share of the largest deviation that every other command column is asked for, with a sign."""


def commands(ranges: Mapping[str, tuple[float, ...]], seconds: float) -> dict[str, np.ndarray]:
    """Give what is asked at a time: command slot -> columns (k,), in the slot's unit.

    No column of a pose is zero, and no two columns change alike, so that a swap shows.

    Args:
        ranges: A contract's `command_ranges`.
        seconds: Time since the start [s].
    """
    leg = int(seconds / LEG + 1e-9)
    return {
        name: np.array(reach) * _shares(name, len(reach), leg) for name, reach in ranges.items()
    }


def _shares(name: str, columns: int, leg: int) -> np.ndarray:
    if name == "command" and columns == len(TWISTS[0]):
        return np.array(TWISTS[leg % len(TWISTS)])
    column = np.arange(columns)
    return POSE * np.where((leg >> (column % 3)) % 2, -1.0, 1.0) * (1.0 - 0.1 * column)
