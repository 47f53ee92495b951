"""How a run differs from the reference's: from the same state, played back, and left alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from servogym.gauge.divergence import THRESHOLDS, partings

ROUNDING = 1e-9
"""Steps from the same state that end nearer than this differ by rounding [m, rad]."""

ALIKE = THRESHOLDS[0]
"""Steps that are solved to the end and still end further apart are other physics [m, rad]."""

Run = Mapping[str, np.ndarray]


def steps(reference: Run, other: Run) -> dict[str, float]:
    """Compare single control steps made from the same states.

    Returns:
        `share` of control steps whose ends differ by more than `ROUNDING` in some coordinate, and
        `median`, `p99` and `max` of the largest difference of any coordinate [m, rad]. A step one
        of the two did not survive differs without bound.
    """
    one, two = reference["qpos"], other["qpos"]
    there = np.isfinite(one).all(axis=-1) | np.isfinite(two).all(axis=-1)
    apart = np.abs(one - two)[there]
    largest = np.where(np.isnan(apart), np.inf, apart).max(axis=-1)
    median, p99 = np.percentile(largest, (50, 99), method="lower")
    return {
        "share": float((largest > ROUNDING).mean()),
        "median": float(median),
        "p99": float(p99),
        "max": float(largest.max()),
    }


def times(reference: Run, other: Run, dt: float) -> dict[str, float]:
    """When runs from the same starts part, the median over the starts [s].

    Returns:
        Threshold, as written, -> time; infinite where half of the starts or more never part so far.
    """
    found = np.array(
        [
            [part.time for part in partings(one, two, dt, start=dt)]
            for one, two in zip(reference["qpos"], other["qpos"], strict=True)
        ]
    )
    middle = np.median(np.nan_to_num(found, posinf=1e9), axis=0)
    return {
        f"{threshold:g}": float("inf") if time > 1e8 else float(time)
        for threshold, time in zip(THRESHOLDS, middle, strict=True)
    }


def depths(run: Run) -> dict[str, float]:
    """Penetration of the feet as `contact.dist` tells it: mean, p95, p99, max [m]."""
    depth = run["depth"]
    if not len(depth):
        return {"mean": 0.0, "p95": 0.0, "p99": 0.0, "max": 0.0}
    p95, p99 = np.percentile(depth, (95, 99))
    return {
        "mean": float(depth.mean()),
        "p95": float(p95),
        "p99": float(p99),
        "max": float(depth.max()),
    }


def parity(reference: Run, other: Run, names: tuple[str, ...]) -> list[str]:
    """Name the arrays of the compiled models that differ, by 1e-12 of their size or more."""
    out = []
    for name in names:
        one, two = reference[f"model.{name}"], other[f"model.{name}"]
        if one.shape != two.shape or not np.allclose(one, two, rtol=1e-12, atol=1e-15):
            out.append(name)
    return out


def endings(run: Run) -> dict[str, Any]:
    """How many starts fell and how many blew up, and how far the others got [m].

    `distance` is the mean over all starts of the way of the base along the floor, from its first
    place to its last.
    """
    place = run["qpos"][:, :, :2]  # the free joint is the first of every robot's
    way = []
    for row, end in zip(place, run["end"], strict=True):
        seen = row[: int(end)]
        way.append(float(np.linalg.norm(seen[-1] - seen[0])) if len(seen) else 0.0)
    return {
        "falls": int(run["fell"].sum()),
        "diverged": int(run["diverged"].sum()),
        "distance": float(np.mean(way)),
    }
