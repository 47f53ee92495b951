"""Other projects' environments, each in a Python environment of its own.

    python -m benchmarks.peers install envpool gym-quadruped mjlab

They go into `benchmarks/.peers/<name>`; delete the folder to be rid of one. The benchmark measures
those it finds and lists the others as not installed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks.contestant import Absent, Contestant
from benchmarks.plan import Plan

FOLDER = Path(__file__).resolve().parent / ".peers"
TORCH_CPU = "https://download.pytorch.org/whl/cpu/torch/"


@dataclass(frozen=True, kw_only=True)
class Peer:
    """Another project's environment."""

    requirements: tuple[str, ...]
    """What pip installs: the versions this was written for."""
    script: str
    """Its contestant."""
    options: Callable[[Plan], Mapping[str, Any]]
    """What its contestant is asked for."""


PEERS = {
    "envpool": Peer(
        requirements=("envpool==1.2.5",),
        script="envpool_go1.py",
        options=lambda plan: {"robots": min(plan.robots, 64), "threads": plan.threads},
    ),
    "gym-quadruped": Peer(
        requirements=("gym-quadruped==1.1.8",),
        script="gym_quadruped_go2.py",
        options=lambda plan: {},
    ),
    "mjlab": Peer(
        requirements=("torch==2.13.0", "mjlab==1.6.0"),
        script="mjlab_go1.py",
        options=lambda plan: {"robots": min(plan.robots, 64), "threads": plan.threads},
    ),
}


def start(name: str, options: Mapping[str, Any]) -> Contestant:
    """Start a peer's contestant.

    Raises:
        Absent: It is not installed, or does not run here; the message says why.
    """
    python = FOLDER / name / "bin" / "python"
    if not python.exists():
        raise Absent(f"not installed: python -m benchmarks.peers install {name}")
    contestant = Contestant(name, PEERS[name].script, options, python=python)
    try:
        contestant.turn(0.01)  # one step: some break only then
    except Absent:
        contestant.close()
        raise
    return contestant


def install(name: str) -> None:
    """Make a peer's Python environment and install it there.

    Raises:
        subprocess.CalledProcessError: pip could not.
    """
    folder = FOLDER / name
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check"]
    subprocess.run([*pip, *_torch_for_cpu(), *PEERS[name].requirements], check=True)


def _torch_for_cpu() -> list[str]:
    try:
        urlopen(TORCH_CPU, timeout=10).close()
    except OSError:
        return []
    return ["--find-links", TORCH_CPU]


def main() -> None:
    """Install the peers that are named."""
    parser = argparse.ArgumentParser(description="Install other projects' environments.")
    parser.add_argument("command", choices=["install"])
    parser.add_argument("names", nargs="+", choices=list(PEERS))
    for name in parser.parse_args().names:
        install(name)


if __name__ == "__main__":
    main()
