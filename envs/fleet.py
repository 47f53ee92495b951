"""Many robots in two halves, so that one half's motors are computed while the other half moves."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from mujoco import MjModel

from servogym.envs import setup
from servogym.envs.actions import checked
from servogym.envs.core import Core
from servogym.envs.outcome import Outcome

Result = TypeVar("Result")

SMALL = 64
"""Below this many robots one core is as fast as two halves."""


def make(task: str, n: int, *, threads: int = 0, **options: Any) -> Core | Fleet:
    """Return n robots: one `Core` for few, a `Fleet` for many; threads 0 uses every CPU."""
    if n < SMALL:
        return Core(task, n, threads=threads or 1, **options)
    return Fleet(task, n, threads=threads, **options)


class Aside:
    """Gives the turn away while its holder does something that needs no interpreter."""

    def __init__(self, turn: Lock) -> None:
        """Keep the lock that is the turn."""
        self._turn = turn

    def __enter__(self) -> None:
        """Let the other half compute."""
        self._turn.release()

    def __exit__(self, *_: object) -> None:
        """Wait for the turn."""
        self._turn.acquire()


class Fleet:
    """A `Core` in two halves, each stepped by a Python thread of its own.

    Rows are independent, so the split changes no bit, whatever the number of CPUs. Only one half
    computes in NumPy at a time, while the other is in the physics: left to the interpreter's lock
    alone, both would compute at once, at less than half the speed, and then both wait.
    """

    def __init__(self, task: str, n: int, *, threads: int = 0, **options: Any) -> None:
        """Make the halves; options are those of `Core`."""
        setup.check_threads(threads)
        threads = threads or len(os.sched_getaffinity(0))
        sizes = (n - n // 2, n // 2)
        self.trained_steps = np.array(np.inf)
        options |= {"threads": max(1, threads // 2), "trained_steps": self.trained_steps}
        self.cores = tuple(Core(task, size, **options) for size in sizes)
        first = self.cores[0]
        self.n, self.task, self.robot, self.contract = n, first.task, first.robot, first.contract
        self.model, self.backlash = first.model, first.backlash
        self.max_episode_steps = first.max_episode_steps
        self._split = sizes[0]
        self._pool = ThreadPoolExecutor(1) if threads > 1 else None
        self._turn = Lock()
        for core in self.cores:
            core.aside = Aside(self._turn)

    @property
    def looks(self) -> MjModel:
        """The same robots with all that is only there to be seen, for pictures."""
        return self.cores[0].looks

    @property
    def terms(self) -> np.ndarray:
        """Contribution of every reward term to the last step, (n, terms)."""
        return np.concatenate([core.terms for core in self.cores])

    @property
    def diverged(self) -> np.ndarray:
        """Rows whose physics blew up in the last step, (n,) bool."""
        return np.concatenate([core.diverged for core in self.cores])

    @property
    def reason(self) -> np.ndarray:
        """What ended each row's episode in the last step, (n,) of str; see `Core.reason`."""
        return np.concatenate([core.reason for core in self.cores])

    @property
    def levels(self) -> np.ndarray:
        """Level of the tile on which each robot's episode began; see `Core.levels`."""
        return np.concatenate([core.levels for core in self.cores])

    def where(self, row: int) -> tuple[Core, int]:
        """Return the core that holds a row, and the row's number there."""
        return (self.cores[0], row) if row < self._split else (self.cores[1], row - self._split)

    def seed(self, rows: np.ndarray, keys: np.ndarray) -> None:
        """Give rows their random keys; see `Core.seed`."""
        for core, local, mine in self._parts(rows):
            core.seed(local, keys[mine])

    def hold(self, rows: np.ndarray, twist: Any, head: Any = None, body: Any = None) -> None:
        """Fix the commands of rows, the same or one a row; see `Core.hold`."""
        for core, local, mine in self._parts(rows):
            core.hold(local, *(_of(mine, value) for value in (twist, head, body)))

    def release(self, rows: np.ndarray) -> None:
        """Let rows draw their own commands again."""
        for core, local, _ in self._parts(rows):
            core.release(local)

    def stagger(self) -> None:
        """Let the running episodes end at random times."""
        for core in self.cores:
            core.stagger()

    def reset(self, rows: np.ndarray) -> np.ndarray:
        """Begin an episode in rows; see `Core.reset`."""
        out = np.empty((len(rows), self.contract.obs_size), np.float32)
        for core, local, mine in self._parts(rows):
            out[mine] = core.reset(local)
        return out

    def step(self, action: np.ndarray) -> Outcome:
        """Advance all robots by one control step; see `Core.step`."""
        action = checked(action, self.n, self.robot.joints)
        parts = (action[: self._split], action[self._split :])
        halves = self._both(lambda core, part: core.step(part), parts)
        return Outcome(*(np.concatenate(pair) for pair in zip(*halves, strict=True)))

    @property
    def privileged_slots(self) -> dict[str, int]:
        """Name -> width of what `privileged` returns, in order."""
        return self.cores[0].privileged_slots

    def privileged(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return what only a critic may see of rows; see `Core.privileged`."""
        if isinstance(rows, slice):
            return np.concatenate([core.privileged() for core in self.cores])[rows]
        parts = [(mine, core.privileged(local)) for core, local, mine in self._parts(rows)]
        out = np.empty((len(rows), parts[0][1].shape[1] if parts else 0), np.float32)
        for mine, values in parts:
            out[mine] = values
        return out

    def get_state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that decides the future, as arrays by name."""
        return {
            f"{half}.{name}": array
            for half, core in enumerate(self.cores)
            for name, array in core.get_state().items()
        }

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Continue from what `get_state` of an equal fleet returned, bit for bit."""
        halves = [
            {k.removeprefix(f"{half}."): v for k, v in saved.items() if k.startswith(f"{half}.")}
            for half in range(len(self.cores))
        ]
        for core, half in zip(self.cores, halves, strict=True):
            core.check_state(half)
        for core, half in zip(self.cores, halves, strict=True):
            core.set_state(half)

    def _parts(self, rows: np.ndarray) -> list[tuple[Core, np.ndarray, np.ndarray]]:
        """Split rows into (core, its own row numbers, their places in rows), leaving out none."""
        first = rows < self._split
        split = (
            (self.cores[0], rows[first], np.flatnonzero(first)),
            (self.cores[1], rows[~first] - self._split, np.flatnonzero(~first)),
        )
        return [part for part in split if len(part[1])]

    def _both(self, work: Callable[[Core, Any], Result], parts: tuple) -> list[Result]:
        def in_turn(core: Core, part: Any) -> Result:
            with self._turn:
                return work(core, part)

        if self._pool is None:
            return [in_turn(core, part) for core, part in zip(self.cores, parts, strict=True)]
        other = self._pool.submit(in_turn, self.cores[1], parts[1])
        try:
            mine = in_turn(self.cores[0], parts[0])
        finally:
            theirs = other.result()
        return [mine, theirs]


def _of(rows: np.ndarray, value: Any) -> Any:
    """Pick what belongs to rows from a value that has one entry a row; pass any other through."""
    return np.asarray(value)[rows] if np.ndim(value) == 2 else value
