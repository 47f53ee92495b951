"""What a control step of n robots brings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Outcome(NamedTuple):
    """What a control step brought, one row a robot; every array is the caller's to keep."""

    observation: np.ndarray
    """What the policy sees next, (n, 61) float32; of the finished episode where one ended."""
    reward: np.ndarray
    """(n,) float64."""
    terminated: np.ndarray
    """Whether the episode ended in failure, (n,) bool."""
    truncated: np.ndarray
    """Whether it ended otherwise, (n,) bool; never together with terminated."""
