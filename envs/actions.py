"""Actions as they come in: of the right shape and finite, or refused by the joint's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def checked(action: Any, n: int, joints: Sequence[str]) -> np.ndarray:
    """Return the actions of n robots as floats, (n, j).

    Raises:
        ValueError: for a wrong shape or a number that is not finite, naming the joint.
    """
    action = np.asarray(action, dtype=np.float64)
    shape = (n, len(joints))
    if action.shape != shape:
        raise ValueError(
            f"action has shape {action.shape}; needs {shape}, columns {', '.join(joints)}"
        )
    if not np.isfinite(action).all():
        row, column = np.argwhere(~np.isfinite(action))[0]
        raise ValueError(
            f"action of {joints[column]} in row {row} is {action[row, column]}; "
            "needs a finite number"
        )
    return action
