"""How sure a number is: 95 % intervals of means over robots and of shares of episodes."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

Interval = tuple[float, float]
_DRAWS = 2000
_SEED = 0
_Z = 1.959964
"""97.5 % point of the normal distribution."""


def bootstrap(values: Sequence[float]) -> Interval:
    """Return the 95 % percentile interval of a mean over robots; the same values, the same answer.

    Few robots give an interval that is somewhat too narrow.

    Raises:
        ValueError: when there is no value.
    """
    if not len(values):
        raise ValueError("an interval of 0 values; needs 1 or more")
    array = np.asarray(values, float)
    rows = np.random.default_rng(_SEED).integers(0, len(array), (_DRAWS, len(array)))
    low, high = np.percentile(array[rows].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def wilson(hits: int, of: int) -> Interval:
    """Return the 95 % interval of a share after Wilson (1927, J. Am. Stat. Assoc. 22)."""
    share, z2 = hits / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)
