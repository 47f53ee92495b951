"""The texts inside a policy file: servogym's contract and the ones a Microduck's robot reads.

Keys and meaning of the Microduck part: pollen-robotics/microduck_rl docs/export-contract.md and
publish/check.py, pollen-robotics/microduck duck-control/src/policy.rs. Numbers keep their full
precision instead of three decimals.
"""

import json
from collections.abc import Iterable, Mapping

from servogym.deploy.contract import Contract

MICRODUCK_OBSERVATION = (
    ("base_ang_vel", 3),
    ("projected_gravity", 3),
    ("joint_pos", 14),
    ("joint_vel", 14),
    ("actions", 14),
    ("command", 3),
    ("head_command", 4),
    ("body_command", 6),
)
"""Observation layout the robot's runtime feeds: name and columns, 61 in all."""
COMMAND_NAMES = {"command": "twist", "head_command": "head_pose", "body_command": "body_pose"}
"""Command slot -> name of the command that fills it."""


def metadata(contract: Contract, run_path: str) -> dict[str, str]:
    """Give every metadata entry of a policy file.

    A policy that a Microduck can run also gets the `microduck` entry its runtime trusts.

    Raises:
        ValueError: A joint is a passive one, or a Microduck policy has another observation layout;
            the message says which.
    """
    if passive := [joint for joint in contract.joints if joint.startswith("passive_")]:
        raise ValueError(f"joints: {', '.join(passive)} cannot be commanded")
    slots = [slot.name for slot in contract.slots]
    entries = {
        "servogym": contract.to_json(),
        "run_path": run_path,
        "joint_names": ",".join(contract.joints),
        "joint_stiffness": _floats(_gains(contract, "kp")),
        "joint_damping": _floats(_gains(contract, "kd")),
        "default_joint_pos": _floats(contract.default_pose),
        "command_names": ",".join(COMMAND_NAMES[name] for name in slots if name in COMMAND_NAMES),
        "observation_names": ",".join(slots),
        "action_scale": _floats(contract.scales()),
    }
    if not unfit(contract):
        entries["microduck"] = json.dumps(microduck(contract))
    return entries


def unfit(contract: Contract) -> str:
    """Say why no Microduck could run a policy, e.g. because it is another robot's; "" if one can.

    A policy for the robot `microduck` that should fit and does not, for its observation, is no
    reason: `microduck` refuses it.
    """
    if contract.robot != "microduck" or contract.command != "position":
        return "it takes position targets of its own 14 servos"
    record = {"action_scale": contract.action_scale, "kp_fw": contract.firmware.get("kp_fw", 0.0)}
    for what, value in record.items():
        if isinstance(value, Mapping) and len(set(value.values())) > 1:
            first, *others = value
            other = next(joint for joint in others if value[joint] != value[first])
            return (
                f"it takes one {what} for all servos, which is {value[first]} for {first} and"
                f" {value[other]} for {other}"
            )
    return ""


def microduck(contract: Contract) -> dict[str, object]:
    """Give the record a Microduck compares with its own before it runs a policy.

    Raises:
        ValueError: The observation or the number of actions is not the robot's, or it is `unfit`.
    """
    if reason := unfit(contract):
        raise ValueError(f"a Microduck cannot run this policy: {reason}")
    layout = tuple((slot.name, slot.size) for slot in contract.slots)
    if layout != MICRODUCK_OBSERVATION or contract.action_size != 14:
        raise ValueError(
            f"a Microduck reads 61 columns {MICRODUCK_OBSERVATION} and obeys 14 actions; this"
            f" policy has {contract.obs_size} columns {layout} and {contract.action_size} actions"
        )
    record: dict[str, object] = {
        "schema_version": 1,
        "obs_len": contract.obs_size,
        "action_len": contract.action_size,
        "control_hz": round(1.0 / contract.control_dt),
        "joint_names": list(contract.joints),
        "default_joint_pos": list(contract.default_pose),
        "action_scale": _one_for_all(contract.action_scale),
        "observation": [list(slot) for slot in layout],
    }
    if "kp_fw" in contract.firmware:
        record["kp_fw"] = _one_for_all(contract.firmware["kp_fw"])
    return record


def _one_for_all(value: float | Mapping[str, float]) -> float:
    return next(iter(value.values())) if isinstance(value, Mapping) else value


def _gains(contract: Contract, name: str) -> list[float]:
    """Give each joint's firmware gain under either of its names; 0 when the law has none."""
    gain = contract.firmware.get(f"{name}_fw", contract.firmware.get(name, 0.0))
    if isinstance(gain, Mapping):
        return [float(gain[joint]) for joint in contract.joints]
    return [float(gain)] * contract.action_size


def _floats(values: Iterable[float]) -> str:
    return ",".join(repr(float(value)) for value in values)
