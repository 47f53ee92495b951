"""What moving costs."""

from __future__ import annotations

import numpy as np

from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import Scales
from servogym.gauge.metrics.samples import Samples

NOWHERE = 0.02
"""A robot slower than this Froude speed v / sqrt(g h) goes nowhere [1]."""


def dof_power(samples: Samples, scales: Scales) -> np.ndarray:
    """1 - sqrt(mean over joints of (torque x velocity)²) / power, not below 0.

    Higher is better, in [0, 1]; (t, n). Source: RoboGauge v1.1.3, dof_power, 100 W for Go2.
    """
    rms = np.sqrt(((samples.torque * samples.joint_vel) ** 2).mean(axis=-1))
    return np.maximum(0.0, 1.0 - rms / scales.power)


def mechanical_power(samples: Samples) -> np.ndarray:
    """Sum over joints of |torque x velocity|. Raw [W], lower is better; (t, n).

    Braking costs as much as driving; heat in the windings is not in it.
    """
    return np.abs(samples.torque * samples.joint_vel).sum(axis=-1)


def distance(samples: Samples) -> np.ndarray:
    """Length of the base's way over the floor, looked at once a second. Raw [m], (n,).

    Once a second, so that swaying from foot to foot is no way; what is left of a second at the end
    counts too.
    """
    stride = max(1, round(1.0 / samples.dt))
    places = samples.position[:, :, :2]
    looks = [*range(0, len(samples) - 1, stride), len(samples) - 1]
    return np.linalg.norm(np.diff(places[looks], axis=0), axis=-1).sum(axis=0)


def cost_of_transport(samples: Samples, physique: Physique) -> np.ndarray:
    """Mean mechanical power / (m g x speed), speed = distance / time.

    Raw [1], lower is better; (n,); NaN for a robot that goes nowhere. Source: Tucker (1975), here
    mechanical and not metabolic.
    """
    seconds = max(len(samples) - 1, 1) * samples.dt
    speed = distance(samples) / seconds
    goes = speed > NOWHERE * np.sqrt(physique.gravity * physique.height)
    power = mechanical_power(samples).mean(axis=0)
    return np.where(goes, power / (physique.weight * np.where(goes, speed, 1.0)), np.nan)
