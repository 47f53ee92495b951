"""The policies among which one can swap while the robot moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import servogym
from servogym.deploy.handover import difference
from servogym.gauge.subject import Subject, load

if TYPE_CHECKING:
    from servogym.deploy.contract import Contract

SHIPPED = "microduck-walk-backlash.onnx"
"""The policy that plays when none is named."""


def shipped() -> list[Path]:
    """Give the policies of the checkout that can take over from each other, the first in front.

    Others, of another robot, play when they are named.

    Raises:
        FileNotFoundError: This copy of servogym came without them.
    """
    folder = Path(servogym.__file__).resolve().parent.parent / "policies"
    found = sorted(folder.glob("*.onnx"), key=lambda path: (path.name != SHIPPED, path.name))
    if not found:
        raise FileNotFoundError(
            f"no policy ships with this copy ({folder} has no .onnx file); name a policy file or"
            " a run folder"
        )
    first = load(found[0]).contract
    return [path for path in found if not _apart(first, load(path).contract)]


def open_all(paths: Iterable[Path]) -> dict[str, Subject]:
    """Open policies, by a short name each; they can take over from each other.

    Args:
        paths: Exported files, run folders or checkpoints.

    Raises:
        OSError: There is nothing to open.
        ValueError: One is no policy, or cannot take over from the first; the message names it and
            the field in which they differ.
    """
    opened: dict[str, Subject] = {}
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder")
        subject = load(path)
        for first in list(opened.values())[:1]:
            agree(str(path), subject.contract, str(first.file), first.contract)
        opened[_name(path, opened)] = subject
    return opened


def agree(name: str, contract: Contract, other: str, with_: Contract) -> None:
    """Refuse a policy that cannot take over from another.

    Raises:
        ValueError: They differ in a field that both the robot and its simulation go by; the
            message gives both values.
    """
    reason = _apart(with_, contract)
    if reason:
        raise ValueError(f"{name} cannot take over from {other}: {reason}")


def _apart(with_: Contract, contract: Contract) -> str:
    """Say in which field two contracts differ that robot and simulation go by; "" in none."""
    if reason := difference(with_, contract):
        return reason
    for field in ("action_scale", "action_clip"):
        mine, theirs = getattr(contract, field), getattr(with_, field)
        if mine != theirs:
            return f"{field} is {mine!r}, not {theirs!r}"
    return ""


def _name(path: Path, taken: Mapping[str, Subject]) -> str:
    """Name a policy by its file, or by its folder where the file's name says nothing."""
    place = path.resolve()
    name = place.parent.name if place.stem == "policy" else place.stem
    return name if name not in taken else str(path)
