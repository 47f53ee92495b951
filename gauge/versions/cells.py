"""Runs the worker in a process of its own, which may die: that is a result like any other."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

WORKER = Path(__file__).with_name("worker.py")
TIME_LIMIT = 120.0
"""How long a cell may take [s]; it needs a few."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a process ended."""

    outcome: str
    """`ran`, `crashed` (killed by a signal), `failed` (an error it told of) or `timeout`."""
    code: int | None
    """Its exit code, negative for a signal; None when it was stopped for taking too long."""
    said: str
    """The last line it wrote to standard error; empty when it ran."""

    def __str__(self) -> str:
        """Say it in a few words."""
        if self.outcome == "crashed" and self.code is not None:
            return f"crashed: {signal.Signals(-self.code).name} (return code {self.code})"
        if self.outcome == "failed":
            return f"failed (return code {self.code}): {self.said}"
        return self.outcome


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
    out.unlink(missing_ok=True)
    part = out.with_name(f".{out.name}")
    # -I: neither this process's PYTHONPATH nor the worker's folder reach the other environment.
    command = [str(python), "-I", str(worker), str(job), str(part)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment |= {"OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=limit, env=environment, cwd=job.parent
        )
    except subprocess.TimeoutExpired:
        part.unlink(missing_ok=True)
        return Ending(outcome="timeout", code=None, said=f"stopped after {limit:g} s")
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode == 0 and part.exists():
        os.replace(part, out)
        return Ending(outcome="ran", code=0, said="")
    part.unlink(missing_ok=True)
    outcome = "crashed" if done.returncode < 0 else "failed"
    return Ending(outcome=outcome, code=done.returncode, said=lines[-1] if lines else "")


def load(out: Path) -> dict[str, np.ndarray]:
    """Read what a worker wrote."""
    with np.load(out, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
