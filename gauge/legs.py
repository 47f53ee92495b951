"""Leg joint angles that put the feet where they are wanted, under a trunk that stays upright."""

from __future__ import annotations

import mujoco
import numpy as np

from servogym.robots import Robot
from servogym.scenes.addresses import Addresses

CLOSE = 1e-4
"""Feet arrive within this distance of where they are wanted [m]."""
_ROUNDS = 60
_SETTLED, _LARGEST = 1e-6, 0.2
"""Changes of a joint in one round [rad]: with less the search ends, more is not taken."""
_STIFF, _SOFT = 1e-8, 1e-2
"""Damping of the least squares: of positions [m^2], of directions [rad^2]."""


class Legs:
    """Inverse kinematics of all feet at once, by damped least squares on their Jacobians.

    The places of the feet come first. What freedom the joints have left turns the soles towards
    how they lie in the default pose; a leg without ankle roll keeps a degree or two.
    """

    def __init__(self, model: mujoco.MjModel, robot: Robot) -> None:
        """Stand the robot upright at the origin in its default pose.

        Args:
            model: What `servogym.scenes.world.build` compiled, with or without gear gaps.
            robot: Whose legs they are.
        """
        self._robot, self._model, self._data = robot, model, mujoco.MjData(model)
        self._at = at = Addresses.of(model, robot)
        columns = [robot.joints.index(name) for name in robot.legs]
        self._qpos, self._dofs = at.servo_qpos[columns], at.servo_dof[columns]
        self._low, self._high = model.jnt_range[model.dof_jntid[self._dofs]].T
        self._data.qpos[at.base_qpos] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        self._data.qpos[at.servo_qpos] = robot.pose()
        self._look()
        self.home = self._feet()
        """Feet in the default pose, from the trunk's origin [m], (f, 3)."""
        self._level = self._data.site_xmat[at.foot_site].reshape(-1, 3, 3).copy()

    def reach(self, feet: np.ndarray) -> np.ndarray:
        """Return the servo angles that put the feet there, found from the last answer on.

        Args:
            feet: From the trunk's origin, in axes that are forward, left and up [m], (f, 3).

        Returns:
            Angles in contract order, those of the head as in the default pose [rad], (j,).

        Raises:
            ValueError: A foot cannot get there; the message says which and how near it came.
        """
        angles = self._data.qpos[self._qpos]
        for _ in range(_ROUNDS):
            change = sum(self._towards(foot, place) for foot, place in enumerate(feet))
            change = np.clip(change, -_LARGEST, _LARGEST)
            angles = np.clip(angles + change, self._low, self._high)
            self._data.qpos[self._qpos] = angles
            self._look()
            if np.abs(change).max() < _SETTLED:
                break
        missing = np.linalg.norm(feet - self._feet(), axis=1)
        if missing.max() > CLOSE:
            foot = int(missing.argmax())
            raise ValueError(
                f"{self._robot.feet[foot].site} of {self._robot.name} stays {missing[foot]:.4f} m "
                f"from {np.round(feet[foot], 4).tolist()} under the trunk; a nearer place is needed"
            )
        return self._data.qpos[self._at.servo_qpos].copy()

    def _towards(self, foot: int, place: np.ndarray) -> np.ndarray:
        """Change of the leg joints that brings one foot nearer, (legs,) [rad]."""
        site, (move, turn) = self._at.foot_site[foot], np.zeros((2, 3, self._model.nv))
        mujoco.mj_jacSite(self._model, self._data, move, turn, site)
        move, turn = move[:, self._dofs], turn[:, self._dofs]
        back = move.T @ np.linalg.inv(move @ move.T + _STIFF * np.eye(3))
        first = back @ (place - self._data.site_xpos[site])
        now = self._data.site_xmat[site].reshape(3, 3)
        tilt = 0.5 * np.cross(now, self._level[foot], axis=0).sum(axis=1)
        free = turn - turn @ back @ move  # turns that leave the place as it is
        then = np.linalg.solve(free @ free.T + _SOFT * np.eye(3), tilt - turn @ first)
        return first + free.T @ then

    def _feet(self) -> np.ndarray:
        return self._data.site_xpos[self._at.foot_site].copy()

    def _look(self) -> None:
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
