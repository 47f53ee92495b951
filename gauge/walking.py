"""Measures how a policy walks: the same commands, held for a whole episode, for many robots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from servogym.envs import fleet
from servogym.envs.core import Core
from servogym.envs.fleet import Fleet
from servogym.envs.gait import Gait
from servogym.envs.options import keys
from servogym.envs.state import State

Twist = tuple[float, float, float]

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
SETTLING = 2.0
"""Seconds at the start of an episode that do not count."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """How one command was followed; means over the robots that did not fall, after settling."""

    command: Twist
    """What was asked [m/s, m/s, rad/s]."""
    episodes: int
    """Robots that were asked."""
    falls: int
    """Robots that ended in failure."""
    velocity: Twist
    """Mean velocity in yaw-aligned axes [m/s, m/s, rad/s]."""
    power: float
    """Mechanical power, sum |torque x servo velocity| [W]."""
    strides: float
    """Landings of each foot after a swing of 40 ms or more [1/s]."""
    swing: float
    """Duration of those swings [s]."""
    clearance: float
    """Height of the swinging foot at its highest, mean over swings [m]."""
    double_support: float
    """Share of the time with both feet loaded [1]."""
    head_error: float
    """Mean absolute error of the head joints against their command [rad]."""


def measure(
    policy: Callable[[np.ndarray], np.ndarray],
    task: str,
    *,
    commands: Sequence[Twist] = COMMANDS,
    episodes: int = 8,
    seconds: float = 20.0,
    seed: int = 0,
    **options,
) -> list[Walk]:
    """Let robots walk, one group a command; the same seed gives the same numbers.

    Args:
        policy: observations (n, obs) -> actions (n, j).
        task: name of a task file in `envs/tasks`.
        commands: what is asked.
        episodes: robots a command.
        seconds: length of an episode [s].
        seed: robot i starts from seed + i.
        **options: those of `Core`: backlash, actuator, randomization, ...
    """
    n = len(commands) * episodes
    robots = fleet.make(task, n, **options)
    rows, dt = np.arange(n), robots.task.control_dt
    robots.seed(rows, keys([seed + i for i in range(n)]))
    robots.hold(rows, np.repeat(commands, episodes, axis=0))
    obs, tally = robots.reset(rows), _Tally(robots)
    fallen = np.zeros(n, bool)
    steps, settling = round(seconds / dt), round(SETTLING / dt)
    for step in tqdm(range(steps), desc="walking", unit="step", leave=False):
        out = robots.step(policy(obs))
        obs = out.observation
        fallen |= out.terminated
        if step >= settling:
            tally.add()
        if fallen.all():
            break
    return [
        tally.summary(command, slice(i * episodes, (i + 1) * episodes), fallen, dt)
        for i, command in enumerate(commands)
    ]


class _Tally:
    """Sums over control steps, one row a robot."""

    def __init__(self, robots: Core | Fleet) -> None:
        self._cores = robots.cores if isinstance(robots, Fleet) else (robots,)
        self._peak = self._gather(lambda s, g: np.zeros_like(g.air_time))
        n = len(self._peak)
        self._steps = 0
        self._velocity = np.zeros((n, 3))
        self._sums = {name: np.zeros(n) for name in _SUMS}

    def add(self) -> None:
        """Look at the robots once."""
        self._steps += 1
        self._velocity[:, :2] += self._gather(lambda s, g: s.heading_vel[:, :2])
        self._velocity[:, 2] += self._gather(lambda s, g: s.yaw_rate)
        air = self._gather(lambda s, g: g.air_time)
        height = self._gather(lambda s, g: s.foot_pos[:, :, 2])
        landed = self._gather(lambda s, g: g.landed_after)
        step = landed >= 0.04
        sums = self._sums
        sums["landings"] += step.sum(axis=1)
        sums["swing"] += (landed * step).sum(axis=1)
        sums["clearance"] += (self._peak * step).sum(axis=1)
        self._peak = np.where(air > 0, np.maximum(self._peak, height), 0.0)
        sums["power"] += self._gather(lambda s, g: s.power)
        sums["double"] += self._gather(lambda s, g: np.logical_and.reduce(g.loaded, axis=1))
        sums["head"] += np.concatenate([_head_error(core) for core in self._cores])

    def summary(self, command: Twist, rows: slice, fallen: np.ndarray, dt: float) -> Walk:
        """Average over the rows of one command."""
        good = np.flatnonzero(~fallen[rows]) + rows.start
        count = max(self._steps * len(good), 1)
        total = {name: float(values[good].sum()) for name, values in self._sums.items()}
        landings = max(total["landings"], 1.0)
        vx, vy, wz = (self._velocity[good].sum(axis=0) / count).tolist()
        return Walk(
            command=command,
            episodes=rows.stop - rows.start,
            falls=int(fallen[rows].sum()),
            velocity=(vx, vy, wz),
            power=total["power"] / count,
            strides=total["landings"] / (2 * count * dt),
            swing=total["swing"] / landings,
            clearance=total["clearance"] / landings,
            double_support=total["double"] / count,
            head_error=total["head"] / count,
        )

    def _gather(self, read: Callable[[State, Gait], np.ndarray]) -> np.ndarray:
        return np.concatenate([read(core.state, core.gait) for core in self._cores])


_SUMS = ("landings", "swing", "clearance", "power", "double", "head")


def _head_error(core: Core) -> np.ndarray:
    columns = [core.robot.joints.index(name) for name in core.robot.head]
    reached = (core.state.joint_pos - core.state.default_pose)[:, columns]
    return np.abs(reached - core.commander.head).mean(axis=1)
