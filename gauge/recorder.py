"""Writes down what robots do in MuJoCo, for the metrics: one look after each control step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from servogym.envs import rotation
from servogym.gauge.contacts import Look, Reader
from servogym.gauge.metrics.footing import ELLIPTIC, PYRAMIDAL, Footing, widen
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.samples import Samples, stack
from servogym.robots import Robot
from servogym.scenes.addresses import Addresses

if TYPE_CHECKING:
    from mujoco.batch import Batch  # MuJoCo before 3.17 has none, and single simulations need none

LOADED = 0.007
"""A foot is loaded above this share of the weight [1]: 0.05 N for MicroDuck, as in training."""
_SEEN = ("qpos", "qvel", "qfrc_actuator", "site_xpos", "sensordata")
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class Recorder:
    """Reads n robots of a batch, or of n simulations, into `Samples` and a `Footing`.

    Positions, velocities and torques are read as the last step left them, a task's pushes included;
    what MuJoCo derives (feet) is one physics step older, as after any `mj_step`.

    Contacts cannot be read from a batch, and those of the last step belong to the state before it.
    So every `every` looks the state of each robot is copied and `mj_forward` run on the copy, with
    the model of that robot: contacts, forces and accelerations of one and the same moment, exactly
    those MuJoCo finds there, at the cost of a physics step or two. The simulations themselves are
    not touched.
    """

    def __init__(
        self,
        robot: Robot,
        model: mujoco.MjModel,
        source: Batch | Sequence[mujoco.MjData],
        dt: float,
        *,
        every: int = 0,
    ) -> None:
        """Prepare an empty record.

        Args:
            robot: Who is watched.
            model: What `servogym.scenes.world.build` compiled.
            source: Its simulations, one robot each.
            dt: Control step, the time between two looks [s].
            every: Looks from one look at the contacts to the next, e.g. 5 for 0.1 s; 0 never looks.

        Raises:
            LookupError: The robot is not in the model as asked.
            ValueError: `every` is negative.
        """
        if every < 0:
            raise ValueError(f"every is {every}; needs 0 or more looks")
        self._model, self._dt, self._every = model, dt, every
        self._datas = source if isinstance(source, Sequence) else ()
        self._batch = None if isinstance(source, Sequence) else source
        self._at = Addresses.of(model, robot)
        self._reader = Reader(model, robot)
        self._n = len(self._datas) if self._batch is None else self._batch.nsim
        self._least = LOADED * physique(model, robot).weight
        self._moments: list[dict[str, np.ndarray]] = []
        self._footings: list[dict[str, np.ndarray]] = []
        self._copy = mujoco.MjData(model)
        self._twin = model
        if self._batch is not None:
            self._twin = self._batch.get_model(0)
            self._live = {name: self._batch.bind(name) for name in _SEEN}
        else:
            self._state = np.empty(mujoco.mj_stateSize(model, _STATE))

    def look(
        self,
        *,
        action: np.ndarray,
        command: np.ndarray,
        alive: np.ndarray,
        settled: np.ndarray | None = None,
        torque: np.ndarray | None = None,
    ) -> None:
        """Write down what the robots do now.

        Args:
            action: what the policy asked for in the step just made, (n, j).
            command: what was asked of it then, (n, 3) [m/s, m/s, rad/s].
            alive: who has not fallen, (n,) bool; who has is never alive again.
            settled: who has come to rest after the reset, (n,) bool; None is everybody.
            torque: motor torques, (n, j) [N·m]; None reads what MuJoCo applied in the last step.
        """
        seen, at = self._fields(), self._at
        quat, qvel = seen["qpos"][:, at.base_qpos[3:]], seen["qvel"]
        angle = seen["qpos"][:, at.servo_qpos]
        if at.play_qpos is not None:
            angle = angle + seen["qpos"][:, at.play_qpos]
        if torque is None:
            torque = seen["qfrc_actuator"][:, at.servo_dof]
        before = self._moments[-1]["alive"] if self._moments else True
        alive = np.asarray(alive, bool) & before
        moment = {
            "alive": alive,
            "settled": np.ones(self._n, bool) if settled is None else settled,
            "position": seen["qpos"][:, at.base_qpos[:3]],
            "quat": quat,
            "lin_vel": rotation.to_body(quat, qvel[:, at.base_dof[:3]]),
            "ang_vel": qvel[:, at.base_dof[3:]],
            "joint_pos": angle,
            "joint_vel": qvel[:, at.servo_dof],
            "torque": torque,
            "action": action,
            "command": command,
            "foot_pos": seen["site_xpos"][:, at.foot_site],
            "foot_vel": seen["sensordata"][:, at.foot_velocity],
            "loaded": seen["sensordata"][:, at.foot_force] > self._least,
        }
        self._moments.append({name: np.array(value) for name, value in moment.items()})
        if self._every and len(self._moments) % self._every == 0:
            rows = [self._contacts(row) if alive[row] else None for row in range(self._n)]
            self._footings.append(self._reader.join(rows))

    def samples(self) -> Samples:
        """Return what was written so far.

        Raises:
            ValueError: when nothing was.
        """
        return stack(self._moments, self._dt)

    def footing(self) -> Footing:
        """Return the contacts written so far, perhaps none; a fallen robot has none.

        Raises:
            ValueError: when `every` is 0.
        """
        if not self._every:
            raise ValueError("this recorder never looks at contacts: every is 0")
        pages = self._footings
        most = max((page["foot"].shape[1] for page in pages), default=0)
        blank = self._reader.join([None] * self._n)
        arrays = {
            name: np.array([widen(name, page[name], most) for page in pages])
            if pages
            else np.zeros((0, *array.shape), array.dtype)
            for name, array in blank.items()
        }
        elliptic = self._model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
        return Footing(
            every=self._every,
            first=self._every - 1,
            cone=ELLIPTIC if elliptic else PYRAMIDAL,
            **arrays,
        )

    def _fields(self) -> dict[str, np.ndarray]:
        if self._batch is not None:
            return self._live
        return {name: np.array([getattr(d, name) for d in self._datas]) for name in _SEEN}

    def _contacts(self, row: int) -> Look:
        """Look at the contacts of one robot on a copy of its simulation."""
        copy = self._copy
        if self._batch is not None:
            self._batch.get_data(row, copy)
            self._batch.get_model(row, self._twin)
        else:
            mujoco.mj_getState(self._model, self._datas[row], self._state, _STATE)
            mujoco.mj_setState(self._model, copy, self._state, _STATE)
        mujoco.mj_forward(self._twin, copy)
        return self._reader.look(self._twin, copy)


def physique(model: mujoco.MjModel, robot: Robot, effort: np.ndarray | None = None) -> Physique:
    """Describe a robot for the metrics.

    Args:
        model: What `servogym.scenes.world.build` compiled.
        robot: Who.
        effort: Largest torque of each joint [N·m], (j,), where the motor law has one.

    Raises:
        LookupError: The robot is not in the model as asked.
    """
    at = Addresses.of(model, robot)
    data = mujoco.MjData(model)
    data.qpos[at.base_qpos] = [0.0, 0.0, robot.spawn_height, 1.0, 0.0, 0.0, 0.0]
    data.qpos[at.servo_qpos] = robot.pose()
    mujoco.mj_kinematics(model, data)
    low, high = model.jnt_range[model.dof_jntid[at.servo_dof]].T
    return Physique(
        joints=robot.joints,
        low=low,
        high=high,
        soft_limit=robot.soft_limit,
        effort=effort,
        mass=float(model.body_subtreemass[at.base_body]),
        gravity=float(np.linalg.norm(model.opt.gravity)),
        height=robot.spawn_height,
        feet=data.site_xpos[at.foot_site, :2].copy(),
    )
