"""How upright the base is."""

from __future__ import annotations

import numpy as np

from servogym.envs import rotation
from servogym.gauge.metrics.rules import Rules
from servogym.gauge.metrics.samples import Samples


def gravity(samples: Samples) -> np.ndarray:
    """Direction of gravity in base axes; (0, 0, -1) when upright. Raw [1], (t, n, 3)."""
    found = rotation.gravity_in_body(samples.quat.reshape(-1, 4))
    return found.reshape(*samples.quat.shape[:-1], 3)


def orientation_stability(samples: Samples, rules: Rules) -> np.ndarray:
    """1 - sqrt(g_x² + g_y²), with g the unit gravity in base axes: 1 - sin of the tilt.

    Higher is better, in [0, 1]; (t, n). With `pitch_counts` off it is RoboGauge v1.1.3's
    1 - |g_y|, which sees roll alone. A robot on its head scores 1; it has fallen.
    """
    g = gravity(samples)
    lean = np.hypot(g[..., 0], g[..., 1]) if rules.pitch_counts else np.abs(g[..., 1])
    return np.clip(1.0 - lean, 0.0, 1.0)


def tilt(samples: Samples) -> np.ndarray:
    """Angle between the base's z axis and the vertical, arccos(-g_z). Raw [rad], (t, n)."""
    g = gravity(samples)
    return np.arctan2(np.hypot(g[..., 0], g[..., 1]), -g[..., 2])


def fallen(samples: Samples, rules: Rules) -> np.ndarray:
    """Whether a robot leans, or has leant, more than `fall_tilt`, (t, n) bool."""
    return np.logical_or.accumulate(tilt(samples) > rules.fall_tilt, axis=0)
