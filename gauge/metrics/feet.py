"""What feet do: slide, rise, land."""

from __future__ import annotations

import numpy as np

from servogym.gauge import swings
from servogym.gauge.metrics.power import distance
from servogym.gauge.metrics.samples import Samples

NOWHERE = 0.01
"""A base slower than this goes nowhere, and slip is no share of its way [m/s]."""


def slip_speed(samples: Samples) -> np.ndarray:
    """Mean horizontal speed of the foot sites while loaded, over feet and time.

    A sole that rolls moves its site without slipping. Raw [m/s], lower is better; (n,); 0 for a
    robot that is never loaded.
    """
    speed = np.where(samples.loaded, np.linalg.norm(samples.foot_vel[..., :2], axis=-1), 0.0)
    return speed.sum(axis=(0, 2)) / np.maximum(samples.loaded.sum(axis=(0, 2)), 1)


def slip_share(samples: Samples) -> np.ndarray:
    """Way of the loaded feet over the floor / way of the base, mean over feet.

    1 is a robot that slides along. Raw [1], lower is better; (n,); NaN for a base that is slower
    than `NOWHERE`.
    """
    speed = np.where(samples.loaded, np.linalg.norm(samples.foot_vel[..., :2], axis=-1), 0.0)
    slid = speed.sum(axis=0).mean(axis=-1) * samples.dt
    went = distance(samples)
    goes = went > NOWHERE * len(samples) * samples.dt
    return np.where(goes, slid / np.where(goes, went, 1.0), np.nan)


def clearance(samples: Samples) -> np.ndarray:
    """Highest the foot site comes above the line from lift-off to touch-down, mean over swings.

    The line makes it a number of the step and not of the ground: on stairs it is what the foot
    clears beyond the step itself. Raw [m], higher is better; (n,); 0 without a swing.
    """
    found = swings.find(samples.loaded, _above_line(samples), samples.dt)
    count = found.count.sum(axis=1)
    return (found.clearance * found.count).sum(axis=1) / np.maximum(count, 1)


def step_frequency(samples: Samples) -> np.ndarray:
    """Landings after a swing of 40 ms or more, mean over feet. Raw [1/s], (n,)."""
    found = swings.find(samples.loaded, samples.foot_pos[..., 2], samples.dt)
    return found.count.mean(axis=1) / (len(samples) * samples.dt)


def swing_time(samples: Samples) -> np.ndarray:
    """Duration of those swings, mean over feet that swing. Raw [s], (n,); 0 without one."""
    found = swings.find(samples.loaded, samples.foot_pos[..., 2], samples.dt)
    return found.duration.sum(axis=1) / np.maximum((found.count > 0).sum(axis=1), 1)


def duty(samples: Samples) -> np.ndarray:
    """Share of the time each foot is loaded. Raw [1], (n, f)."""
    return samples.loaded.mean(axis=0)


def flight(samples: Samples) -> np.ndarray:
    """Share of the time no foot is loaded. Raw [1], (n,)."""
    return (~samples.loaded.any(axis=-1)).mean(axis=0)


def _above_line(samples: Samples) -> np.ndarray:
    """Heights of the foot sites over the line between their loaded neighbours [m], (t, n, f)."""
    height = samples.foot_pos[..., 2]
    out, time = np.zeros(height.shape), np.arange(len(height))
    for robot in range(height.shape[1]):
        for foot in range(height.shape[2]):
            down, z = samples.loaded[:, robot, foot], height[:, robot, foot]
            if down.any():
                out[:, robot, foot] = z - np.interp(time, time[down], z[down])
    return out
