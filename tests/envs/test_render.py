"""Pictures come without being asked how, leave nothing behind, and nobody needs them."""

import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import servogym  # noqa: F401
from servogym.envs import opengl
from servogym.envs.fleet import SMALL
from servogym.envs.opengl import NoDisplay
from servogym.envs.single import RobotEnv
from servogym.envs.vector import RobotVectorEnv


def headless(**variables: str) -> dict[str, str]:
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL")
    return {k: v for k, v in os.environ.items() if k not in screens} | variables


def run(code: str, **variables: str) -> subprocess.CompletedProcess:
    """Run code in a process of its own without a screen."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env=headless(**variables),
        capture_output=True,
        text=True,
        timeout=120,
    )


def draws() -> bool:
    try:
        picture = RobotEnv("microduck_flat", render_mode="rgb_array")
        picture.reset(seed=0)
        picture.render()
        picture.close()
    except NoDisplay:
        return False
    return True


BARE = "import mujoco; mujoco.Renderer(mujoco.MjModel.from_xml_string('<mujoco/>'), 8, 8)"


@pytest.fixture(scope="module")
def gl():
    if not draws():
        assert run(BARE, MUJOCO_GL="egl").returncode, "EGL draws here and servogym does not find it"
        pytest.skip(f"no OpenGL on this machine; {opengl.CURE}")


@pytest.fixture
def env(gl):
    made = RobotEnv("microduck_flat", render_mode="rgb_array")
    quality = made.core.looks.vis.quality
    quality.offsamples, quality.shadowsize = 0, 1024  # a third of the time
    made.reset(seed=0, options={"command": (0.0, 0.0, 0.0)})
    yield made
    made.close()


def test_a_picture_shows_the_yellow_duck_on_a_light_floor(env):
    picture = env.render()
    assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8
    red, green, blue = picture.astype(int).transpose(2, 0, 1)
    yellow = (red > 150) & (green > 120) & (blue < 90)
    rows, columns = np.nonzero(yellow)
    assert yellow.sum() > 2000
    assert 100 < rows.mean() < 380 and 200 < columns.mean() < 440
    assert picture[-20:].mean() > 150


def test_the_picture_follows_the_robot_and_leaves_its_physics_alone(env):
    twin = RobotEnv("microduck_flat")
    twin.reset(seed=0, options={"command": (0.0, 0.0, 0.0)})
    first = env.render()
    for _ in range(15):
        seen = env.step(np.full(14, 0.5))[0]
        np.testing.assert_array_equal(seen, twin.step(np.full(14, 0.5))[0])
        moved = env.render()
    assert np.abs(moved.astype(int) - first).mean() > 1.0


def test_arrows_show_what_is_asked_in_blue_and_what_is_done_in_green(env):
    def blue(picture):
        red, green, blue = picture[:110].astype(int).transpose(2, 0, 1)
        return ((blue > 120) & (red < 60) & (green < 140)).sum()

    def green(picture):
        red, green, blue = picture[:110].astype(int).transpose(2, 0, 1)
        return ((green > 100) & (red < 80) & (blue < 120)).sum()

    still = RobotEnv("microduck_flat", spawn=False, render_mode="rgb_array")
    still.reset(seed=0, options={"command": (0.0, 0.0, 0.0)})
    assert blue(still.render()) == 0 and green(still.render()) == 0
    still.core.commander.twist[0] = (0.3, 0.2, 0.5)
    assert blue(still.render()) > 100 and green(still.render()) == 0
    still.core.state.heading_vel[0, :2] = (0.3, 0.2)
    assert green(still.render()) > 100
    still.close()


def test_twenty_renderers_in_a_row_draw_identical_bytes(env):
    first = env.render()
    for _ in range(20):
        env.close()
        np.testing.assert_array_equal(env.render(), first)


def test_a_second_renderer_does_not_disturb_the_first(env):
    first = env.render()
    other = RobotEnv("microduck_flat", render_mode="rgb_array")
    other.reset(seed=7)
    theirs = other.render()
    assert (theirs != first).any()
    np.testing.assert_array_equal(env.render(), first)
    np.testing.assert_array_equal(other.render(), theirs)
    other.close()
    np.testing.assert_array_equal(env.render(), first)


def test_every_row_of_a_large_batch_is_drawn_as_the_robot_it_is(env):
    envs = RobotVectorEnv("microduck_flat", 2 * SMALL, render_mode="rgb_array")
    quality = envs.core.looks.vis.quality
    quality.offsamples, quality.shadowsize = 0, 1024
    options = {"command": (0.0, 0.0, 0.0)}
    envs.reset(
        seed=[0 if i == 2 * SMALL - 1 else 50 + i for i in range(2 * SMALL)], options=options
    )
    last = envs._renderer.render(2 * SMALL - 1)
    np.testing.assert_array_equal(last, env.render())
    assert (envs._renderer.render(SMALL - 1) != last).any()
    envs.close()


TEN_FRAMES = """
import gymnasium, servogym
env = gymnasium.make("MicroDuck-Flat-v0", render_mode="rgb_array")
env.reset(seed=0)
for _ in range(10):
    env.step(env.action_space.sample())
    assert env.render().any()
