"""Pictures of single robots of a batch, as arrays or in a window, with arrows for velocities."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from servogym.envs import opengl, rotation
from servogym.envs.window import Window
from servogym.scenes.world import CAMERA

if TYPE_CHECKING:
    from servogym.envs.core import Core
    from servogym.envs.fleet import Fleet

HEIGHT, WIDTH = 480, 640
"""Size of a picture [pixels]."""

_ASKED, _DONE = (0.15, 0.45, 0.95, 0.9), (0.2, 0.75, 0.35, 0.9)
_LEAD = 0.4
"""A velocity's arrow is as long as the way made in this time [s]."""


class Renderer:
    """Draws robots of a core or a fleet. OpenGL is touched by the first picture, not before.

    Above the robot blue arrows show the commanded velocity, green ones the actual: flat for the
    horizontal velocity, upright for the yaw rate.
    """

    def __init__(
        self, robots: Core | Fleet, mode: str, on_key: Callable[[int], None] | None = None
    ) -> None:
        """Prepare to draw robots.

        Args:
            robots: whom.
            mode: "rgb_array" or "human".
            on_key: called with the GLFW code of every key pressed in the window.
        """
        self._robots, self._mode, self._on_key = robots, mode, on_key
        self._data: mujoco.MjData | None = None
        self._camera: mujoco.Renderer | None = None
        self._window: Window | None = None

    def render(self, row: int) -> np.ndarray | None:
        """Draw a robot.

        Args:
            row: which one.

        Returns:
            A picture (480, 640, 3) uint8 in mode rgb_array; None in mode human, whose window is
            updated in real time. A window that somebody closed stays closed.

        Raises:
            NoDisplay: when there is nothing to draw on.
        """
        core, row = self._robots.where(row)
        if self._data is None:
            self._data = mujoco.MjData(self._robots.looks)
        if self._mode == "human":
            return self._show(core, self._data, row)
        camera = self._camera or opengl.offscreen(self._robots.looks, HEIGHT, WIDTH)
        self._camera = camera
        _pose(core, self._data, row)
        for _ in range(2):  # the floor is laid around where the camera was at the last update
            camera.update_scene(self._data, CAMERA)
        _point(core, camera.scene, row)
        return camera.render()

    @property
    def closed(self) -> bool:
        """Whether there was a window and somebody closed it."""
        return self._window is not None and not self._window.is_open()

    def close(self) -> None:
        """Free the window or the drawing context; a later `render` opens a new one."""
        if self._window is not None:
            self._window.close()
        if self._camera is not None:
            self._camera.close()
        self._window = self._camera = None

    def _show(self, core: Core, data: mujoco.MjData, row: int) -> None:
        window = self._window
        if window is None:
            _pose(core, data, row)
            distance = 6 * core.robot.spawn_height
            dt, body = core.task.control_dt, core.at.base_body
            window = Window(core.looks, data, dt, body, distance, self._on_key)
            self._window = window
        if window.is_open():
            with window.lock():
                _pose(core, data, row)
                window.scene.ngeom = 0
                _point(core, window.scene, row)
            window.show()


def _pose(core: Core, data: mujoco.MjData, row: int) -> None:
    """Put the robot where the batch has it; the nominal model serves all, they look alike."""
    data.qpos[:] = core.batch.bind("qpos")[row]
    mujoco.mj_kinematics(core.looks, data)
    mujoco.mj_comPos(core.looks, data)
    mujoco.mj_camlight(core.looks, data)


def _point(core: Core, scene: mujoco.MjvScene, row: int) -> None:
    """Add the arrows of a robot."""
    state, size = core.state, core.robot.spawn_height
    cos, sin = (v[0] for v in rotation.heading(state.base_quat[row : row + 1]))
    velocity = state.heading_vel[row]
    done = (velocity[0], velocity[1], state.yaw_rate_mean[row])
    pairs = ((core.commander.twist[row], _ASKED, 1.8), (done, _DONE, 1.68))
    for (x, y, turn), rgba, lift in pairs:
        foot = state.base_pos[row] + (0.0, 0.0, lift * size)
        flat = _LEAD * np.array([cos * x - sin * y, sin * x + cos * y, 0.0])
        upright = np.array([0.0, 0.0, 0.5 * _LEAD * size * turn])
        _arrow(scene, foot, flat, 0.05 * size, rgba)
        _arrow(scene, foot, upright, 0.05 * size, rgba)


def _arrow(
    scene: mujoco.MjvScene,
    foot: np.ndarray,
    way: np.ndarray,
    width: float,
    rgba: tuple[float, float, float, float],
) -> None:
    """Add an arrow; one too short to have a direction is left out."""
    if scene.ngeom >= scene.maxgeom or np.linalg.norm(way) < width:
        return
    geom = scene.geoms[scene.ngeom]
    kind = mujoco.mjtGeom.mjGEOM_ARROW
    mujoco.mjv_initGeom(
        geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), np.array(rgba, np.float32)
    )
    mujoco.mjv_connector(geom, kind, width, foot, foot + way)
    scene.ngeom += 1
