"""One virtual environment per version of MuJoCo, in a folder of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

VERSIONS = ("3.2.3", "3.3.7", "3.10.0", "3.16.0", "4.0.0")
"""First with the native convex detector; first line that has it on; the one whose solver changed;
the one whose height fields changed; what servogym is built on."""
PACKAGES = ("numpy", "onnxruntime")
"""What the worker needs besides MuJoCo."""
FOLDER = Path.home() / ".cache" / "servogym" / "versions"
"""Where they lie unless another folder is named."""
_ASK = "import mujoco, numpy, onnxruntime; print(mujoco.__version__)"


def python(folder: Path, version: str) -> Path:
    """The interpreter of a version, whether or not it is there."""
    bin_folder, suffix = ("Scripts", ".exe") if sys.platform == "win32" else ("bin", "")
    return folder / version / bin_folder / f"python{suffix}"


def present(folder: Path, version: str) -> bool:
    """Whether the environment of a version is there, works, and holds just that version."""
    if not python(folder, version).exists():
        return False
    done = subprocess.run(
        [str(python(folder, version)), "-I", "-c", _ASK], capture_output=True, text=True
    )
    return done.returncode == 0 and done.stdout.strip() == version


def make(folder: Path, version: str) -> None:
    """Make the environment of a version, unless it is there; needs a package index.

    Raises:
        RuntimeError: it cannot be installed; the message says what pip said last.
    """
    if present(folder, version):
        return
    place = folder / version
    wanted = [f"mujoco=={version}", *PACKAGES]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(place)],
        [str(python(folder, version)), "-m", "pip", "install", "-q", *wanted],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines() or ["nothing"]
            raise RuntimeError(f"MuJoCo {version}: {' '.join(command[1:4])} said: {said[-1]}")
    if not present(folder, version):
        raise RuntimeError(f"MuJoCo {version}: installed into {place}, but it does not import")
