"""The two artefacts a release consists of, built from this checkout and installed elsewhere."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent


LEFT_BEHIND = {"build", "dist", "runs", "__pycache__"}


def _belongs_here(path: Path) -> bool:
    """Whether a file is source: no cache, no build, nothing that running leaves behind."""
    folders = path.relative_to(CHECKOUT).parts[:-1]
    ours = not any(f in LEFT_BEHIND or f.startswith(".") or "egg-info" in f for f in folders)
    return ours and path.is_file()


@pytest.fixture(scope="session")
def files() -> list[str]:
    """Every source file, relative to the checkout; works without git."""
    found = (path for path in CHECKOUT.rglob("*") if _belongs_here(path))
    return sorted(path.relative_to(CHECKOUT).as_posix() for path in found)


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory, files: list[str]) -> dict[str, Path]:
    """The wheel and the sdist, by kind; built from a copy, so that no `build/` appears here."""
    source = tmp_path_factory.mktemp("source")
    for name in files:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, source / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    built = list((source / "dist").iterdir())
    assert len(built) == 2, built
    return {"wheel" if path.suffix == ".whl" else "sdist": path for path in built}


@pytest.fixture(scope="session")
def install(
    tmp_path_factory: pytest.TempPathFactory, artefacts: dict[str, Path]
) -> Callable[[str], Path]:
    """Install an artefact without its dependencies; returns the folder that holds it."""
    folders: dict[str, Path] = {}

    def installed(kind: str) -> Path:
        if kind not in folders:
            folders[kind] = tmp_path_factory.mktemp(kind)
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
            command += ["--no-build-isolation", "--target", str(folders[kind])]
            subprocess.run([*command, str(artefacts[kind])], check=True, capture_output=True)
        return folders[kind]

    return installed


@pytest.fixture
def run_installed(install: Callable[[str], Path], tmp_path: Path):
    """Run Python in an empty folder with only the installed copy on the search path."""

    def run(kind: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(install(kind))}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    return run
