"""Policy files made for tests: a shipped walking network, with whatever metadata a test wants."""

from dataclasses import replace
from pathlib import Path

import onnx

from servogym.deploy.contract import Contract, fingerprint
from servogym.deploy.metadata import metadata
from servogym.envs.core import Core

SHIPPED = Path(__file__).resolve().parent.parent.parent / "policies"


def contract(*, backlash: bool = False) -> Contract:
    """What the training environment says today."""
    return Core("microduck_flat", 1, backlash=backlash, threads=1).contract


def write(out: Path, said: Contract) -> Path:
    """Write the shipped walking network as a file whose `servogym` entry says this.

    The entries for other programs are those of an untouched file.
    """
    backlash = "Backlash" in said.task
    model = onnx.load(SHIPPED / f"microduck-walk{'-backlash' * backlash}.onnx")
    del model.metadata_props[:]
    entries = metadata(contract(backlash=backlash), "runs/some") | {"servogym": said.to_json()}
    onnx.helper.set_model_props(model, entries)
    onnx.save(model, out)
    return out


def swapped(items: tuple, one: int, other: int) -> tuple:
    changed = list(items)
    changed[one], changed[other] = changed[other], changed[one]
    return tuple(changed)


def slots_swapped(said: Contract, one: str, other: str) -> Contract:
    names = [slot.name for slot in said.slots]
    return replace(said, slots=swapped(said.slots, names.index(one), names.index(other)))


def joints_swapped(said: Contract, one: str, other: str) -> Contract:
    places = said.joints.index(one), said.joints.index(other)
    return replace(said, joints=swapped(said.joints, *places))


def pose_moved(said: Contract, joint: str, by: float) -> Contract:
    place = said.joints.index(joint)
    pose = (*said.default_pose[:place], said.default_pose[place] + by)
    return replace(said, default_pose=(*pose, *said.default_pose[place + 1 :]))


def gain_changed(said: Contract, kp_fw: float) -> Contract:
    motor = {
        **said.motor,
        "parameters": {**said.motor["parameters"], "kp_fw": kp_fw},
        "firmware": {"kp_fw": kp_fw},
    }
    return replace(said, motor=motor, firmware={"kp_fw": kp_fw}, actuator_hash=fingerprint(motor))


def late(said: Contract, slot: str, delay: int) -> Contract:
    slots = tuple(replace(s, delay=delay) if s.name == slot else s for s in said.slots)
    return replace(said, slots=slots)
