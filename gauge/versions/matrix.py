"""Plays every case in every version, and puts side by side what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from servogym.gauge.divergence import THRESHOLDS
from servogym.gauge.judgement import short
from servogym.gauge.process import Ending
from servogym.gauge.versions import cells, compare, jobs, quality
from servogym.gauge.versions.jobs import Case, Prepared
from servogym.gauge.versions.worker import PARITY
from servogym.scenes.terrain import Terrain

FORMAT = "servogym-versions-1"
LOOPS = ("closed", "open", "step", "solved")
"""What a cell plays: the worker's three loops, and its steps with a solver that goes to the end."""


@dataclass(frozen=True, kw_only=True)
class Detector:
    """How convex shapes are brought to meet."""

    native: bool
    """Whether by MuJoCo's own detector; else by libccd."""
    multi: bool | None
    """Whether several contacts are looked for; None: as the version has it."""


DETECTORS: Mapping[str, Detector] = {
    "native": Detector(native=True, multi=None),
    "legacy": Detector(native=False, multi=None),
    "bare": Detector(native=False, multi=False),
}
"""Islands are off in all of them, as in our scenes, so `bare` has all three features off."""

_Played = Mapping[str, tuple[Ending, Mapping[str, np.ndarray] | None]]
"""Loop -> how its process ended, and what it left."""


def run(
    cases: Sequence[Case],
    pythons: Mapping[str, Path],
    reference: str,
    root: Path,
    *,
    limit: float = cells.TIME_LIMIT,
    processes: int = 2,
    worker: Path = cells.WORKER,
) -> dict[str, Any]:
    """Run all cells; give what came of them as JSON-able values.

    Args:
        cases: policies and grounds.
        pythons: version -> interpreter of its environment; oldest first.
        reference: the version whose native runs the others are held against.
        root: folder for scenes and runs.
        limit: time limit of a run [s].
        processes: how many side by side.
        worker: program that makes the runs.

    Raises:
        LookupError: the reference is none of the versions.
        RuntimeError: the reference itself does not run; the message says how it ended.
        ValueError: two cases have one name, or as `jobs.prepare`.
    """
    if reference not in pythons:
        raise LookupError(f"reference {reference!r}; versions are {', '.join(pythons)}")
    prepared = [jobs.prepare(case, root) for case in cases]
    folders = [each.folder.name for each in prepared]
    if twice := sorted({name for name in folders if folders.count(name) > 1}):
        raise ValueError(f"cases {twice} are given twice")
    plans = [[(v, d) for v in pythons for d in detectors(case)] for case in cases]
    bar = tqdm(total=sum(map(len, plans)), desc="versions", unit="cell", disable=None)
    out = []
    with bar:
        for each, plan in zip(prepared, plans, strict=True):
            stage = _Stage(each, pythons, reference, limit, worker)

            def play(which: tuple[str, str], stage: _Stage = stage) -> _Played:
                played = stage.play(*which)
                bar.update()
                return played

            bar.set_postfix_str(each.folder.name)
            pool = ThreadPoolExecutor(processes)
            try:
                played = list(pool.map(play, plan))
            finally:  # who interrupts does not want to wait for what has not begun
                pool.shutdown(cancel_futures=True)
            found = [stage.told(*which, one) for which, one in zip(plan, played, strict=True)]
            out.append(stage.record(found))
    return short(
        {
            "format": FORMAT,
            "reference": reference,
            "nudge": jobs.NUDGE,
            "rounding": compare.ROUNDING,
            "alike": compare.ALIKE,
            "thresholds": list(THRESHOLDS),
            "cases": out,
        }
    )


def detectors(case: Case) -> tuple[str, ...]:
    """Which detectors are told apart: without a height field, feet meet nothing through them."""
    hilly = Terrain.parse(case.terrain).ground().hilly
    return tuple(DETECTORS) if hilly else ("native", "legacy")