"""


def test_a_script_without_display_and_without_close_exits_in_silence(gl):
    done = run(TEN_FRAMES)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_renderer_left_open_is_closed_before_the_process_ends(gl):
    first = "import atexit; atexit.register(lambda: print(camera._mjr_context is None))"
    done = run(first + TEN_FRAMES + "camera = env.unwrapped._renderer._camera")
    assert done.stdout.split() == ["True"], done.stderr


def test_an_exception_mid_run_is_the_only_thing_on_stderr(gl):
    done = run(TEN_FRAMES + "\nraise ValueError('mid-run')")
    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: mid-run\n")
    assert "EGL" not in done.stderr and "GLContext" not in done.stderr
    assert done.stderr.count("Traceback") == 1


def test_the_users_mujoco_gl_is_obeyed_even_when_it_cannot_work(gl):
    done = run(TEN_FRAMES, MUJOCO_GL="disable")
    assert done.returncode == 1
    assert "NoDisplay: no OpenGL to draw with (disable:" in done.stderr


def test_osmesa_draws_where_egl_has_no_device(gl):
    if not opengl._osmesa_answers():
        pytest.skip("no OSMesa on this machine; apt-get install libosmesa6")
    done = run(TEN_FRAMES, __EGL_VENDOR_LIBRARY_DIRS="/nonexistent")
    assert (done.returncode, done.stderr) == (0, "")


NOTHING_DRAWS = """
import gymnasium, numpy, servogym
from servogym.envs import opengl
opengl._BACKENDS = ("glfw",)
env = gymnasium.make("MicroDuck-Flat-v0", render_mode="rgb_array")
env.reset(seed=0)
for _ in range(3):
    try:
        env.render()
    except opengl.NoDisplay as error:
        print(error)
    env.step(numpy.zeros(14))
"""


def test_where_nothing_draws_one_line_says_so_and_the_physics_goes_on():
    done = run("import warnings; warnings.simplefilter('ignore')" + NOTHING_DRAWS)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) == 3 and len(set(lines)) == 1
    assert lines[0].startswith("no OpenGL to draw with (") and "apt-get install" in lines[0]


def test_an_environment_that_never_draws_loads_no_opengl():
    done = run(
        "import gymnasium, numpy, servogym, sys\n"
        "env = gymnasium.make('MicroDuck-Flat-v0', render_mode='rgb_array')\n"
        "env.reset(seed=0); env.step(numpy.zeros(14))\n"
        "from servogym.envs import opengl\n"
        "assert not opengl._OPEN and not opengl._first_that_answers.cache_info().currsize\n"
        "assert 'mujoco.egl' not in sys.modules and 'mujoco.viewer' not in sys.modules\n"
    )
    assert done.returncode == 0, done.stderr


def test_a_window_without_a_display_is_refused_in_one_line_that_names_the_way_out(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    if sys.platform != "linux":
        pytest.skip("only Linux names its screen in DISPLAY")
    env = gymnasium.make("MicroDuck-Flat-v0", render_mode="human")
    with pytest.raises(RuntimeError, match=r"DISPLAY is not set; .*'rgb_array'") as refused:
        env.reset(seed=0)
    assert "\n" not in str(refused.value)


FRAMES_IN_A_WORKER = """
import pathlib, sys
import numpy as np
from servogym.envs.single import RobotEnv

def resident():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

env = RobotEnv("microduck_flat", render_mode="rgb_array")
quality = env.core.looks.vis.quality
quality.offsamples = quality.shadowsize = 0  # the count of frames matters, not their beauty
env.core.looks.mat_reflectance[:] = 0.0
env.reset(seed=int(sys.argv[1]))
for _ in range(5):
    env.render()
before = resident()
for _ in range(100):
    env.step(np.zeros(14))
    assert env.render().any()
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
def test_four_processes_draw_a_hundred_frames_each_without_growing(gl, tmp_path):
    (tmp_path / "worker.py").write_text(FRAMES_IN_A_WORKER)
    workers = [
        subprocess.Popen(
            [sys.executable, str(tmp_path / "worker.py"), str(i)],
            env=headless(LP_NUM_THREADS="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(4)
    ]
    for worker in workers:
        out, err = worker.communicate(timeout=240)
        assert (worker.returncode, err) == (0, "")
        assert float(out) < 50.0
