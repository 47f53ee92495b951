"""The trained policies that are compared, and the refusal of any that do not belong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gap.worlds import GAP, NO_GAP, TASK, WORLDS, World, own_motor
from servogym.envs import registration
from servogym.gauge import subject
from servogym.learning import folder
from servogym.learning.bundle import Bundle


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs that differ in nothing but the seed."""

    name: str
    """Name in tables and JSON, and of the command line's option."""
    trained: str
    """In words, what they were trained with."""
    backlash: bool
    """Whether that was the twin with the gap."""
    actuator: str
    """The motor law they were trained with."""
    worlds: tuple[World, ...]
    """Where they are judged."""

    @property
    def task(self) -> str:
        """Environment id they were trained in."""
        return registration.id_of(registration.find(TASK), self.backlash)


PLAIN = Group(
    name="plain", trained="without the gap", backlash=False, actuator="bam", worlds=WORLDS
)
BACKLASH = Group(
    name="backlash", trained="with the gap, ±1°", backlash=True, actuator="bam", worlds=WORLDS
)
IDEAL = Group(
    name="ideal",
    trained="without the gap, ideal PD motors",
    backlash=False,
    actuator="pd",
    worlds=(own_motor("pd", "ideal PD"), NO_GAP, GAP),
)
DC = Group(
    name="dc",
    trained="without the gap, DC motors",
    backlash=False,
    actuator="dc",
    worlds=(own_motor("dc", "DC"), NO_GAP, GAP),
)
GROUPS = (PLAIN, BACKLASH, IDEAL, DC)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A policy that takes part."""

    group: Group
    """The group it was given for."""
    path: Path
    """What was given: a run folder, a checkpoint or an ONNX file."""
    task: str
    """Environment id it was trained in."""
    actuator: str
    """Motor law it was trained with."""
    sha256: str
    """Digest of the file that holds it."""
    act: Callable[[np.ndarray], np.ndarray]
    """Observations (n, obs) -> actions (n, j)."""
    seed: int | None = None
    """Seed of its training; None: an ONNX file does not tell."""
    env_steps: int | None = None
    """Environment steps it was trained for; None: unknown."""
    recipe: Mapping[str, Any] | None = None
    """Hyper-parameters and changes to the task, motor law aside; None: unknown."""

    @property
    def name(self) -> str:
        """Name in tables: group and seed, or group and file."""
        which = self.path.stem if self.seed is None else f"seed {self.seed}"
        return f"{self.group.name}, {which}"

    def record(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return {
            "name": self.name,
            "group": self.group.name,
            "path": self.path.as_posix(),
            "task": self.task,
            "actuator": self.actuator,
            "seed": self.seed,
            "env_steps": self.env_steps,
            "sha256": self.sha256,
        }


def gather(given: Mapping[str, Sequence[Path]]) -> list[Entry]:
    """Open every policy and refuse those that do not belong.

    Args:
        given: name of a group -> its run folders or ONNX files.

    Raises:
        ValueError: naming the option, the path, what is wrong and what is needed.
    """
    entries = [open_one(group, path) for group in GROUPS for path in given.get(group.name, ())]
    check(entries)
    return entries


def open_one(group: Group, path: Path) -> Entry:
    """Open a policy of a group.

    Raises:
        ValueError: when it is missing, damaged or still being trained.
    """
    if not path.exists():
        raise ValueError(
            f"{_where(group, path)} does not exist; a run folder or ONNX file is needed"
        )
    try:
        if (path / folder.CHECKPOINTS).is_dir():
            _ended(path / folder.RESULT)
        found = subject.load(path)
        known = {} if path.is_file() else _provenance(Bundle.load(folder.find(path)))
    except Exception as error:  # whatever a foreign file makes its reader say
        raise ValueError(f"{_where(group, path)} cannot be opened: {error}") from error
    return Entry(
        group=group,
        path=path,
        task=found.contract.task,
        actuator=found.contract.actuator,
        sha256=found.sha256,
        act=found.act,
        **known,
    )


def check(entries: Sequence[Entry]) -> None:
    """Refuse what would make the comparison say something else than it claims.

    Raises:
        ValueError: for a policy of another task or motor, one that is there twice, or one that was
            trained by another recipe than the first.
    """
    seen: dict[str, Entry] = {}
    for entry in entries:
        group, here = entry.group, _where(entry.group, entry.path)
        if (entry.task, entry.actuator) != (group.task, group.actuator):
            raise ValueError(
                f"{here} was trained in {entry.task} with {entry.actuator} motors; this group is "
                f"for {group.task} with {group.actuator} motors"
            )
        for key in (entry.sha256, entry.name):
            if key in seen:
                raise ValueError(
                    f"{here} is the same policy or seed as {seen[key].path}; each counts once"
                )
            seen[key] = entry
    known = [entry for entry in entries if entry.recipe is not None]
    for entry in known[1:]:
        _same_recipe(known[0], entry)


def _same_recipe(first: Entry, entry: Entry) -> None:
    one, other = dict(first.recipe or {}), dict(entry.recipe or {})
    names = sorted(one.keys() | other.keys())
    apart = [
        f"{n} {other.get(n)!r}, not {one.get(n)!r}" for n in names if one.get(n) != other.get(n)
    ]
    if apart:
        raise ValueError(
            f"{_where(entry.group, entry.path)} was trained by another recipe than {first.path}: "
            + "; ".join(apart)
        )


def _ended(result: Path) -> None:
    if not result.is_file():
        raise ValueError(f"there is no {result.name}, so its training has not ended")
    if (status := json.loads(result.read_text()).get("status")) == "interrupted":
        raise ValueError(f"{result.name} says {status}; finish it with train.py --resume")


def _provenance(bundle: Bundle) -> dict[str, Any]:
    """Return what a checkpoint tells about its training, as it looks after a trip through JSON."""
    changes = {name: value for name, value in bundle.overrides.items() if name != "actuator"}
    steps = bundle.counters.get("env_steps")
    return {
        "seed": bundle.seed,
        "env_steps": None if steps is None else int(steps),
        "recipe": json.loads(json.dumps({**vars(bundle.preset), "changes to the task": changes})),
    }


def _where(group: Group, path: Path) -> str:
    return f"--{group.name} {path}"
