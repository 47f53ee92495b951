"""The page a robot's catalogue keeps about a policy file: MicroDuck's manifest, schema version 2.

It lies beside the ONNX file as `<name>.manifest.json`; `manifest_rules` says what may stand in it.
"""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from servogym.deploy.contract import Contract
from servogym.deploy.manifest_rules import SERVOS, validate
from servogym.deploy.metadata import microduck


def beside(file: Path) -> Path:
    """Give the place of a policy file's manifest."""
    return file.with_suffix(".manifest.json")


def describe(contract: Contract, name: str, training: Mapping[str, Any]) -> dict[str, Any]:
    """Give the manifest of one policy.

    Args:
        contract: What the policy reads, and the skill it has.
        name: What the policy is called.
        training: What is known about how it came to be, e.g. `commit`; None is left out.

    Raises:
        ValueError: A Microduck does not run it, or its skill is unknown.
    """
    record, skill = microduck(contract), contract.skill
    if skill is None:
        raise ValueError("skill: the contract names none, so its manifest has no kind")
    servo = contract.motor.get("parameters", {}).get("servo")
    reach = {
        slot: f"{text}, trained within ± {list(contract.command_ranges[key])}"
        for slot, key, text in (
            ("twist", "command", "vx [m/s], vy [m/s], yaw rate [rad/s] in the trunk's yaw frame"),
            ("head", "head_command", "neck_pitch, head_pitch, head_yaw, head_roll [rad] from home"),
            ("body", "body_command", "x, y, z [m], roll, pitch, yaw [rad] of the trunk"),
        )
        if key in contract.command_ranges
    }
    manifest = {
        "schema_version": 2,
        "model_api": 1,
        "obs_len": record["obs_len"],
        "action_len": record["action_len"],
        "robot": {
            "model": "microduck",
            "hw_rev": 1,
            "servos": servo if servo in SERVOS else SERVOS[0],
            "control_hz": record["control_hz"],
        },
        "name": name,
        "kind": skill.kind,
        "duration_s": skill.duration_s,
        "slot": skill.slot or None,
        "description": skill.description,
        "action_scale": record["action_scale"],
        "command": {"encoding": "constant", "idle": [0.0, 0.0, 0.0], **reach},
        "training": _known({"task_id": contract.task, **training}),
    }
    return _known(manifest)


def write(manifest: Mapping[str, Any], path: Path, *, force: bool = False) -> None:
    """Validate a manifest and write it whole, or not at all.

    Args:
        manifest: The manifest.
        path: The file.
        force: Replace an existing one.

    Raises:
        FileExistsError: The file exists and `force` is false.
        ValueError: A rule is broken.
    """
    validate(manifest)
    if path.exists() and not force:
        raise FileExistsError(f"{path} exists; --force replaces it")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_text(json.dumps(manifest, indent=2, allow_nan=False) + "\n", "utf-8")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value is not None}
