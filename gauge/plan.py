"""What each robot of a cell is to do: one errand a robot and episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from servogym import robots
from servogym.envs import registration
from servogym.envs.ramp import current
from servogym.envs.task import Task
from servogym.gauge import cell as cells
from servogym.gauge.cell import Cell
from servogym.gauge.goals import grid, head, pushes, velocity
from servogym.gauge.goals.pushes import Push
from servogym.gauge.goals.schedule import STAND, Goal, Part, Twist, hold, said
from servogym.gauge.goals.target import Target
from servogym.gauge.goals.velocity import Ranges
from servogym.scenes.terrain import Terrain

CAREFUL = 0.8
"""Speed on the way to a target over stairs and obstacles, over the largest [1]: RoboGauge's 0.8 of
1.0 m/s."""
WAY = 0.25
"""Distance of a target / (largest forward speed x time limit), on even ground [1]."""
LONGER = 1.5
"""Time limit on stairs and obstacles over that elsewhere: RoboGauge's 30 s and 20 s [1]."""
FIRST = 3.0
"""When a robot is pushed, after it has come to rest; sooner in an episode below 7.5 s [s]."""
KICK = 0.25
"""Push where the task has none, over sqrt(g x base height) [1]; MicroDuck's task pushes with as
much."""


@dataclass(frozen=True, kw_only=True)
class Aim:
    """A target seen from where a robot begins."""

    lead: Target
    """How it is led; the place is filled in when the robot stands."""
    distance: float
    """How far away [m]."""
    bearing: float
    """Direction from its own heading, to the left [rad]."""
    place: tuple[float, float] | None = None
    """Place in the world instead [m]."""


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What one robot does in one episode, after it has come to rest."""

    goal: str
    """Name of the goal."""
    part: str
    """Name of the part."""
    robot: int
    """Number of the robot within the part, from 0."""
    seconds: float
    """How long it takes [s]."""
    schedule: Part | None = None
    """What is asked, piece by piece; None with an aim."""
    aim: Aim | None = None
    """Where to go."""
    head: tuple[float, ...] = ()
    """Deviation of each head joint from the default pose that is asked for [rad]; () is none."""
    push: Push | None = None
    """One push; its time counts from when the robot has come to rest."""

    @property
    def twist(self) -> Twist | None:
        """The one command that is held; None when it changes."""
        pieces = self.schedule.pieces if self.schedule else ()
        return pieces[0].twist if len(pieces) == 1 else None

    @property
    def first(self) -> Twist | None:
        """The command that is held first, by a robot nobody pushes and whose head is at rest."""
        plain = self.schedule and self.push is None and not self.head
        return self.schedule.pieces[0].twist if self.schedule and plain else None


def errands(cell: Cell) -> list[Errand]:
    """List everything that is to be played, in the order of the goals; the same for every policy.

    Raises:
        LookupError: for an unknown task.
        ValueError: when the task asks for nothing that a goal could ask for.
    """
    task = registration.find(registration.resolve(cell.task)["task"])
    out: list[Errand] = []
    for goal in cell.goals:
        out += _MAKERS[goal](cell, task)
    if not out:
        raise ValueError(f"{cell.task} has nothing to do for the goals {', '.join(cell.goals)}")
    return out


def ranges(cell: Cell, task: Task) -> Ranges:
    """Say how much is asked for: as in training, by RoboGauge's rules as RoboGauge asks of Go2."""
    if cell.rules == "robogauge" and task.robot == "go2":
        flat = _course(cell) is None and task.terrain in (None, Terrain())
        return velocity.GO2_FLAT if flat else velocity.GO2_TERRAIN
    vx, vy, wz = task.commands.twist
    return Ranges(vx=(-vx, vx), vy=(-vy, vy), wz=(-wz, wz))


def kick(task: Task) -> float:
    """Return the size of a push [m/s]: that of the task's training, or one like MicroDuck's."""
    trained = task.randomization.push
    if trained:
        return current(trained, np.inf)
    return KICK * float(np.sqrt(9.81 * robots.get(task.robot).spawn_height))


def _schedules(make: Callable[[Ranges, Cell], Goal]) -> Callable[[Cell, Task], list[Errand]]:
    def maker(cell: Cell, task: Task) -> list[Errand]:
        goal = make(ranges(cell, task), cell)
        return _each(goal.name, goal.parts, cell)

    return maker


