"""One number from a stress grid, in which nothing that failed can hide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from servogym.gauge.judgement import short
from servogym.gauge.quality import worst
from servogym.gauge.stress.grid import FLAT
from servogym.gauge.stress.point import Point
from servogym.gauge.stress.runner import Sheet

FORMAT = "servogym-stress-1"


def summarise(points: Sequence[Point], sheet: Sheet) -> dict[str, Any]:
    """Add up a grid.

    A terrain's `mean` is over all its points, `mean@50` over the worse half of them; a point whose
    process died, or that passed no level, is 0. The benchmark is the mean of `mean@50` over all
    terrains of the grid (RoboGauge's benchmark, which left out what had died).

    Args:
        points: of the grid.
        sheet: what came of them, in the same order.
    """
    kinds = list(dict.fromkeys(_terrain(point) for point in points))
    terrains = {}
    for kind in kinds:
        mine = [r for p, r in zip(points, sheet.results, strict=True) if _terrain(p) == kind]
        values = np.array([result["value"] for result in mine])
        terrains[kind] = {
            "points": len(mine),
            "dead": sum(result["ending"]["outcome"] != "ran" for result in mine),
            "mean": worst(values, 100),
            "mean@50": worst(values, 50),
            "levels": [r["level"]["level"] if r["level"] else None for r in mine],
        }
    return short(
        {
            "format": FORMAT,
            "benchmark": float(np.mean([t["mean@50"] for t in terrains.values()])),
            "terrains": terrains,
            "points": [
                {"name": point.name, **_short(result)}
                for point, result in zip(points, sheet.results, strict=True)
            ],
        }
    )


def _terrain(point: Point) -> str:
    return point.climb or FLAT


def _short(result: Mapping[str, Any]) -> dict[str, Any]:
    """A point in one line of numbers."""
    score, level = result["score"], result["level"]
    goals = score["goals"].values() if score else []
    return {
        "ending": result["ending"]["text"],
        "value": result["value"],
        "level": level["level"] if level else None,
        "orderly": level["orderly"] if level else None,
        "quality": score["metrics"]["quality"]["mean"] if score else None,
        "falls": sum(goal["falls"] for goal in goals) if score else None,
        "episodes": sum(goal["episodes"] for goal in goals) if score else None,
    }
