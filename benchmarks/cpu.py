"""How many cores a process and its children keep busy; Linux."""

from __future__ import annotations

import os
from pathlib import Path


def seconds_used(root: int) -> dict[int, float]:
    """Return the CPU time of a process and of every process it started, all threads [s]."""
    found, todo = {}, [root]
    while todo:
        pid = todo.pop()
        try:
            after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            children = [
                int(child)
                for task in Path(f"/proc/{pid}/task").iterdir()
                for child in (task / "children").read_text().split()
            ]
        except OSError:  # it has ended since
            continue
        found[pid] = (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
        todo += children
    return found


def busy(before: dict[int, float], after: dict[int, float], seconds: float) -> dict[str, float]:
    """Return the cores that were busy in between: together, and in the busiest process."""
    used = [now - before.get(pid, 0.0) for pid, now in after.items()]
    return {"cores": sum(used) / seconds, "busiest": max(used, default=0.0) / seconds}
