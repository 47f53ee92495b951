"""Proves a policy file: everything `servogym verify` does, as one record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import onnxruntime as ort

import servogym
from servogym.deploy import verify
from servogym.deploy.cleanroom.room import CleanRoom
from servogym.deploy.contract import Contract
from servogym.deploy.policy import Policy
from servogym.deploy.style import microduck
from servogym.deploy.trial import fields, population
from servogym.deploy.trial.population import Comparison, Population
from servogym.deploy.trial.replay import SECONDS, Replay, replay, training
from servogym.envs import registration
from servogym.envs.core import Core

FORMAT = "servogym-proof-1"


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What was tried on a policy file, and what came of it."""

    path: Path
    """The file."""
    sha256: str
    """Its digest."""
    contract: Contract
    """What it says of itself."""
    checks: Mapping[str, str]
    """Check -> why it failed; empty when it passed."""
    differences: tuple[fields.Difference, ...]
    """Fields in which its contract is not the training environment's."""
    chosen: tuple[str, ...]
    """What the file alone decides and its task would decide otherwise; nobody can judge it."""
    replay: Replay
    """Clean room beside training environment, noise off."""
    noisy: Comparison | None
    """The same with noise on; None when it was not asked for, or the replay already failed."""
    robot: Population | None
    """Clean room, noise on, with what a Microduck's software changes; None for other robots."""

    @property
    def failures(self) -> list[str]:
        """Every reason not to trust the file, the surest first; empty: there is none."""
        found = [f"{name}: {why}" for name, why in self.checks.items() if why]
        found += [f"contract: {difference}" for difference in self.differences]
        if not self.replay.passed:
            found.append(f"replay: {self.replay.first}")
        if self.noisy is not None and not self.noisy.falls_agree:
            here, room = self.noisy.training.fell, self.noisy.room.fell
            found.append(
                f"noise on: {room.sum()} of {len(room)} robots fall in the clean room,"
                f" {here.sum()} of {len(here)} in the training environment"
            )
        if self.noisy is not None and not self.noisy.speeds_agree:
            middle, half = self.noisy.difference or (np.nan, np.nan)
            found.append(
                f"noise on: achieved/commanded differs by {middle:+.3f} ± {half:.3f} between clean"
                f" room and training environment; ±{population.MARGIN} would be accepted"
            )
        return found

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the file."""
        return not self.failures

    def record(self) -> dict[str, Any]:
        """Give it as values JSON can hold; what could not be measured is None."""
        noisy = self.noisy
        return {
            "format": FORMAT,
            "passed": self.passed,
            "failures": self.failures,
            "policy": {"file": self.path.as_posix(), "sha256": self.sha256},
            "task": self.contract.task,
            "actuator": self.contract.actuator,
            "checks": {name: why or None for name, why in self.checks.items()},
            "differences": [asdict(difference) for difference in self.differences],
            "chosen": list(self.chosen),
            "replay": {**_finite(asdict(self.replay)), "passed": self.replay.passed},
            "noise_on": noisy
            and {
                "training": _counted(noisy.training),
                "clean_room": _counted(noisy.room),
                "difference": noisy.difference,
                "passed": noisy.passed,
            },
            "robot_software": self.robot and _counted(self.robot),
            "versions": {m.__name__: m.__version__ for m in (servogym, mujoco, np, ort)},
        }


def prove(path: Path, *, overrides: Mapping[str, Any] | None = None, noisy: bool = True) -> Proof:
    """Try everything on a policy file.

    Args:
        path: The file.
        overrides: Arguments of the environment that training changed.
        noisy: Whether the replay lasts its whole time and robots also walk with noise on, which
            takes most of the time.

    Raises:
        LookupError: Its contract names a task, robot, motor law or joint that does not exist.
        OSError: There is no such file.
        ValueError: It is no policy file, or its contract contradicts itself or cannot be carried
            out.
    """
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    Policy(path)  # whoever obeys the file must be able to open it
    contract = CleanRoom(path).contract
    core = training(contract, 1, overrides)
    checks = {
        "publish checks": _tried(lambda: verify.check(path, contract)),
        "texts": _tried(lambda: verify.texts(path, contract)),
    }
    found = replay(path, seconds=SECONDS if noisy else 0.0, overrides=overrides)
    walked, robot = None, None
    if noisy and found.passed:
        noise, ranges = population.noise_of(core), core.contract.command_ranges
        walked = Comparison(
            training=population.in_training(path, overrides=overrides),
            room=population.in_the_room(path, noise, ranges),
        )
        if contract.robot == "microduck" and contract.command == "position":
            robot = population.in_the_room(path, noise, ranges, style=microduck(contract))
    return Proof(
        path=path,
        sha256=sha256,
        contract=contract,
        checks=checks,
        differences=tuple(fields.contracts(contract, core.contract)),
        chosen=_chosen(contract),
        replay=found,
        noisy=walked,
        robot=robot,
    )


def write(proof: Proof) -> str:
    """Give the record as JSON text."""
    return json.dumps(proof.record(), indent=1, allow_nan=False) + "\n"


def _chosen(contract: Contract) -> tuple[str, ...]:
    usual = Core(n=1, threads=1, **registration.resolve(contract.task)).contract
    return (
        *(
            f"{name} {getattr(contract, name)!r} ({getattr(usual, name)!r} is the task's)"
            for name in ("actuator", "encoder", "contact")
            if getattr(contract, name) not in (getattr(usual, name), "")
        ),
        *(f"edit {json.dumps(edit)}" for edit in contract.edits),
    )


def _finite(value: Any) -> Any:
    """Give nested records with None for every number that is not finite."""
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return None if isinstance(value, float) and not isfinite(value) else value


def _tried(check: Callable[[], None]) -> str:
    try:
        check()
    except ValueError as error:
        return str(error)
    return ""


def _counted(found: Population) -> dict[str, Any]:
    return {
        "robots": len(found.fell),
        "falls": int(found.fell.sum()),
        "achieved": found.speed if isfinite(found.speed) else None,
    }
