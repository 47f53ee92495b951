"""Identified servos: what params/<servo>.json says, checked against its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "params"


@dataclass(frozen=True, kw_only=True)
class ServoFamily:
    """One servo as identified by the BAM project, all digits, with where it comes from."""

    name: str
    """Name of the servo, e.g. "xl330"."""
    title: str
    """The servo as its vendor calls it."""
    origin: Mapping[str, Any]
    """Project, commit, licence, paper and files the numbers come from."""
    sha256: str
    """Hash of the canonical JSON of {"firmware": ..., "models": ...}."""
    firmware: Mapping[str, Any]
    """The servo's control law and its constants."""
    models: Mapping[str, Mapping[str, float]]
    """Model id ("m1" to "m6") -> identified parameters, SI units, on the joint side."""

    @staticmethod
    def names() -> list[str]:
        """Return the names of all identified servos, sorted."""
        return sorted(path.stem for path in _FOLDER.glob("*.json"))

    @staticmethod
    def load(name: str) -> ServoFamily:
        """Read the servo called `name`.

        Raises:
            LookupError: no such servo; the message lists the known ones.
            ValueError: the file's parameters do not have the hash it states.
        """
        if name not in ServoFamily.names():
            raise LookupError(f"unknown servo {name!r}; known: {', '.join(ServoFamily.names())}")
        return _read(_FOLDER / f"{name}.json")

    def model(self, model: str) -> Mapping[str, float]:
        """Return the parameters identified for friction model `model`.

        Raises:
            LookupError: this servo was not identified with it; the message lists those it has.
        """
        if model not in self.models:
            raise LookupError(
                f"servo {self.name!r} has no friction model {model!r}; "
                f"it has {', '.join(sorted(self.models))}"
            )
        return self.models[model]


@cache
def _read(path: Path) -> ServoFamily:
    data = json.loads(path.read_text(encoding="utf-8"))
    block = {"firmware": data["firmware"], "models": data["models"]}
    canonical = json.dumps(block, sort_keys=True, separators=(",", ":"))
    found = hashlib.sha256(canonical.encode()).hexdigest()
    if found != data["sha256"]:
        raise ValueError(
            f"{path.name}: the parameters hash to {found}, the file states {data['sha256']}; "
            "it was edited or damaged. Identified values are not to be changed in place"
        )
    return ServoFamily(**data)
