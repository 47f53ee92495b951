"""Who stands on what and since when: the contact clocks of feet, for rewards about gait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from servogym.envs.state import State

if TYPE_CHECKING:
    from servogym.robots.base import Robot


class Gait:
    """Contact clocks of n robots, advanced once a control step.

    A walk is two groups of feet that swing in turn: the two feet of a biped, the two diagonals of a
    trot. The group with fewer loaded feet swings, as far as it is in the air and the other one
    carries. A swing is `fair` when the other group swung last: a robot that hops on one leg or
    lifts the same foot again earns nothing for it.
    """

    def __init__(self, robot: Robot, n: int, dt: float) -> None:
        """Allocate clocks for n robots at control steps of dt seconds.

        Raises:
            ValueError: when the robot's feet do not swing in two groups.
        """
        self.groups = robot.swing_columns()
        if len(self.groups) != 2:
            raise ValueError(
                f"the gait clocks are for two groups of feet that swing in turn, {robot.name} has "
                f"{len(self.groups)}; give its record swing_groups"
            )
        feet = len(robot.feet)
        self._dt, self._force = dt, robot.loaded_force
        self.loaded = np.ones((n, feet), bool)
        self.air_time = np.zeros((n, feet))
        self.landed_after = np.zeros((n, feet))
        self.impact = np.zeros(n)
        self.double_time = np.zeros(n)
        self.single = np.zeros(n, bool)
        self.share = np.zeros(n)
        self.swinging = np.zeros(n, np.int64)
        self.fair = np.zeros(n, bool)
        self._last = np.full(n, -1)
        self._fall_speed = np.zeros((n, feet))

    def reset(self, rows: np.ndarray) -> None:
        """Start rows on all feet with no past."""
        for array in self.state().values():
            array[rows] = 0
        self.loaded[rows] = True
        self._last[rows] = -1

    def advance(self, state: State) -> None:
        """Let one control step pass: read the feet and move the clocks."""
        loaded = state.foot_force > self._force
        touchdown = loaded & ~self.loaded
        self.landed_after[:] = np.where(touchdown, self.air_time, 0.0)
        self.impact[:] = (touchdown * self._fall_speed**2).sum(axis=1)
        self._fall_speed[:] = state.foot_vel[:, :, 2]
        self.air_time[:] = np.where(loaded, 0.0, self.air_time + self._dt)
        self.double_time[:] = np.where(loaded.all(axis=1), self.double_time + self._dt, 0.0)
        first, second = (loaded[:, group].mean(axis=1) for group in self.groups)
        single = first != second
        swinging = (first > second).astype(np.int64)  # the second swings while the first carries
        begins = single & (~self.single | (swinging != self.swinging))
        self.fair[:] = np.where(begins, swinging != self._last, self.fair & single)
        self._last[:] = np.where(begins, swinging, self._last)
        self.share[:] = np.maximum(first, second) * (1.0 - np.minimum(first, second))
        self.single[:], self.swinging[:], self.loaded[:] = single, swinging, loaded

    def of_swinging(self, per_foot: np.ndarray) -> np.ndarray:
        """Return the mean over the feet that swing of what is given per foot (n, f), (n,)."""
        return self._of(per_foot, self.swinging)

    def of_standing(self, per_foot: np.ndarray) -> np.ndarray:
        """Return the mean over the other feet of what is given per foot (n, f), (n,)."""
        return self._of(per_foot, 1 - self.swinging)

    def _of(self, per_foot: np.ndarray, group: np.ndarray) -> np.ndarray:
        first, second = (per_foot[:, feet].mean(axis=1) for feet in self.groups)
        return np.where(group == 0, first, second)

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {
            "loaded": self.loaded,
            "air_time": self.air_time,
            "landed_after": self.landed_after,
            "impact": self.impact,
            "double_time": self.double_time,
            "single": self.single,
            "share": self.share,
            "swinging": self.swinging,
            "fair": self.fair,
            "last": self._last,
            "fall_speed": self._fall_speed,
        }
