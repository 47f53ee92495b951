"""MicroDuck's walking bar: what a walk must do, every limit in one place."""

from __future__ import annotations

from collections.abc import Sequence

from servogym.gauge.bar import STAND, Bar
from servogym.gauge.criterion import (
    MARKS,
    USABLE,
    WALKING,
    Criterion,
    achieved,
    falls,
    find,
    least,
    left_right,
    reached,
    upto,
)
from servogym.gauge.walking import Twist, Walk

__all__ = ["BAR", "MARKS", "STAND", "STRAIGHT", "judge", "reached"]

COMMANDS: tuple[Twist, ...] = (
    (0.0, 0.0, 0.0),
    (0.1, 0.0, 0.0),
    (0.15, 0.0, 0.0),
    (0.2, 0.0, 0.0),
    (0.25, 0.0, 0.0),
    (0.3, 0.0, 0.0),
    (0.4, 0.0, 0.0),
    (-0.2, 0.0, 0.0),
    (0.0, 0.2, 0.0),
    (0.0, -0.2, 0.0),
    (0.0, 0.0, 0.5),
    (0.0, 0.0, -0.5),
    (0.0, 0.0, 1.0),
    (0.0, 0.0, -1.0),
    (0.2, 0.0, 0.5),
    (0.2, 0.1, 0.0),
)
"""Forward and sideways speed [m/s] and yaw rate [rad/s], yaw-aligned axes."""
STRAIGHT: Twist = (0.25, 0.0, 0.0)
"""The command at which gait, straightness and head are judged."""
FALLS_USABLE = 5.0
"""Falls per 100 episodes over all commands."""
FORWARD_ERROR = 0.06
"""Error of the mean forward speed [m/s]."""
USABLE_AT = (0.2, 0.25, 0.3)
"""Forward speeds at which that is judged [m/s]."""
FALLS = 2.0
"""Falls per 100 episodes over all commands."""
ACHIEVED: tuple[tuple[Twist, float], ...] = (
    ((0.15, 0.0, 0.0), 0.6),
    ((0.25, 0.0, 0.0), 0.85),
    ((0.3, 0.0, 0.0), 0.85),
    ((0.4, 0.0, 0.0), 0.85),
    ((-0.2, 0.0, 0.0), 0.7),
    ((0.0, 0.2, 0.0), 0.7),
    ((0.0, -0.2, 0.0), 0.7),
    ((0.0, 0.0, 0.5), 0.85),
    ((0.0, 0.0, -0.5), 0.85),
    ((0.0, 0.0, 1.0), 0.85),
    ((0.0, 0.0, -1.0), 0.85),
)
"""Achieved / commanded speed along the command, at least."""
LEFT_RIGHT = 0.10
"""|left - right| / mean of the achieved yaw rates."""
BASE_DRIFT = 0.02
"""Displacement within 10 s of any standing robot that nobody pushes [m]."""
YAW_DRIFT = 15.0
"""Change of heading in a straight episode [deg]."""
CLEARANCE = 0.008
"""Height of the foot site in a swing [m]."""
HEAD_ERROR = 0.1
"""Mean error over head joints while walking with head commands [rad]."""
STRIDES = 3.5
"""Landings a foot [1/s]."""
SWING = 0.15
"""Duration of a swing [s]."""
POWER = 4.0
"""Mechanical power [W]."""
ASYMMETRY = 0.15
"""|left - right| / mean of the swing durations of a robot. Contacts are seen once a control step:
20 ms, 13 % of the shortest swing allowed, are the least difference that must be called a limp."""


def judge(walks: Sequence[Walk]) -> list[Criterion]:
    """Hold walks against the bar.

    Args:
        walks: pushed walks of every command named above, all others count for falls; `STRAIGHT`
            once more with head commands, and `STAND` once more without pushes.

    Raises:
        LookupError: when one of them is missing.
    """
    grid = [walk for walk in walks if walk.pushed and not walk.looking]
    straight, look = find(grid, STRAIGHT), find([w for w in walks if w.looking], STRAIGHT)
    quiet = find([walk for walk in walks if not walk.pushed and not walk.looking], STAND)
    return [
        *_usable(grid),
        falls(WALKING, grid, FALLS),
        *_stand(quiet),
        *(achieved(find(grid, command), limit) for command, limit in ACHIEVED),
        *(left_right(grid, rate, LEFT_RIGHT) for rate in (0.5, 1.0)),
        upto("yaw drift in an episode, straight [deg]", straight, "yaw_drift", YAW_DRIFT, True),
        least("foot clearance, straight [m]", straight, "clearance", CLEARANCE),
        upto("head error, straight with head commands [rad]", look, "head_error", HEAD_ERROR),
        upto("strides per foot, straight [1/s]", straight, "strides", STRIDES),
        least("swing duration, straight [s]", straight, "swing", SWING),
        upto("mechanical power, straight [W]", straight, "power", POWER),
        upto("limp |left-right|/mean of swings, straight", straight, "asymmetry", ASYMMETRY),
    ]


def _usable(grid: list[Walk]) -> list[Criterion]:
    forward = [((v, 0.0, 0.0), f"error of forward speed at {v:g} m/s [m/s]") for v in USABLE_AT]
    return [
        falls(USABLE, grid, FALLS_USABLE),
        *(
            Criterion(
                mark=USABLE,
                name=name,
                value=abs(find(grid, command).mean("vx") - command[0]),
                interval=None,
                limit=FORWARD_ERROR,
                strict=True,
            )
            for command, name in forward
        ),
    ]


def _stand(quiet: Walk) -> list[Criterion]:
    drifts = quiet.robots["base_drift"]
    return [
        Criterion(
            mark=WALKING,
            name="falls per 100 episodes, standing unpushed",
            value=100.0 * quiet.falls / quiet.episodes,
            interval=None,
            limit=0.0,
        ),
        Criterion(
            mark=WALKING,
            name="drift in 10 s, standing unpushed, worst robot [m]",
            value=max(drifts, default=float("nan")),
            interval=None,
            limit=BASE_DRIFT,
            strict=True,
        ),
        upto("strides per foot, standing unpushed [1/s]", quiet, "strides", 0.0),
    ]


BAR = Bar(commands=COMMANDS, straight=STRAIGHT, judge=judge)
