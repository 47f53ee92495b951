"""What rewards, terminations and observations may read: n robots after a control step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from servogym.envs import rotation
from servogym.envs.footing import Footing

if TYPE_CHECKING:
    from servogym.robots.base import Robot
    from servogym.scenes.addresses import Addresses

_MEMORY = (
    "action",
    "previous_action",
    "torque",
    "power",
    "yaw_rate_mean",
    "turn_error_mean",
    "elapsed",
)


class State:
    """Named arrays, one robot a row; joints in contract order, feet left first.

    `read` refreshes the physical part from the batch. Positions and velocities are those after the
    step; what MuJoCo derives (feet) is one physics step older, as after any mj_step.
    """

    base_pos: np.ndarray
    """Trunk origin in the world [m], (n, 3)."""
    base_height: np.ndarray
    """Height of the trunk origin above the ground below it [m], (n,)."""
    com: np.ndarray
    """World position of the whole robot's centre of mass [m], (n, 3)."""
    base_quat: np.ndarray
    """Trunk orientation in the world, (n, 4)."""
    base_lin_vel: np.ndarray
    """Velocity of the trunk origin in trunk axes [m/s], (n, 3)."""
    base_ang_vel: np.ndarray
    """Angular velocity in trunk axes [rad/s], (n, 3): what an ideal gyro reads."""
    heading_vel: np.ndarray
    """Velocity of the trunk origin in yaw-aligned axes [m/s], (n, 3); z is up."""
    yaw_rate: np.ndarray
    """Angular velocity about the vertical [rad/s], (n,)."""
    yaw_rate_mean: np.ndarray
    """Average of yaw_rate over about a third of a second [rad/s], (n,); a gait makes it swing."""
    turn_error_mean: np.ndarray
    """Yaw rate minus commanded yaw rate, averaged over one and a half seconds [rad/s], (n,)."""
    projected_gravity: np.ndarray
    """Unit vector of gravity in trunk axes, (n, 3)."""
    joint_pos: np.ndarray
    """Angle of the links: servo plus play [rad], (n, j)."""
    joint_vel: np.ndarray
    """Angular velocity of the links: servo plus play [rad/s], (n, j)."""
    servo_pos: np.ndarray
    """Angle of the servo side [rad], (n, j)."""
    servo_vel: np.ndarray
    """Angular velocity of the servo side [rad/s], (n, j)."""
    torque: np.ndarray
    """Motor torque at the joint in the last physics step [N·m], (n, j)."""
    power: np.ndarray
    """Sum over joints of |torque x servo velocity|, mean over the control step [W], (n,)."""
    foot_pos: np.ndarray
    """Foot sites in the world [m], (n, f, 3)."""
    sole_pos: np.ndarray
    """World position of the middle of each foot's shape [m], (n, f, 3)."""
    foot_height: np.ndarray
    """Height of the foot sites above the ground below them [m], (n, f)."""
    foot_vel: np.ndarray
    """Velocity of the foot sites in the world [m/s], (n, f, 3)."""
    foot_force: np.ndarray
    """Normal force on each foot [N], (n, f)."""
    action: np.ndarray
    """The action of this step after clipping, (n, j)."""
    previous_action: np.ndarray
    """The action of the step before; zero at the start of an episode, (n, j)."""
    elapsed: np.ndarray
    """Control steps since the episode began, (n,), integers."""

    def __init__(
        self, robot: Robot, n: int, limits: np.ndarray, footing: Footing | None = None
    ) -> None:
        """Allocate the arrays.

        Args:
            robot: gives the joints, the default pose and the feet.
            n: how many robots.
            limits: joint ranges [rad], (j, 2).
            footing: the ground under them; None: a floor at z = 0.
        """
        j, f = len(robot.joints), len(robot.feet)
        self.robot, self.footing = robot, footing or Footing(None, n, 1.0)
        self.default_pose = robot.pose()
        middle, half = limits.mean(axis=1), 0.5 * np.diff(limits, axis=1)[:, 0]
        self.soft_limits = np.stack(
            (middle - robot.soft_limit * half, middle + robot.soft_limit * half), axis=1
        )
        shapes = {
            "base_pos": (3,),
            "base_height": (),
            "com": (3,),
            "base_quat": (4,),
            "base_lin_vel": (3,),
            "base_ang_vel": (3,),
            "heading_vel": (3,),
            "yaw_rate": (),
            "yaw_rate_mean": (),
            "turn_error_mean": (),
            "projected_gravity": (3,),
            "joint_pos": (j,),
            "joint_vel": (j,),
            "servo_pos": (j,),
            "servo_vel": (j,),
            "torque": (j,),
            "power": (),
            "foot_pos": (f, 3),
            "sole_pos": (f, 3),
            "foot_height": (f,),
            "foot_vel": (f, 3),
            "foot_force": (f,),
            "action": (j,),
            "previous_action": (j,),
        }
        for name, tail in shapes.items():
            setattr(self, name, np.zeros((n, *tail)))
        self.elapsed = np.zeros(n, np.int64)
        self._names = (*shapes, "elapsed")

    def read(
        self,
        at: Addresses,
        qpos: np.ndarray,
        qvel: np.ndarray,
        site_xpos: np.ndarray,
        geom_xpos: np.ndarray,
        subtree_com: np.ndarray,
        sensordata: np.ndarray,
        rows: np.ndarray | slice = slice(None),
    ) -> None:
        """Refresh the physical arrays of rows from the batch's live arrays."""
        qpos, qvel = qpos[rows], qvel[rows]
        quat, velocity = qpos[:, at.base_qpos[3:]], qvel[:, at.base_dof[:3]]
        gyro, gravity = qvel[:, at.base_dof[3:]], rotation.gravity_in_body(quat)
        base = qpos[:, at.base_qpos[:3]]
        self.base_pos[rows] = base
        self.base_height[rows] = base[:, 2] - self.footing.height(base)
        self.base_quat[rows] = quat
        self.base_ang_vel[rows] = gyro
        self.base_lin_vel[rows] = rotation.to_body(quat, velocity)
        self.projected_gravity[rows] = gravity
        cos, sin = rotation.heading(quat)
        x, y, z = velocity.T
        self.heading_vel[rows] = np.stack((cos * x + sin * y, cos * y - sin * x, z), axis=1)
        turn = gyro * gravity
        self.yaw_rate[rows] = -(turn[:, 0] + turn[:, 1] + turn[:, 2])
        servo_pos, servo_vel = qpos[:, at.servo_qpos], qvel[:, at.servo_dof]
        self.servo_pos[rows], self.servo_vel[rows] = servo_pos, servo_vel
        if at.play_qpos is not None:
            servo_pos = servo_pos + qpos[:, at.play_qpos]
            servo_vel = servo_vel + qvel[:, at.play_dof]
        self.joint_pos[rows], self.joint_vel[rows] = servo_pos, servo_vel
        self.com[rows] = subtree_com[rows][:, at.base_body]
        self.sole_pos[rows] = geom_xpos[rows][:, at.foot_geom]
        feet = site_xpos[rows][:, at.foot_site]
        self.foot_pos[rows] = feet
        self.foot_height[rows] = feet[:, :, 2] - self.footing.height(feet)
        sensordata = sensordata[rows]
        self.foot_vel[rows] = sensordata[:, at.foot_velocity]
        self.foot_force[rows] = sensordata[:, at.foot_force]

    def begin(self, rows: np.ndarray) -> None:
        """Forget what rows did: actions, torque, averages and the clock of the last episode."""
        for name in _MEMORY:
            getattr(self, name)[rows] = 0

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {name: getattr(self, name) for name in self._names}
