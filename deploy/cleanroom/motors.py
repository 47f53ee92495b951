"""Rebuilds the motors of a policy file from what its contract says of them, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from servogym import actuators
from servogym.actuators.drive import Drive
from servogym.actuators.encoder import Encoder
from servogym.actuators.supply import Supply
from servogym.deploy.contract import Contract
from servogym.deploy.trial.fields import differences


def motors(contract: Contract, n: int) -> Drive:
    """Give the servos of n robots: motor law, encoder and battery of the contract.

    Raises:
        ValueError: The contract describes no motor law, or one that comes out otherwise when it is
            built here; the message says in which number.
        LookupError: There is no such law.
    """
    described = contract.motor
    if not described:
        raise ValueError(
            "contract: motor is empty, so nobody can say what the servos do; a file that export.py"
            " wrote describes its motor law"
        )
    kind: Any = actuators.get(described["law"])
    given = {f.name for f in fields(kind) if f.init}
    wanted = {name: _number(v) for name, v in described["parameters"].items() if name in given}
    law = kind(**wanted)
    if wrong := differences(dict(described), law.describe(), "motor"):
        raise ValueError(
            f"contract: {wrong[0]}: this installation knows another {described['law']!r}"
        )
    supply = None if contract.supply is None else Supply(**contract.supply)  # type: ignore[arg-type]
    encoder = Encoder(side=contract.encoder)
    return Drive(law, contract.joints, n, contract.sim_dt, encoder=encoder, supply=supply)


def _number(value: Any) -> Any:
    """Turn the texts that stand for infinite limits back into numbers."""
    if isinstance(value, Mapping):
        return {key: _number(item) for key, item in value.items()}
    return float(value) if value in ("inf", "-inf") else value
