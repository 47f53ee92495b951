"""`import servogym` is cheap, and the code reaches its rooms through it only."""

import ast
import importlib.util
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import servogym


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("heavy", ["mujoco", "torch", "stable_baselines3", "onnxruntime"])
def test_importing_servogym_does_not_import(heavy):
    assert _python(f"import sys, servogym; print({heavy!r} in sys.modules)") == "False"


def test_importing_servogym_registers_the_environments():
    code = "import gymnasium, servogym; print(gymnasium.spec('MicroDuck-Flat-Backlash-v0').id)"
    assert _python(code) == "MicroDuck-Flat-Backlash-v0"


def test_a_script_beside_a_clone_called_servogym_finds_the_package(tmp_path):
    (tmp_path / "servogym" / "envs").mkdir(parents=True)
    code = f"import os; os.chdir({str(tmp_path)!r}); import servogym; print(servogym.__version__)"
    assert _python(code) == servogym.__version__


def test_the_module_colon_id_form_of_gymnasium_finds_the_environments():
    code = "import gymnasium; print(gymnasium.make('servogym:MicroDuck-Flat-v0').spec.id)"
    assert _python(code) == "MicroDuck-Flat-v0"


def test_a_robots_computer_needs_only_numpy_and_onnxruntime(tmp_path, checkout):
    needed = ["numpy", "onnxruntime", "flatbuffers", "google", "packaging"]
    for name in needed:
        found = importlib.util.find_spec(name)
        assert found and found.submodule_search_locations
        (tmp_path / name).symlink_to(next(iter(found.submodule_search_locations)))
    for libraries in (tmp_path / "numpy").resolve().parent.glob("numpy.libs"):
        (tmp_path / "numpy.libs").symlink_to(libraries)
    code = "import servogym.deploy.runner, sys; print('gymnasium' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{checkout}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "False"


def test_walking_the_packages_ends_and_meets_every_room_once():
    found = [module.name for module in pkgutil.walk_packages(servogym.__path__, "servogym.")]
    assert "servogym.envs" in found
    assert [name for name in found if name.endswith(".envs.registration")] == [
        "servogym.envs.registration"
    ]


def test_no_file_imports_a_room_by_its_bare_name(files, checkout: Path):
    rooms = {"robots", "actuators", "scenes", "envs", "learning", "deploy", "gauge", "viewer"}
    rooms |= {"train", "export", "evaluate", "play"}
    guilty = []
    for name in files:
        if not name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse((checkout / name).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported = [node.module or "."] if node.level == 0 else ["."]
            elif isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            else:
                continue
            guilty += [
                f"{name}:{node.lineno} {module}"
                for module in imported
                if module == "." or module.split(".")[0] in rooms
            ]
    assert not guilty, guilty
