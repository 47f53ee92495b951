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
from servogym.deploy.record import rebuild
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
    name, parameters = described.get("law"), described.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, Mapping):
        raise ValueError(
            f"contract: motor has law {name!r} and parameters {parameters!r}; a text and an object"
            " are needed"
        )
    kind: Any = actuators.get(name)
    given = {f.name for f in fields(kind) if f.init}
    wanted = {key: _number(value) for key, value in parameters.items() if key in given}
    try:
        law = kind(**wanted)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"contract: motor.parameters make no {name!r}: {error}") from error
    if wrong := differences(dict(described), law.describe(), "motor"):
        raise ValueError(f"contract: {wrong[0]}: this installation knows another {name!r}")
    supply = contract.supply
    if supply is not None:
        supply = rebuild(Supply, dict(supply), "contract: supply", complete=False)
    encoder = Encoder(side=contract.encoder)
    return Drive(law, contract.joints, n, contract.sim_dt, encoder=encoder, supply=supply)


def _number(value: Any) -> Any:
    """Turn the texts that stand for infinite limits back into numbers."""
    if isinstance(value, Mapping):
        return {key: _number(item) for key, item in value.items()}
    return float(value) if value in ("inf", "-inf") else value
