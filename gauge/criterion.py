"""One line of a bar: something measured, held against a limit; and how such lines are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from servogym.gauge.spread import Interval, bootstrap, wilson
from servogym.gauge.walking import Walk, said

USABLE, WALKING = "usable", "walking"
MARKS = (USABLE, WALKING)
"""Marks of every bar, the easier one first."""


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


def reached(criteria: Sequence[Criterion], mark: str) -> bool:
    """Whether every criterion of a mark is met."""
    return all(c.passed for c in criteria if c.mark == mark)


def falls(mark: str, grid: list[Walk], limit: float) -> Criterion:
    """Hold the falls over all commands against a limit."""
    falls, episodes = sum(walk.falls for walk in grid), sum(walk.episodes for walk in grid)
    low, high = wilson(falls, episodes)
    return Criterion(
        mark=mark,
        name="falls per 100 episodes, all commands",
        value=100.0 * falls / episodes,
        interval=(100.0 * low, 100.0 * high),
        limit=limit,
    )


def achieved(walk: Walk, limit: float) -> Criterion:
    """Hold the speed along the command, over the commanded one, against a limit."""
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


def left_right(grid: list[Walk], rate: float, limit: float) -> Criterion:
    """Hold the difference between turning left and right at a rate [rad/s] against a limit."""
    left, right = (find(grid, (0.0, 0.0, way * rate)).mean("wz") for way in (1, -1))
    return Criterion(
        mark=WALKING,
        name=f"left and right differ, yaw {rate:g} rad/s",
        value=abs(left + right) / max(abs(left - right) / 2, 1e-9),
        interval=None,
        limit=limit,
    )


def upto(name: str, walk: Walk, statistic: str, limit: float, strict: bool = False) -> Criterion:
    """Hold the mean of a statistic against a limit it must not exceed."""
    value, interval = walk.mean(statistic), walk.interval(statistic)
    return Criterion(
        mark=WALKING, name=name, value=value, interval=interval, limit=limit, strict=strict
    )


def least(name: str, walk: Walk, statistic: str, limit: float) -> Criterion:
    """Hold the mean of a statistic against a limit it must reach."""
    value, interval = walk.mean(statistic), walk.interval(statistic)
    return Criterion(
        mark=WALKING, name=name, value=value, interval=interval, limit=limit, at_least=True
    )


def find(walks: Sequence[Walk], command: tuple[float, float, float]) -> Walk:
    """Return the walk of a command.

    Raises:
        LookupError: naming the commands there are.
    """
    for walk in walks:
        if walk.command == command:
            return walk
    raise LookupError(
        f"no walk at {said(command)}; there are {', '.join(said(w.command) for w in walks)}"
    )
