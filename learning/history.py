"""How a checkpoint came to be: the command, the steps, the minutes, the commit, the computer."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any

from servogym.envs import registration
from servogym.gauge.checkpoints import clock, when
from servogym.learning import folder
from servogym.learning.bundle import Bundle


def run_of(path: Path) -> Path:
    """Give the run folder that a path is, or lies in.

    Raises:
        FileNotFoundError: There is none.
    """
    whole = path.resolve()
    for place in (whole, *whole.parents):
        if (place / folder.CONFIG).is_file():
            return place
    raise FileNotFoundError(f"{path}: neither a run folder (with {folder.CONFIG}) nor in one")


def history(checkpoint: Path, bundle: Bundle) -> dict[str, Any]:
    """Give what a stranger needs to train the same policy again, as JSON-able values.

    `minutes` is wall time from the first step on, evaluations of the run included; None without a
    progress table. `preset` holds what differs from the task's preset of today.

    Args:
        checkpoint: Folder of the checkpoint, inside its run folder.
        bundle: The checkpoint.

    Raises:
        FileNotFoundError: The checkpoint lies in no run folder.
    """
    run = run_of(checkpoint)
    config = json.loads((run / folder.CONFIG).read_text())
    steps = int(bundle.counters["env_steps"] or 0)
    seconds = when(clock(run), steps)
    usual = asdict(registration.find(registration.resolve(bundle.task)["task"]).ppo)
    return {
        "command": command(config["command"]),
        "continued": [
            command(later["command"]) + _commit(later.get("origin", {}))
            for later in config.get("continued", [])
            if later["from"] < steps
        ],
        "seed": bundle.seed,
        "start": config.get("start"),
        "env_steps": steps,
        "minutes": None if seconds is None else round(seconds / 60.0, 2),
        "overrides": dict(bundle.overrides),
        "preset": {k: v for k, v in asdict(bundle.preset).items() if v != usual[k]},
        "origin": config.get("origin", {}),
        "versions": dict(bundle.versions),
    }


def _commit(origin: Mapping[str, Any]) -> str:
    commit = origin.get("commit")
    return f"    # commit {commit}" if commit else ""


def command(argv: Sequence[str]) -> str:
    """Give the command line of a run as one would type it, without where its results went."""
    program, *words = argv
    where = PurePath(program)
    tool = program.split() if program.startswith("servogym") else [where.name]
    if where.suffix == ".py":
        inside = where.parent.name == "learning"
        tool = ["python", "-m", f"servogym.learning.{where.stem}"] if inside else ["python", *tool]
    kept, skip = [], False
    for word in words:
        if not skip and word != "--out" and not word.startswith("--out="):
            kept.append(word)
        skip = word == "--out"
    return shlex.join([*tool, *kept])
