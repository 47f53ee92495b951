"""A grid of held commands, slow ones and standing included; a straight line; standing still."""

from __future__ import annotations

from servogym.gauge.goals.schedule import STAND, Goal, Twist, hold
from servogym.gauge.goals.velocity import Ranges

SLOW = (0.1, 0.2)
"""Forward speeds every robot is asked for [m/s]: below its usual speeds a policy often stands."""
SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of the largest forward speed [1]."""
SECONDS = 20.0
"""For how long a command is held [s]."""


def command_grid(ranges: Ranges, seconds: float = SECONDS) -> Goal:
    """Standing, slow and fast forward, backward, sideways, turning in place, and curves.

    Forward 0.1, 0.2 m/s and a quarter, a half, three quarters and all of the largest speed; half
    and all of what is allowed backward, to both sides and in both turns; a curve to both sides with
    half the speed and half the turn; and both speeds at half. What the ranges do not hold is left
    out.
    """
    wanted: list[Twist] = [STAND]
    (back, forth), (right, left), (clockwise, counter) = ranges.vx, ranges.vy, ranges.wz
    ahead = {v for v in SLOW if v <= forth} | {round(forth * share, 6) for share in SHARES}
    wanted += [(v, 0.0, 0.0) for v in sorted(ahead)]
    wanted += [(back * share, 0.0, 0.0) for share in (0.5, 1.0)]
    wanted += [(0.0, v * share, 0.0) for v in (left, right) for share in (0.5, 1.0)]
    wanted += [(0.0, 0.0, w * share) for w in (counter, clockwise) for share in (0.5, 1.0)]
    wanted += [(0.5 * forth, 0.0, 0.5 * w) for w in (counter, clockwise)]
    wanted += [(0.5 * forth, 0.5 * v, 0.0) for v in (left, right)]
    twists = dict.fromkeys((a + 0.0, b + 0.0, c + 0.0) for a, b, c in wanted)
    return Goal(name="command_grid", parts=tuple(hold(twist, seconds) for twist in twists))


def straight_line(speed: float, seconds: float = SECONDS) -> Goal:
    """Straight ahead at one speed [m/s] for 20 s: how far does the heading drift?

    Raises:
        ValueError: for a speed of 0, which is no line.
    """
    if not speed:
        raise ValueError("a straight line at 0 m/s; needs another speed")
    return Goal(name="straight_line", parts=(hold((speed, 0.0, 0.0), seconds),))


def stand_still(seconds: float = SECONDS) -> Goal:
    """Nothing for 20 s: does it stand?"""
    return Goal(name="stand_still", parts=(hold(STAND, seconds),))
