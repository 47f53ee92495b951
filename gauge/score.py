"""What a policy scored in one cell: plain records that always come out the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from servogym.gauge.judgement import short
from servogym.gauge.metrics.penetration import Penetration
from servogym.gauge.metrics.tracking import Bin
from servogym.gauge.spread import Interval

Summary = Mapping[str, float]
"""mean, mean@50, mean@25 and zeros of one metric over all scored moments."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number without a score, over the robots it can be told of."""

    unit: str
    """Its unit."""
    mean: float
    """Mean over robots; NaN when it is infinite for all."""
    interval: Interval | None
    """95 % bootstrap interval of that mean."""
    worst: float
    """Of the worst robot."""
    robots: int
    """How many robots that mean is over: they did not fall, and it is finite for them [1]."""


@dataclass(frozen=True, kw_only=True)
class GoalScore:
    """How one goal was played."""

    episodes: int
    """How many robots played it [1]."""
    falls: int
    """How many fell [1]."""
    falls_interval: Interval
    """95 % interval of the share that falls, after Wilson [1]."""
    diverged: int
    """How many of those fell because the physics blew up [1]."""
    metrics: Mapping[str, Summary]
    """`quality` and every scored metric -> its summary over all moments and robots [1]."""
    numbers: Mapping[str, Number]
    """Numbers without a score, by name."""
    success: float | None
    """Share that did it: arrived, or recovered from the push; None where nothing is to be done."""
    penetration: Penetration
    """How deep feet sink [m]."""
    deepest: float
    """Deepest contact of any part of a robot [m]."""


@dataclass(frozen=True, kw_only=True)
class Bad:
    """A moment of an episode that was bad."""

    goal: str
    """In which goal."""
    part: str
    """In which part of it."""
    robot: int
    """Which robot of the part."""
    time: float
    """When, after the robot had come to rest [s]."""
    quality: float
    """Quality of that moment [1]."""
    metric: str
    """The metric that was lowest, or `fall`."""
    value: float
    """Its value [1]."""
    course: tuple[float, ...]
    """Quality of every scored moment of the episode; NaN where nothing is scored [1]."""


@dataclass(frozen=True, kw_only=True)
class Episode:
    """One robot in one part of a goal."""

    goal: str
    """In which goal."""
    part: str
    """In which part of it."""
    robot: int
    """Which robot of the part; the same in every cell that differs in its physics alone."""
    fell: bool
    """Whether it fell."""
    success: bool | None
    """Whether it did what was to be done; None where nothing was."""
    metrics: Mapping[str, float]
    """`quality` and each scored metric: mean over its moments; NaN where none is scored [1]."""
    moments: int
    """How many moments of it were scored [1]."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """What a policy scored in one cell."""

    cell: Mapping[str, Any]
    """The cell, as its record."""
    subject: Mapping[str, Any]
    """Who played: name, file, digest, and the motors it was trained on."""
    world: Mapping[str, Any]
    """On what: robot, motor law, contacts, which geoms collide, versions."""
    rules: str
    """Name of the rules that scored it."""
    metrics: Mapping[str, Summary]
    """`quality` and every scored metric: means over the goals, sums of zeros [1]."""
    goals: Mapping[str, GoalScore]
    """Each goal by itself."""
    bins: tuple[Bin, ...]
    """Achieved / commanded, a bin for each command that was held."""
    flags: tuple[str, ...]
    """Tags of `flags.MEANING`; empty when nothing is obviously wrong."""
    bad: tuple[Bad, ...]
    """The worst moment of each of the worst episodes, worst first."""
    played: tuple[Episode, ...]
    """Every episode, in the order of the goals."""

    @property
    def quality(self) -> float:
        """Mean quality over the goals [1]."""
        return self.metrics["quality"]["mean"]

    @property
    def episodes(self) -> int:
        """How many episodes were played [1]."""
        return sum(goal.episodes for goal in self.goals.values())

    @property
    def falls(self) -> int:
        """How many ended in a fall [1]."""
        return sum(goal.falls for goal in self.goals.values())

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values; six digits, and what is not finite is None."""
        return short({**asdict(self), "bins": [asdict(each) for each in self.bins]})
