"""The wheel and the sdist hold everything that running needs, and nothing under a generic name."""

import runpy
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("artefacts")  # one worker builds them, once

PLAY_EVERY_ENVIRONMENT = """
import gymnasium as gym
import servogym

ids = [spec.id for spec in gym.registry.values() if "servogym." in str(spec.entry_point)]
assert ids
for name in ids:
    env = gym.make(name)
    env.reset(seed=0)
    for _ in range(10):
        observation, reward, *_ = env.step(env.action_space.sample())
        assert abs(observation).max() < 1e6 and abs(reward) < 1e6
    env.close()
print(servogym.__file__)
"""


def _package_files(checkout: Path, files: list[str]) -> set[str]:
    layout = runpy.run_path(str(checkout / "setup.py"))
    rooms = {f"servogym/{name}" for name in files if name.split("/")[0] in layout["ROOMS"]}
    door = {name for name in files if name.startswith("servogym/")}
    return rooms | door | {f"servogym/{script}.py" for script in layout["SCRIPTS"]}


def test_the_wheel_holds_exactly_the_files_of_the_rooms(artefacts, checkout, files):
    with zipfile.ZipFile(artefacts["wheel"]) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == _package_files(checkout, files)


def test_the_only_name_the_wheel_claims_is_servogym(artefacts):
    with zipfile.ZipFile(artefacts["wheel"]) as wheel:
        (claim,) = [name for name in wheel.namelist() if name.endswith("top_level.txt")]
        assert wheel.read(claim).decode().split() == ["servogym"]
        assert {name.split("/")[0].split("-")[0] for name in wheel.namelist()} == {"servogym"}


def test_the_wheel_carries_the_licence_and_the_commands(artefacts):
    with zipfile.ZipFile(artefacts["wheel"]) as wheel:
        names = wheel.namelist()
        (points,) = [name for name in names if name.endswith("entry_points.txt")]
        commands = wheel.read(points).decode()
    assert any(name.endswith("licenses/LICENSE") for name in names)
    for command in ("servogym =", "servogym-train =", "servogym-export ="):
        assert command in commands


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_installed_copy_plays_every_environment_from_another_folder(
    kind, install, run_installed
):
    folder = install(kind)
    written = [path for path in folder.rglob("*") if "__pycache__" not in path.parts]
    for path in written:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    try:
        done = run_installed(kind, "-c", PLAY_EVERY_ENVIRONMENT)
    finally:
        for path in written:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.split()[-1]).is_relative_to(folder)
    assert written == [path for path in folder.rglob("*") if "__pycache__" not in path.parts]


@pytest.mark.parametrize("room", ["envs", "robots", "actuators", "scenes", "train", "export"])
def test_an_installed_copy_offers_no_generic_name(room, run_installed):
    done = run_installed("wheel", "-c", f"import servogym, {room}")
    assert f"No module named '{room}'" in done.stderr


def test_python_m_servogym_runs_from_an_installed_copy(run_installed):
    done = run_installed("wheel", "-m", "servogym", "list")
    assert done.returncode == 0, done.stderr
    assert "MicroDuck-Flat-Backlash-v0" in done.stdout


def test_the_front_door_opens_from_an_uninstalled_checkout(checkout, tmp_path):
    code = "import servogym.robots; print(servogym.robots.names())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, check=True
    )
    assert "microduck" in done.stdout
