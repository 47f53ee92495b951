"""How deep robots sink into what they stand on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servogym.gauge.metrics.footing import EMPTY, Footing


@dataclass(frozen=True, kw_only=True)
class Penetration:
    """Statistics over contacts; lower is better."""

    contacts: int
    """How many there were [1]."""
    mean: float
    """Mean depth [m]."""
    p95: float
    """95 % of the contacts are no deeper [m]."""
    p99: float
    """99 % of the contacts are no deeper [m]."""
    max: float
    """Deepest contact [m]."""


def penetration(
    footing: Footing, *, feet_only: bool = True, counts: np.ndarray | None = None
) -> Penetration:
    """Depth max(0, -dist) of all contacts of all robots and moments, as one population.

    A contact within MuJoCo's margin that does not touch yet has depth 0 and is counted. Quantiles
    are linear between contacts. On height fields MuJoCo before 3.16 says `dist` too small by about
    1.5 margins when the margin is not 0 (experiments of the contact sweep).

    Args:
        footing: contacts.
        feet_only: leave out what other parts of the robot touch.
        counts: moments that count, (t, n) bool; None is all.

    Returns:
        Zeros when there was no contact.
    """
    chosen = footing.foot >= 0 if feet_only else footing.foot != EMPTY
    if counts is not None:
        chosen = chosen & counts[..., None]
    return statistics(np.maximum(0.0, -footing.dist[chosen]))


def statistics(depth: np.ndarray) -> Penetration:
    """Describe depths of contacts [m], (c,); zeros when there is none."""
    if not len(depth):
        return Penetration(contacts=0, mean=0.0, p95=0.0, p99=0.0, max=0.0)
    p95, p99 = np.percentile(depth, (95.0, 99.0))
    return Penetration(
        contacts=len(depth),
        mean=float(depth.mean()),
        p95=float(p95),
        p99=float(p99),
        max=float(depth.max()),
    )


def deepest(footing: Footing) -> np.ndarray:
    """Depth of the deepest contact of any part of each robot; 0 in flight. Raw [m], (t, n)."""
    depth = np.where(footing.touching, np.maximum(0.0, -footing.dist), 0.0)
    return depth.max(axis=-1, initial=0.0)
