"""How near joints and motors come to what they cannot do."""

from __future__ import annotations

import numpy as np

from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import Rules
from servogym.gauge.metrics.samples import Samples

SATURATED = 0.99
"""A motor that gives this share of its largest torque gives all it has [1]."""


def dof_limits(samples: Samples, physique: Physique, rules: Rules) -> np.ndarray:
    """1 - sqrt(mean over joints of (overshoot / range)²), not below 0.

    The overshoot is how far a joint is outside its soft limits, which are the range shrunk about
    its middle to `soft_limit`. Higher is better, in [0, 1]; (t, n). Source: RoboGauge v1.1.3,
    dof_limits; for Go2 it looks at hips and thighs alone, with a soft limit of 0.4.

    Raises:
        LookupError: no joint has a name that `limited` asks for.
    """
    columns = counted(physique, rules)
    share = physique.soft_limit if rules.soft_limit is None else rules.soft_limit
    over = overshoot(samples, physique, share)[..., columns]
    over = over / (physique.high - physique.low)[columns]
    return np.maximum(0.0, 1.0 - np.sqrt((over**2).mean(axis=-1)))


def overshoot(samples: Samples, physique: Physique, share: float | None = None) -> np.ndarray:
    """How far each joint is outside its soft limits, 0 within. Raw [rad], (t, n, j).

    Args:
        samples: what the robots did.
        physique: gives the ranges.
        share: of each range that lies within; None takes the robot's own.
    """
    share = physique.soft_limit if share is None else share
    margin = 0.5 * (1.0 - share) * (physique.high - physique.low)
    low, high, q = physique.low + margin, physique.high - margin, samples.joint_pos
    return np.maximum(np.maximum(low - q, q - high), 0.0)


def counted(physique: Physique, rules: Rules) -> np.ndarray:
    """Columns of the joints that are held against their limits, (k,) int.

    Raises:
        LookupError: there is none; the message lists the joints.
    """
    found = [
        column
        for column, name in enumerate(physique.joints)
        if not rules.limited or any(word in name for word in rules.limited)
    ]
    if not found:
        raise LookupError(
            f"no joint has {' or '.join(map(repr, rules.limited))} in its name, as the rules "
            f"{rules.name!r} want; joints are {', '.join(physique.joints)}"
        )
    return np.array(found)


def saturation(samples: Samples, physique: Physique) -> np.ndarray:
    """Share of torques at 99 % or more of their joint's largest. Raw [1], lower is better; (n,).

    Raises:
        ValueError: when the robot's largest torques are not known.
    """
    if physique.effort is None:
        raise ValueError("the largest torques of this robot are not known; give Physique.effort")
    return (np.abs(samples.torque) >= SATURATED * physique.effort).mean(axis=(0, 2))
