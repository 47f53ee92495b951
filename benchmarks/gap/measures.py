"""What the experiment measures of a policy: numbers drawn from its walks, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import degrees, hypot

import numpy as np

from servogym.gauge.bars import microduck_flat as bar
from servogym.gauge.walking import Twist, Walk

STAND, STRAIGHT = bar.STAND, bar.STRAIGHT
GRID: tuple[Twist, ...] = (
    (0.15, 0.0, 0.0),
    STRAIGHT,
    (0.4, 0.0, 0.0),
    (-0.2, 0.0, 0.0),
    (0.0, 0.2, 0.0),
    (0.0, -0.2, 0.0),
)
"""Commands of the walking grid [m/s, m/s, rad/s]."""
RATES = (0.5, 1.0)
TURNS: tuple[Twist, ...] = tuple((0.0, 0.0, way * rate) for rate in RATES for way in (1, -1))
"""Commands of turning in place [m/s, m/s, rad/s]."""

Cells = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One number of one policy in one world."""

    value: float
    """The number; NaN when no robot was left standing in one of its commands."""
    cells: Cells = ()
    """Of each command, the number of each robot; empty when it is not a mean over robots."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A number that the experiment compares."""

    key: str
    """Name in the JSON."""
    part: str
    """Part of the experiment it belongs to."""
    title: str
    """Name within its part, unit included."""
    digits: int
    """Decimals in the tables."""
    of: Callable[[Sequence[Walk]], Sample]
    """Draws it from everything a policy walked in a world."""

    @property
    def full(self) -> str:
        """Name beside those of other parts."""
        return f"{self.part}: {self.title}"


def asked(walks: Sequence[Walk], commands: Sequence[Twist], **kind: bool) -> list[Walk]:
    """Return the walks of commands, pushed and with the head at zero unless told otherwise.

    Raises:
        LookupError: when one of them was not walked.
    """
    kind = {"pushed": True, "looking": False} | kind
    found = []
    for command in commands:
        same = [w for w in walks if w.command == command]
        same = [w for w in same if all(getattr(w, name) == kind[name] for name in kind)]
        if not same:
            raise LookupError(f"no walk at {command} with {kind}")
        found.append(same[0])
    return found


def over(walks: Sequence[Walk], number: Callable[[Walk], Sequence[float]]) -> Sample:
    """Average a number of each robot, first within each command and then over commands."""
    return averaged(tuple(tuple(float(x) for x in number(walk)) for walk in walks))


def averaged(cells: Cells) -> Sample:
    """Average cells; NaN when one of them is empty."""
    whole = all(cells)
    value = float(np.mean([np.mean(cell) for cell in cells])) if whole else float("nan")
    return Sample(value=value, cells=cells)


def _fell(walks: Sequence[Walk]) -> Sample:
    return averaged(
        tuple((100.0,) * walk.falls + (0.0,) * (walk.episodes - walk.falls) for walk in walks)
    )


def _fell_walking(walks: Sequence[Walk]) -> Sample:
    moving = [*asked(walks, (*GRID, *TURNS)), *asked(walks, [STRAIGHT], looking=True)]
    return _fell(moving)


def _fell_standing(walks: Sequence[Walk]) -> Sample:
    return _fell([*_still(walks), *_still(walks, looking=True)])


def _still(walks: Sequence[Walk], looking: bool = False) -> list[Walk]:
    return asked(walks, [STAND], pushed=False, looking=looking)


def _speed_error(walk: Walk) -> list[float]:
    ahead, aside, _ = walk.command
    velocities = zip(walk.robots["vx"], walk.robots["vy"], strict=True)
    return [hypot(vx - ahead, vy - aside) for vx, vy in velocities]


def _share(walk: Walk) -> list[float]:
    return [rate / walk.command[2] for rate in walk.robots["wz"]]


def _left_right(walks: Sequence[Walk]) -> Sample:
    apart = []
    for rate in RATES:
        turns = asked(walks, [(0.0, 0.0, rate), (0.0, 0.0, -rate)])
        left, right = (turn.mean("wz") for turn in turns)
        apart.append(100.0 * abs(left + right) / max(abs(left - right) / 2, 1e-9))
    return Sample(value=float(np.mean(apart)))


def _statistic(name: str, scale: float = 1.0) -> Callable[[Walk], list[float]]:
    return lambda walk: [scale * value for value in walk.robots[name]]


_DEGREES = degrees(1.0)

MEASURES = (
    Measure(
        key="falls",
        part="Walking",
        title="falls per 100 episodes",
        digits=1,
        of=_fell_walking,
    ),
    Measure(
        key="speed_error",
        part="Walking",
        title="speed error [m/s]",
        digits=3,
        of=lambda walks: over(asked(walks, GRID), _speed_error),
    ),
    Measure(
        key="power",
        part="Walking",
        title="mechanical power [W]",
        digits=2,
        of=lambda walks: over(asked(walks, GRID), _statistic("power")),
    ),
    Measure(
        key="stand_falls",
        part="Standing still",
        title="falls per 100 episodes",
        digits=1,
        of=_fell_standing,
    ),
    Measure(
        key="stand_drift",
        part="Standing still",
        title="drift in 10 s [mm]",
        digits=1,
        of=lambda walks: over(_still(walks), _statistic("base_drift", 1e3)),
    ),
    Measure(
        key="stand_steps",
        part="Standing still",
        title="steps per foot [1/s]",
        digits=2,
        of=lambda walks: over(_still(walks), _statistic("strides")),
    ),
    Measure(
        key="stand_power",
        part="Standing still",
        title="mechanical power [W]",
        digits=3,
        of=lambda walks: over(_still(walks), _statistic("power")),
    ),
    Measure(
        key="head_walking",
        part="Head tracking",
        title="error walking [deg]",
        digits=2,
        of=lambda walks: over(
            asked(walks, [STRAIGHT], looking=True), _statistic("head_error", _DEGREES)
        ),
    ),
    Measure(
        key="head_standing",
        part="Head tracking",
        title="error standing [deg]",
        digits=2,
        of=lambda walks: over(_still(walks, looking=True), _statistic("head_error", _DEGREES)),
    ),
    Measure(
        key="turn",
        part="Turning in place",
        title="achieved / commanded",
        digits=2,
        of=lambda walks: over(asked(walks, TURNS), _share),
    ),
    Measure(
        key="left_right",
        part="Turning in place",
        title="left and right differ [%]",
        digits=1,
        of=_left_right,
    ),
)
PARTS = tuple(dict.fromkeys(measure.part for measure in MEASURES))
FALLS = ("falls", "stand_falls")


def take(walks: Sequence[Walk]) -> dict[str, Sample]:
    """Return every measure of what a policy walked in one world, by key."""
    return {measure.key: measure.of(walks) for measure in MEASURES}
