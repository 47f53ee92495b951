"""Sums up what was measured turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def summary(values: Sequence[float]) -> dict[str, Any]:
    """Return the median, the middle half's width as a share of it, and all the values."""
    low, median, high = np.percentile(values, (25, 50, 75))
    return {
        "median": float(f"{median:.5g}"),
        "spread": float(f"{(high - low) / median:.3g}"),
        "turns": [float(f"{value:.5g}") for value in values],
    }


def speeds(answers: Sequence[dict[str, Any]], seconds: str = "seconds") -> dict[str, Any]:
    """Sum up environment steps per second over answers of a contestant."""
    return summary([answer["steps"] / answer[seconds] for answer in answers])


def ratios(
    above: Sequence[dict[str, Any]], below: Sequence[dict[str, Any]], seconds: str = "seconds"
) -> dict[str, Any]:
    """Sum up how many times as fast `above` was as `below`, answers paired round by round."""
    return summary(
        [
            (a["steps"] / a["seconds"]) / (b["steps"] / b[seconds])
            for a, b in zip(above, below, strict=True)
        ]
    )
