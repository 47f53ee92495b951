"""Where a result comes from: the commit of the code and the computer it ran on."""

import os
import platform
import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


def origin() -> dict[str, str | int]:
    """Give `commit`, `cpu` and the number of usable `cores`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"commit": commit(), "cpu": processor(), "cores": cores or 1}


def commit(root: Path = _ROOT) -> str:
    """Give the commit that is checked out, with `+` when files differ from it.

    Empty for an installed copy and where git is missing.
    """
    if not (root / ".git").exists():
        return ""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=12"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def processor() -> str:
    """Give the processor's name; outside Linux its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
