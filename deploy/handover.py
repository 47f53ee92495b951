"""One policy takes over from another in the middle of a run: whether it may, and how."""

from dataclasses import fields
from typing import Any

import numpy as np

from servogym.deploy.contract import Contract, Slot

SAME = (
    "robot",
    "joints",
    "command",
    "control_dt",
    "sim_dt",
    "decimation",
    "slots",
    "default_pose",
    "firmware",
    "encoder",
    "wire_orders",
)
"""Contract fields in which two policies must agree before one hands over to the other."""


def difference(one: Contract, other: Contract) -> str:
    """Say in which field two contracts differ first, and how; empty when they agree."""
    for name in SAME:
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine == theirs:
            continue
        if name == "slots":
            return _slots(mine, theirs)
        if isinstance(mine, tuple) and len(mine) == len(theirs):
            place = next(
                i for i, pair in enumerate(zip(mine, theirs, strict=True)) if _differ(pair)
            )
            return f"{name}[{place}] is {theirs[place]!r}, not {mine[place]!r}"
        return f"{name} is {theirs!r}, not {mine!r}"
    return ""


def carried(action: np.ndarray, one: Contract, other: Contract) -> np.ndarray:
    """Give the action `(j,)` by which the other policy would have made the same command."""
    command = action * one.scales()
    return np.clip(command / other.scales(), -other.action_clip, other.action_clip)


class Blend:
    """Takes the jump out of a handover: the new targets, plus a rest of it that fades away."""

    def __init__(self, last: np.ndarray, steps: int) -> None:
        """Begin.

        Args:
            last: Command of the policy that leaves, `(j,)`.
            steps: Control steps after which nothing of it is left.
        """
        self._last, self._steps, self._step = last, steps, 0
        self._jump = np.zeros_like(last)

    def __call__(self, command: np.ndarray) -> np.ndarray:
        """Give what to send for the new policy's command, `(j,)`."""
        if self._step == 0:
            self._jump = self._last - command
        self._step += 1
        return command + self._jump * max(0.0, 1.0 - self._step / self._steps)


def _slots(mine: tuple[Slot, ...], theirs: tuple[Slot, ...]) -> str:
    for place, (slot, other) in enumerate(zip(mine, theirs, strict=False)):
        for entry in fields(Slot):
            pair = getattr(slot, entry.name), getattr(other, entry.name)
            if _differ(pair):
                return f"slots[{place}] ({slot.name}): {entry.name} is {pair[1]!r}, not {pair[0]!r}"
    return f"slots: {len(theirs)} of them, not {len(mine)}"


def _differ(pair: tuple[Any, Any]) -> bool:
    return pair[0] != pair[1]
