"""Plays a policy file in the clean room and in its training environment, side by side, noise off.

The two run their own closed loops; nothing is handed over. They are compared in every control step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from servogym.deploy.cleanroom.room import CleanRoom
from servogym.deploy.contract import Contract
from servogym.deploy.trial import diagnosis
from servogym.deploy.trial.schedule import commands
from servogym.envs import edits, registration
from servogym.envs.core import Core

TOLERANCE = 1e-4
"""Largest accepted difference of a column, in its own unit."""
STEPS = 500
"""Control steps that must agree."""
SECONDS = 20.0
"""Length of the whole replay [s]."""
QUIET = {
    "gyro_noise": 0.0,
    "gravity_noise": 0.0,
    "joint_pos_noise": 0.0,
    "joint_vel_noise": 0.0,
    "imu_lag": (0, 0),
    "imu_mounting": 0.0,
    "encoder_bias": 0.0,
}
"""Fields of `Sensing` without noise; fixed latencies stay."""


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """The first place at which the two differ."""

    step: int
    """Control step, from 0."""
    what: str
    """`observation` or `action`."""
    slot: str
    """Name of the slot at this column in the training environment; `action` for an action."""
    column: str
    """Joint, or number of the column within the slot."""
    file: float
    """What the clean room, which knows only the file, has there."""
    here: float
    """What the training environment has there."""
    also: tuple[str, ...]
    """The other slots that differ in this step, each with its worst column and both values."""
    cause: str
    """What probably causes it."""

    def __str__(self) -> str:
        """Say it in a sentence."""
        also = f"; also {', '.join(self.also)}" if self.also else ""
        return (
            f"step {self.step}: {self.what} {self.slot} [{self.column}] is {self.file:.6g} from the"
            f" file's own contract, {self.here:.6g} in the training environment{also}. {self.cause}"
        )


@dataclass(frozen=True, kw_only=True)
class Replay:
    """How far the two agreed."""

    steps: int
    """Control steps compared until the first disagreement, or all."""
    needed: int
    """Control steps that had to agree."""
    observation: float
    """Largest difference of an observation in the steps that had to agree, each in its unit."""
    action: float
    """Largest difference of an action in them, in units of action."""
    falls: int
    """Falls on the way; both robots then begin anew."""
    first: Disagreement | None
    """The first disagreement; None when there was none in all steps."""

    @property
    def passed(self) -> bool:
        """Whether all the steps that had to agree did."""
        return self.first is None or self.first.step >= self.needed


def training(contract: Contract, n: int, overrides: Mapping[str, Any] | None = None, **how) -> Core:
    """Give n robots in the environment a contract names, with its motor law and encoder side.

    They stand on an endless floor, whatever the task's ground, because a clean room has no other.

    Args:
        contract: Names them; of its numbers none is used but those of its edits and its contact
            setting, and these only where nobody says what training changed.
        n: Number of robots.
        overrides: Arguments of the environment that training changed; None: nobody knows.
        **how: More arguments of `Core`.

    Raises:
        LookupError: There is no such environment or motor law.
        ValueError: The environment's robot has no such motor, or an argument is impossible.
    """
    known = ("commands", "sensing", "encoder", "contact", "edits")
    told = {"contact": contract.contact or None, "edits": contract.edits}
    kept = {k: v for k, v in (told if overrides is None else overrides).items() if k in known}
    kept["edits"] = edits.portable(edits.read(kept.get("edits", ())))
    if isinstance(kept.get("sensing"), Mapping) and isinstance(how.get("sensing"), Mapping):
        how["sensing"] = {**kept["sensing"], **how["sensing"]}
    elif kept.get("sensing") is False:
        how["sensing"] = False
    where = registration.resolve(contract.task)
    made = {
        "actuator": contract.actuator,
        "encoder": contract.encoder,
        "spawn": False,
        "terrain": False,
    }
    try:
        core = Core(n=n, threads=1, **{**where, **made, **kept, **how})
    except TypeError as error:
        raise ValueError(f"contract: edits: {error}") from error
    core.seed(np.arange(n), np.arange(n).astype(np.uint64))
    return core


def replay(
    path: Path,
    *,
    seconds: float = 0.0,
    needed: int = STEPS,
    overrides: Mapping[str, Any] | None = None,
) -> Replay:
    """Play both and compare them; stops at the first disagreement.

    Args:
        path: The policy file.
        seconds: How long [s], at least as long as has to agree.
        needed: Control steps that have to agree.
        overrides: Arguments of the environment that training changed.

    Raises:
        LookupError: The contract names something that does not exist.
        ValueError: The contract cannot be carried out.
    """
    room = CleanRoom(path)
    core = training(room.contract, 1, overrides, sensing=QUIET, randomization=False)
    if (file := room.contract.obs_size) != (here := core.contract.obs_size):
        raise ValueError(
            f"slots: {file} observation columns in the file, {here} in {room.contract.task}:\n"
            + room.contract.table()
        )
    pair = _Pair(room, core)
    steps = max(needed, round(seconds / core.contract.control_dt))
    worst, falls, first = np.zeros(2), 0, None
    obs = pair.reset(0)
    bar = tqdm(range(steps), desc="replaying", unit="step", leave=False, disable=None)
    for step in bar:
        act = room.act(obs[0]), room.act(obs[1])
        first = pair.differ(step, obs, act)
        if step < needed:
            worst = np.maximum(worst, (_largest(obs), _largest(act)))
        if first is not None:
            break
        obs, fell = pair.step(step, act)
        if fell:
            falls += 1
            obs = pair.reset(step + 1)
    return Replay(
        steps=steps if first is None else first.step,
        needed=needed,
        observation=float(worst[0]),
        action=float(worst[1]),
        falls=falls,
        first=first,
    )


class _Pair:
    """The two robots, asked the same, and what tells them apart."""

    def __init__(self, room: CleanRoom, core: Core) -> None:
        self.room, self.core, self.row = room, core, np.arange(1)

    def reset(self, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Begin anew; give the observations of room and environment, (1, obs) each."""
        self._ask(step)
        self.room.reset()
        return self.room.observe(), self.core.reset(self.row)

    def step(self, step: int, act) -> tuple[tuple[np.ndarray, np.ndarray], bool]:
        """Make the control step; give the next observations and whether a robot fell."""
        self._ask(step + 1)
        self.room.step(act[0])
        out = self.core.step(act[1])
        obs = self.room.observe(), out.observation
        return obs, bool(out.terminated[0] or self.room.fallen[0])

    def differ(self, step: int, obs, act) -> Disagreement | None:
        """Give the first column that differs: of the observation, else of the action."""
        for what, (file, here) in (("observation", obs), ("action", act)):
            apart = ~(np.abs(file[0].astype(float) - here[0]) <= TOLERANCE)
            if apart.any():
                return self._disagree(step, what, file, here, int(apart.argmax()))
        return None

    def _ask(self, step: int) -> None:
        contract = self.core.contract
        asked = commands(contract.command_ranges, step * contract.control_dt)
        self.room.command(asked)
        body = (asked.get(name) for name in ("head_command", "body_command"))
        self.core.hold(self.row, asked["command"], *body)

    def _disagree(self, step: int, what: str, file, here, at: int) -> Disagreement:
        slot, column = diagnosis.place(self.core.contract, what, at)
        return Disagreement(
            step=step,
            what=what,
            slot=slot,
            column=column,
            file=float(file[0, at]),
            here=float(here[0, at]),
            also=diagnosis.others(self.core.contract, what, slot, file[0], here[0], TOLERANCE),
            cause=diagnosis.cause(
                self.room.contract, self.core.contract, what, at, file[0], here[0], TOLERANCE
            ),
        )


def _largest(pair: tuple[np.ndarray, np.ndarray]) -> float:
    file, here = pair
    return float(np.abs(file.astype(float) - here).max())
