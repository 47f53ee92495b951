"""Swings of feet: when a foot leaves the floor, for how long, and how high it is lifted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHORTEST = 0.04
"""A foot that is off the floor for less [s] trembles; it does not step."""


@dataclass(frozen=True, kw_only=True)
class Swings:
    """The swings of n robots with f feet that end in the counted time."""

    count: np.ndarray
    """How many, (n, f)."""
    duration: np.ndarray
    """Mean duration [s], (n, f); 0 where there is none."""
    clearance: np.ndarray
    """Mean over swings of the highest the foot site came above its height on the floor [m],
    (n, f); 0 where there is none."""


def find(loaded: np.ndarray, height: np.ndarray, dt: float, first: int = 0) -> Swings:
    """Find the swings of `SHORTEST` or more.

    Height on the floor is the median height of the same foot of the same robot while it is loaded.

    Args:
        loaded: whether a foot carries weight, (t, n, f) bool.
        height: height of the foot sites [m], (t, n, f).
        dt: control step [s].
        first: the first counted step; a swing counts when it ends then or later.
    """
    _, n, f = loaded.shape
    count, total, peaks = np.zeros((3, n, f))
    shortest = max(1, round(SHORTEST / dt))
    for robot in range(n):
        for foot in range(f):
            down, z = loaded[:, robot, foot], height[:, robot, foot]
            edges = np.diff(down.astype(np.int8))
            begins, ends = np.flatnonzero(edges < 0) + 1, np.flatnonzero(edges > 0) + 1
            ends = ends[ends > begins[0]] if len(begins) else ends[:0]
            begins = begins[: len(ends)]
            counted = (ends - begins >= shortest) & (ends >= first)
            begins, ends = begins[counted], ends[counted]
            if len(begins):
                floor = np.median(z[first:][down[first:]])
                count[robot, foot] = len(begins)
                total[robot, foot] = (ends - begins).sum() * dt
                bounds = np.stack((begins, ends), axis=1).ravel()
                # reduceat needs every index below the length; the last swing ends in the trace
                tops = np.maximum.reduceat(z, bounds)[::2]
                peaks[robot, foot] = (tops - floor).sum()
    many = np.maximum(count, 1)
    return Swings(count=count, duration=total / many, clearance=peaks / many)
