"""How well the asked velocity is made, moment by moment."""

from __future__ import annotations

import numpy as np

from servogym.envs import rotation
from servogym.gauge.metrics.rules import Rules, Scales
from servogym.gauge.metrics.samples import Samples


def lin_vel_err(samples: Samples, scales: Scales) -> np.ndarray:
    """1 - |v - (vx, vy, 0)| / lin_vel, not below 0.

    v is the velocity of the base in its own axes: on a slope they lie along it. Vertical speed
    counts against 0. Higher is better, in [0, 1]; (t, n). Source: RoboGauge v1.1.3, lin_vel_err.
    """
    wanted = samples.command * [1.0, 1.0, 0.0]
    error = np.linalg.norm(samples.lin_vel - wanted, axis=-1)
    return np.maximum(0.0, 1.0 - error / scales.lin_vel)


def ang_vel_err(samples: Samples, scales: Scales, rules: Rules) -> np.ndarray:
    """1 - |w - (0, 0, wz)| / ang_vel, not below 0.

    w is the angular velocity in base axes; roll and pitch rates count against 0. Higher is better,
    in [0, 1]; (t, n). Source: RoboGauge v1.1.3, ang_vel_err; `rotate_rates_twice` is its mistake.
    """
    rates = samples.ang_vel
    if rules.rotate_rates_twice:
        rates = to_base(samples.quat, rates)
    wanted = samples.command * [0.0, 0.0, 1.0]
    error = np.linalg.norm(rates - wanted, axis=-1)
    return np.maximum(0.0, 1.0 - error / scales.ang_vel)


def made(samples: Samples) -> np.ndarray:
    """Velocity as commands mean it: forward and sideways in yaw-aligned axes, yaw rate.

    Raw [m/s, m/s, rad/s], (t, n, 3). The yaw rate is that about the vertical.
    """
    quat = samples.quat.reshape(-1, 4)
    back = quat * [1.0, -1.0, -1.0, -1.0]
    x, y, _ = rotation.to_body(back, samples.lin_vel.reshape(-1, 3)).T
    yaw = rotation.to_body(back, samples.ang_vel.reshape(-1, 3))[:, 2]
    cos, sin = rotation.heading(quat)
    out = np.stack((cos * x + sin * y, cos * y - sin * x, yaw), axis=1)
    return out.reshape(samples.lin_vel.shape)


def to_base(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Turn world vectors (..., 3) into the axes of bases with orientation quat (..., 4)."""
    return rotation.to_body(quat.reshape(-1, 4), vector.reshape(-1, 3)).reshape(vector.shape)
