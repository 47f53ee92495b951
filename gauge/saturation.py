"""How often motors give less than their controller asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from servogym import actuators, robots
from servogym.actuators.base import Actuator, Signals
from servogym.envs import registration
from servogym.envs.core import Core
from servogym.gauge.cell import Cell
from servogym.gauge.plan import core_options, errands
from servogym.gauge.rollout import seeds
from servogym.gauge.subject import Subject

SHORT = 0.99
"""A motor that gives less than this share of what is asked of it falls short [1]."""
SECONDS = 6.0
"""How long each command is held [s] ..."""
FIRST = 1.0
"""... and from when on it counts: the robot has found its gait [s]."""


@dataclass(kw_only=True, eq=False)
class Watched(Actuator):
    """A PD or DC motor law that counts, joint by joint, when it gives less than its PD asks.

    Asked is kp (target - measured) - kd velocity with the live gains: what the law would give
    without any limit. The torque is that of the law, to the last bit.
    """

    name: ClassVar[str] = "watched"

    law: Actuator
    """Which law is watched."""

    def edit_spec(self, spec: Any, joints: Sequence[str]) -> None:
        """Do what the law does."""
        self.law.edit_spec(spec, joints)

    def bind(self, joints: tuple[str, ...], n: int, dt: float) -> None:
        """Allocate for n robots.

        Raises:
            ValueError: the law has no gains kp and kd to ask by.
        """
        super().bind(joints, n, dt)
        self.law.bind(joints, n, dt)
        if not {"kp", "kd"} <= set(self.law.randomizable()):
            raise ValueError(
                f"law {self.law.name!r} has no live kp and kd: nobody can tell what it is asked for"
            )
        self.short = np.zeros((n, len(joints)))

    def compute(
        self, target: np.ndarray, measured: np.ndarray, velocity: np.ndarray, signals: Signals
    ) -> np.ndarray:
        """Return the law's torque, (n, j) [N*m]; count in `short` who gave less than was asked."""
        live = self.law.randomizable()
        asked = live["kp"] * (target - measured) - live["kd"] * velocity
        torque = self.law.compute(target, measured, velocity, signals)
        self.short += np.abs(torque) < SHORT * np.abs(asked)
        return torque

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Do what the law does; what was counted stays."""
        self.law.reset(rows, rng)

    def torque_limits(self, joints: Sequence[str]) -> np.ndarray:
        """Return the law's."""
        return self.law.torque_limits(joints)

    def bus_current(self) -> np.ndarray | None:
        """Return the law's."""
        return self.law.bus_current()

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return the law's."""
        return self.law.randomizable()

    def state(self) -> dict[str, np.ndarray]:
        """Return the law's, and what was counted."""
        return {**self.law.state(), "short": self.short}

    def describe(self) -> dict[str, Any]:
        """Return the law's."""
        return self.law.describe()

    def firmware(self) -> dict[str, Any]:
        """Return the law's."""
        return self.law.firmware()


@dataclass(frozen=True, kw_only=True)
class Saturation:
    """Share of physics steps in which motors fall short, over robots that are up [1]."""

    mean: float
    """Over all joints."""
    joints: dict[str, float]
    """Joint -> its share."""


def saturation(cell: Cell, subject: Subject) -> Saturation | None:
    """Hold each command that a cell asks for first, and count; None when nobody stayed up.

    Args:
        cell: gives commands, physics and seeds; one robot for each of its errands.
        subject: who walks.

    Raises:
        LookupError: as for `play`.
        ValueError: as for `play`, or the motors have no gains to ask by.
    """
    asked = [errand for errand in errands(cell) if errand.first is not None]
    if not asked:
        raise ValueError(f"goals {', '.join(cell.goals)} hold no command")
    options = core_options(cell)
    robot = robots.get(registration.find(options["task"]).robot)
    law = Watched(law=actuators.make(options.get("actuator"), robot))
    n = len(asked)
    core = Core(n=n, **{**options, "actuator": law, "max_episode_steps": 10**9})
    watch = core.actuator
    assert isinstance(watch, Watched)
    rows = np.arange(n)
    keys = seeds(asked, cell.seed)
    core.seed(rows, keys)
    if begin := getattr(subject.act, "begin", None):
        begin(keys)
    twists = np.array([errand.first for errand in asked])
    core.hold(rows, twists, np.zeros((n, len(core.task.commands.head))))
    obs, up = core.reset(rows), np.ones(n, bool)
    total, steps = np.zeros(len(robot.joints)), 0
    for step in range(round(SECONDS / core.task.control_dt)):
        watch.short[:] = 0.0
        out = core.step(np.asarray(subject.act(obs), float))
        obs = out.observation
        up &= ~(out.terminated | out.truncated)
        if not up.any():
            break
        if step * core.task.control_dt >= FIRST:
            total += watch.short[up].sum(axis=0)
            steps += int(up.sum()) * core.task.decimation
    if not steps:
        return None
    share = total / steps
    return Saturation(
        mean=float(share.mean()), joints=dict(zip(robot.joints, share.tolist(), strict=True))
    )
