"""Runs a few lines of Python in a process of their own: a crash or a hang there harms nobody."""

import os
import subprocess
import sys
from collections.abc import Mapping


def probe(code: str, environment: Mapping[str, str] | None = None) -> tuple[bool, str]:
    """Run code in a fresh interpreter with this one's search path.

    Args:
        code: Python source; what it prints last is the answer.
        environment: Variables to set on top of the present ones.

    Returns:
        Whether it exited with 0, and the last line it printed (its last error line otherwise).
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        return False, "no answer within 60 s"
    lines = [
        line.strip() for line in (done.stderr if done.returncode else done.stdout).splitlines()
    ]
    last = next((line for line in reversed(lines) if line), "")
    return done.returncode == 0, last or f"exit code {done.returncode}"
