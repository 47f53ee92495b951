"""What a result was made with: processor, cores, thread counts, versions."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import servogym
from benchmarks.contestant import CAPS, ROOT
from benchmarks.plan import Plan
from servogym.learning.options import TrainOptions

PACKAGES = (
    "mujoco",
    "numpy",
    "gymnasium",
    "stable_baselines3",
    "torch",
    "onnxruntime",
)


def describe(plan: Plan) -> dict[str, Any]:
    """Return the facts, for a result that is about to be made."""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "cpu": processor(),
        "cores": plan.threads,
        "load_before": round(os.getloadavg()[0], 2),
        "memory_gb": round(_kilobytes("/proc/meminfo", "MemTotal") / 1e6, 1),
        "system": platform.platform(),
        "threads": {
            "physics": plan.threads,
            "PyTorch while robots move": 1,
            "PyTorch in updates": TrainOptions(task="-").update_threads,
            **{f"{name} (not in training)": int(value) for name, value in CAPS.items()},
        },
        "versions": {
            "servogym": f"{servogym.__version__} {_commit()}".strip(),
            "python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
    }


def processor() -> str:
    """Return the processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _kilobytes(file: str, key: str) -> int:
    lines = Path(file).read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def _commit() -> str:
    """Return the commit that is checked out; a plus sign says that files differ from it."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
