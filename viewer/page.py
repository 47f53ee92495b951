"""The page in the browser: the robot, what it is asked, pushes, plots, and a menu of policies."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
import time
from typing import TYPE_CHECKING

import viser

from servogym.viewer.figure import Figure
from servogym.viewer.history import History
from servogym.viewer.numbers import numbers
from servogym.viewer.pace import Pace
from servogym.viewer.plots import Plots
from servogym.viewer.sliders import Sliders

if TYPE_CHECKING:
    from servogym.viewer.live import Live

PICTURES, PLOTS = 30.0, 8.0
"""How often a second the robot, and how often plots and numbers, are sent to the browser."""
PUSHES = {
    "from the left": (0.0, -1.0),
    "from the right": (0.0, 1.0),
    "from behind": (1.0, 0.0),
    "from the front": (-1.0, 0.0),
}
"""Name of a push -> the way it goes, forward and left."""

_VIEW = (3.4, -4.1, 2.6)
"""Where the page first looks from, over the robot's height [1]."""


class Page:
    """A web page on one live robot. The loop that runs it owns the robot."""

    def __init__(self, live: Live, host: str, port: int) -> None:
        """Open the port; the robot moves as soon as `run` is called.

        Args:
            live: The robot.
            host: Address to listen on.
            port: Port to listen on.

        Raises:
            OSError: The port cannot be had.
        """
        _free(host, port)
        self.live, self.url = live, f"http://{host}:{port}"
        contract = live.core.contract
        self.pace = Pace(contract.control_dt)
        self.history = History(len(contract.joints), contract.control_dt)
        self._stop = threading.Event()
        self._picture = self._plot = 0.0
        with contextlib.redirect_stdout(io.StringIO()):  # its own banner; ours says more
            self.server = viser.ViserServer(host=host, port=port, verbose=False)
        self._furnish()
        self._figure = Figure(self.server.scene, live.core)

    def run(self) -> None:
        """Let the robot live at the pace of the clock until `stop`; nobody needs to watch."""
        while not self._stop.is_set():
            self._tick()
            self.pace.wait()

    def stop(self) -> None:
        """End `run`; any thread may call this."""
        self._stop.set()

    def close(self) -> None:
        """Take the page off the air."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    def _tick(self) -> None:
        live = self.live
        live.command(self.sliders.values())
        if live.step():
            self.history.add(live)
        now = time.perf_counter()
        if not self.server.get_clients():
            return
        if now >= self._picture:
            self._picture = now + 1 / PICTURES
            with self.server.atomic():
                self._figure.show(self.history.lately(self.history.velocity))
        if now >= self._plot:
            self._plot = now + 1 / PLOTS
            self._numbers.content = numbers(live, self.history, self.pace.speed)
            self.plots.show()

    def _furnish(self) -> None:
        """Put everything that can be clicked on the page: commands right, plots left."""
        server, gui, live = self.server, self.server.gui, self.live
        contract = live.core.contract
        size = live.core.robot.spawn_height
        server.initial_camera.position = (_VIEW[0] * size, _VIEW[1] * size, _VIEW[2] * size)
        server.initial_camera.look_at = (0.0, 0.0, size)
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(232, 115, 12))
        gui.set_panel_label(live.core.robot.title)
        gui.main_panel.dock_right()
        self._numbers = gui.add_markdown(numbers(live, self.history, 1.0))
        self.policy = gui.add_dropdown("policy", tuple(live.policies))
        self.policy.on_update(lambda _: live.ask(self._swap))
        self.sliders = Sliders(contract)
        first, *others = contract.command_ranges
        self.sliders.add(gui, first)
        gui.add_button("Stop").on_click(lambda _: self.sliders.zero())
        with gui.add_folder("Push"):
            self._size = gui.add_slider("by [m/s]", min=0.05, max=1.0, step=0.05, initial_value=0.3)
            self._way = gui.add_dropdown("direction", tuple(PUSHES))
            gui.add_button("Push").on_click(lambda _: live.ask(self._push))
        with gui.add_folder("Robot"):
            self._paused = gui.add_checkbox("pause", False)
            self._paused.on_update(lambda _: live.ask(self._pause))
            self._gap = gui.add_checkbox("gear play", live.backlash)
            self._gap.on_update(lambda _: live.ask(self._change_gears))
            gui.add_button("Start again", color="gray").on_click(lambda _: live.ask(live.reset))
        for slot in others:
            self.sliders.add(gui, slot)
        left = gui.add_panel()
        with left.add_tab("Plots"):
            self.plots = Plots(gui, contract, self.history)
        left.dock_left()

    def _swap(self) -> None:
        self.live.swap(self.policy.value)
        self.sliders.fit(self.live.policy.contract)

    def _push(self) -> None:
        forward, left = PUSHES[self._way.value]
        self.live.push(self._size.value * forward, self._size.value * left)

    def _pause(self) -> None:
        self.live.paused = self._paused.value

    def _change_gears(self) -> None:
        try:
            self.live.set_backlash(self._gap.value)
        except LookupError as error:  # an edit of the physics needs the gaps, or their absence
            print(f"play: {error.args[0]}")
            self._gap.value = self.live.backlash
            return
        self._figure = Figure(self.server.scene, self.live.core)


def _free(host: str, port: int) -> None:
    """Refuse a port that somebody has; viser would quietly take the next one."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise OSError(
                f"cannot listen on {host}, port {port}: {error.strerror}; --port takes another one"
            ) from None
