"""Ends of an episode: plain functions of the state, each returning (n,) bool."""

from __future__ import annotations

import numpy as np

from servogym.envs.state import State

TILT = np.cos(np.radians(70.0))
"""A robot has fallen beyond 70 degrees (pollen-robotics/microduck_rl, velocity task)."""


def fallen(state: State) -> np.ndarray:
    """Whether the trunk leans more than 70 degrees from upright: the episode terminates."""
    return state.projected_gravity[:, 2] > -TILT


def collapsed(state: State) -> np.ndarray:
    """Whether the trunk is less above its feet than 40 % of the default pose: it terminates."""
    above = state.base_pos[:, 2] - state.foot_pos[:, :, 2].mean(axis=1)
    return above < 0.4 * state.robot.spawn_height


def out_of_bounds(state: State) -> np.ndarray:
    """Whether the trunk left the ground's bounds, 50 m on an endless one: it is no failure."""
    return state.footing.outside(state.base_pos)
