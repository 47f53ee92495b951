"""Two scores of one cell, or of cells that differ in their physics: what moved, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from servogym.gauge.spread import Interval

Record = Mapping[str, Any]
"""A score as JSON gives it back."""

ASKED = ("task", "goals", "rules", "robots", "seconds", "seed")
"""What two cells must have in common for their robots to be pairs."""
TOLERANCE = 0.02
"""A metric that falls by more than this, and surely, is a regression [1]."""
_DRAWS, _SEED = 2000, 0


@dataclass(frozen=True, kw_only=True)
class Moved:
    """How one metric changed."""

    metric: str
    """`quality` or a scored metric."""
    before: float
    """Its mean over the goals in the first score [1]."""
    after: float
    """The same in the second [1]."""
    change: float
    """After minus before [1]."""
    interval: Interval
    """95 % bootstrap interval of the change, over pairs of episodes of equal robots [1]."""

    @property
    def surely(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval[0] > 0 or self.interval[1] < 0

    def worse(self, tolerance: float = TOLERANCE) -> bool:
        """Whether it surely fell by more than the tolerance."""
        return self.surely and self.change < -tolerance


def moved(before: Record, after: Record) -> list[Moved]:
    """Compare two scores metric by metric: quality first, then what moved most.

    Raises:
        ValueError: when the two were not asked the same, naming what differs.
    """
    if differs := unlike(before, after, ASKED):
        raise ValueError(f"the scores are not of the same goals: {differs}")
    names = [name for name in before["metrics"] if name in after["metrics"]]
    intervals = _intervals(before, after, names)
    found = []
    for name in names:
        one, other = (score["metrics"][name]["mean"] for score in (before, after))
        found.append(
            Moved(
                metric=name,
                before=one,
                after=other,
                change=other - one,
                interval=intervals[name],
            )
        )
    return sorted(found, key=lambda m: (m.metric != "quality", -abs(m.change)))


def most(found: list[Moved]) -> Moved:
    """Give the scored metric that moved most; quality, which follows from them, is none.

    Raises:
        ValueError: when nothing was compared.
    """
    metrics = [each for each in found if each.metric != "quality"]
    if not metrics:
        raise ValueError("0 metrics were compared; needs 1 or more")
    return max(metrics, key=lambda each: abs(each.change))


def unlike(one: Record, other: Record, names: tuple[str, ...]) -> str:
    """Say in which of these fields two scores' cells differ; empty when in none."""
    first, second = one["cell"], other["cell"]
    return "; ".join(
        f"{name} is {first[name]!r} in the first, {second[name]!r} in the second"
        for name in names
        if first[name] != second[name]
    )


def _intervals(before: Record, after: Record, names: list[str]) -> dict[str, Interval]:
    """Bootstrap over pairs of episodes the change of each goal's mean, and of their mean.

    A goal's mean is over moments, so an episode counts by how many moments of it were scored.
    """
    pairs: dict[str, list[tuple[Record, Record]]] = {}
    for one, other in zip(before["played"], after["played"], strict=True):
        pairs.setdefault(one["goal"], []).append((one, other))
    total, rng = np.zeros((_DRAWS, len(names))), np.random.default_rng(_SEED)
    for episodes in pairs.values():
        rows = rng.integers(0, len(episodes), (_DRAWS, len(episodes)))
        first, second = (_means([pair[k] for pair in episodes], rows, names) for k in (0, 1))
        total += second - first
    low, high = np.percentile(total / len(pairs), (2.5, 97.5), axis=0)
    return {name: (float(low[k]), float(high[k])) for k, name in enumerate(names)}


def _means(episodes: list[Record], rows: np.ndarray, names: list[str]) -> np.ndarray:
    """Mean of every metric over drawn episodes, (draws, metrics); 0 where none was scored."""
    values = np.array([[e["metrics"][name] for name in names] for e in episodes], float)
    weights = np.where(np.isnan(values), 0.0, [[e["moments"]] for e in episodes])
    sums = (np.nan_to_num(values) * weights)[rows].sum(axis=1)
    return sums / np.maximum(weights[rows].sum(axis=1), 1.0)
