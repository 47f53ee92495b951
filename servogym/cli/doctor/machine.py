"""The computer: Python, the system and the processor cores."""

import os
import platform
from collections.abc import Iterator

from servogym.cli.doctor.finding import Finding


def check() -> Iterator[Finding]:
    """Say which Python runs on what, and how many cores it may use."""
    detail = f"{platform.python_version()} (supported: >=3.11) on {platform.platform()}"
    yield Finding(subject="Python", state="ok", detail=detail)
    yield Finding(subject="cores", state="ok", detail=f"{_cores()} usable")


def _cores() -> int:
    """Cores this process may use, fewer than the machine has inside some containers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
