"""The keyboard drives the robot: key by key, and in a real window on a virtual screen."""

import os
import shutil
import subprocess
import sys
from ctypes.util import find_library

import numpy as np
import pytest

from servogym.envs.opengl import NoDisplay
from servogym.viewer import keys
from servogym.viewer.keys import DOWN, ENTER, LEFT, RIGHT, SPACE, UP, Keys


def asked(live) -> list[float]:
    live.step()
    return live.core.commander.twist[0].tolist()


@pytest.mark.parametrize(
    ("key", "twist"),
    [
        (UP, [0.1125, 0, 0]),
        (DOWN, [-0.1125, 0, 0]),
        (LEFT, [0, 0, 0.25]),
        (RIGHT, [0, 0, -0.25]),
        (ord("V"), [0, 0.075, 0]),
        (ord("B"), [0, -0.075, 0]),
    ],
)
def test_a_key_asks_for_a_quarter_of_what_training_asked_at_most(live, key, twist):
    press = Keys(live)
    press(key)
    assert asked(live) == pytest.approx(twist)
    for _ in range(7):
        press(key)
    assert asked(live) == pytest.approx((4 * np.array(twist)).tolist())


def test_as_many_presses_back_as_forth_ask_for_exactly_nothing(live):
    press = Keys(live)
    for key in (UP, UP, UP, LEFT, DOWN, DOWN, DOWN, RIGHT):
        press(key)
    assert asked(live) == [0.0, 0.0, 0.0]


def test_space_stops(live):
    press = Keys(live)
    press(UP)
    press(LEFT)
    press(SPACE)
    assert asked(live) == [0.0, 0.0, 0.0]
    press(UP)
    assert asked(live) == pytest.approx([0.1125, 0.0, 0.0])


def test_o_goes_round_the_policies_and_p_pushes_and_enter_starts_again(live, monkeypatch):
    press, pushes = Keys(live), []
    monkeypatch.setattr(live, "push", lambda *way: pushes.append(way))
    names = []
    for _ in range(3):
        press(ord("O"))
        live.step()
        names.append(live.name)
    assert names == ["microduck-walk", "microduck-walk-backlash", "microduck-walk"]
    press(ord("P"))
    live.step()
    assert pushes == [(0.0, -keys.PUSH)]
    assert live.core.state.elapsed[0] == 4
    press(ENTER)
    live.step()
    assert live.core.state.elapsed[0] == 1


def test_without_a_screen_one_line_names_the_ways_out(live, monkeypatch):
    if sys.platform != "linux":
        pytest.skip("only Linux names its screen in DISPLAY")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(NoDisplay, match=r"DISPLAY is not set; without --window .* --video"):
        keys.play(live)


# Types keys as a keyboard would, through the X server, once the window is there.
TYPED = """
import ctypes, sys, threading, time
from pathlib import Path
from servogym.viewer import keys
from servogym.viewer.choice import open_all
from servogym.viewer.live import Live

x11, xtst = ctypes.CDLL(sys.argv[2]), ctypes.CDLL(sys.argv[3])
x11.XOpenDisplay.restype = ctypes.c_void_p
screen = ctypes.c_void_p(x11.XOpenDisplay(None))

def tap(symbol):
    code = x11.XKeysymToKeycode(screen, ctypes.c_ulong(symbol))
    for down in (1, 0):
        xtst.XTestFakeKeyEvent(screen, code, down, ctypes.c_ulong(0))
        x11.XFlush(screen)
        time.sleep(0.05)

live = Live(open_all([Path(sys.argv[1])]))
twist = live.core.commander.twist[0]
window = []
made = keys.Renderer

def watched(*arguments):
    window.append(made(*arguments))
    return window[0]

keys.Renderer = watched

def person():
    while not window or window[0]._window is None:
        time.sleep(0.05)
    while not twist[0]:
        tap(0xFF52)  # up
        time.sleep(0.5)
    began = live.core.state.base_pos[0, :2].copy()
    while abs(live.core.state.base_pos[0, :2] - began).max() < 0.1:
        time.sleep(0.05)
    print("walks", twist[0] > 0, flush=True)
    while twist.any():
        tap(0x20)  # space
        time.sleep(0.5)
    print("stops", flush=True)
    window[0]._window._view.close()

threading.Thread(target=person, daemon=True).start()
keys.play(live)
print("closed")
"""


def test_in_a_real_window_the_up_arrow_walks_space_stops_and_closing_ends_it(plain):
    xvfb, libraries = shutil.which("xvfb-run"), [find_library(name) for name in ("X11", "Xtst")]
    if not xvfb or not all(libraries):
        pytest.skip("no virtual screen with keys on this machine; apt-get install xvfb libxtst6")
    environment = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"}
    command = [xvfb, "-a", sys.executable, "-c", TYPED, str(plain), *map(str, libraries)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["walks True", "stops", "closed"]
