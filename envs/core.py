"""The batched implementation behind every face: n robots, NumPy in, NumPy out, no Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, reduce
from inspect import signature
from typing import Any, Literal

import mujoco
import numpy as np
from mujoco.batch import Batch

from servogym.actuators.base import Actuator
from servogym.actuators.delay import CommandDelay
from servogym.actuators.drive import Drive
from servogym.actuators.encoder import Encoder
from servogym.envs import contract, registration, setup
from servogym.envs.actions import checked
from servogym.envs.built import Built
from servogym.envs.commands import Commander
from servogym.envs.ends import CROSSED, DIVERGED, STUCK, TIME, Ends
from servogym.envs.faults import Faults
from servogym.envs.fit import fit
from servogym.envs.footing import Footing
from servogym.envs.gait import Gait
from servogym.envs.load import Load
from servogym.envs.observations import Observer
from servogym.envs.outcome import Outcome
from servogym.envs.pushes import Pushes
from servogym.envs.ramp import current
from servogym.envs.random import RowRandom
from servogym.envs.randomizer import Randomizer
from servogym.envs.rewards import Moment
from servogym.envs.sensing import Sensors
from servogym.envs.state import State
from servogym.robots.base import Robot
from servogym.scenes.addresses import Addresses, columns
from servogym.scenes.contact import Contact
from servogym.scenes.terrain import Field, Terrain

_PHYSICS = ("time", "qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied")
_NOTHING = mujoco.mjtStage.mjSTAGE_NONE
_TOO_FAST = 200.0
"""Faster generalised velocities [m/s or rad/s] count as diverged; MuJoCo waits for 1e10."""


class Core:
    """n robots that do a task. Rows never influence each other.

    A control step is: action, clipped -> target -> for each physics step: command delay, encoder,
    motor law, friction, mj_step -> ends and rewards on the state reached, against the commands the
    policy saw -> commands and pushes advance -> observation.
    """

    def __init__(
        self,
        task: str,
        n: int,
        *,
        backlash: bool = False,
        actuator: str | Actuator | None = None,
        robot: Robot | None = None,
        encoder: str = "output",
        rewards: setup.Section = None,
        commands: setup.Section = None,
        sensing: setup.Section = None,
        randomization: setup.Section = None,
        spawn: setup.Section = None,
        terrain: Terrain | Field | str | Literal[False] | None = None,
        level: int | None = None,
        contact: Contact | str | None = None,
        edits: Sequence[Any] = (),
        max_episode_steps: int | None = None,
        threads: int = 0,
        trained_steps: np.ndarray | None = None,
        **unknown: Any,
    ) -> None:
        """Build the model and the batch. Call `seed` and `reset` before `step`.

        Args:
            task: name of a task file in `envs/tasks` or of a `servogym.tasks` entry point.
            n: how many robots.
            backlash: whether the gears have play.
            actuator: name of a motor law, a motor law of your own (copied), or None for the
                robot's.
            robot: another robot with the joints of the task's own, e.g. one from
                `Robot.from_mjcf`; None for the task's.
            encoder: where the servos' encoders sit, "output" (through the play) or "motor".
            rewards: terms with other, constant weights.
            commands: fields of `Commands` to change.
            sensing: fields of `Sensing` to change, or False for perfect sensors.
            randomization: fields of `Randomization` to change, or False for the nominal robot.
            spawn: fields of `Spawn` to change, or False for the same start every time.
            terrain: other ground, e.g. "wave:3"; False: the endless floor; None: the task's.
            level: every episode on this level of the task's field of tiles; None lets a trainer's
                robots climb, and others begin on any.
            contact: another contact setting, e.g. "B"; None keeps the task's.
            edits: calls of `Scene`'s setters, in order; see `servogym.envs.edits.read`.
            max_episode_steps: another time limit [control steps]; None keeps the task's.
            threads: physics threads; 0 uses every CPU.
            trained_steps: array of shape () that a trainer keeps current, for what ramps with
                training; None is the end of training.
            **unknown: anything else is refused.

        Raises:
            LookupError: for an unknown task, robot, motor law or servo, listing the known ones.
            ValueError: for a section or field that does not exist, or a value out of range.
        """
        known = signature(Core).parameters
        setup.check(n, max_episode_steps, backlash, unknown, known)
        setup.check_threads(threads)
        self.task = setup.task(
            task,
            rewards=rewards,
            commands=commands,
            sensing=sensing,
            randomization=randomization,
            spawn=spawn,
            terrain=terrain,
            contact=contact,
        )
        self.n, self.backlash = n, backlash
        self.footing = Footing(self.task.terrain, n, self.task.control_dt, level)
        self.max_episode_steps = max_episode_steps or self.task.max_episode_steps
        self.built = Built.of(
            self.task,
            self.footing.ground,
            robot=robot,
            actuator=actuator,
            backlash=self.backlash,
            edits=edits,
        )
        self.robot, self.actuator = self.built.robot, self.built.actuator
        joints, dt = self.robot.joints, self.task.timestep
        delay = self.task.randomization.command_delay or (0, 0)
        self.drive = Drive(
            self.actuator,
            joints,
            n,
            dt,
            encoder=Encoder(side=encoder),
            delay=CommandDelay(*delay),
            supply=self.task.supply,
        )
        self.model = self.built.scene(lean=True).finalize()
        env_id = registration.id_of(self.task, self.backlash)
        self.contract = contract.build(env_id, self.task, self.built, encoder)
        self._offset, self._scale = self.contract.offset(), self.contract.scales()
        self._clip = self.contract.action_clip
        at = self.at = Addresses.of(self.model, self.robot)
        self.batch = Batch(self.model, n, threads)
        self._physics = {name: self.batch.bind(name) for name in _PHYSICS}
        self._qpos, self._qvel = self._physics["qpos"], self._physics["qvel"]
        self._ctrl, self._time = self._physics["ctrl"], self._physics["time"]
        self.footing.attach(self.batch, self.model, self.robot, at)
        seen = ("qpos", "qvel", "site_xpos", "geom_xpos", "subtree_com", "sensordata")
        self._seen = {name: self.batch.bind(name) for name in seen}
        self.aside: AbstractContextManager[Any] = nullcontext()
        self.rng = RowRandom(n)
        limits = self.model.jnt_range[self.model.dof_jntid[at.servo_dof]]
        self.state = State(self.robot, n, limits, self.footing)
        self.gait = Gait(self.robot, n, self.task.control_dt)
        self.trained_steps = np.array(np.inf) if trained_steps is None else trained_steps
        self.commander = Commander(self.task.commands, n, self.task.control_dt, self.trained_steps)
        self.moment = Moment(self.state, self.gait, self.commander, self.task.stride)
        self.sensors = Sensors(self.task.sensing, n, len(joints), encoder)
        r = self.task.randomization
        self.randomizer = Randomizer(
            r, self.batch, self.model, at, self.robot, self.drive, self.trained_steps
        )
        self.pushes = Pushes(r, n, self.task.control_dt, self.trained_steps)
        self.terms = np.zeros((n, len(self.task.rewards)))
        self.diverged = np.zeros(n, bool)
        self._ends = Ends((*self.task.terminations, *self.task.truncations), n)
        self._faults = Faults()
        self.observer = Observer(self.contract, self.moment, self.sensors, self._faults)
        self._load = Load(self.batch, self.model, at, self.drive, n)

    def seed(self, rows: np.ndarray, keys: np.ndarray) -> None:
        """Give rows of robots their random keys (uint64); the next reset starts from them."""
        self.rng.seed(rows, keys)

    @cached_property
    def looks(self) -> mujoco.MjModel:
        """The same robots with all that is only there to be seen, for pictures."""
        return self.built.scene().finalize()

    @property
    def reason(self) -> np.ndarray:
        """What ended each row's episode in the last step, (n,) of str; empty where nothing did."""
        return self._ends.reason

    @property
    def levels(self) -> np.ndarray:
        """Level of the tile on which each robot's episode began, from 1, (n,); (0,) without any."""
        climb = self.footing.curriculum
        return np.zeros(0, int) if climb is None else climb.level + 1

    def where(self, row: int) -> tuple[Core, int]:
        """Return this core and the row: a `Fleet` has several."""
        return self, row

    def hold(self, rows: np.ndarray, twist: Any, head: Any = None, body: Any = None) -> None:
        """Fix the commands of rows; see `Commander.hold`."""
        self.commander.hold(rows, twist, head, body)

    def release(self, rows: np.ndarray) -> None:
        """Let rows draw their own commands again."""
        self.commander.release(rows)

    def stagger(self) -> None:
        """Let the running episodes end at random times, so that rows do not end together."""
        last = self.max_episode_steps - 1
        self.state.elapsed[:] = self.rng.integers(0, last, 1)[:, 0]

    def reset(self, rows: np.ndarray) -> np.ndarray:
        """Begin an episode in rows (integers); return the observations, (rows, 61) float32."""
        rng = self.rng
        rng.begin_episode(rows)
        self.batch.reset(rows, stage=_NOTHING)
        self._time[rows] = self.task.control_dt  # when MuJoCo itself resets a row, to 0, it shows
        self.drive.reset(rows, rng)
        self.randomizer.reset(rows, rng)
        bound = self.task.sensing.encoder_bias
        bias = rng.uniform(-bound, bound, len(self.robot.joints), rows)
        self.drive.randomizable()["encoder_bias"][rows] = bias
        origin = self.footing.begin(rows, self.training, rng)
        drop = self.task.spawn.place(
            self.robot, self.at, self._qpos, self._qvel, rows, origin, self.footing.room, rng
        )
        self._load.reset(rows)
        self.batch.forward(rows)
        if self.footing.ground is not None:
            self.footing.settle(self._qpos, rows, drop)
            self.batch.forward(rows)
        self.state.begin(rows)
        self._read_state(rows)
        self.gait.reset(rows)
        self.commander.reset(rows, rng)
        self.pushes.reset(rows, rng)
        self.terms[rows] = 0.0
        self.diverged[rows] = False
        self._ends.clear(rows)
        return self.observer.first(self._reading(), rows, rng)

    def step(self, action: np.ndarray) -> Outcome:
        """Advance all robots by one control step. Finished rows wait for `reset`.

        Args:
            action: (n, j) in contract order; clipped to the contract's bounds.

        Raises:
            ValueError: for a wrong shape or a number that is not finite, naming the joint; nothing
                has moved then.
        """
        action = checked(action, self.n, self.robot.joints)
        state, dt = self.state, self.task.control_dt
        self._ends.clear()
        state.previous_action[:] = state.action
        state.action[:] = np.clip(action, -self._clip, self._clip)
        target = self._offset + self._scale * state.action
        expected = self._time + (dt - 0.5 * self.task.timestep)
        self._simulate(target)
        lost = ~(self._time >= expected) | ~(np.abs(self._qvel).max(axis=1) < _TOO_FAST)
        lost |= ~np.isfinite(self._qpos).all(axis=1)
        if lost.any():
            self._quarantine(np.flatnonzero(lost))
        self._read_state()
        state.elapsed += 1
        state.yaw_rate_mean += (dt / (dt + 1 / 3)) * (state.yaw_rate - state.yaw_rate_mean)
        turn_error = state.yaw_rate - self.commander.twist[:, 2]
        state.turn_error_mean += (dt / (dt + 1.5)) * (turn_error - state.turn_error_mean)
        self.gait.advance(state)
        terminated = {name: end(state) for name, end in self.task.terminations.items()}
        reward = self._reward(lost)
        truncated = {name: end(state) for name, end in self.task.truncations.items()}
        fell = reduce(np.logical_or, terminated.values(), lost)
        terminated[STUCK], truncated[CROSSED] = self.footing.advance(
            state, self.commander, fell, self.training
        )
        truncated[TIME] = state.elapsed >= self.max_episode_steps
        self.commander.advance(self.rng)
        if self.task.randomization.push:
            self.pushes.advance(self._qvel, self.at.base_dof[:2], self.rng)
        observation = self.observer.next(self._reading(), lost, self.rng)
        reward[lost], self.terms[lost] = 0.0, 0.0
        self.diverged[:] = lost  # an observation that is not finite is among them by now
        failed, over = self._end({DIVERGED: lost, **terminated}), self._end(truncated)
        return Outcome(observation, reward, failed, over & ~failed)

    def get_state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that decides the future, as arrays by name."""
        return {name: array.copy() for name, array in self._live().items()}

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Continue from what `get_state` of an equal environment returned, bit for bit.

        Raises:
            ValueError: naming what is missing, unknown or of another shape; nothing has changed
                then.
        """
        self.check_state(saved)
        for name, array in self._live().items():
            array[...] = saved[name]
        self.randomizer.restore()
        self._load.restore()

    def check_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Refuse a state that does not fit.

        Raises:
            ValueError: naming what is missing, unknown or of another shape.
        """
        fit(self._live(), saved, self.n)

    @property
    def training(self) -> bool:
        """Whether a trainer keeps `trained_steps`: robots on a field climb its levels then."""
        return bool(np.isfinite(self.trained_steps))

    @property
    def privileged_slots(self) -> dict[str, int]:
        """Name -> width of what `privileged` returns, in order."""
        return self.observer.privileged_slots

    def privileged(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return what only a critic may see of rows, (rows, k) float32."""
        return self.observer.privileged(rows)

    def _simulate(self, target: np.ndarray) -> None:
        at, steps = self.at, self.task.decimation
        power, motors = self.state.power, columns(at.motor)
        power[:] = 0.0
        torque = self.state.torque
        for _ in range(steps):
            servo_vel = self._qvel.take(at.servo_dof, axis=1)
            torque = self._load.drive(target, *self._angles(), servo_vel, self.rng)
            self._ctrl[:, motors] = torque
            with self.aside:
                self.batch.step()
            self._load.feel(servo_vel, torque)
            power += np.abs(torque * servo_vel).sum(axis=1)
        power /= steps
        self.state.torque[:] = torque

    def _read_state(self, rows: np.ndarray | slice = slice(None)) -> None:
        self.state.read(self.at, **self._seen, rows=rows)

    def _reading(self) -> np.ndarray:
        """What the encoders read, play and bias included, minus the default pose, (n, j)."""
        return self.drive.reading(*self._angles()) - self.state.default_pose

    def _angles(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Angles of servos and of passive joints now, each (n, j) [rad]."""
        at = self.at
        play = None if at.play_qpos is None else self._qpos.take(at.play_qpos, axis=1)
        return self._qpos.take(at.servo_qpos, axis=1), play

    def _reward(self, lost: np.ndarray) -> np.ndarray:
        """Fill `terms` and return their sum, (n,)."""
        steps, terms = float(self.trained_steps), self.task.rewards
        for column, term in enumerate(terms.values()):
            self.terms[:, column] = term.function(self.moment)
        if not np.isfinite(self.terms).all():
            for column, name in enumerate(terms):
                measured = self._faults.clean(f"reward {name}", self.terms[:, column], lost)
                self.terms[:, column] = measured
        weights = np.array([current(term.weight, steps) for term in terms.values()])
        self.terms *= weights * self.task.control_dt
        return self.terms.sum(axis=1)

    def _end(self, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """Note ends by name, each (n,) bool; return for whom any of them holds, (n,)."""
        some = np.zeros(self.n, bool)
        for name, which in ends.items():
            some |= self._ends.add(name, which)
        return some

    def _quarantine(self, rows: np.ndarray) -> None:
        """Put diverged rows into a finite, resting state until they are reset."""
        self.batch.reset(rows, stage=_NOTHING)
        self._time[rows] = self.task.control_dt
        self._qpos[np.ix_(rows, self.at.servo_qpos)] = self.state.default_pose
        self.drive.reset(rows, self.rng)
        self._load.reset(rows)
        self.batch.forward(rows)
        self.state.torque[rows] = 0.0
        self.state.power[rows] = 0.0

    def _live(self) -> dict[str, np.ndarray]:
        parts = {
            "physics": self._physics,
            "random": self.rng.state(),
            "state": self.state.state(),
            "gait": self.gait.state(),
            "command": self.commander.state(),
            "sensor": self.sensors.state(),
            "physics_of_row": self.randomizer.state(),
            "push": self.pushes.state(),
            "footing": self.footing.state(),
            "drive": self.drive.state(),
            "load": self._load.state(),
            "core": {
                "trained_steps": self.trained_steps,
                "terms": self.terms,
                "diverged": self.diverged,
            },
        }
        return {f"{part}.{name}": a for part, arrays in parts.items() for name, a in arrays.items()}
