"""Poses of a head to hold, one for each robot, while it stands or walks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def head_poses(reach: Sequence[float]) -> np.ndarray:
    """Return the pose at rest and each joint at both its ends by itself, (1 + 2 k, k) [rad].

    Angles count from the default pose, as head commands do; how well they are held is
    `drift.pose_error`.

    Args:
        reach: how far each of the k head joints is asked to turn to either side [rad].

    Raises:
        ValueError: without a joint, or for a reach that is not above 0.
    """
    most = np.asarray(reach, float)
    if most.ndim != 1 or not len(most) or not (most > 0).all():
        raise ValueError(f"reach is {most.tolist()}; needs one angle above 0 for each head joint")
    ends = np.stack((np.diag(most), np.diag(-most)), axis=1).reshape(-1, len(most))
    return np.concatenate((np.zeros((1, len(most))), ends + 0.0))
