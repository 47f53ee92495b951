"""Where two contracts, or two motor laws, say different things: field by field, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from servogym.deploy.contract import Contract

UNCOMPARED = ("versions", "skill", "task", "input_name", "output_name", "actuator_hash")
"""Fields of a contract that change no motion, or only repeat another field."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One field on which the two do not agree."""

    field: str
    """Its path, e.g. `motor.parameters.kp_fw`."""
    file: Any
    """What the file says; None when it says nothing."""
    here: Any
    """What is said here; None when nothing is."""

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.field} is {self.file!r} in the file, {self.here!r} here"


def contracts(file: Contract, here: Contract) -> list[Difference]:
    """Give every difference of meaning between a file's contract and the training environment's.

    Slots and joint angles go by name, so a swap is told from a changed number.
    """
    return differences(_named(file), _named(here))


def differences(file: Any, here: Any, where: str = "") -> list[Difference]:
    """Give the places at which two nested records differ, in the file's order."""
    if isinstance(file, Mapping) and isinstance(here, Mapping):
        keys = [*file, *(key for key in here if key not in file)]
        return [
            found
            for key in keys
            for found in differences(
                file.get(key), here.get(key), f"{where}.{key}" if where else str(key)
            )
        ]
    return [] if _plain(file) == _plain(here) else [Difference(field=where, file=file, here=here)]


def _named(contract: Contract) -> dict[str, Any]:
    data = {name: value for name, value in asdict(contract).items() if name not in UNCOMPARED}
    data["default_pose"] = dict(zip(contract.joints, contract.default_pose, strict=True))
    data["contact"] = contract.contact or "native"  # as a clean room takes it
    data["joints"] = {str(k): joint for k, joint in enumerate(contract.joints)}
    data["slot order"] = {str(k): slot.name for k, slot in enumerate(contract.slots)}
    data["slots"] = {slot.pop("name"): slot for slot in data["slots"]}
    return data


def _plain(value: Any) -> Any:
    """JSON knows no tuples."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
