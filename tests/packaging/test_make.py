"""What `make` says and how CI treats a skipped test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MAKE = shutil.which("make")


def _make(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    assert MAKE, "make is not installed"
    environment = {"PATH": path or os.environ["PATH"], "HOME": str(folder)}
    command = [MAKE, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def project(checkout: Path, tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "setup.py", "constraints.txt"):
        shutil.copy(checkout / name, tmp_path / name)
    return tmp_path


def test_make_without_a_target_lists_the_targets(project):
    shown = _make(project)
    assert shown.returncode == 0
    for target in ("demo", "walk", "test", "lint", "bench", "clean"):
        assert f"make {target}" in shown.stdout


def test_make_on_a_machine_with_an_old_python_says_which_one_it_needs(project):
    tools = project / "tools"
    tools.mkdir()
    old = tools / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.18" || exit 1\n')
    old.chmod(0o755)
    refused = _make(project, "test", path=str(tools))
    assert refused.returncode != 0
    assert "needs Python 3.11 or later; found: Python 3.8.18" in refused.stdout
    assert not (project / ".venv").exists()


def test_make_installs_again_only_after_the_pins_or_the_project_change(project):
    stamp = project / ".venv" / ".installed"
    stamp.parent.mkdir()
    stamp.touch()
    assert "installing" not in _make(project, "-n", "demo").stdout
    later = stamp.stat().st_mtime + 10
    os.utime(project / "constraints.txt", (later, later))
    assert "installing" in _make(project, "-n", "demo").stdout


@pytest.mark.parametrize("in_ci", [True, False])
def test_a_skipped_test_fails_in_ci_and_only_there(in_ci, checkout, tmp_path):
    shutil.copy(checkout / "tests" / "conftest.py", tmp_path / "conftest.py")
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n\ndef test_it():\n    pytest.skip('no GL device here')\n"
    )
    (tmp_path / "test_module.py").write_text("import pytest\n\npytest.importorskip('no_such')\n")
    environment = {**os.environ, "CI": "true" if in_ci else ""}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "--continue-on-collection-errors"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    if in_ci:
        assert done.returncode != 0
        assert "no GL device here" in done.stdout and "no_such" in done.stdout
        assert "CI runs every test" in done.stdout
    else:
        assert "skipped" in done.stdout and "failed" not in done.stdout
