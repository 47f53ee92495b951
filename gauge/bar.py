"""MicroDuck's walking bar: what a walk must do, every limit in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from servogym.gauge.spread import Interval, bootstrap, wilson
from servogym.gauge.walking import Twist, Walk, said

USABLE, WALKING = "usable", "walking"
MARKS = (USABLE, WALKING)

ROBOT, SECONDS = "microduck", 20.0
"""Whose bar it is, and the length of the episodes it is for [s]."""
STRAIGHT: Twist = (0.25, 0.0, 0.0)
"""The command at which gait, straightness and head are judged."""
STAND: Twist = (0.0, 0.0, 0.0)
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


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One line of the bar."""

    mark: str
    """The mark it belongs to: usable or walking."""
    name: str
    """What is judged, unit included."""
    value: float
    """What was measured; NaN when nobody was left standing to measure."""
    interval: Interval | None
    """95 % interval of it, over robots or episodes; None where it is no mean."""
    limit: float
    """What is accepted, the limit itself included unless `strict`."""
    at_least: bool = False
    """Whether the value must reach the limit rather than stay within it."""
    strict: bool = False
    """Whether the limit itself is refused."""

    @property
    def passed(self) -> bool:
        """Whether it is met; NaN never is."""
        if self.strict and self.value == self.limit:
            return False
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def judge(walks: Sequence[Walk]) -> list[Criterion]:
    """Hold walks against the bar.

    Args:
        walks: pushed walks of every command named above, all others count for falls; `STRAIGHT`
            once more with head commands, and `STAND` once more without pushes.

    Raises:
        LookupError: when one of them is missing.
    """
    grid = [walk for walk in walks if walk.pushed and not walk.looking]
    straight, look = _find(grid, STRAIGHT), _find([w for w in walks if w.looking], STRAIGHT)
    quiet = _find([walk for walk in walks if not walk.pushed and not walk.looking], STAND)
    return [
        *_usable(grid),
        _falls(WALKING, grid, FALLS),
        *_stand(quiet),
        *(_achieved(_find(grid, command), limit) for command, limit in ACHIEVED),
        *(_left_right(grid, rate) for rate in (0.5, 1.0)),
        _upto("yaw drift in an episode, straight [deg]", straight, "yaw_drift", YAW_DRIFT, True),
        _least("foot clearance, straight [m]", straight, "clearance", CLEARANCE),
        _upto("head error, straight with head commands [rad]", look, "head_error", HEAD_ERROR),
        _upto("strides per foot, straight [1/s]", straight, "strides", STRIDES),
        _least("swing duration, straight [s]", straight, "swing", SWING),
        _upto("mechanical power, straight [W]", straight, "power", POWER),
        _upto("limp |left-right|/mean of swings, straight", straight, "asymmetry", ASYMMETRY),
    ]


def reached(criteria: Sequence[Criterion], mark: str) -> bool:
    """Whether every criterion of a mark is met."""
    return all(c.passed for c in criteria if c.mark == mark)


def _usable(grid: list[Walk]) -> list[Criterion]:
    forward = [((v, 0.0, 0.0), f"error of forward speed at {v:g} m/s [m/s]") for v in USABLE_AT]
    return [
        _falls(USABLE, grid, FALLS_USABLE),
        *(
            Criterion(
                mark=USABLE,
                name=name,
                value=abs(_find(grid, command).mean("vx") - command[0]),
                interval=None,
                limit=FORWARD_ERROR,
                strict=True,
            )
            for command, name in forward
        ),
    ]


def _falls(mark: str, grid: list[Walk], limit: float) -> Criterion:
    falls, episodes = sum(walk.falls for walk in grid), sum(walk.episodes for walk in grid)
    low, high = wilson(falls, episodes)
    return Criterion(
        mark=mark,
        name="falls per 100 episodes, all commands",
        value=100.0 * falls / episodes,
        interval=(100.0 * low, 100.0 * high),
        limit=limit,
    )


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
        _upto("strides per foot, standing unpushed [1/s]", quiet, "strides", 0.0),
    ]


def _achieved(walk: Walk, limit: float) -> Criterion:
    command = np.array(walk.command)
    velocity = np.array([walk.robots[name] for name in ("vx", "vy", "wz")])
    shares = (command @ velocity / (command @ command)).tolist()
    return Criterion(
        mark=WALKING,
        name=f"achieved / commanded, {said(walk.command)}",
        value=float(np.mean(shares)) if shares else float("nan"),
        interval=bootstrap(shares) if shares else None,
        limit=limit,
        at_least=True,
    )


def _left_right(grid: list[Walk], rate: float) -> Criterion:
    left, right = (_find(grid, (0.0, 0.0, way * rate)).mean("wz") for way in (1, -1))
    return Criterion(
        mark=WALKING,
        name=f"left and right differ, yaw {rate:g} rad/s",
        value=abs(left + right) / max(abs(left - right) / 2, 1e-9),
        interval=None,
        limit=LEFT_RIGHT,
    )


def _upto(name: str, walk: Walk, statistic: str, limit: float, strict: bool = False) -> Criterion:
    value, interval = walk.mean(statistic), walk.interval(statistic)
    return Criterion(
        mark=WALKING, name=name, value=value, interval=interval, limit=limit, strict=strict
    )


def _least(name: str, walk: Walk, statistic: str, limit: float) -> Criterion:
    value, interval = walk.mean(statistic), walk.interval(statistic)
    return Criterion(
        mark=WALKING, name=name, value=value, interval=interval, limit=limit, at_least=True
    )


def _find(walks: Sequence[Walk], command: Twist) -> Walk:
    for walk in walks:
        if walk.command == command:
            return walk
    raise LookupError(
        f"no walk at {said(command)}; there are {', '.join(said(w.command) for w in walks)}"
    )
