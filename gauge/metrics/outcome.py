"""How an episode ended: fallen or not, arrived or not."""

from __future__ import annotations

import numpy as np

from servogym.gauge.metrics.rules import Rules
from servogym.gauge.metrics.samples import Samples
from servogym.gauge.metrics.velocity import to_base

NEAR = 0.1
"""A base nearer than this to its target has arrived [m] (RoboGauge, target_pos_velocity)."""


def falls(samples: Samples) -> np.ndarray:
    """Whether each robot fell. Raw, (n,) bool."""
    return (~samples.alive).sum(axis=0) > 0


def fall_time(samples: Samples) -> np.ndarray:
    """Time from the reset to the fall. Raw [s], higher is better; (n,); infinite without one."""
    first = (~samples.alive).argmax(axis=0)
    return np.where(falls(samples), (first + 1) * samples.dt, np.inf)


def target_distance(samples: Samples, target: np.ndarray, rules: Rules) -> np.ndarray:
    """Horizontal distance of the base from its target. Raw [m], lower is better; (t, n).

    Args:
        samples: where the robots were.
        target: place in the world [m], (2,), (3,) or one a robot, (n, 2 or 3).
        rules: with `success_in_base_axes` the difference, height included, is turned into base
            axes first and its z left out, as in RoboGauge v1.1.3.
    """
    away = np.zeros(samples.position.shape)
    target = np.asarray(target, float)
    size = target.shape[-1]
    away[..., :size] = target - samples.position[..., :size]
    if rules.success_in_base_axes:
        away = to_base(samples.quat, away)
    return np.linalg.norm(away[..., :2], axis=-1)


def arrival_time(
    samples: Samples, target: np.ndarray, rules: Rules, near: float = NEAR
) -> np.ndarray:
    """Time from the reset until the base is nearer than `near`, on its feet. Raw [s], (n,).

    Lower is better; infinite for a robot that does not arrive or falls first.
    """
    there = (target_distance(samples, target, rules) < near) & samples.alive
    return np.where(there.any(axis=0), (there.argmax(axis=0) + 1) * samples.dt, np.inf)


def success(
    samples: Samples, target: np.ndarray, limit: float, rules: Rules, near: float = NEAR
) -> np.ndarray:
    """Whether each robot arrives before the time limit [s]. Higher is better, (n,) bool.

    Source: RoboGauge v1.1.3, success of target_pos_velocity: 0.1 m, 20 s on slope and wave, 30 s on
    stairs and obstacles. It flips on a last bit; never compare policies by it alone (000-24).
    """
    return arrival_time(samples, target, rules, near) < limit
