"""How far feet are from slipping."""

from __future__ import annotations

import numpy as np

from servogym.gauge.metrics.footing import PYRAMIDAL, Footing
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import Rules


def friction_margin(footing: Footing, physique: Physique, rules: Rules) -> np.ndarray:
    """Mean over feet of max(0, 1 - used / available friction), weighted by normal force.

    Higher is better, in [0, 1]; 0 is a slipping robot; (t, n). In flight it is `flight`, NaN when
    that does not count.
    Source: RoboGauge, later than v1.1.3; see `foot_margin` for a foot.
    """
    margin, load = foot_margin(footing, physique, rules)
    total = load.sum(axis=-1)
    supported = (load > _least(physique, rules)).any(axis=-1)
    mean = (margin * load).sum(axis=-1) / np.where(supported, total, 1.0)
    return np.where(supported, mean, aloft(rules))


def aloft(rules: Rules) -> float:
    """Return the margin of a robot without support: `flight`, or NaN when that does not count."""
    return float("nan") if rules.flight is None else rules.flight


def foot_margin(
    footing: Footing, physique: Physique, rules: Rules
) -> tuple[np.ndarray, np.ndarray]:
    """Margin [1] and normal force [N] of each foot, both (t, n, f).

    With `true_cone` a contact with normal force N uses s of it, and a foot's margin is
    max(0, 1 - sum s / sum N). An elliptic cone ends where s = sqrt(sum (f_i / mu_i)²) = N, a
    pyramidal one where s = sum |f_i| / mu_i = N, over all tangential, spinning and rolling parts
    the contact has (MuJoCo, Computation: friction cones).

    Without it, RoboGauge's rule: T = sum |f_t|, L = sum mu N with the first sliding coefficient,
    margin = max(0, 1 - T / L), and 0 for a foot whose L is not above the least load.
    """
    feet, least = len(physique.feet), _least(physique, rules)
    normal = np.maximum(footing.normal, 0.0)
    if rules.true_cone:
        used, available = _cone(footing), normal
    else:
        used = np.linalg.norm(footing.wrench[..., 1:3], axis=-1)
        available = footing.friction[..., 0] * normal
    load, needs, has = (
        _by_foot(values, footing.foot, feet) for values in (normal, used, available)
    )
    some = has > least if not rules.true_cone else load > least
    margin = np.maximum(0.0, 1.0 - needs / np.where(some, has, 1.0))
    margin = np.where(some, margin, 0.0)
    return margin, np.where(some, load, 0.0) if rules.true_cone else load


def _cone(footing: Footing) -> np.ndarray:
    """Normal force each contact would need at least for its friction [N], (t, n, c)."""
    there = np.arange(1, 6) < footing.dim[..., None]
    mu = np.where(there, footing.friction, 0.0)
    share = np.where(mu > 0, footing.wrench[..., 1:] / np.where(mu > 0, mu, 1.0), 0.0)
    if footing.cone == PYRAMIDAL:
        return np.abs(share).sum(axis=-1)
    return np.sqrt((share**2).sum(axis=-1))


def _by_foot(values: np.ndarray, foot: np.ndarray, feet: int) -> np.ndarray:
    """Sum over the contacts of each foot, (t, n, f)."""
    return np.stack([np.where(foot == k, values, 0.0).sum(axis=-1) for k in range(feet)], axis=-1)


def _least(physique: Physique, rules: Rules) -> float:
    return rules.least_load + rules.least_load_share * physique.weight
