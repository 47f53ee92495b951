"""How an episode begins: where the robots are put and how fast they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from servogym.robots.base import Robot
    from servogym.scenes.addresses import Addresses


@dataclass(frozen=True, kw_only=True)
class Spawn:
    """The default pose, a little above the floor, anywhere, facing anywhere."""

    drop: tuple[float, float] = (0.0, 0.008)
    """Height of the soles above the floor [m]."""
    spread: float = 0.5
    """Half width of the start positions along x and y [m]."""
    yaw: float = float(np.pi)
    """Half width of the start headings [rad]."""
    joint_pos: float = 0.05
    """Half width of the deviation from the default pose, each joint [rad]."""
    lin_vel: float = 0.1
    """Half width of the start velocity along x and y [m/s]."""
    ang_vel: float = 0.3
    """Half width of the start angular velocity about each axis [rad/s]."""

    @classmethod
    def off(cls) -> Spawn:
        """At the origin, facing x, in the default pose, at rest, soles on the floor."""
        return cls(drop=(0.0, 0.0), spread=0.0, yaw=0.0, joint_pos=0.0, lin_vel=0.0, ang_vel=0.0)

    def place(
        self,
        robot: Robot,
        at: Addresses,
        qpos: np.ndarray,
        qvel: np.ndarray,
        rows: np.ndarray,
        origin: np.ndarray,
        room: float,
        rng,
    ) -> np.ndarray:
        """Write the start of an episode into rows of the live arrays qpos and qvel.

        Passive joints stay at their zero, the middle of the gap.

        Args:
            robot: whose pose it is.
            at: its addresses.
            qpos: live array.
            qvel: live array.
            rows: integers.
            origin: middle of the start positions of each row, (rows, 2) [m].
            room: limits `spread` where the ground has less [m].
            rng: the rows' random streams.

        Returns:
            Height of the soles above the ground, if that were at z = 0 [m], (rows,).
        """
        j = len(robot.joints)
        u = rng.uniform(-1.0, 1.0, j + 9, rows)
        pose, place, twist = u[:, :j], u[:, j : j + 4], u[:, j + 4 :]
        half_yaw = 0.5 * self.yaw * place[:, 3]
        drop = self.drop[0] + 0.5 * (place[:, 2] + 1) * (self.drop[1] - self.drop[0])
        zero = np.zeros(len(rows))
        height = robot.spawn_height + drop
        (x, y), spread = origin.T, min(self.spread, room)
        where = (x + spread * place[:, 0], y + spread * place[:, 1], height)
        upright = (np.cos(half_yaw), zero, zero, np.sin(half_yaw))
        qpos[np.ix_(rows, at.base_qpos)] = np.stack((*where, *upright), axis=1)
        qpos[np.ix_(rows, at.servo_qpos)] = robot.pose() + self.joint_pos * pose
        linear = self.lin_vel * twist[:, :2]
        qvel[np.ix_(rows, at.base_dof)] = np.concatenate(
            (linear, zero[:, None], self.ang_vel * twist[:, 2:]), axis=1
        )
        return drop