def _each(name: str, parts: Sequence[Part], cell: Cell) -> list[Errand]:
    return [
        Errand(goal=name, part=part.name, robot=robot, seconds=part.seconds, schedule=part)
        for part in parts
        for robot in range(cell.robots)
    ]


def _straight(asked: Ranges, cell: Cell) -> Goal:
    return grid.straight_line(round(0.5 * asked.vx[1], 6), cell.seconds)


def _gaits(cell: Cell, task: Task) -> tuple[Part, Part]:
    half = round(0.5 * ranges(cell, task).vx[1], 6)
    return (
        hold(STAND, cell.seconds, "standing"),
        hold((half, 0.0, 0.0), cell.seconds, said((half, 0.0, 0.0))),
    )


def _pushed(cell: Cell, task: Task) -> list[Errand]:
    """Standing and walking, each robot from another side."""
    first = min(FIRST, round(0.4 * cell.seconds, 1))
    kicks = pushes.all_round(kick(task), first=first)
    found = _each(cells.PUSHES, _gaits(cell, task), cell)
    return [replace(errand, push=kicks[errand.robot % len(kicks)]) for errand in found]


def _heads(cell: Cell, task: Task) -> list[Errand]:
    """Standing and walking, each robot with a joint of its head at one of its ends."""
    if not robots.get(task.robot).head:
        return []
    poses = head.head_poses(task.commands.head)[1:]
    found = _each(cells.HEAD, _gaits(cell, task), cell)
    return [replace(e, head=tuple(poses[e.robot % len(poses)].tolist())) for e in found]


def _targets(cell: Cell, task: Task) -> list[Errand]:
    """To the terrain's target, or on even ground ahead, to both sides, and back first behind."""
    asked, course = ranges(cell, task), _course(cell)
    vx, vy, wz = asked.top
    rough = course is not None and course.kind in ("stairs", "obstacle")
    limit = round(cell.seconds * (LONGER if rough else 1.0), 1)
    lead = Target(
        place=(0.0, 0.0, 0.0),
        vx=(CAREFUL if rough else 1.0) * vx,
        vy=vy,
        wz=min(wz, 1.5),
        seconds=limit,
        level=cell.rules != "robogauge",
    )
    far = WAY * vx * cell.seconds
    ways = {"ahead": 0.0, "left": 0.5 * np.pi, "right": -0.5 * np.pi, "behind": np.pi}
    if course is not None and course.kind != "flat":
        aims = {str(course.kind): Aim(lead=lead, distance=0, bearing=0, place=course.target())}
    else:
        aims = {
            name: Aim(lead=replace(lead, backward=name == "behind"), distance=far, bearing=bearing)
            for name, bearing in ways.items()
        }
    return [
        Errand(goal=cells.TARGET, part=name, robot=robot, seconds=limit, aim=aim)
        for name, aim in aims.items()
        for robot in range(cell.robots)
    ]


def _course(cell: Cell) -> Terrain | None:
    """The test terrain that the options ask for."""
    text = cell.options.get("terrain")
    return None if text is None else Terrain.parse(text)


_MAKERS: Mapping[str, Callable[[Cell, Task], list[Errand]]] = {
    cells.MAX: _schedules(lambda asked, _: velocity.max_velocity(asked)),
    cells.DIAGONAL: _schedules(lambda asked, _: velocity.diagonal_velocity(asked)),
    cells.TARGET: _targets,
    cells.GRID: _schedules(lambda asked, cell: grid.command_grid(asked, cell.seconds)),
    cells.STRAIGHT: _schedules(_straight),
    cells.PUSHES: _pushed,
    cells.STILL: _schedules(lambda _, cell: grid.stand_still(cell.seconds)),
    cells.HEAD: _heads,
}


def core_options(cell: Cell) -> dict[str, Any]:
    """Return the options of `Core` for a cell: the task's, its own, and no pushes by themselves."""
    given = {**registration.resolve(cell.task), **cell.options}
    drawn = given.get("randomization")
    if drawn is not False:
        given["randomization"] = {"push": None, **(drawn if isinstance(drawn, Mapping) else {})}
    return given
