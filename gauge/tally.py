"""Adds measured errands up to what a score says of goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from servogym.gauge.measure import Played
from servogym.gauge.metrics import penetration
from servogym.gauge.quality import summary
from servogym.gauge.score import Bad, Episode, GoalScore, Number
from servogym.gauge.spread import bootstrap, wilson

UNITS = {
    "power": "W",
    "cost_of_transport": "1",
    "action_rate": "action²",
    "slip_speed": "m/s",
    "slip_share": "1",
    "clearance": "m",
    "step_frequency": "1/s",
    "swing_time": "s",
    "flight": "1",
    "tilt": "rad",
    "yaw_drift": "deg",
    "base_drift": "m",
    "head_error": "rad",
    "recovery_time": "s",
    "arrival_time": "s",
}
"""Numbers without a score, and their units."""
HIGHER = ("clearance", "swing_time")
"""Those of which more is better; the worst robot has the least."""


def goal(played: Sequence[Played]) -> GoalScore:
    """Add up the errands of one goal."""
    falls = sum(one.fell for one in played)
    done = [one.success for one in played if one.success is not None]
    depth = np.concatenate([one.depth for one in played])
    return GoalScore(
        episodes=len(played),
        falls=falls,
        falls_interval=wilson(falls, len(played)),
        diverged=sum(one.diverged for one in played),
        metrics={
            name: summary(np.concatenate([one.metrics[name] for one in played]))
            for name in played[0].metrics
        },
        numbers={name: found for name in UNITS if (found := _number(name, played))},
        success=float(np.mean(done)) if done else None,
        penetration=penetration.statistics(depth),
        deepest=max(one.deepest for one in played),
    )


def overall(goals: Mapping[str, GoalScore]) -> dict[str, dict[str, float]]:
    """Mean over the goals of each summary, and the sum of the zeros."""
    scores = [one.metrics for one in goals.values()]
    out = {}
    for name in scores[0]:
        mean = {k: float(np.mean([s[name][k] for s in scores])) for k in scores[0][name]}
        out[name] = {**mean, "zeros": sum(int(s[name]["zeros"]) for s in scores)}
    return out


def bad(played: Sequence[Played], most: int = 12) -> tuple[Bad, ...]:
    """Give the worst moment of each of the worst episodes, worst first; at equality in order."""
    found = []
    for one in played:
        quality = one.metrics["quality"]
        if np.isnan(quality).all():
            continue
        at = int(np.nanargmin(quality))
        values = {name: float(v[at]) for name, v in one.metrics.items() if name != "quality"}
        values = {name: value for name, value in values.items() if not np.isnan(value)}
        name = (
            "fall" if one.fell and not any(values.values()) else min(values, key=values.__getitem__)
        )
        found.append(
            Bad(
                goal=one.errand.goal,
                part=one.errand.part,
                robot=one.errand.robot,
                time=round(0.1 * (at + 1), 1),
                quality=float(quality[at]),
                metric=name,
                value=values.get(name, 0.0),
                course=tuple(quality.tolist()),
            )
        )
    return tuple(sorted(found, key=lambda moment: moment.quality)[:most])


def episode(played: Played) -> Episode:
    """Shorten an errand to its means."""
    return Episode(
        goal=played.errand.goal,
        part=played.errand.part,
        robot=played.errand.robot,
        fell=played.fell,
        success=played.success,
        metrics={name: _mean(values) for name, values in played.metrics.items()},
        moments=int((~np.isnan(played.metrics["quality"])).sum()),
    )


def _mean(values: np.ndarray) -> float:
    """Mean of what is not NaN; NaN without any."""
    some = values[~np.isnan(values)]
    return float(some.mean()) if len(some) else float("nan")


def _number(name: str, played: Sequence[Played]) -> Number | None:
    values = [v for one in played if not np.isnan(v := one.numbers.get(name, np.nan))]
    if not values:
        return None
    finite = [v for v in values if np.isfinite(v)]
    return Number(
        unit=UNITS[name],
        mean=float(np.mean(finite)) if finite else float("nan"),
        interval=bootstrap(finite) if finite else None,
        worst=min(values) if name in HIGHER else max(values),
        robots=len(finite),
    )
