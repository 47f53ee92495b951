"""How well the asked velocity is made, moment by moment."""

from __future__ import annotations

import numpy as np

from servogym.envs import rotation
from servogym.gauge.metrics.rules import Rules, Scales
from servogym.gauge.metrics.samples import Samples

WHILE = 1.0
"""Time over which velocities are averaged to see where a robot gets [s]: two or three strides."""


def follow(samples: Samples, scales: Scales) -> np.ndarray:
    """1 - |mean made - mean asked| / largest |asked|, of the last second; worse of speed and turn.

    Averaged, so that swaying from foot to foot is no error; held against the command itself, so
    that a robot which stands still has 0, however slow the command. A part that is not asked counts
    only when nothing is, and is then divided by `slow_speed` or `slow_turn`. Higher is better, in
    [0, 1]; (t, n). NaN in the first second after a robot has come to rest.
    """
    width = samples.steps(WHILE)
    out = np.full(samples.alive.shape, np.nan)
    if len(samples) < width:
        return out
    error = _windows(made(samples) - samples.command, width).mean(axis=-1)
    parts = ((slice(0, 2), scales.slow_speed), (slice(2, 3), scales.slow_turn))
    asked = [_windows(_size(samples.command, part), width).max(axis=-1) for part, _ in parts]
    nothing = (asked[0] == 0) & (asked[1] == 0)
    scores = [
        np.where((size > 0) | nothing, 1.0 - _size(error, part) / np.where(size, size, slow), 1.0)
        for (part, slow), size in zip(parts, asked, strict=True)
    ]
    found = np.maximum(0.0, np.nan_to_num(np.minimum(*scores), nan=0.0))
    rested = _windows(samples.settled, width).all(axis=-1)
    out[width - 1 :] = np.where(rested, found, np.nan)
    return out


def _windows(values: np.ndarray, width: int) -> np.ndarray:
    """Each `width` samples that follow each other, (t - width + 1, n, ..., width)."""
    return np.lib.stride_tricks.sliding_window_view(values, width, axis=0)


def _size(values: np.ndarray, part: slice) -> np.ndarray:
    return np.linalg.norm(values[..., part], axis=-1)


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
