"""Policy files with the networks that ship and the contract of today."""

from dataclasses import replace
from pathlib import Path

import onnx

from servogym.deploy.contract import Contract
from servogym.envs import registration
from servogym.envs.core import Core

PLAIN, TWIN = "MicroDuck-Flat-v0", "MicroDuck-Flat-Backlash-v0"
POLICIES = Path(__file__).resolve().parent.parent.parent / "policies"


def contract(task: str, **options) -> Contract:
    """The contract of a task of today."""
    return Core(n=1, **registration.resolve(task), **options).contract


def file(folder: Path, name: str, contract: Contract, **changes) -> Path:
    """Write a shipped network with another contract."""
    model = onnx.load(POLICIES / f"{name}.onnx")
    entry = next(prop for prop in model.metadata_props if prop.key == "servogym")
    entry.value = replace(contract, **changes).to_json()
    onnx.save(model, folder / f"{name}.onnx")
    return folder / f"{name}.onnx"
