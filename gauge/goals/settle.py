"""When a robot that was put down has come to rest, and what is asked of it begins."""

from __future__ import annotations

import numpy as np

QUIET = 0.05
"""A base slower than this rests [m/s] ..."""
LEAST, MOST = 0.1, 3.0
"""... if so much time has passed since the reset, and at the latest after so much [s]."""


class Settling:
    """Says for each robot whether it has settled, once a control step; it stays so.

    Source: RoboGauge v1.1.3, settle phase: zero command until |v| < 0.05 m/s and more than 0.1 s
    have passed, or for 3 s.
    """

    def __init__(self, n: int, dt: float) -> None:
        """Begin with n robots just reset.

        Args:
            n: how many.
            dt: control step [s].
        """
        self._dt, self._steps = dt, 0
        self._settled = np.zeros(n, bool)

    def look(self, lin_vel: np.ndarray) -> np.ndarray:
        """Return who has settled, (n,) bool, after one more control step.

        Args:
            lin_vel: velocities of the bases in any axes [m/s], (n, 3).
        """
        self._steps += 1
        time = self._steps * self._dt
        if time > LEAST + 1e-9:
            self._settled |= np.linalg.norm(lin_vel, axis=1) < QUIET
        if time >= MOST - 1e-9:
            self._settled[:] = True
        return self._settled.copy()
