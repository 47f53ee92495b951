"""Finds when in a run each mark was reached: every checkpoint is judged, oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from servogym.gauge.judgement import Conditions, Judgement, judge
from servogym.gauge.subject import load
from servogym.learning import folder
from servogym.learning.callbacks.table import read


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A checkpoint and what it can do."""

    env_steps: int
    """Environment steps it was trained for."""
    seconds: float | None
    """Wall time of training until then, evaluations during the run included [s]; None when the run
    has no progress table."""
    judgement: Judgement
    """How it walks."""

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values."""
        return {
            "env_steps": self.env_steps,
            "seconds": self.seconds,
            **self.judgement.record(),
        }


def stages(run: Path, conditions: Conditions) -> Iterator[Stage]:
    """Judge every checkpoint of a run folder, as they were written.

    Raises:
        FileNotFoundError: when there is no such folder, or it has no checkpoint.
    """
    if not run.exists():
        raise FileNotFoundError(f"{run}: no such folder")
    places = sorted((run / folder.CHECKPOINTS).glob("[0-9]*"))
    if not places:
        raise FileNotFoundError(f"{run}: no checkpoint in {run / folder.CHECKPOINTS}")
    times = clock(run)
    for place in places:
        steps = int(place.name)
        yield Stage(
            env_steps=steps,
            seconds=when(times, steps),
            judgement=judge(load(place), conditions),
        )


def clock(run: Path) -> list[tuple[int, float]]:
    """Give environment steps and wall time [s] of every row of a run's progress table."""
    rows = read(run / folder.PROGRESS)
    return list(zip((int(r["env_steps"]) for r in rows), _seconds(rows), strict=True))


def _seconds(rows: list[dict[str, str]]) -> list[float]:
    """Give the wall time of each row; it starts again at 0 where a run was resumed."""
    total, before, found = 0.0, 0.0, []
    for row in rows:
        now = float(row["seconds"])
        total += now - before if now >= before else now
        before = now
        found.append(total)
    return found


def when(times: list[tuple[int, float]], steps: int) -> float | None:
    """Give the wall time by which so many steps were made and learnt from; None without a row.

    A row is written before the update that follows its steps, so the next row is the first that is
    certainly later; the last one has none, and stands for itself.
    """
    later = [seconds for at, seconds in times if at > steps]
    return later[0] if later else times[-1][1] if times else None
