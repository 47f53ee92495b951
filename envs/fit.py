"""Whether a saved state fits an environment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def fit(live: Mapping[str, np.ndarray], saved: Mapping[str, np.ndarray], n: int) -> None:
    """Refuse a state that does not fit.

    Args:
        live: arrays of the environment by name.
        saved: arrays of the state by name.
        n: how many robots there are.

    Raises:
        ValueError: naming what is missing, unknown or of another shape.
    """
    wrong = sorted(set(live) ^ set(saved)) or sorted(
        name for name in live if np.shape(saved[name]) != live[name].shape
    )
    if wrong:
        raise ValueError(
            f"state does not fit this environment of {n} robots: {', '.join(wrong)} "
            "missing, unknown or of another shape"
        )
