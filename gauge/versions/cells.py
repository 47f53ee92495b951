"""Runs the worker in the environment of a version."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from servogym.gauge import process
from servogym.gauge.process import Ending

WORKER = Path(__file__).with_name("worker.py")
TIME_LIMIT = 120.0
"""How long a cell may take [s]; it needs a few."""


def run(
    python: Path, job: Path, out: Path, *, limit: float = TIME_LIMIT, worker: Path = WORKER
) -> Ending:
    """Run the worker on a job; its file is there exactly when it `ran`.

    Args:
        python: interpreter of the environment whose MuJoCo is meant.
        job: file of `jobs.write`.
        out: file to write.
        limit: when to give up on it [s].
        worker: program to run.
    """
    # -I: neither this process's PYTHONPATH nor the worker's folder reach the other environment.
    command = [python, "-I", worker, job.absolute()]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment |= {"OMP_NUM_THREADS": "1"}
    return process.run(command, out, limit=limit, environment=environment, folder=job.parent)


def load(out: Path) -> dict[str, np.ndarray]:
    """Read what a worker wrote."""
    with np.load(out, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
