"""Turns a trace into numbers: one for each robot, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from servogym.gauge import swings
from servogym.gauge.trace import Trace

WINDOW = 10.0
"""Length of the windows in which the drift of the base is looked for [s]."""

STATISTICS = {
    "vx": "mean forward velocity in yaw-aligned axes [m/s]",
    "vy": "mean sideways velocity in yaw-aligned axes [m/s]",
    "wz": "mean yaw rate [rad/s]",
    "error_xy": "root mean square of the horizontal velocity minus the commanded one [m/s]",
    "error_yaw": "root mean square of the yaw rate minus the commanded one [rad/s]",
    "power": "mean mechanical power, sum over joints of |torque x servo velocity| [W]",
    "torque": "root mean square torque over joints and time [N·m]",
    "action_rate": "mean squared change of the action from step to step, a joint [rad²]",
    "outside": "share of the time in which any joint is outside its soft limits [1]",
    "excursion": "the furthest any joint was outside its soft limits [rad]",
    "strides": "landings of a foot after a swing of 40 ms or more, mean over feet [1/s]",
    "swing": "duration of those swings, mean over feet that swing; 0 without one [s]",
    "clearance": "highest point of the foot site in a swing above its height on the floor, "
    "mean over swings; 0 without one [m]",
    "asymmetry": "|left - right| / mean of the swing durations; 2 when one foot never swings [1]",
    "double_support": "share of the time with all feet loaded [1]",
    "flight": "share of the time with no foot loaded [1]",
    "yaw_drift": "|change of heading over the whole episode - commanded| [deg]",
    "sideways_drift": "|integral of the sideways velocity in yaw-aligned axes - commanded| [m]",
    "base_drift": "largest displacement of the base within any 10 s [m]",
    "head_error": "mean |angle - command| over head joints [rad]",
}
"""What is measured of a robot, in the order of the tables."""


def measure(trace: Trace, command: Sequence[float], first: int) -> dict[str, np.ndarray]:
    """Give every statistic, (n,), of robots that followed one command.

    Args:
        trace: what they did.
        command: what was asked [m/s, m/s, rad/s].
        first: the first counted control step; the change of heading counts from the beginning.
    """
    t, dt = slice(first, None), trace.dt
    seconds = (len(trace.heading) - first) * dt
    vx, vy, wz = trace.velocity[t].mean(axis=0).T
    error = trace.velocity[t] - np.asarray(command, float)
    found = swings.find(trace.loaded, trace.height, dt, first)
    number = found.count.sum(axis=1)
    some, feet = np.maximum(number, 1), np.maximum((found.count > 0).sum(axis=1), 1)
    left, right = found.duration[:, 0::2].sum(axis=1), found.duration[:, 1::2].sum(axis=1)
    left_right, apart = left + right, np.abs(left - right)
    return {
        "vx": vx,
        "vy": vy,
        "wz": wz,
        "error_xy": np.sqrt((error[..., :2] ** 2).sum(axis=2).mean(axis=0)),
        "error_yaw": np.sqrt((error[..., 2] ** 2).mean(axis=0)),
        "power": trace.power[t].mean(axis=0),
        "torque": np.sqrt(trace.torque[t].mean(axis=0)),
        "action_rate": trace.action[t].mean(axis=0),
        "outside": (trace.excess[t] > 0).mean(axis=0),
        "excursion": trace.excess[t].max(axis=0),
        "strides": number / (found.count.shape[1] * seconds),
        "swing": found.duration.sum(axis=1) / feet,
        "clearance": (found.clearance * found.count).sum(axis=1) / some,
        "asymmetry": np.where(number > 0, 2 * apart / np.where(number > 0, left_right, 1.0), 0.0),
        "double_support": trace.loaded[t].all(axis=2).mean(axis=0),
        "flight": (~trace.loaded[t].any(axis=2)).mean(axis=0),
        "yaw_drift": yaw_drift(trace.heading, command[2], dt),
        "sideways_drift": np.abs(vy - command[1]) * seconds,
        "base_drift": drift(trace.position[t], round(WINDOW / dt)),
        "head_error": trace.head[t].mean(axis=0),
    }


def yaw_drift(heading: np.ndarray, rate: float, dt: float) -> np.ndarray:
    """Return how far robots ended from the heading they were asked for [deg], (n,).

    Args:
        heading: headings within a turn [rad], (t, n).
        rate: commanded yaw rate [rad/s].
        dt: time between two of them [s].
    """
    turned = np.unwrap(heading, axis=0)
    turned = turned[-1] - turned[0]
    return np.abs(np.degrees(turned - rate * (len(heading) - 1) * dt))


def drift(position: np.ndarray, window: int) -> np.ndarray:
    """Return the largest displacement from the start to the end of any window [m], (n,).

    Args:
        position: places on the floor [m], (t, n, 2).
        window: length in steps; all of the time when that is shorter.
    """
    window = min(window, len(position) - 1)
    return np.linalg.norm(position[window:] - position[: len(position) - window], axis=2).max(0)
