"""Runs a program that may die and says how it ended: that is a result like any other."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


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
            return f"crashed: {_named(-self.code)} (return code {self.code})"
        if self.outcome == "failed":
            return f"failed (return code {self.code}): {self.said}"
        return f"timeout: {self.said}" if self.outcome == "timeout" else self.outcome

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values, the words included."""
        return {**asdict(self), "text": str(self)}


def run(
    command: Sequence[str | os.PathLike[str]],
    out: Path,
    *,
    limit: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Ending:
    """Run a program that writes one file; the file is there exactly when it `ran`.

    Args:
        command: program and arguments; the path of the file to write is added as the last.
        out: where that file is wanted; what was there before is gone in any case.
        limit: when to give up [s].
        environment: of the program; None: this one's.
        folder: where it runs; None: here.
    """
    out.unlink(missing_ok=True)
    part = out.with_name(f".{out.name}.part")
    words = [os.fspath(word) for word in (*command, part.absolute())]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            timeout=limit,
            env=None if environment is None else dict(environment),
            cwd=folder,
        )
        if done.returncode == 0 and part.exists():
            os.replace(part, out)
            return Ending(outcome="ran", code=0, said="")
    except subprocess.TimeoutExpired:
        return Ending(outcome="timeout", code=None, said=f"stopped after {limit:g} s")
    finally:
        part.unlink(missing_ok=True)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return Ending(
        outcome="crashed" if done.returncode < 0 else "failed",
        code=done.returncode,
        said=lines[-1] if lines else "",
    )


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
