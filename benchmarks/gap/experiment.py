"""Judges every policy in every world of its group, and keeps the result as one record."""

from __future__ import annotations

import json
import platform
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from tqdm import tqdm

import servogym
from benchmarks.gap import measures, summary, worlds
from benchmarks.gap.groups import Entry
from servogym.gauge.judgement import short

FORMAT = "servogym-backlash-1"


def run(entries: Sequence[Entry], *, episodes: int, seconds: float, command: str) -> dict[str, Any]:
    """Judge policies.

    Args:
        entries: who.
        episodes: robots a command.
        seconds: length of an episode [s].
        command: the command line that makes the same result.

    Returns:
        The result as JSON-able values: numbers with six digits, None for what is not finite.
    """
    started, date = time.monotonic(), time.strftime("%Y-%m-%d %H:%M")
    todo = [(entry, world) for entry in entries for world in entry.group.worlds]
    found, evaluations = defaultdict(list), []
    with tqdm(todo, desc="judging", unit="world", disable=None) as bar:
        for entry, world in bar:
            bar.set_postfix_str(f"{entry.name}: {world.title}")
            walks = worlds.visit(entry.act, world, episodes=episodes, seconds=seconds)
            samples = measures.take(walks)
            found[entry.group.name, world.title].append(samples)
            evaluations.append(
                {
                    "policy": entry.name,
                    "world": world.title,
                    "measures": {key: vars(sample) for key, sample in samples.items()},
                }
            )
    return short(
        {
            "format": FORMAT,
            "command": command,
            "date": date,
            "minutes": (time.monotonic() - started) / 60.0,
            "versions": _versions(),
            "protocol": {
                "episodes": episodes,
                "seconds": seconds,
                "seed": worlds.SEED,
                "walking": measures.GRID,
                "turning": measures.TURNS,
            },
            "policies": [entry.record() for entry in entries],
            "means": summary.means(found),
            "differences": summary.differences(found),
            "evaluations": evaluations,
        }
    )


def load(path: Path) -> dict[str, Any]:
    """Read a stored result.

    Raises:
        ValueError: it is something else.
    """
    result = json.loads(path.read_text())
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise ValueError(f"{path}: field format is not {FORMAT!r}")
    return result


def _versions() -> dict[str, str]:
    found = {module.__name__: module.__version__ for module in (servogym, mujoco, np)}
    return {**found, "python": platform.python_version()}
