"""Go2's bar on a flat floor: what a trot must do, every limit in one place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from servogym.gauge.bar import STAND, Bar
from servogym.gauge.criterion import (
    MARKS,
    USABLE,
    WALKING,
    Criterion,
    falls,
    find,
    reached,
    upto,
)
from servogym.gauge.walking import Twist, Walk

__all__ = ["BAR", "MARKS", "STAND", "STRAIGHT", "judge", "reached"]

COMMANDS: tuple[Twist, ...] = (
    STAND,
    (0.2, 0.0, 0.0),
    (0.5, 0.0, 0.0),
    (1.0, 0.0, 0.0),
    (-0.5, 0.0, 0.0),
    (-1.0, 0.0, 0.0),
    (0.0, 0.2, 0.0),
    (0.0, 0.5, 0.0),
    (0.0, -0.5, 0.0),
    (0.0, 0.0, 0.5),
    (0.0, 0.0, -0.5),
    (0.0, 0.0, 1.0),
    (0.0, 0.0, -1.0),
    (0.5, 0.3, -0.5),
    (-0.5, 0.3, 0.5),
    (1.0, 0.5, 1.0),
)
"""Forward and sideways speed [m/s] and yaw rate [rad/s], yaw-aligned axes."""
STRAIGHT: Twist = (0.5, 0.0, 0.0)
"""The command at which the gait is judged."""
FALLS_USABLE, FALLS = 5.0, 0.0
"""Falls per 100 episodes over all commands, for each mark."""
VELOCITY_ERROR_USABLE, VELOCITY_ERROR = 0.24, 0.12
"""Root mean square over time and robots of |v_xy - commanded| [m/s], for each mark."""
YAW_ERROR_USABLE, YAW_ERROR = 0.3, 0.15
"""Root mean square over time and robots of the yaw rate minus the commanded one [rad/s]."""
BASE_DRIFT = 0.02
"""Displacement within 10 s of any standing robot that nobody pushes [m]."""


def judge(walks: Sequence[Walk]) -> list[Criterion]:
    """Hold walks against the bar.

    Args:
        walks: pushed walks of `COMMANDS`, and last `STAND` without pushes.

    Raises:
        LookupError: when one of them is missing.
    """
    grid = [walk for walk in walks if walk.pushed]
    quiet = find([walk for walk in walks if not walk.pushed], STAND)
    drifts = quiet.robots["base_drift"]
    return [
        falls(USABLE, grid, FALLS_USABLE),
        _error(
            USABLE, grid, "error_xy", "velocity error, all commands [m/s]", VELOCITY_ERROR_USABLE
        ),
        _error(USABLE, grid, "error_yaw", "yaw rate error, all commands [rad/s]", YAW_ERROR_USABLE),
        falls(WALKING, grid, FALLS),
        _error(WALKING, grid, "error_xy", "velocity error, all commands [m/s]", VELOCITY_ERROR),
        _error(WALKING, grid, "error_yaw", "yaw rate error, all commands [rad/s]", YAW_ERROR),
        Criterion(
            mark=WALKING,
            name="drift in 10 s, standing unpushed, worst robot [m]",
            value=max(drifts, default=float("nan")),
            interval=None,
            limit=BASE_DRIFT,
            strict=True,
        ),
        upto("strides per foot, standing unpushed [1/s]", quiet, "strides", 0.0),
    ]


def _error(mark: str, grid: Sequence[Walk], statistic: str, name: str, limit: float) -> Criterion:
    """Hold the root mean square over all robots against a limit."""
    squares = [value**2 for walk in grid for value in walk.robots[statistic]]
    return Criterion(
        mark=mark,
        name=name,
        value=float(np.sqrt(np.mean(squares))) if squares else float("nan"),
        interval=None,
        limit=limit,
        strict=True,
    )


BAR = Bar(commands=COMMANDS, straight=STRAIGHT, judge=judge)
