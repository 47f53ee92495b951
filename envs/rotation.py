"""Rotations by unit quaternions (w, x, y, z), for arrays with one robot a row."""

from __future__ import annotations

import numpy as np


def gravity_in_body(quat: np.ndarray) -> np.ndarray:
    """Return the direction of gravity seen from bodies, R(q)^T (0, 0, -1).

    Args:
        quat: orientation of the bodies in the world, (n, 4).

    Returns:
        Unit vectors in body axes, (n, 3); (0, 0, -1) when upright.
    """
    w, x, y, z = quat.T
    return np.stack((2 * (w * y - x * z), -2 * (y * z + w * x), 2 * (x * x + y * y) - 1), axis=1)


def to_body(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Turn world vectors (n, 3) into the axes of bodies with orientation quat (n, 4)."""
    w, x, y, z = quat.T
    a, b, c = vector.T
    # t = 2 v x u and v + w t + t x u, with u the vector part, written out: no small temporaries
    t, u, v = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    out = np.empty((len(quat), 3))
    out[:, 0] = a + w * t + (u * z - v * y)
    out[:, 1] = b + w * u + (v * x - t * z)
    out[:, 2] = c + w * v + (t * y - u * x)
    return out


def heading(quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cosine and sine (n,) of the yaw of bodies: the direction of their x axis on the floor.

    A body whose x axis is vertical has no heading; it gets (1, 0).
    """
    w, x, y, z = quat.T
    cos, sin = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z)
    length = np.sqrt(cos * cos + sin * sin)
    flat = length > 1e-9
    length = np.where(flat, length, 1.0)
    return np.where(flat, cos / length, 1.0), np.where(flat, sin / length, 0.0)


def about_axis(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return quaternions (n, 4) that turn by angle (n,) [rad] about axis (n, 3), any length > 0."""
    unit = axis / np.sqrt((axis * axis).sum(axis=1, keepdims=True))
    half = 0.5 * angle[:, None]
    return np.concatenate((np.cos(half), np.sin(half) * unit), axis=1)
