"""Judges a policy: everything that is walked for it, and what came of it, as one record."""

from __future__ import annotations

import json
import os
import platform
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import servogym
from servogym.deploy.trial.fields import differences
from servogym.envs import registration, setup
from servogym.envs.built import Built
from servogym.envs.trained import physics
from servogym.gauge import bar, criterion
from servogym.gauge.subject import Subject
from servogym.gauge.walking import Walk, measure

FORMAT = "servogym-evaluation-1"
ROBOT = {"actuator", "encoder", "edits", "contact"}
"""Options that make another robot; any other makes conditions that the bar is not for."""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Under which conditions a policy walks."""

    task: str
    """Environment id."""
    actuator: str
    """Motor law."""
    episodes: int
    """Robots a command."""
    seconds: float
    """Length of an episode [s]."""
    seed: int
    """Seed of the first robot."""
    calm: bool
    """Whether randomisation, pushes, noise and delays are off."""
    options: Mapping[str, Any] | None = None
    """Further options of the environment; None: edits and contacts as they were in training."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """How a policy walks, and whether that is enough."""

    subject: Subject
    """Who walked."""
    conditions: Conditions
    """How."""
    walks: list[Walk]
    """Every command: the grid, straight ahead with head commands where there is a head, and last a
    stand without pushes."""
    criteria: list[criterion.Criterion]
    """The bar; empty for a task without one, other episodes or calm conditions."""

    @property
    def grid(self) -> list[Walk]:
        """The walks of the grid of commands."""
        return [walk for walk in self.walks[:-1] if not walk.looking]

    def reached(self, mark: str) -> bool:
        """Whether a mark is reached; never without criteria."""
        return bool(self.criteria) and criterion.reached(self.criteria, mark)

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values that depend on nothing but the inputs.

        Numbers have six digits, and NaN is None.
        """
        subject, criteria = self.subject, self.criteria
        return {
            "format": FORMAT,
            "policy": {"file": subject.file.as_posix(), "sha256": subject.sha256},
            **{k: v for k, v in vars(self.conditions).items() if k != "options" or v},
            "trained_actuator": subject.contract.actuator,
            "versions": versions(subject.library),
            "walks": [_walk(walk) for walk in self.walks],
            "criteria": [short({**vars(x), "passed": x.passed}) for x in criteria],
            "marks": {mark: self.reached(mark) for mark in criterion.MARKS if criteria},
        }


def judge(subject: Subject, conditions: Conditions) -> Judgement:
    """Let a policy walk.

    Raises:
        LookupError: for an unknown task or motor law.
        ValueError: for episodes too few or too short.
    """
    c, where = conditions, registration.resolve(conditions.task)
    options = physics(subject.contract, c.task) if c.options is None else c.options
    c = replace(c, options=options)
    how: dict[str, Any] = {
        **options,
        **where,
        "actuator": c.actuator,
        "encoder": options.get("encoder", subject.contract.encoder),
        "episodes": c.episodes,
        "seconds": c.seconds,
        "seed": c.seed,
        "sensing": False if c.calm else options.get("sensing"),
    }
    task, asked = setup.task(where["task"], commands=options.get("commands")), bar.of(where["task"])
    commands = asked.commands if asked else bar.grid(task.commands.twist)
    looking = [asked.straight] if asked and task.commands.head else []
    drawn = {**how, "randomization": False if c.calm else options.get("randomization")}
    walks = measure(subject.act, commands=commands, looking=looking, **drawn)
    unpushed = setup.merged(drawn, randomization={"push": None})
    walks += measure(subject.act, commands=[bar.STAND], **unpushed)
    fits = c.seconds == bar.SECONDS and not c.calm and set(options) <= ROBOT
    criteria = asked.judge(walks) if asked and fits else []
    return Judgement(subject=subject, conditions=c, walks=walks, criteria=criteria)


def mismatch(subject: Subject, conditions: Conditions) -> str:
    """Say how motors, battery or edits differ from those of training; empty when they do not.

    Raises:
        LookupError: for an unknown task or motor law.
        ValueError: for a motor law the robot has no parameters for.
    """
    trained, asked, options = subject.contract, conditions.actuator, conditions.options
    if asked != trained.actuator:
        return f"judged on actuator {asked!r}, trained on {trained.actuator!r}"
    edits = trained.edits if options is None else options.get("edits", ())
    numbered = dict(enumerate(trained.edits)), dict(enumerate(edits))
    if wrong := differences(*numbered, where="edits"):
        return f"judged with other edits than it was trained with: {wrong[0]}"
    where = registration.resolve(conditions.task)
    task = setup.task(where["task"], randomization=False)
    robot = Built.of(task, None, actuator=asked, backlash=where["backlash"], edits=edits)
    if trained.motor and (wrong := differences(trained.motor, robot.actuator.describe(), "motor")):
        return f"judged on another {asked!r} than it was trained on: {wrong[0]}"
    supply = None if task.supply is None else asdict(task.supply)
    if trained.motor and (wrong := differences(trained.supply, supply, "supply")):
        return f"judged on another battery than it was trained on: {wrong[0]}"
    return ""


def place(path: Path) -> None:
    """Make the folder for a record, and see whether one can be written there.

    Raises:
        OSError: There can be no such folder or no file in it, or the path is a folder itself.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a file is written, e.g. {path / 'x.json'}")
    path.parent.mkdir(parents=True, exist_ok=True)
    trial = _unfinished(path)
    try:
        trial.touch()
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror}") from None
    trial.unlink()


def write(record: Mapping[str, Any], path: Path) -> None:
    """Write JSON whole or not at all; the same record gives the same bytes."""
    keep(json.dumps(record, indent=1, allow_nan=False) + "\n", path)


def keep(text: str, path: Path) -> None:
    """Write text whole or not at all."""
    unfinished = _unfinished(path)
    try:
        unfinished.write_text(text, "utf-8")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def _walk(walk: Walk) -> dict[str, Any]:
    numbers = {
        name: {"mean": walk.mean(name), "interval": walk.interval(name), "robots": values}
        for name, values in walk.robots.items()
    }
    asked = {name: value for name, value in vars(walk).items() if name != "robots"}
    return short({**asked, "statistics": numbers})


def short(value: Any) -> Any:
    """Round every number in nested records to six digits; what is not finite becomes None."""
    if isinstance(value, dict):
        return {name: short(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [short(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if isfinite(value) else None
    return value


def versions(library: str) -> dict[str, str]:
    """Name the versions that decide the numbers, that of the policy's own library included."""
    found = {module.__name__: module.__version__ for module in (servogym, mujoco, np)}
    return {**found, library: version(library), "python": platform.python_version()}
