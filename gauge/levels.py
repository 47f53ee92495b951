"""The highest terrain level a policy passes: a search, and a second look at what it found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

from tqdm import tqdm

from servogym.gauge import cell as cells
from servogym.gauge.cell import Cell
from servogym.gauge.judgement import short
from servogym.gauge.play import play
from servogym.gauge.quality import LEVELS
from servogym.gauge.spread import Interval, wilson
from servogym.gauge.subject import Subject, find

PASSED = 0.8
"""Share of robots that must reach the target [1] (RoboGauge, level search)."""
ROBOTS = 5
"""Robots a look (RoboGauge: five seeds)."""
KINDS = ("slope", "wave", "stairs", "obstacle")
"""Terrains with levels."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a level was done, over everything that was tried on it."""

    tried: int = 0
    """Robots that tried [1]."""
    done: int = 0
    """Robots that reached the target in time, on their feet [1]."""
    falls: int = 0
    """Robots that fell [1]."""
    looks: int = 0
    """How often robots were sent, each time others [1]."""

    def __add__(self, other: Look) -> Look:
        """Put two looks together."""
        return Look(
            tried=self.tried + other.tried,
            done=self.done + other.done,
            falls=self.falls + other.falls,
            looks=self.looks + other.looks,
        )

    @property
    def passed(self) -> bool:
        """Whether enough of all robots that tried did it."""
        return self.tried > 0 and self.done >= PASSED * self.tried - 1e-9

    @property
    def interval(self) -> Interval:
        """95 % interval of the share that does it, after Wilson [1]."""
        return wilson(self.done, self.tried)


