"""Says where two robots part that should do the same, and what probably makes them."""

from __future__ import annotations

import numpy as np

from servogym.deploy.contract import Contract
from servogym.deploy.trial.fields import contracts

SUSPECTS = {
    "base_ang_vel": "what the motors were told or did (pose, action scale, gains, rate), or the"
    " robot's model",
    "projected_gravity": "what the motors were told or did (pose, action scale, gains, rate), or"
    " the robot's model",
    "joint_pos": "the default pose, the order of the joints, the encoder's side of the gap, or"
    " what the motors were told or did (action scale, gains, rate)",
    "joint_vel": "the slot's delay, the order of the joints, or what the motors were told or did"
    " (action scale, gains, rate)",
    "actions": "the action clip",
    "action": "the graph or its input; not what was observed",
}
"""Slot -> what makes it differ first."""


def place(contract: Contract, what: str, at: int) -> tuple[str, str]:
    """Give slot and column name of a column of an `observation` or an `action`."""
    if what == "action":
        return "action", contract.joints[at]
    for name, columns in contract.slices().items():
        if columns.start <= at < columns.stop:
            wide = columns.stop - columns.start == len(contract.joints)
            return name, contract.joints[at - columns.start] if wide else str(at - columns.start)
    raise IndexError(f"column {at} of {contract.obs_size}")


def others(
    here: Contract, what: str, slot: str, found: np.ndarray, wanted: np.ndarray, tolerance: float
) -> tuple[str, ...]:
    """Say which other slots differ, each with its worst column and both values.

    Args:
        here: What the training environment says.
        what: `observation` or `action`.
        slot: The slot to leave out.
        found: All columns from the file's own contract, (k,).
        wanted: All columns in the training environment, (k,).
        tolerance: How far apart two numbers must be to differ.
    """
    lines = []
    for name, columns in (here.slices() if what == "observation" else {}).items():
        apart = np.abs(found[columns].astype(float) - wanted[columns])
        if name != slot and apart.max() > tolerance:
            at = columns.start + int(apart.argmax())
            column = place(here, what, at)[1]
            lines.append(f"{name} [{column}] {found[at]:.6g}, not {wanted[at]:.6g}")
    return tuple(lines)


def cause(
    file: Contract,
    here: Contract,
    what: str,
    at: int,
    found: np.ndarray,
    wanted: np.ndarray,
    tolerance: float,
) -> str:
    """Guess in a sentence or two why a column differs.

    Args:
        file: What the file says.
        here: What the training environment says.
        what: `observation` or `action`.
        at: The column.
        found: All columns from the file's own contract, (k,).
        wanted: All columns in the training environment, (k,).
        tolerance: How far apart two numbers must be to differ.
    """
    slot, column = place(here, what, at)
    said = [str(difference) for difference in contracts(file, here)]
    told = f" Of the contract, {'; '.join(said[:3])}." if said else ""
    named = place(file, what, at)[0]
    if named != slot:
        return f"The file has its slot {named} there: the slots stand in another order.{told}"
    if swapped := _swapped(here, slot, at, found, wanted, tolerance):
        return f"The values of {column} and {swapped} stand in each other's place.{told}"
    suspects = SUSPECTS.get(slot, "the order of the slots, or what the operator asked")
    return told.strip() or f"Suspects: {suspects}."


def _swapped(
    here: Contract, slot: str, at: int, found: np.ndarray, wanted: np.ndarray, tolerance: float
) -> str:
    """Give the joint whose value a column shows, if that one shows this column's in turn."""
    start = 0 if slot == "action" else here.slices()[slot].start
    size = len(here.joints) if slot == "action" else here.slices()[slot].stop - start
    for other in range(start, start + size):
        exchanged = found[[at, other]] - wanted[[other, at]]
        if other != at and np.abs(exchanged).max() <= tolerance < abs(wanted[at] - wanted[other]):
            return place(here, "action" if slot == "action" else "observation", other)[1]
    return ""
