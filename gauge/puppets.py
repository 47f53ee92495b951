"""Robots moved by hand through scripted motions, and paid by a task as if they moved themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from servogym.envs.core import Core
from servogym.gauge.effort import effort
from servogym.gauge.legs import Legs
from servogym.gauge.reference import Motion, Steps, stand, walk

_SURE = 1.2  # times `Stride.reach`, for the centre of mass is not quite in the middle
_BY_HAND: dict[str, Any] = {
    "sensing": False,
    "randomization": False,
    "spawn": False,
    "terrain": False,
    "level": None,
}


class Puppets(Core):
    """A `Core` whose physics is a script; clocks, commands and rewards are `Core`'s own code.

    Rows: stand, step in place, walk, all asked to walk; then the same three asked to stand. Trunk,
    joints and feet are where a motion puts them, and the loaded feet share the robot's weight.
    Torque, power and action are those of `effort`, with the gears in the middle of their gap.
    """

    def __init__(
        self, task: str, *, speed: float | None = None, steps: Steps | None = None, **options: Any
    ) -> None:
        """Script the motions.

        Args:
            task: Name of a task file in `envs/tasks`.
            speed: What the first three are asked for, and how fast the walk is, forward [m/s];
                None: three quarters of the most that is ever asked for.
            steps: How the feet step; None: as the task's stride says.
            **options: Those of `Core`; the robot is nominal, its sensors perfect and its floor
                level whatever they say.

        Raises:
            ValueError: The robot's feet cannot get where the steps want them, or
                the speed asks for no walk.
        """
        if speed is not None and not (np.isfinite(speed) and speed):
            raise ValueError(f"speed is {speed}; a walk needs a finite one other than 0 [m/s]")
        super().__init__(task, 6, **{**options, **_BY_HAND, "threads": 1})
        steps, every = steps or Steps.of(self.task.stride), self.task.decimation
        self.speed = speed = speed or round(0.75 * self.task.commands.twist[0], 3)
        legs = Legs(self.model, self.robot)

        def step(name: str, speed: float) -> Motion:
            return walk(name, self.robot, legs, speed, steps, dt=self.task.timestep, every=every)

        still = stand(self.robot, legs, _SURE * self.task.stride.reach)
        self.motions = (still, step("step in place", 0.0), step("walk", speed))
        self.period = max(len(motion.joint_pos) for motion in self.motions) // every
        """Control steps of two steps of the feet."""
        self._scripts = 2 * [(motion, effort(self, motion)) for motion in self.motions]
        self._weight = self.model.body_subtreemass[self.at.base_body] * -self.model.opt.gravity[2]
        rows = np.arange(self.n)
        self.seed(rows, rows.astype(np.uint64))
        self.hold(rows, np.where(rows < 3, speed, 0.0)[:, None] * [1.0, 0.0, 0.0])

    def play(self, trained_steps: float) -> np.ndarray:
        """Return what every term pays for every row, (6, terms) [1/s], at a stage of training.

        Means over two periods, after one that does not count.
        """
        self.trained_steps[...] = trained_steps
        self.reset(np.arange(self.n))
        paid = np.zeros_like(self.terms)
        for step in range(3 * self.period):
            self.step(self._actions(step * self.task.decimation))
            if step >= self.period:
                paid += self.terms
        return paid / (2 * self.period * self.task.control_dt)

    def _actions(self, sample: int) -> np.ndarray:
        """Actions that ask for what the motions need from a physics step on, (6, j)."""
        targets = [_at(script.target, sample) for _, script in self._scripts]
        return (np.array(targets) - self.contract.offset()) / self.contract.scales()

    def _simulate(self, target: np.ndarray) -> None:
        """Put the robots where their motions are at the end of this control step."""
        at, state, every = self.at, self.state, self.task.decimation
        now = (int(state.elapsed[0]) + 1) * every
        self._qvel[:] = 0.0
        for row, (motion, cost) in enumerate(self._scripts):
            place = (motion.speed * now * self.task.timestep, 0.0, motion.height)
            self._qpos[row, at.base_qpos] = (*place, 1.0, 0.0, 0.0, 0.0)
            self._qvel[row, at.base_dof[0]] = motion.speed
            self._qpos[row, at.servo_qpos] = _at(motion.joint_pos, now)
            self._qvel[row, at.servo_dof] = _at(motion.joint_vel, now)
            past = [now - back for back in range(1, every + 1)]
            power = np.abs(_at(cost.torque, past) * _at(motion.joint_vel, past)).sum(axis=1)
            state.torque[row], state.power[row] = _at(cost.torque, now - 1), power.mean()
        self._time += self.task.control_dt
        self.batch.forward(np.arange(self.n))

    def _read_state(self, rows: np.ndarray | slice = slice(None)) -> None:
        """Read the bodies as ever, and the feet from the script: a script has no contact forces."""
        super()._read_state(rows)
        now = int(self.state.elapsed[0] + 1) * self.task.decimation
        loaded = np.array([_at(motion.loaded, now) for motion, _ in self._scripts])
        self.state.foot_force[:] = self._weight * loaded / loaded.sum(axis=1, keepdims=True)


def _at(series: np.ndarray, samples) -> np.ndarray:
    """Samples of a series that repeats."""
    return series[np.mod(samples, len(series))]
