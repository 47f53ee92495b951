"""A window on one robot, in real time."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import mujoco

from servogym.envs.opengl import NoDisplay, named_screen, screen_answers


class Window:
    """MuJoCo's viewer, shown at the pace of the robot's clock until somebody closes it."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        dt: float,
        body: int,
        distance: float,
        on_key: Callable[[int], None] | None = None,
    ) -> None:
        """Open the window.

        Args:
            model: what to show.
            data: its state; written by the caller while `lock` is held.
            dt: time between two frames [s].
            body: body the camera follows.
            distance: how far from it the camera stands [m].
            on_key: called in the window's own thread with the GLFW code of every key pressed.

        Raises:
            NoDisplay: when there is no screen, in one line.
        """
        if not screen_answers():
            named = named_screen()
            reason = f"{named} does not answer" if named else "DISPLAY is not set"
            raise NoDisplay(
                f"render_mode='human' needs a screen: {reason}; "
                "render_mode='rgb_array' works without one"
            )
        from mujoco import viewer

        before = set(threading.enumerate())
        self._view = viewer.launch_passive(
            model, data, key_callback=on_key, show_left_ui=False, show_right_ui=False
        )
        self._threads = set(threading.enumerate()) - before
        atexit.register(self.close)
        self._dt, self._due = dt, time.perf_counter()
        with self._view.lock():
            camera = self._view.cam
            camera.type, camera.trackbodyid = mujoco.mjtCamera.mjCAMERA_TRACKING, body
            camera.distance, camera.azimuth, camera.elevation = distance, 140.0, -14.0

    @property
    def scene(self) -> mujoco.MjvScene:
        """The scene to which the caller may add geoms of its own while `lock` is held."""
        return self._view.user_scn

    def is_open(self) -> bool:
        """Whether nobody has closed it yet."""
        return self._view.is_running()

    def lock(self) -> AbstractContextManager:
        """Hold the drawing while data and scene are written."""
        return self._view.lock()

    def show(self) -> None:
        """Show what was written, then wait until the next frame is due."""
        self._view.sync()
        now = time.perf_counter()
        self._due = max(self._due + self._dt, now - self._dt)  # late frames are not made up for
        time.sleep(max(self._due - now, 0.0))

    def close(self) -> None:
        """Close the window and wait until it is gone: leaving Python meanwhile would crash."""
        atexit.unregister(self.close)
        self._view.close()
        for thread in self._threads:
            thread.join(timeout=5.0)
