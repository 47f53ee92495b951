"""Plays points side by side in processes, keeps each that is finished, and goes on from there."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from tqdm import tqdm

from servogym.gauge import judgement, process
from servogym.gauge.process import Ending
from servogym.gauge.stress.point import Point
from servogym.gauge.subject import Subject

FORMAT = "servogym-point-1"
TIME_LIMIT = 1800.0
"""How long a point may take [s]."""
WORKER = (sys.executable, "-m", "servogym.gauge.stress.worker")
FAILED: Mapping[str, Any] = {
    "level": None,
    "score": None,
    "value": 0.0,
    "saturation": None,
}
"""What a point is worth whose process died: nothing, but not nothing known."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """All points of a grid, in the order they were given."""

    results: tuple[Mapping[str, Any], ...]
    """One a point: its definition, how its process ended, level, score and value."""
    kept: int
    """How many were there from an earlier time [1]."""
    changed: tuple[str, ...]
    """Names of those that were there, but of another definition, and were played again."""


def run(
    points: Sequence[Point],
    policy: str,
    subject: Subject,
    folder: Path,
    *,
    jobs: int = 0,
    limit: float = TIME_LIMIT,
    retry: bool = False,
    worker: Sequence[str | os.PathLike[str]] = WORKER,
) -> Sheet:
    """Play every point that is not finished.

    A point is finished when its file in `folder` is of the same definition: the point itself, the
    policy's digest, and the versions of all that computes. A file of another definition is played
    again and its name told. A process that dies, fails or takes too long leaves a file too, with
    value 0; `retry` plays those again.

    Args:
        points: what is played; no two of one name.
        policy: how `subject.find` opens the policy.
        subject: the policy, opened.
        folder: where the files of the points are.
        jobs: processes side by side; 0 is one a CPU.
        limit: time limit of a point [s].
        retry: whether to play what died once more.
        worker: program that plays; it is given a job file and the file to write.

    Raises:
        OSError: a file cannot be written.
        ValueError: two points have one name, or a name that is no file's; jobs below 0, or no time.
    """
    if jobs < 0 or not 0 < limit < inf:
        raise ValueError(f"jobs {jobs}, limit {limit:g} s; need 0 or more, and a time above 0")
    names = [point.name for point in points]
    if bad := sorted({n for n in names if names.count(n) > 1 or not _is_file_name(n)}):
        raise ValueError(f"names of points {bad}; each needs one of its own that a file can have")
    folder.mkdir(parents=True, exist_ok=True)
    definitions = {point.name: define(point, subject) for point in points}
    known = {name: _read(folder / f"{name}.json") for name in names}
    done = {
        name: found
        for name, found in known.items()
        if found is not None
        and found["definition"] == definitions[name]
        and not (retry and found["ending"]["outcome"] != "ran")
    }
    changed = tuple(
        name
        for name, found in known.items()
        if found is not None and found["definition"] != definitions[name]
    )
    kept = len(done)
    todo = [point for point in points if point.name not in done]
    total = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with (
        tqdm(total=len(points), initial=kept, desc="points", unit="point", disable=None) as bar,
        tempfile.TemporaryDirectory() as scratch,
    ):
        pool = ThreadPoolExecutor(jobs or total or 1)
        tasks = {
            pool.submit(_play, point, policy, Path(scratch), limit, worker): point.name
            for point in todo
        }
        try:
            for task in as_completed(tasks):
                name = tasks[task]
                ending, found = task.result()
                result = {
                    "format": FORMAT,
                    "definition": definitions[name],
                    "ending": ending.record(),
                    **found,
                }
                judgement.write(result, folder / f"{name}.json")
                done[name] = result
                bar.set_postfix_str(f"{name} {ending.outcome}")
                bar.update()
        finally:  # who interrupts does not want to wait for what has not begun
            pool.shutdown(cancel_futures=True)
    return Sheet(results=tuple(done[name] for name in names), kept=kept, changed=changed)


def define(point: Point, subject: Subject) -> dict[str, Any]:
    """Everything that a result depends on, as JSON-able values."""
    return {
        "point": json.loads(json.dumps(point.record())),
        "policy": subject.sha256 or subject.name,
        "versions": judgement.versions(subject.library),
    }


def _play(
    point: Point,
    policy: str,
    scratch: Path,
    limit: float,
    worker: Sequence[str | os.PathLike[str]],
) -> tuple[Ending, Mapping[str, Any]]:
    job, out = scratch / f"{point.name}.job", scratch / f"{point.name}.out"
    job.write_text(json.dumps({"point": point.record(), "policy": policy}))
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ending = process.run([*worker, job], out, limit=limit, environment=environment)
    found = json.loads(out.read_text()) if ending.outcome == "ran" else FAILED
    return ending, found


def _read(path: Path) -> dict[str, Any] | None:
    """A finished point; None where there is none, or one that cannot be read."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    wanted = {"format", "definition", "ending", *FAILED}
    if not (isinstance(found, dict) and wanted <= set(found) and found["format"] == FORMAT):
        return None
    ending, score = found["ending"], found["score"]
    ended = isinstance(ending, dict) and {"outcome", "text"} <= set(ending)
    scored = score is None or (isinstance(score, dict) and {"goals", "metrics"} <= set(score))
    return found if ended and scored else None


def _is_file_name(name: str) -> bool:
    return bool(name) and not set(name) & set('/\\:*?"<>|') and not name.startswith(".")
