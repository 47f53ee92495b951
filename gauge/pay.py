"""What a reward pays, term by term, for motions and actions whose worth is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from servogym.envs.core import Core
from servogym.envs.options import keys
from servogym.envs.ramp import Ramp
from servogym.gauge.puppets import Puppets
from servogym.gauge.reference import Steps

SEED = 1_000_003
"""Seed of the first robot that does nothing or acts at random: that of a run's own evaluations."""


@dataclass(frozen=True, kw_only=True)
class Pay:
    """What is earned by doing one thing."""

    doing: str
    """What is done."""
    terms: Mapping[str, float]
    """What every reward term pays for it, weight and sign included [1/s]."""

    @property
    def total(self) -> float:
        """The reward [1/s]."""
        return sum(self.terms.values())


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What scripted motions earn at one stage of training; in both tuples the same motions."""

    when: str
    """Which stage."""
    asked_to_walk: tuple[Pay, Pay, Pay]
    """Stand, step in place, walk, while a walk is asked for."""
    asked_to_stand: tuple[Pay, Pay, Pay]
    """The same while a stand is asked for."""
    speed: float
    """What the first three are asked for and the third walks, forward [m/s]."""
    episode_s: float
    """Time limit of an episode [s]."""


@dataclass(frozen=True, kw_only=True)
class Aimless:
    """What actions without an aim earn: means over robots in whole episodes of the task."""

    pay: Pay
    """Per second of the time before the robots fall."""
    episode_return: float
    """Sum of rewards of an episode."""
    length: float
    """How long an episode lasts [control steps]."""
    falls: float
    """Share of episodes that end in failure."""


def stages(
    task: str, *, speed: float | None = None, steps: Steps | None = None, **options: Any
) -> list[Stage]:
    """Pay scripted motions at the start of training and after it; once where no weight ramps.

    Args:
        task: Name of a task file in `envs/tasks`.
        speed: What is asked and walked, forward [m/s]; None: what `Puppets` takes.
        steps: How the feet step; None: what `Puppets` takes.
        **options: Those of `Core`, e.g. `rewards` and `backlash`.

    Raises:
        LookupError: For an unknown task or motor law.
        ValueError: For an option that does not fit, or a robot that cannot step like this.
    """
    puppets = Puppets(task, speed=speed, steps=steps, **options)
    ramped = any(isinstance(term.weight, Ramp) for term in puppets.task.rewards.values())
    names = [motion.name for motion in puppets.motions]

    def stage(when: str, trained_steps: float) -> Stage:
        stand, step, walk, *at_rest = [
            _pay(name, puppets, paid)
            for name, paid in zip(2 * names, puppets.play(trained_steps), strict=True)
        ]
        return Stage(
            when=when,
            asked_to_walk=(stand, step, walk),
            asked_to_stand=(at_rest[0], at_rest[1], at_rest[2]),
            speed=puppets.speed,
            episode_s=puppets.max_episode_steps * puppets.task.control_dt,
        )

    early = [stage("at the start of training", 0.0)] if ramped else []
    return [*early, stage("at the end of training" if ramped else "all through training", inf)]


def aimless(task: str, robots: int = 16, **options: Any) -> tuple[Aimless, Aimless]:
    """Let robots do nothing (action 0), then act uniformly at random, for an episode each.

    Args:
        task: Name of a task file in `envs/tasks`.
        robots: Episodes of each.
        **options: Those of `Core`.
    """
    core = Core(task, robots, **{**options, "threads": 1})
    shape, clip = (robots, core.contract.action_size), core.contract.action_clip
    rng = np.random.default_rng(SEED)
    return (
        _episode("action 0", core, lambda: np.zeros(shape)),
        _episode("random actions", core, lambda: rng.uniform(-clip, clip, shape)),
    )


def _episode(name: str, core: Core, act) -> Aimless:
    rows = np.arange(core.n)
    core.seed(rows, keys([SEED + row for row in rows.tolist()]))
    core.reset(rows)
    running, fallen = np.ones(core.n, bool), np.zeros(core.n, bool)
    paid, steps = np.zeros_like(core.terms), 0
    while running.any():
        out = core.step(act())
        paid[running] += core.terms[running]
        steps += int(running.sum())
        fallen |= running & out.terminated
        running &= ~(out.terminated | out.truncated)
    return Aimless(
        pay=_pay(name, core, paid.sum(axis=0) / (steps * core.task.control_dt)),
        episode_return=float(paid.sum(axis=1).mean()),
        length=steps / core.n,
        falls=float(fallen.mean()),
    )


def _pay(doing: str, core: Core, paid: np.ndarray) -> Pay:
    return Pay(doing=doing, terms=dict(zip(core.task.rewards, paid.tolist(), strict=True)))
