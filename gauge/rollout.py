"""Plays errands side by side in one batch, and gives back what was seen of each group of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from servogym.envs import fleet, rotation
from servogym.envs.core import Core
from servogym.envs.fleet import Fleet
from servogym.gauge.goals.schedule import STAND
from servogym.gauge.goals.settle import Settling
from servogym.gauge.goals.target import Target
from servogym.gauge.metrics import footing, samples
from servogym.gauge.metrics.outcome import NEAR
from servogym.gauge.plan import Errand
from servogym.gauge.recorder import Recorder
from servogym.gauge.seen import NEVER, Seen, Times, cut

FOREVER = 10**9
"""Time limit of the task itself [control steps]: errands end by themselves."""
_UP = 1000.0
"""How high a robot is lifted out of the way [m]: a heap on the floor costs much time."""


def seeds(errands: Sequence[Errand], seed: int) -> np.ndarray:
    """Return a random key for each errand, (n,) uint64, whatever else is played beside it."""
    words = [
        [seed, *f"{errand.goal}/{errand.part}".encode(), 256 + errand.robot] for errand in errands
    ]
    return np.array([np.random.SeedSequence(w).generate_state(1, np.uint64)[0] for w in words])


def play(
    act: Any,
    errands: Sequence[Errand],
    *,
    seed: int,
    settling: bool,
    fits: Callable[[Core], None] = lambda core: None,
    every: float = 0.1,
    threads: int = 0,
    **options: Any,
) -> tuple[list[Seen], Core]:
    """Let one robot do each errand.

    Args:
        act: observations (n, obs) -> actions (n, j); where it has a method `begin`, that is given
            the random keys of the episodes first.
        errands: what is to be done.
        seed: what the robots' random streams are made from.
        settling: whether the time in which robots come to rest is wanted too.
        fits: called with a core before anything moves; may refuse it.
        every: time from one look at the contacts to the next [s]; settling ends on such a moment.
        threads: physics threads; 0 uses every CPU.
        **options: those of `fleet.make`.

    Returns:
        A record for each length there is, in order of first appearance, and one of the cores.
    """
    n = len(errands)
    robots = fleet.make(n=n, threads=threads, max_episode_steps=FOREVER, **options)
    stage = _Stage(robots, errands, every)
    fits(stage.cores[0])
    keys = seeds(errands, seed)
    robots.seed(stage.rows, keys)
    if begin := getattr(act, "begin", None):
        begin(keys)
    stage.hold()
    obs = robots.reset(stage.rows)
    while stage.running.any() or stage.step < stage.every:  # the ground is looked at once at least
        stage.direct()
        action = np.asarray(act(obs), float)
        out = robots.step(action)
        stage.look(action, out.terminated, out.truncated)
        obs = out.observation
    return stage.cut(settling), stage.cores[0]


class _Stage:
    """Who is where in its errand: clocks, commands and records of one batch."""

    def __init__(self, robots: Core | Fleet, errands: Sequence[Errand], every: float) -> None:
        self.cores = robots.cores if isinstance(robots, Fleet) else (robots,)
        self.robots, self.errands, n = robots, errands, len(errands)
        self.rows, self.dt = np.arange(n), robots.task.control_dt
        self.every = round(every / self.dt)
        if self.every < 1 or abs(self.every * self.dt - every) > 1e-6 * every:
            raise ValueError(f"{every:g} s is no whole number of control steps of {self.dt:g} s")
        self.length = np.array([round(errand.seconds / self.dt) for errand in errands])
        self.start = np.full(n, -1)  # control steps until at rest
        self.fell = np.full(n, NEVER)  # the sample from which on it has fallen
        self.left = np.full(n, NEVER)  # from which on it is out of bounds, or was at its target
        self.diverged = np.zeros(n, bool)
        self.running = np.ones(n, bool)
        self.parked = np.zeros(n, bool)
        self.step = 0
        self.target = np.full((n, 2), np.nan)
        self._leads: dict[int, Target] = {}
        self._asked = [e.schedule.commands(self.dt) if e.schedule else None for e in errands]
        width = len(robots.task.commands.head)
        self.head = np.array([e.head or (0.0,) * width for e in errands]).reshape(n, width)
        self.twist = np.tile(STAND, (n, 1))  # what the next observation shows
        self._settling, self._rests = Settling(n, self.dt), np.zeros(n, bool)
        self._recorders = [
            Recorder(core.robot, core.model, core.batch, self.dt, every=self.every)
            for core in self.cores
        ]
        self._qpos = [core.batch.bind("qpos") for core in self.cores]
        self._qvel = [core.batch.bind("qvel") for core in self.cores]

    def gather(self, name: str) -> np.ndarray:
        """Return an array of the state of all robots."""
        return np.concatenate([getattr(core.state, name) for core in self.cores])

    def hold(self) -> None:
        """Ask the robots for the present commands."""
        self.robots.hold(self.rows, self.twist, self.head)

    def direct(self) -> None:
        """Ask for what the next observation is to show; see who has come to rest by then."""
        self.asked, coming = self.twist.copy(), self.step + 1
        if coming % self.every == 0:
            begins = np.flatnonzero((self.start < 0) & (self._rests | ~self.running))
            self.start[begins] = coming
            for row in begins.tolist():
                self._aim(row)
        for row in np.flatnonzero(self.running & (self.start >= 0)).tolist():
            asked, place = self._asked[row], coming - self.start[row]
            if asked is not None and place < len(asked):
                self.twist[row] = asked[place]
        aimed = [row for row in self._leads if self.running[row]]
        if aimed:
            position, quat = self.gather("base_pos")[aimed], self.gather("base_quat")[aimed]
            for place, row in enumerate(aimed):
                one = slice(place, place + 1)
                self.twist[row] = self._leads[row].command(position[one], quat[one])[0]
        self.hold()

    def look(self, action: np.ndarray, terminated: np.ndarray, truncated: np.ndarray) -> None:
        """Write down a control step."""
        fallen = terminated & self.running
        self.fell[fallen] = self.step
        self.diverged |= fallen & self._concatenated("diverged")
        out = truncated & self.running & ~fallen
        self.left[out] = self.step
        there = self._arrived() & ~fallen & ~out
        self.left[there] = self.step + 1
        self.running &= ~(fallen | out | there)
        first = 0
        for core, recorder in zip(self.cores, self._recorders, strict=True):
            mine = slice(first, first + core.n)
            first += core.n
            recorder.look(
                action=core.state.action,
                command=self.asked[mine],
                alive=self.running[mine],
                torque=core.state.torque,
            )
        self._rests = self._settling.look(self.gather("base_lin_vel"))
        self.step += 1
        begun = self.start >= 0
        self.running &= ~(begun & (self.step >= self.start + self.length))
        self._push()
        self._park()

    def cut(self, settling: bool) -> list[Seen]:
        """Give what was seen, the rows shifted so that all errands of a length begin together."""
        start = np.where(self.start < 0, -(-self.step // self.every) * self.every, self.start)
        whole = samples.beside([recorder.samples() for recorder in self._recorders])
        ground = footing.beside([recorder.footing() for recorder in self._recorders])
        times = Times(start=start, length=self.length, fell=self.fell, left=self.left)
        return [
            Seen(
                errands=tuple(self.errands[row] for row in rows.tolist()),
                target=self.target[rows],
                lost=self.diverged[rows],
                **cut(whole, ground, times, rows, settling),
            )
            for length in dict.fromkeys(self.length.tolist())
            for rows in [np.flatnonzero(self.length == length)]
        ]

    def _aim(self, row: int) -> None:
        aim = self.errands[row].aim
        if aim is None:
            return
        position, quat = self.gather("base_pos")[row], self.gather("base_quat")[[row]]
        if aim.place is None:
            cos, sin = rotation.heading(quat)
            angle = float(np.arctan2(sin, cos)[0]) + aim.bearing
            place = position[:2] + aim.distance * np.array([np.cos(angle), np.sin(angle)])
        else:
            place = np.array(aim.place)
        self.target[row] = place
        self._leads[row] = replace(aim.lead, place=(*place.tolist(), float(position[2])))

    def _arrived(self) -> np.ndarray:
        """Who is at its target now, (n,) bool."""
        away = self.gather("base_pos")[:, :2] - self.target
        return self.running & (np.linalg.norm(away, axis=1) < NEAR)

    def _push(self) -> None:
        for row in np.flatnonzero(self.running & (self.start >= 0)).tolist():
            push = self.errands[row].push
            if push and self.step == self.start[row] + round(push.time / self.dt):
                core, local = self.robots.where(row)
                cos, sin = (part[0] for part in rotation.heading(core.state.base_quat[[local]]))
                x, y = push.change
                columns = core.at.base_dof[:2]
                change = (cos * x - sin * y, sin * x + cos * y)
                self._qvel[self.cores.index(core)][local, columns] += change

    def _park(self) -> None:
        """Keep robots that are done in the air, at rest."""
        first = 0
        for core, qpos, qvel in zip(self.cores, self._qpos, self._qvel, strict=True):
            mine = slice(first, first + core.n)
            first += core.n
            new = np.flatnonzero(~self.running[mine] & ~self.parked[mine])
            qpos[new, core.at.base_qpos[2]] += _UP
            rows = np.flatnonzero(~self.running[mine])
            qvel[np.ix_(rows, core.at.base_dof)] = 0.0
        self.parked |= ~self.running

    def _concatenated(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(core, name) for core in self.cores])
