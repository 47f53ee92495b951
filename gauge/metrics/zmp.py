"""Where the ground must push, and how far that is from the edge of the support."""

from __future__ import annotations

from itertools import product
from math import dist

import numpy as np

from servogym.gauge.metrics.footing import Footing
from servogym.gauge.metrics.friction import aloft
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import Rules

LEAST_FORCE = 1e-6
"""With a smaller vertical force nothing stands [N] (RoboGauge's force_threshold)."""
LEAST_SPREAD = 1e-5
"""Feet nearer together give RoboGauge's margin nothing to divide by [m] (its D_NORM_MIN)."""
THIN = 1e-3
"""A support narrower than this is a line, and shorter than this a point [m]."""


def zmp(footing: Footing, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Zero-moment point on the level through the middle of the support, and that middle.

    x = -M_y / F_z, y = M_x / F_z from the middle O, the mean of the contacts with a gap up to
    `support_gap`, where F = sum m_i (a_i - g) and M = sum (p_i - O) x m_i (a_i - g) + I_i alpha_i +
    w_i x I_i w_i (Newton-Euler over all bodies, float64; Vukobratovic and Borovac 2004).

    Returns:
        The point in the world [m], (t, n, 2), NaN without support; and O [m], (t, n, 3).
    """
    middle = _middle(footing, rules)
    force = footing.needed_force
    moment = footing.needed_moment + np.cross(footing.centre - middle, force)
    return _level_point(middle, force, moment), middle


def cop(footing: Footing, rules: Rules) -> np.ndarray:
    """Centre of pressure of the contact forces on the same level, in the world [m], (t, n, 2).

    Equal to `zmp` as long as nothing but the ground and gravity acts on the robot.
    """
    middle = _middle(footing, rules)
    force = footing.force.sum(axis=2)
    moment = np.cross(footing.point - middle[:, :, None], footing.force) + footing.torque
    moment = np.where(footing.touching[..., None], moment, 0.0).sum(axis=2)
    return _level_point(middle, force, moment)


def zmp_margin(footing: Footing, physique: Physique, rules: Rules) -> np.ndarray:
    """How far the ZMP is from the edge of the support: 1 in the middle, 0 at the edge or beyond.

    With `zmp_in_polygon`: 1 - r, where the convex hull of the support, shrunk by r about its
    centroid, just reaches the ZMP. A hull thinner than 1 mm is a line and the distance counts along
    it; a single point has no inside and gives NaN. Without: RoboGauge's max(0, 1 - |zmp - O| / D)
    with D the largest distance of two feet in the default pose, 0 when that is below 1e-5 m.

    Higher is better, in [0, 1]; (t, n). In flight it is `flight`, NaN when that does not count.
    """
    point, middle = zmp(footing, rules)
    supported = np.isfinite(point).all(axis=-1)
    if not rules.zmp_in_polygon:
        far = np.linalg.norm(point - middle[..., :2], axis=-1)
        near = physique.spread >= LEAST_SPREAD
        margin = np.maximum(0.0, 1.0 - far / physique.spread) if near else np.zeros(far.shape)
        return np.where(supported, margin, aloft(rules))
    out = np.full(supported.shape, aloft(rules))
    bears = _bears(footing, rules)
    for t, n in np.argwhere(supported):
        out[t, n] = inside(footing.point[t, n, bears[t, n], :2], point[t, n])
    return out


def inside(support: np.ndarray, point: np.ndarray) -> float:
    """Say how far a point is from the edge of a support: 1 at the centroid, 0 at the edge.

    Args:
        support: points that bear, (c, 2) [m].
        point: (2,) [m].

    Returns:
        In [0, 1]; NaN when the support is a point.
    """
    # Plain numbers: a support has a handful of corners, and this is asked for every moment.
    corners = hull(support)
    ox, oy = corners[0]  # areas far from the world's origin are differences of large numbers
    corners = [(x - ox, y - oy) for x, y in corners]
    px, py = float(point[0]) - ox, float(point[1]) - oy
    (ax, ay), (bx, by) = max(product(corners, corners), key=lambda pair: dist(*pair))
    longest = dist((ax, ay), (bx, by))
    if longest < THIN:
        return float("nan")
    dx, dy = (bx - ax) / longest, (by - ay) / longest
    across = [x * dy - y * dx for x, y in corners]
    if max(across) - min(across) < THIN:
        off = (px - 0.5 * (ax + bx)) * dx + (py - 0.5 * (ay + by)) * dy
        return max(0.0, 1.0 - abs(off) / (0.5 * longest))
    edges = list(zip(corners, corners[1:] + corners[:1], strict=True))
    areas = [x * v - y * u for (x, y), (u, v) in edges]
    total = 3.0 * sum(areas)
    cx = sum((x + u) * area for ((x, _), (u, _)), area in zip(edges, areas, strict=True)) / total
    cy = sum((y + v) * area for ((_, y), (_, v)), area in zip(edges, areas, strict=True)) / total
    reach = max(
        ((px - cx) * (v - y) - (py - cy) * (u - x)) / ((x - cx) * (v - y) - (y - cy) * (u - x))
        for (x, y), (u, v) in edges
    )
    return max(0.0, 1.0 - reach)


def hull(points: np.ndarray) -> list[tuple[float, float]]:
    """Return the corners of the convex hull of (c, 2) points, counter-clockwise (Andrew 1979)."""
    ordered = sorted({(x, y) for x, y in points.tolist()})
    if len(ordered) < 3:
        return ordered
    ends: list[tuple[float, float]] = []
    for side in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in side:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        ends += chain[:-1]
    return ends


def _bears(footing: Footing, rules: Rules) -> np.ndarray:
    return footing.touching & (footing.dist <= rules.support_gap)


def _middle(footing: Footing, rules: Rules) -> np.ndarray:
    """Mean of the supporting contacts, (t, n, 3); NaN without one."""
    bears = _bears(footing, rules)
    count = bears.sum(axis=-1)
    total = np.where(bears[..., None], footing.point, 0.0).sum(axis=2)
    return np.where(count[..., None] > 0, total / np.maximum(count, 1)[..., None], np.nan)


def _level_point(middle: np.ndarray, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    stands = np.abs(force[..., 2]) > LEAST_FORCE
    up = np.where(stands, force[..., 2], np.nan)
    shift = np.stack((-moment[..., 1] / up, moment[..., 0] / up), axis=-1)
    return middle[..., :2] + shift
