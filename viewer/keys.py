"""Drives a live robot with the keyboard of a MuJoCo window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from servogym.envs.opengl import NoDisplay, named_screen, screen_answers
from servogym.envs.render import Renderer
from servogym.viewer.live import Live

STEPS = 4
"""Presses from standing to the largest speed met in training."""
PUSH = 0.3
"""Size of a push [m/s]."""

HELP = """\
up, down       faster forward, faster backward
left, right    turn
V, B           step left, step right
space          stop
P              push from the left
O              the next policy
enter          start again
close the window to leave"""
"""What the keys do. MuJoCo's window has a use of its own for most others."""

# Codes of GLFW, in GLFW/glfw3.h.
SPACE, ENTER, RIGHT, LEFT, DOWN, UP = 32, 257, 262, 263, 264, 265
_DRIVE = {
    UP: (1, 0, 0),
    DOWN: (-1, 0, 0),
    ord("V"): (0, 1, 0),
    ord("B"): (0, -1, 0),
    LEFT: (0, 0, 1),
    RIGHT: (0, 0, -1),
}


class Keys:
    """Turns keys into wishes; the window calls it from a thread of its own."""

    def __init__(self, live: Live) -> None:
        """Stand still.

        Args:
            live: The robot that is driven.
        """
        self._live = live
        self._twist = np.zeros(3)
        self._others: dict[int, Callable[[], None]] = {
            SPACE: self._halt,
            ENTER: live.reset,
            ord("P"): lambda: live.push(0.0, -PUSH),
            ord("O"): self._next,
        }

    def __call__(self, key: int) -> None:
        """Obey a key; one without a meaning does nothing."""
        if key in _DRIVE:
            self._live.ask(lambda: self._drive(_DRIVE[key]))
        elif key in self._others:
            self._live.ask(self._others[key])

    def _drive(self, way: tuple[int, int, int]) -> None:
        largest = np.array(self._live.policy.contract.command_ranges["command"])
        wanted = np.clip(self._twist + np.array(way) * largest / STEPS, -largest, largest)
        self._twist = np.where(np.abs(wanted) < 1e-9, 0.0, wanted)
        self._live.command({"command": self._twist})

    def _halt(self) -> None:
        self._twist = np.zeros(3)
        self._live.command({})

    def _next(self) -> None:
        names = list(self._live.policies)
        self._live.swap(names[(names.index(self._live.name) + 1) % len(names)])
        self._drive((0, 0, 0))


def play(live: Live) -> None:
    """Show a robot in a window in real time until somebody closes it.

    Raises:
        NoDisplay: There is no screen.
    """
    if not screen_answers():
        reason = f"{named_screen()} does not answer" if named_screen() else "DISPLAY is not set"
        raise NoDisplay(
            f"a window needs a screen: {reason}; without --window it is a page in the browser,"
            " and --video films without a screen"
        )
    renderer = Renderer(live.core, "human", Keys(live))
    try:
        while not renderer.closed:
            live.step()
            renderer.render(0)
    finally:
        renderer.close()
