"""Achieved / commanded velocity, bin by bin; who stands still is found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from servogym.gauge.metrics.samples import Samples
from servogym.gauge.metrics.velocity import made
from servogym.gauge.spread import Interval, bootstrap

Twist = tuple[float, float, float]

STILL = 0.1
"""A policy that achieves less than this share of every command it is given stands still [1]."""


@dataclass(frozen=True, kw_only=True)
class Bin:
    """How robots that were given one command followed it, as means over robots."""

    command: Twist
    """What was asked [m/s, m/s, rad/s]."""
    robots: int
    """How many were asked [1]."""
    achieved: float
    """Achieved / commanded along the command; with speed and turn both asked, the worse. A fallen
    robot has achieved 0; NaN where nothing is asked [1]."""
    achieved_interval: Interval | None
    """95 % bootstrap interval of that mean; None where nothing is asked."""
    upright: float
    """The same mean over the robots that did not fall; NaN when all did or nothing is asked [1]."""
    score: float
    """1 - |made - asked| / |asked|, not below 0, the worse of speed and turn; 0 for a fallen robot.
    Where nothing is asked: 1 - |made| / least command, see `bins`. Higher is better [1]."""
    score_interval: Interval
    """95 % bootstrap interval of that mean."""

    @property
    def moving(self) -> bool:
        """Whether the bin asks for anything."""
        return any(self.command)


def bins(
    velocity: np.ndarray, fallen: np.ndarray, command: np.ndarray, *, still: Twist
) -> list[Bin]:
    """Sort robots by what they were asked and say how they did it; in order of first appearance.

    Args:
        velocity: mean velocity of each robot, of `mean_velocity`, (n, 3).
        fallen: who fell, (n,) bool.
        command: what each was asked for all of the time, (n, 3) [m/s, m/s, rad/s].
        still: velocities at which a robot that is asked for nothing scores 0, all positive.

    Raises:
        ValueError: when `still` is not positive, or a standing robot's velocity is not finite.
    """
    if min(still) <= 0:
        raise ValueError(f"still is {still}; needs three velocities above 0")
    if not np.isfinite(velocity[~fallen]).all():
        raise ValueError("a robot that did not fall has no finite velocity")
    asked, order = np.unique(command, axis=0, return_index=True)
    out = []
    for twist in asked[np.argsort(order)]:
        rows = (command == twist).all(axis=1)
        up = ~fallen[rows]
        v = np.where(up[:, None], velocity[rows], 0.0)
        score = np.where(up, _score(v, twist, still), 0.0)
        ratio = np.where(up, _ratio(v, twist), 0.0) if twist.any() else None
        out.append(
            Bin(
                command=tuple(twist.tolist()),
                robots=int(rows.sum()),
                achieved=float("nan") if ratio is None else float(ratio.mean()),
                upright=float(ratio[up].mean()) if ratio is not None and up.any() else float("nan"),
                achieved_interval=None if ratio is None else bootstrap(ratio.tolist()),
                score=float(score.mean()),
                score_interval=bootstrap(score.tolist()),
            )
        )
    return out


def mean_velocity(samples: Samples) -> np.ndarray:
    """Mean over the settled time of the velocity in yaw-aligned axes, (n, 3); NaN without any."""
    counts = samples.settled & samples.alive
    total = np.where(counts[..., None], made(samples), 0.0).sum(axis=0)
    many = counts.sum(axis=0)[:, None]
    return np.where(many > 0, total / np.maximum(many, 1), np.nan)


def stands_still(found: Sequence[Bin]) -> bool:
    """Whether the robots that stay up achieve less than a tenth of every moving bin's command.

    False when no robot stays up in any of them, or when there is none: then it falls, or nobody
    asked it to move.
    """
    upright = [b.upright for b in found if b.moving and not np.isnan(b.upright)]
    return bool(upright) and max(upright) < STILL


def left_right(found: Sequence[Bin]) -> dict[Twist, float]:
    """|left - right| / mean of the achieved shares of each pair of mirrored commands [1].

    The key is the command whose first of (yaw rate, sideways speed) that is not zero is positive.
    2 when one side achieves nothing; NaN when neither does.
    """
    by = {b.command: b.achieved for b in found}
    out: dict[Twist, float] = {}
    for (vx, vy, wz), left in by.items():
        other = (vx, 0.0 - vy, 0.0 - wz)
        if (wz, vy) > (0.0, 0.0) and (wz > 0 or vy > 0) and other in by:
            both = abs(left) + abs(by[other])
            out[vx, vy, wz] = 2 * abs(left - by[other]) / both if both else float("nan")
    return out


def _parts(twist: np.ndarray) -> list[slice]:
    """The parts of a command that ask for anything: speed, turn."""
    return [part for part in (slice(0, 2), slice(2, 3)) if twist[part].any()]


def _ratio(velocity: np.ndarray, twist: np.ndarray) -> np.ndarray:
    shares = [
        velocity[:, part] @ twist[part] / (twist[part] @ twist[part]) for part in _parts(twist)
    ]
    return np.min(shares, axis=0)


def _score(velocity: np.ndarray, twist: np.ndarray, still: Twist) -> np.ndarray:
    if not twist.any():
        worst = np.abs(velocity / np.array(still)).max(axis=1)
        return np.maximum(0.0, 1.0 - worst)
    errors = [
        np.linalg.norm(velocity[:, part] - twist[part], axis=1) / np.linalg.norm(twist[part])
        for part in _parts(twist)
    ]
    return np.maximum(0.0, 1.0 - np.max(errors, axis=0))
