"""The window runs in real time, may be closed at any moment, and never takes Python down."""

import os
import shutil
import subprocess
import sys

import pytest

WATCH = """
import time
import gymnasium, numpy as np, servogym
env = gymnasium.make("MicroDuck-Flat-v0", render_mode="human")
env.reset(seed=0)
began = time.perf_counter()
for _ in range(50):
    env.step(np.zeros(14))
print(time.perf_counter() - began)
"""

SOMEBODY_CLOSES_IT = """
env.unwrapped._renderer._window._view.close()
for _ in range(5):
    env.step(np.zeros(14))
print("went on")
"""


def watch(code: str) -> list[str]:
    xvfb = shutil.which("xvfb-run")
    if not xvfb:
        pytest.skip("no virtual screen on this machine; apt-get install xvfb")
    environment = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"}
    done = subprocess.run(
        [xvfb, "-a", sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_fifty_control_steps_of_20_ms_take_a_second_and_leaving_without_close_is_clean():
    (seconds,) = watch(WATCH)
    assert 0.95 < float(seconds) < 2.0


def test_closing_the_window_stops_the_drawing_and_nothing_else():
    assert watch(WATCH + SOMEBODY_CLOSES_IT)[-1] == "went on"


def test_close_then_exit_is_clean():
    watch(WATCH + "\nenv.close()")


def test_a_screen_that_does_not_answer_is_refused_in_one_line():
    done = subprocess.run(
        [sys.executable, "-c", WATCH],
        env={**os.environ, "DISPLAY": ":987"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if sys.platform != "linux":
        pytest.skip("only Linux names its screen in DISPLAY")
    assert done.returncode == 1
    assert "NoDisplay: render_mode='human' needs a screen: :987 does not answer" in done.stderr
