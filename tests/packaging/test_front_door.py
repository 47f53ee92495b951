"""`import servogym` is cheap, and the code reaches its rooms through it only."""

import ast
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


def test_the_module_colon_id_form_of_gymnasium_finds_the_environments():
    code = "import gymnasium; print(gymnasium.make('servogym:MicroDuck-Flat-v0').spec.id)"
    assert _python(code) == "MicroDuck-Flat-v0"


def test_walking_the_packages_ends_and_meets_every_room_once():
    found = [module.name for module in pkgutil.walk_packages(servogym.__path__, "servogym.")]
    assert "servogym.envs" in found
    assert [name for name in found if name.endswith(".envs.registration")] == [
        "servogym.envs.registration"
    ]


def test_no_file_imports_a_room_by_its_bare_name(files, checkout: Path):
    rooms = {"robots", "actuators", "scenes", "envs", "learning", "deploy", "train", "export"}
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
