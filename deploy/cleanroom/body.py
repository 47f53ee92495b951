"""One robot in a MuJoCo model of its own, stepped by `mj_step`: the body in the clean room."""

from __future__ import annotations

import copy
import hashlib

import mujoco
import numpy as np

from servogym import robots
from servogym.actuators.base import Actuator
from servogym.actuators.friction_row import FrictionRow
from servogym.deploy.contract import Contract
from servogym.robots.backlash import passive_name
from servogym.scenes import world
from servogym.scenes.contact import Native

SERVOS = ("set_actuator_physics_properties", "set_actuators_physics_properties")
"""Setters of what a motor law is in an environment."""
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
_FRICTION_ERROR = 1e-9
"""Largest accepted difference between two ways to know a friction force. [N·m]"""


def build(contract: Contract, law: Actuator) -> mujoco.MjModel:
    """Compile the robot of a contract, its edits made, on an endless floor.

    Edits of servos stand in the contract's motor law already.

    Raises:
        LookupError: There is no such robot, or an edit's path leads nowhere in it.
        ValueError: Its model here is another one than the policy was trained with, or an edit or
            the contact setting cannot be carried out.
    """
    robot = robots.get(contract.robot)
    found = hashlib.sha256(robot.path().read_bytes()).hexdigest()
    if contract.model_hash and contract.model_hash != found:
        raise ValueError(
            f"contract: model_hash {contract.model_hash[:16]}…, the model of {contract.robot!r}"
            f" here has {found[:16]}…: another robot than the policy was trained with"
        )
    edits = [
        (edit["set"], {name: value for name, value in edit.items() if name != "set"})
        for edit in contract.edits
        if edit["set"] not in SERVOS
    ]
    try:
        return world.build(
            robot,
            actuator=law,
            backlash=contract.backlash or None,
            timestep=contract.sim_dt,
            contact=contract.contact or Native(),
            edits=edits,
        )
    except TypeError as error:
        raise ValueError(f"contract: edits: {error}") from error


class Body:
    """A model and its data; joints in the contract's order, found by name."""

    def __init__(self, model: mujoco.MjModel, contract: Contract, height: float) -> None:
        """Take a copy of the model, because friction is written into it.

        Args:
            model: A model that `build` compiled.
            contract: Names the joints and their default pose.
            height: Height of the base with the soles on the floor [m].
        """
        self.model, self._height = copy.copy(model), height
        self.data = mujoco.MjData(self.model)
        self._pose = np.array(contract.default_pose)
        servos = [model.joint(name) for name in contract.joints]
        self._q = np.array([joint.qposadr[0] for joint in servos])
        self._v = np.array([joint.dofadr[0] for joint in servos])
        self._motor = np.array([model.actuator(name).id for name in contract.joints])
        self._gap_q = self._gap_v = None
        if contract.backlash:
            gaps = [model.joint(passive_name(name)) for name in contract.joints]
            self._gap_q = np.array([joint.qposadr[0] for joint in gaps])
            self._gap_v = np.array([joint.dofadr[0] for joint in gaps])
        self._friction = FrictionRow.of(
            model.dof_solref[self._v],
            model.dof_solimp[self._v],
            model.dof_invweight0[self._v],
            contract.sim_dt,
        )
        free = np.flatnonzero(model.jnt_type == _FREE)
        if len(free) != 1:
            raise ValueError(f"{contract.robot}: {len(free)} free joints; exactly 1 is needed")
        self._base_q, self._base_v = model.jnt_qposadr[free[0]], model.jnt_dofadr[free[0]]

    def reset(self) -> None:
        """Stand at the origin in the default pose, at rest, facing x."""
        mujoco.mj_resetData(self.model, self.data)
        q, at = self.data.qpos, self._base_q
        q[at : at + 7] = 0.0, 0.0, self._height, 1.0, 0.0, 0.0, 0.0
        q[self._q] = self._pose
        mujoco.mj_forward(self.model, self.data)

    def step(self, torque: np.ndarray) -> None:
        """Make one physics step with these motor torques, (j,) [N·m]; constant friction."""
        self.data.ctrl[self._motor] = torque
        mujoco.mj_step(self.model, self.data)

    def step_loaded(self, torque: np.ndarray, loss: np.ndarray, damping: np.ndarray) -> np.ndarray:
        """Make one physics step; give the torque the joints felt from elsewhere, (j,) [N·m].

        That is everything but inertia, the motor and the joint's own dry friction. The force of the
        latter follows from the acceleration (`FrictionRow`) and stands in the solver's own rows as
        well; the two must agree. The formula's value is used: it has the training environment's
        last bits, and walking turns a last bit into a step within seconds.

        Args:
            torque: Of the motors, (j,) [N·m].
            loss: Dry friction of the joints in this step, (j,) [N·m].
            damping: Their damping in this step, (j,) [N·m·s/rad].

        Raises:
            RuntimeError: They do not agree.
        """
        model, data = self.model, self.data
        model.dof_frictionloss[self._v], model.dof_damping[self._v] = loss, damping
        speed = data.qvel[self._v]
        self.step(torque)
        own = self._friction.force(data.qacc[self._v], speed, loss)
        rows = slice(data.ne, data.ne + data.nf)  # behind the equalities, before limits, contacts
        solved = np.zeros(model.nv)
        solved[data.efc_id[rows]] = data.efc_force[rows]
        off = np.abs(own - solved[self._v])
        if off.max() > _FRICTION_ERROR:
            worst = int(off.argmax())
            raise RuntimeError(
                f"friction of {model.joint(int(model.dof_jntid[self._v[worst]])).name}:"
                f" {own[worst]:.9g} N·m by the formula, {solved[self._v][worst]:.9g} N·m in the"
                " solver"
            )
        return data.qfrc_constraint[self._v] - own - data.qfrc_bias[self._v]

    def servo(self) -> tuple[np.ndarray, np.ndarray]:
        """Give angle [rad] and speed [rad/s] of the servos' own side, each (j,)."""
        return self.data.qpos[self._q], self.data.qvel[self._v]

    def gap(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Give angle [rad] and speed [rad/s] within the gear gaps, each (j,); None without."""
        if self._gap_q is None:
            return None
        return self.data.qpos[self._gap_q], self.data.qvel[self._gap_v]

    def rotation(self) -> np.ndarray:
        """Give the matrix that turns trunk axes into world axes, (3, 3)."""
        w, x, y, z = self.data.qpos[self._base_q + 3 : self._base_q + 7]
        u = np.array([x, y, z])
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * across

    def spin(self) -> np.ndarray:
        """Give the angular velocity in trunk axes, (3,) [rad/s]; MuJoCo keeps it in these axes."""
        return self.data.qvel[self._base_v + 3 : self._base_v + 6].copy()

    def speed(self) -> np.ndarray:
        """Give forward and sideways speed in yaw-aligned axes and the yaw rate, (3,) [m/s, rad/s].

        A trunk whose x axis is upright has no heading; it is taken to face x.
        """
        turn = self.rotation()
        ahead = np.array([turn[0, 0], turn[1, 0], 0.0])
        length = np.linalg.norm(ahead)
        ahead = ahead / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
        aside = np.array([-ahead[1], ahead[0], 0.0])
        velocity = self.data.qvel[self._base_v : self._base_v + 3]
        return np.array([ahead @ velocity, aside @ velocity, turn[2] @ self.spin()])
