"""Who stands on what and since when: the contact clocks of feet, for rewards about gait."""

from __future__ import annotations

import numpy as np

from servogym.envs.state import State

LOADED = 0.05
"""A foot counts as loaded above this normal force [N]: 0.7 % of MicroDuck's weight."""


class Gait:
    """Contact clocks of n robots with two feet, advanced once a control step.

    A swing begins when exactly one foot is loaded. It is `fair` when the other foot swung last: a
    robot that hops on one leg or lifts the same foot again earns nothing for it.
    """

    def __init__(self, n: int, feet: int, dt: float) -> None:
        """Allocate clocks for n robots at control steps of dt seconds.

        Raises:
            ValueError: when the robot has not two feet.
        """
        if feet != 2:
            raise ValueError(f"the gait clocks are for two feet, this robot has {feet}")
        self._dt = dt
        self.loaded = np.ones((n, feet), bool)
        self.air_time = np.zeros((n, feet))
        self.landed_after = np.zeros((n, feet))
        self.impact = np.zeros(n)
        self.double_time = np.zeros(n)
        self.single = np.zeros(n, bool)
        self.swinging = np.zeros(n, np.int64)
        self.fair = np.zeros(n, bool)
        self._last = np.full(n, -1)
        self._fall_speed = np.zeros((n, feet))

    def reset(self, rows: np.ndarray) -> None:
        """Start rows on both feet with no past."""
        for array in self.state().values():
            array[rows] = 0
        self.loaded[rows] = True
        self._last[rows] = -1

    def advance(self, state: State) -> None:
        """Let one control step pass: read the feet and move the clocks."""
        loaded = state.foot_force > LOADED
        touchdown = loaded & ~self.loaded
        self.landed_after[:] = np.where(touchdown, self.air_time, 0.0)
        impact = touchdown * self._fall_speed**2
        self.impact[:] = impact[:, 0] + impact[:, 1]
        self._fall_speed[:] = state.foot_vel[:, :, 2]
        self.air_time[:] = np.where(loaded, 0.0, self.air_time + self._dt)
        self.double_time[:] = np.where(
            loaded[:, 0] & loaded[:, 1], self.double_time + self._dt, 0.0
        )
        single = loaded[:, 0] != loaded[:, 1]
        swinging = loaded[:, 0].astype(np.int64)  # the right foot swings while the left is loaded
        begins = single & (~self.single | (swinging != self.swinging))
        self.fair[:] = np.where(begins, swinging != self._last, self.fair & single)
        self._last[:] = np.where(begins, swinging, self._last)
        self.single[:], self.swinging[:], self.loaded[:] = single, swinging, loaded

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {
            "loaded": self.loaded,
            "air_time": self.air_time,
            "landed_after": self.landed_after,
            "impact": self.impact,
            "double_time": self.double_time,
            "single": self.single,
            "swinging": self.swinging,
            "fair": self.fair,
            "last": self._last,
            "fall_speed": self._fall_speed,
        }