@dataclass(frozen=True, kw_only=True)
class Found:
    """The highest level passed, and everything that was looked at to say so."""

    level: int
    """Highest level passed; 0 when none was."""
    looks: Mapping[int, Look] = field(default_factory=dict)
    """Level -> how it was done, ascending."""

    @property
    def orderly(self) -> bool:
        """Whether every level below one that was passed was passed too, as far as looked at."""
        passed = [look.passed for _, look in sorted(self.looks.items())]
        return passed == sorted(passed, reverse=True)

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values."""
        looks = {
            str(level): {**vars(look), "passed": look.passed, "interval": look.interval}
            for level, look in sorted(self.looks.items())
        }
        return short({"level": self.level, "orderly": self.orderly, "looks": looks})


def search(look: Callable[[int, int], Look], highest: int = LEVELS) -> Found:
    """Find the highest level passed by bisection, and confirm it.

    Bisection alone believes every look and that whoever fails a level fails all above it: one lucky
    or unlucky look decides. So the level it ends on, and the one above, are looked at again with
    other robots, and all robots that tried a level count. A level that does not hold is given up
    for the one below, one that is passed after all is taken, until the level is passed and the one
    above is not, each by two looks.

    Args:
        look: (level, number of the look at that level from 0) -> what came of it.
        highest: the last level.
    """
    seen: dict[int, Look] = {}

    def passed(level: int, wanted: int) -> bool:
        while seen.get(level, Look()).looks < wanted:
            before = seen.get(level, Look())
            seen[level] = before + look(level, before.looks)
        return seen[level].passed

    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if passed(middle, 1) else (low, middle - 1)
    while low > 0 and not passed(low, 2):
        low -= 1
    while low < highest and passed(low + 1, 2):
        low += 1
    return Found(level=low, looks=dict(sorted(seen.items())))


def climb(cell: Cell, kind: str, subject: Subject, *, threads: int = 0) -> Found:
    """Find the highest level of a terrain that a policy passes.

    A level is passed when 80 % of the robots come within 0.1 m of its target in time, on their
    feet: `Target` leads them there at the task's largest speed, slower on stairs and obstacles.
    They begin facing along x, as RoboGauge's do, unless the cell's `spawn` says otherwise.

    Args:
        cell: gives task, rules, seed, time limit, robots a look, and options but for the terrain.
        kind: one of `KINDS`.
        subject: who climbs.
        threads: physics threads; 0 uses every CPU.

    Raises:
        LookupError: for a kind of terrain without levels.
        ValueError: as for `play`.
    """
    if kind not in KINDS:
        raise LookupError(f"terrain {kind!r} has no levels; {', '.join(KINDS)} have")
    with tqdm(desc=kind, unit="look", disable=None) as bar:

        def look(level: int, number: int) -> Look:
            found = attempt(cell, kind, level, subject, number=number, threads=threads)
            bar.set_postfix_str(f"level {level}: {found.done} of {found.tried}")
            bar.update()
            return found

        return search(look)


def attempt(
    cell: Cell, kind: str, level: int, subject: Subject, *, number: int = 0, threads: int = 0
) -> Look:
    """Send the robots of one look over a terrain of one level; arguments as for `climb`.

    Args:
        cell: as for `climb`.
        kind: one of `KINDS`.
        level: 1 to 10.
        subject: who climbs.
        number: of the look at this level, from 0; each has other robots.
        threads: physics threads; 0 uses every CPU.
    """
    spawn = cell.options.get("spawn")
    spawn = {"yaw": 0.0, **(spawn or {})} if spawn is not False else False
    options = {**cell.options, "terrain": f"{kind}:{level}", "spawn": spawn}
    one = replace(cell, goals=(cells.TARGET,), seed=cell.seed + number, options=options)
    score = play(one, subject, threads=threads).goals[cells.TARGET]
    done = round((score.success or 0.0) * score.episodes)
    return Look(tried=score.episodes, done=done, falls=score.falls, looks=1)


def fixed(friction: float | None, mass: float | None) -> dict[str, Any]:
    """Give the fields of a randomisation in which all robots have one friction and one mass.

    Args:
        friction: sliding friction of the feet [1]; None: as the task draws it.
        mass: factor on mass and inertia of the base [1]; None: as the task draws it.

    Raises:
        ValueError: one of them is not above 0.
    """
    said: dict[str, Any] = {}
    for name, value in (("friction", friction), ("mass", mass)):
        if value is not None and not 0.0 < value < inf:
            raise ValueError(f"{name} {value:g}: a number above 0 is needed")
    if friction is not None:
        said["sliding_friction"] = {"of": "feet", "value": [friction, friction]}
    if mass is not None:
        said["mass"] = {"of": "base", "scale": [mass, mass]}
    return said


def main(argv: Sequence[str] | None = None) -> int:
    """Print the highest level of every terrain that a policy passes, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m servogym.gauge.levels", description=__doc__)
    parser.add_argument("policy", help="ONNX file, run folder, checkpoint, `zero` or `random`")
    parser.add_argument("--task", default="Go2-Flat-v0", help="environment id")
    parser.add_argument("--terrains", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--robots", type=int, default=ROBOTS, help="robots a look")
    parser.add_argument(
        "--friction",
        type=float,
        help="of all feet; 1.0 in RoboGauge; default: as the task draws it",
    )
    parser.add_argument(
        "--mass",
        type=float,
        help="factor on the base's; 1.0 in RoboGauge; default: as the task draws it",
    )
    parser.add_argument("--seed", type=int, default=0, help="what random streams are made from")
    args = parser.parse_args(argv)
    try:
        subject = find(args.policy, args.task)
        options = {"randomization": fixed(args.friction, args.mass)}
        cell = Cell(task=args.task, robots=args.robots, seed=args.seed, options=options)
        found = {kind: climb(cell, kind, subject).record() for kind in args.terrains}
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        print(
            f"levels: {error.args[0] if isinstance(error, LookupError) else error}", file=sys.stderr
        )
        return 1
    asked = {name: getattr(args, name) for name in ("task", "robots", "seed", "friction", "mass")}
    policy = {"policy": Path(args.policy).as_posix(), "sha256": subject.sha256}
    print(json.dumps({**policy, **asked, **found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
