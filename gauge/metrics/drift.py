"""Where robots end that should not: off the line, out of their place, away from a pose."""

from __future__ import annotations

import numpy as np

from servogym.envs import rotation
from servogym.gauge import statistics
from servogym.gauge.metrics.samples import Samples


def yaw_drift(samples: Samples) -> np.ndarray:
    """|change of heading - integral of the commanded yaw rate|. Raw [deg], lower is better; (n,).

    From the first sample to the last, through full turns.
    """
    cos, sin = rotation.heading(samples.quat.reshape(-1, 4))
    heading = np.arctan2(sin, cos).reshape(samples.alive.shape)
    asked = samples.command[1:, :, 2].sum(axis=0) * samples.dt
    turned = np.unwrap(heading, axis=0)
    return np.abs(np.degrees(turned[-1] - turned[0] - asked))


def base_drift(samples: Samples, window: float = statistics.WINDOW) -> np.ndarray:
    """Largest displacement of the base over the floor within any `window`. Raw [m], (n,).

    Lower is better, for a robot that is to stand.
    """
    return statistics.drift(samples.position[:, :, :2], samples.steps(window))


def pose_error(
    samples: Samples, joints: tuple[str, ...], names: tuple[str, ...], wanted: np.ndarray
) -> np.ndarray:
    """Mean over named joints of |angle - wanted|: how a head follows. Raw [rad], (t, n).

    Args:
        samples: what the robots did.
        joints: all names in contract order.
        names: those that count.
        wanted: their angles [rad], (k,), (n, k) or (t, n, k).

    Raises:
        LookupError: for names that are no joints.
    """
    if unknown := [name for name in names if name not in joints]:
        raise LookupError(f"{unknown} are not among the joints {list(joints)}")
    columns = [joints.index(name) for name in names]
    return np.abs(samples.joint_pos[..., columns] - wanted).mean(axis=-1)
