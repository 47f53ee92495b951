"""One number from many: quality of a moment, worst moments of a run, score of a terrain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from servogym.gauge.metrics.rules import Rules

FLOOR = 1e-9
"""A metric of 0 enters the product as this, so that the others still show [1]."""
LEVELS = 10
"""Terrains have levels 1 to 10; 0 means that none was passed."""


def quality(metrics: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> np.ndarray:
    """Weighted geometric mean (prod clip(m_k, 1e-9, 1)^w_k)^(1 / sum w), of every moment.

    A metric that is NaN does not count in that moment, its weight neither; all NaN gives NaN.
    With a weight of 1 of 10 a single 0 gives 0.126, with 2 of 10 0.0158. Higher is better, in
    [1e-9, 1]. Source: RoboGauge v1.1.3.

    Args:
        metrics: name -> values in [0, 1], all of one shape.
        weights: name -> weight above 0; every metric needs one, a weight without metric is no harm.

    Raises:
        LookupError: when metrics have no weight.
        ValueError: without a metric, or with a weight that is not positive.
    """
    if not metrics:
        raise ValueError("the quality of 0 metrics; needs 1 or more")
    if unknown := sorted(set(metrics) - set(weights)):
        raise LookupError(f"{unknown} have no weight; weights are for {sorted(weights)}")
    if wrong := {k: weights[k] for k in metrics if not weights[k] > 0}:
        raise ValueError(f"weights {wrong} need to be above 0")
    values = np.stack([np.asarray(metrics[name], float) for name in metrics])
    w = np.array([weights[name] for name in metrics]).reshape(-1, *[1] * (values.ndim - 1))
    counts = ~np.isnan(values)
    logs = np.log(np.clip(np.where(counts, values, 1.0), FLOOR, 1.0))
    total = np.where(counts, w, 0.0).sum(axis=0)
    some = total > 0
    mean = (w * logs).sum(axis=0) / np.where(some, total, 1.0)
    return np.where(some, np.exp(mean), np.nan)


def worst(values: np.ndarray, percent: float) -> float:
    """Mean of the worst `percent` of all values, at least one of them: mean@25 is that of 25 %.

    Worst, not first: values are sorted, time plays no part. The count is int(n percent / 100), as
    in RoboGauge v1.1.3. NaN does not count; nothing at all gives 0.

    Raises:
        ValueError: for a percentage outside (0, 100].
    """
    if not 0 < percent <= 100:
        raise ValueError(f"the worst {percent} %; needs more than 0 and at most 100")
    values = np.asarray(values, float).ravel()
    ordered = np.sort(values[~np.isnan(values)])
    if not len(ordered):
        return 0.0
    return float(ordered[: max(1, int(len(ordered) * percent / 100))].mean())


def summary(values: np.ndarray) -> dict[str, float]:
    """Return mean, mean@50, mean@25 and the number of zeros (`FLOOR` or less) of all values."""
    values = np.asarray(values, float).ravel()
    return {
        "mean": worst(values, 100),
        "mean@50": worst(values, 50),
        "mean@25": worst(values, 25),
        "zeros": int((values <= FLOOR).sum()),
    }


def terrain_score(level: int, quality: float, rules: Rules) -> float:
    """Score of the highest level passed and the quality there, in [0, 1]; 0 when none was passed.

    Ours: (level - 1 + quality) / 10, so that no quality makes up for a level. With `bands_overlap`
    RoboGauge's 0.09 (level - 1) + 0.19 quality: a perfect level beats the one above it until that
    has a quality of 10/19.

    Raises:
        ValueError: for a level outside 0..10 or a quality outside [0, 1].
    """
    if level not in range(LEVELS + 1):
        raise ValueError(f"level {level}; needs a whole number from 0 to {LEVELS}")
    if not 0 <= quality <= 1:
        raise ValueError(f"quality {quality}; needs a number from 0 to 1")
    if level == 0:
        return 0.0
    if rules.bands_overlap:
        return 0.09 * (level - 1) + 0.19 * quality
    return (level - 1 + quality) / LEVELS
