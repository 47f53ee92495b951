"""Pushes on a schedule: when, how hard, and from which side, for a robot that stands or walks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Push:
    """One sudden change of the base's velocity over the floor."""

    time: float
    """When, after the reset [s]."""
    change: tuple[float, float]
    """Change of the velocity, forward and sideways in yaw-aligned axes [m/s]."""


def all_round(size: float, directions: int = 8, first: float = 3.0) -> tuple[Push, ...]:
    """Return a push for each of so many robots: one size, evenly spread directions from ahead on.

    Each robot gets one and has the rest of its episode to recover.

    Args:
        size: change of the velocity [m/s].
        directions: how many.
        first: when [s].

    Raises:
        ValueError: for no direction or a size that is not above 0.
    """
    if directions < 1 or not size > 0:
        raise ValueError(f"{directions} pushes of {size} m/s; needs 1 or more, above 0")
    angles = 2 * np.pi * np.arange(directions) / directions
    return tuple(
        Push(time=first, change=(size * float(np.cos(a)), size * float(np.sin(a)))) for a in angles
    )


def recovery_time(speed_error: np.ndarray, dt: float, push: float, calm: float) -> np.ndarray:
    """Time from the push until the error stays below `calm` to the end. Raw [s], (n,).

    Infinite for a robot that does not calm down. Lower is better.

    Args:
        speed_error: |velocity - command| of robots, NaN once fallen, (t, n) [m/s].
        dt: time between two of them, the first one `dt` after the reset [s].
        push: when the push came [s].
        calm: an error below this is none [m/s].
    """
    wild = ~(speed_error < calm)
    last = len(wild) - wild[::-1].argmax(axis=0)  # steps until the last wild sample, inclusive
    time = np.where(wild.any(axis=0), np.maximum(last * dt - push, 0.0), 0.0)
    return np.where(wild[-1], np.inf, time)