class _Stage:
    """One case: its reference, and the cells held against it."""

    def __init__(
        self,
        prepared: Prepared,
        pythons: Mapping[str, Path],
        reference: str,
        limit: float,
        worker: Path,
    ) -> None:
        self._prepared, self._pythons, self._reference = prepared, pythons, reference
        self._how = {"limit": limit, "worker": worker}
        self._dt = prepared.contract.control_dt
        self._groups: list[np.ndarray] = []
        self._runs: dict[str, Mapping[str, np.ndarray]] = {}
        self._record = prepared.folder / "reference-closed.npz"
        for loop in LOOPS:
            ending, found = self._run("reference", reference, "native", loop)
            if found is None:
                raise RuntimeError(
                    f"{prepared.folder.name}: the reference, MuJoCo {reference}, {loop} loop: "
                    f"{ending}"
                )
            self._runs[loop] = found

    def play(self, version: str, detector: str) -> _Played:
        """Run a version with a detector, in every loop."""
        return {loop: self._run(f"{version}-{detector}", version, detector, loop) for loop in LOOPS}

    def told(self, version: str, detector: str, played: _Played) -> dict[str, Any]:
        """Say how what was played differs from the reference."""
        ends = {loop: ending.record() for loop, (ending, _) in played.items()}
        runs = {loop: found for loop, (_, found) in played.items() if found is not None}
        return {"version": version, "detector": detector, "ends": ends, **self._told(runs)}

    def record(self, found: list[dict[str, Any]]) -> dict[str, Any]:
        """Give the case, its nudged runs and its cells as JSON-able values."""
        case, nudged = self._prepared.case, {}
        for loop in ("closed", "open"):
            _, run = self._run("nudged", self._reference, "native", loop, nudge=True)
            if run is not None:
                nudged[loop] = run
        return {
            "name": self._prepared.folder.name,
            "policy": {"file": case.policy.as_posix(), "sha256": self._prepared.sha256},
            "robot": self._prepared.robot.name,
            "terrain": case.terrain,
            "contact": case.contact,
            "margin": case.margin,
            "command": list(case.command),
            "seconds": case.seconds,
            "starts": case.starts,
            "motors": jobs.MOTOR,
            "nudged": self._told(nudged),
            "cells": found,
        }

    def _run(
        self, name: str, version: str, detector: str, loop: str, *, nudge: bool = False
    ) -> tuple[Ending, Mapping[str, np.ndarray] | None]:
        kind = DETECTORS[detector]
        job = jobs.write(
            self._prepared,
            f"{name}-{loop}",
            loop="step" if loop == "solved" else loop,
            tight=loop == "solved",
            native=kind.native,
            multi=kind.multi,
            nudge=nudge,
            record=None if loop == "closed" else self._record,
        )
        out = job.with_suffix(".npz")
        ending = cells.run(self._pythons[version], job, out, **self._how)
        return ending, cells.load(out) if ending.outcome == "ran" else None

    def _told(self, runs: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for loop in ("closed", "open"):
            if loop in runs:
                out[f"{loop}_parting"] = compare.times(self._runs[loop], runs[loop], self._dt)
        if "closed" in runs:
            limits = self._prepared.contract.command_ranges[jobs.TWIST]
            out |= compare.endings(runs["closed"])
            out["quality"] = quality.of(
                runs["closed"],
                self._prepared.robot,
                self._prepared.model,
                self._dt,
                self._prepared.case.command,
                (limits[0], limits[1], limits[2]),
            )
            out["other_model"] = compare.parity(self._runs["closed"], runs["closed"], PARITY)
            out["packages"] = str(runs["closed"]["versions"])
        if "open" in runs:
            out["depth"] = compare.depths(runs["open"])
        for loop in ("step", "solved"):
            if loop in runs:
                out[loop] = compare.steps(self._runs[loop], runs[loop])
        if "solved" in runs:
            out["group"] = self._group(runs["solved"]["qpos"])
        return out

    def _group(self, ends: np.ndarray) -> str:
        """A letter for all cells whose solved steps end at the same places."""
        for number, known in enumerate(self._groups):
            same = np.isclose(known, ends, rtol=0.0, atol=compare.ALIKE, equal_nan=True)
            if same.all():
                return _letter(number)
        self._groups.append(ends)
        return _letter(len(self._groups) - 1)


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"A{number - 25}"
