"""The last seconds of a live robot, as arrays for plots and averages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from servogym.viewer.live import Live

SECONDS = 5.0
"""How far back it reaches [s]."""


class History:
    """What was asked, read and felt at every control step, oldest first.

    Arrays have a row a step: `target` and `reading` (t, j) [rad, or N·m for torque commands],
    `torque` (t, j) [N·m], `velocity` (t, 3) [m/s, m/s, rad/s] in the robot's heading, `power` (t,)
    [W], and `age` (t,), the time relative to now [s].
    """

    def __init__(self, joints: int, dt: float) -> None:
        """Start with a past in which nothing is known (nan).

        Args:
            joints: How many joints.
            dt: Control step [s].
        """
        steps = round(SECONDS / dt)
        self.age = np.arange(1 - steps, 1) * dt
        self.target, self.reading, self.torque = (
            np.full((steps, joints), np.nan) for _ in range(3)
        )
        self.velocity, self.power = np.full((steps, 3), np.nan), np.full(steps, np.nan)

    def add(self, live: Live) -> None:
        """Append the step just made."""
        state = live.core.state
        velocity = (*state.heading_vel[0, :2], state.yaw_rate[0])
        for array, value in (
            (self.target, live.target),
            (self.reading, live.reading),
            (self.torque, state.torque[0]),
            (self.velocity, velocity),
            (self.power, state.power[0]),
        ):
            array[:-1] = array[1:]
            array[-1] = value

    def lately(self, array: np.ndarray, seconds: float = 1.0) -> np.ndarray:
        """Give the mean of an array's last rows, nan while there is none."""
        rows = array[self.age > -seconds]
        known = rows[np.isfinite(rows.reshape(len(rows), -1)).all(axis=1)]
        return known.mean(axis=0) if len(known) else np.full(array.shape[1:], np.nan)
