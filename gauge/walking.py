"""Measures how a policy walks: the same commands, held for a whole episode, for many robots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from tqdm import tqdm

from servogym.envs import fleet
from servogym.envs.core import Core
from servogym.envs.options import keys
from servogym.gauge import statistics
from servogym.gauge.spread import Interval, bootstrap
from servogym.gauge.trace import Recorder, Trace

Twist = tuple[float, float, float]

SETTLING = 2.0
"""Seconds at the start of an episode that do not count."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """How one command was followed by robots that differ, after settling."""

    command: Twist
    """What was asked [m/s, m/s, rad/s]."""
    looking: bool = False
    """Whether each robot also held a head pose drawn from the task's range; else that is zero."""
    pushed: bool = True
    """Whether the task's pushes were on."""
    episodes: int
    """Robots that were asked."""
    falls: int
    """Robots that ended in failure."""
    robots: Mapping[str, tuple[float, ...]]
    """Of each robot that did not fall, every number of `statistics.STATISTICS`."""

    def mean(self, name: str) -> float:
        """Return the mean of a statistic over the robots that did not fall; NaN when all fell."""
        values = self.robots[name]
        return float(np.mean(values)) if values else float("nan")

    def interval(self, name: str) -> Interval | None:
        """Return the 95 % interval of that mean; None when all fell."""
        values = self.robots[name]
        return bootstrap(values) if values else None

    @property
    def velocity(self) -> Twist:
        """Mean velocity in yaw-aligned axes [m/s, m/s, rad/s]."""
        return self.mean("vx"), self.mean("vy"), self.mean("wz")


def measure(
    policy: Callable[[np.ndarray], np.ndarray],
    task: str,
    *,
    commands: Sequence[Twist],
    looking: Sequence[Twist] = (),
    episodes: int = 8,
    seconds: float = 20.0,
    seed: int = 0,
    **options,
) -> list[Walk]:
    """Let robots walk, one group a command; the same seed gives the same numbers.

    Args:
        policy: observations (n, obs) -> actions (n, j).
        task: name of a task file in `envs/tasks`.
        commands: what is asked, with the head command at zero.
        looking: what is asked in addition with head commands drawn from the task's full range, one
            a robot, held.
        episodes: robots a command.
        seconds: length of an episode [s].
        seed: robot i starts from seed + i.
        **options: those of `Core`: backlash, actuator, randomization, ...

    Raises:
        ValueError: when nothing would be left to count.
    """
    if episodes < 1 or seconds <= SETTLING:
        raise ValueError(
            f"{episodes} episodes of {seconds:g} s; needs 1 or more, longer than {SETTLING:g} s"
        )
    asked = [*commands, *looking]
    n = len(asked) * episodes
    robots = fleet.make(task, n, **options)
    rows, head = np.arange(n), np.array(robots.task.commands.head)
    robots.seed(rows, keys([seed + i for i in range(n)]))
    poses = np.zeros((n, len(head)))
    drawn = len(looking) * episodes
    poses[n - drawn :] = head * np.random.default_rng(seed).uniform(-1, 1, (drawn, len(head)))
    robots.hold(rows, np.repeat(asked, episodes, axis=0), poses)
    trace, fallen = _walk(policy, robots, rows, round(seconds / robots.task.control_dt))
    settling = round(SETTLING / trace.dt)
    walks = []
    for place, (begin, end) in enumerate(pairwise(range(0, n + 1, episodes))):
        up = np.flatnonzero(~fallen[begin:end]) + begin
        found = statistics.measure(trace.only(up), asked[place], settling) if len(up) else {}
        walks.append(
            Walk(
                command=asked[place],
                looking=place >= len(commands),
                pushed=bool(robots.task.randomization.push),
                episodes=episodes,
                falls=episodes - len(up),
                robots={k: tuple(found.get(k, np.zeros(0)).tolist()) for k in _NAMES},
            )
        )
    return walks


def said(command: Twist) -> str:
    """Say a command in words: its parts that are not zero."""
    names = ("forward", "sideways", "yaw")
    parts = [f"{name} {v:+g}" for name, v in zip(names, command, strict=True) if v]
    return " ".join(parts) or "stand"


_NAMES = tuple(statistics.STATISTICS)


def _walk(policy, robots, rows: np.ndarray, steps: int) -> tuple[Trace, np.ndarray]:
    """Play one episode; give what was seen and who fell, (n,) bool."""
    obs, recorder = robots.reset(rows), Recorder(robots)
    fallen = np.zeros(len(rows), bool)
    for _ in tqdm(range(steps), desc="walking", unit="step", leave=False, disable=None):
        out = robots.step(policy(obs))
        obs = out.observation
        recorder.look()
        for row in np.flatnonzero(out.terminated & ~fallen):
            _lift(*robots.where(row))
        fallen |= out.terminated
        if fallen.all():
            break
    return recorder.trace(), fallen


def _lift(core: Core, row: int) -> None:
    """Take a robot that fell out of the way, into the air: a heap on the floor costs much time."""
    core.batch.bind("qpos")[row, core.at.base_qpos[2]] += 1000.0
