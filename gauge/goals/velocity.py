"""The largest commands: each axis by itself, and both speeds at once with a sudden reversal."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from servogym.gauge.goals.schedule import STAND, Goal, Part, Piece, Twist, said

MOVE, REST = 5.0, 2.0
"""Time of a largest command and of the zero command after it [s] (RoboGauge, max_velocity)."""
HALF = 3.0
"""Time of a diagonal command and of its reverse [s] (RoboGauge, diagonal_velocity)."""


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """Smallest and largest command of each axis; 0 leaves a direction out."""

    vx: tuple[float, float]
    """Backward (negative) and forward speed [m/s]."""
    vy: tuple[float, float]
    """Speed to the right (negative) and to the left [m/s]."""
    wz: tuple[float, float]
    """Yaw rate to the right (negative) and to the left [rad/s]."""

    def __post_init__(self) -> None:
        """Refuse ranges that do not hold 0.

        Raises:
            ValueError: naming the axis.
        """
        for axis in ("vx", "vy", "wz"):
            low, high = getattr(self, axis)
            if not low <= 0 <= high:
                raise ValueError(f"range {axis} is ({low:g}, {high:g}); needs low <= 0 <= high")

    @property
    def top(self) -> Twist:
        """Largest size of each axis [m/s, m/s, rad/s]."""
        vx, vy, wz = (max(-low, high) for low, high in (self.vx, self.vy, self.wz))
        return vx, vy, wz


GO2_FLAT = Ranges(vx=(-2.0, 2.0), vy=(-1.0, 1.0), wz=(-2.0, 2.0))
"""RoboGauge's for Go2 on the flat."""
GO2_TERRAIN = Ranges(vx=(-1.0, 1.0), vy=(-1.0, 1.0), wz=(-1.5, 1.5))
"""RoboGauge's for Go2 on terrain."""


def max_velocity(ranges: Ranges, move: float = MOVE, rest: float = REST) -> Goal:
    """Every bound that is not 0, by itself, then the zero command; up to six parts of 7 s.

    Source: RoboGauge v1.1.3, max_velocity; order vx-, vx+, vy-, vy+, yaw-, yaw+.

    Raises:
        ValueError: when all bounds are 0.
    """
    parts = []
    for axis, bounds in enumerate((ranges.vx, ranges.vy, ranges.wz)):
        for bound in bounds:
            if bound:
                vx, vy, wz = (bound if axis == k else 0.0 for k in range(3))
                parts.append(_then((vx, vy, wz), move, STAND, rest))
    return Goal(name="max_velocity", parts=tuple(parts))


def diagonal_velocity(ranges: Ranges, half: float = HALF) -> Goal:
    """Every pair of forward and sideways bounds or 0, not both 0, then its reverse; eight of 6 s.

    Source: RoboGauge v1.1.3, diagonal_velocity: {min, max, 0}² without (0, 0), 3 s and 3 s with the
    signs inverted. A reverse that the ranges do not hold is cut to them.

    Raises:
        ValueError: when both axes are 0.
    """
    parts, known = [], set()
    for vx, vy in product((*ranges.vx, 0.0), (*ranges.vy, 0.0)):
        if (vx, vy) != (0.0, 0.0) and (vx, vy) not in known:
            known.add((vx, vy))
            back = _within(-vx, ranges.vx), _within(-vy, ranges.vy), 0.0
            parts.append(_then((vx, vy, 0.0), half, back, half))
    return Goal(name="diagonal_velocity", parts=tuple(parts))


def _then(first: Twist, seconds: float, second: Twist, after: float) -> Part:
    pieces = Piece(twist=first, seconds=seconds), Piece(twist=second, seconds=after)
    return Part(name=said(first), pieces=pieces)


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1]) + 0.0  # + 0.0 makes -0.0 a 0.0
