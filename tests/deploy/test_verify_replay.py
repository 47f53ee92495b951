"""A file moves as in training; one wrong entry in its metadata shows, and where."""

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from servogym.deploy.trial import diagnosis
from servogym.deploy.trial.replay import STEPS, TOLERANCE, replay
from servogym.envs.core import Core
from tests.deploy import files

GAP = "MicroDuck-Flat-Backlash-v0"


@pytest.fixture(scope="module")
def said():
    return {c.task: c for c in (files.contract(), files.contract(backlash=True))}


@pytest.mark.parametrize("task", ["MicroDuck-Flat-v0", GAP])
def test_a_walking_file_agrees_with_its_training_environment_for_ten_seconds(said, task, tmp_path):
    found = replay(files.write(tmp_path / "walk.onnx", said[task]))
    assert found.passed and found.first is None and found.falls == 0
    assert (found.steps, found.needed) == (STEPS, STEPS) == (500, 500)
    assert max(found.observation, found.action) <= TOLERANCE == 1e-4


def test_falls_do_not_part_the_two(said, tmp_path):
    path = files.write(tmp_path / "wild.onnx", said["MicroDuck-Flat-v0"])
    model = onnx.load(path)
    for constant in model.graph.initializer:
        if constant.name == "gain":
            loud = numpy_helper.to_array(constant) * 3
            constant.CopyFrom(numpy_helper.from_array(loud, "gain"))
    onnx.save(model, path)
    found = replay(path, needed=200)
    assert found.passed and found.falls >= 2


@pytest.mark.parametrize("law", ["pd", "dc", "ideal"])
def test_other_motor_laws_agree_too(law, tmp_path):
    contract = Core("microduck_flat", 1, actuator=law, threads=1).contract
    found = replay(files.write(tmp_path / "other.onnx", contract), needed=100)
    assert found.passed and not diagnosis.contracts(contract, contract)


def sabotage(name, said):
    """The contract with one thing wrong, and the slots that may show it first."""
    gap, said = said[GAP], said["MicroDuck-Flat-v0"]
    moved = {"base_ang_vel", "projected_gravity", "joint_pos", "joint_vel"}
    return {
        "two legs": (files.joints_swapped(said, "left_knee", "right_knee"), moved),
        "two head joints": (files.joints_swapped(said, "head_yaw", "head_roll"), moved),
        "joint slots": (files.slots_swapped(said, "joint_pos", "joint_vel"), {"joint_pos"}),
        "own actions": (files.slots_swapped(said, "joint_vel", "actions"), {"joint_vel"}),
        "IMU slots": (
            files.slots_swapped(said, "base_ang_vel", "projected_gravity"),
            {"base_ang_vel"},
        ),
        "command slots": (files.slots_swapped(said, "command", "head_command"), {"command"}),
        "default pose": (files.pose_moved(said, "left_ankle", 0.01), moved),
        "action scale": (replace(said, action_scale=0.99), moved),
        "action clip": (replace(said, action_clip=0.5), {*moved, "actions"}),
        "gain": (files.gain_changed(said, 198), moved),
        "control rate": (replace(said, control_dt=0.01, decimation=2), moved),
        "simulation rate": (replace(said, sim_dt=0.004, decimation=5), moved),
        "latency": (files.late(said, "joint_vel", 0), {"joint_vel"}),
        "battery": (replace(said, supply={**said.supply, "volts": 7.3}), moved),
        "gear gap": (replace(gap, backlash=0.0176), moved),
    }[name]


FIELDS = {
    "two legs": "joints.3 is 'right_knee' in the file, 'left_knee' here",
    "two head joints": "joints.7 is 'head_roll' in the file, 'head_yaw' here",
    "joint slots": "slot order.2 is 'joint_vel' in the file, 'joint_pos' here",
    "own actions": "slot order.3 is 'actions' in the file, 'joint_vel' here",
    "IMU slots": "slot order.0 is 'projected_gravity' in the file, 'base_ang_vel' here",
    "command slots": "slot order.5 is 'head_command' in the file, 'command' here",
    "default pose": "default_pose.left_ankle is 0.46",
    "action scale": "action_scale is 0.99 in the file, 1.0 here",
    "action clip": "action_clip is 0.5 in the file",
    "gain": "firmware.kp_fw is 198 in the file, 200 here",
    "control rate": "control_dt is 0.01 in the file, 0.02 here",
    "simulation rate": "sim_dt is 0.004 in the file, 0.005 here",
    "latency": "slots.joint_vel.delay is 0 in the file, 1 here",
    "battery": "supply.volts is 7.3 in the file, 7.4 here",
    "gear gap": "backlash is 0.0176 in the file",
}


@pytest.mark.parametrize("wrong", FIELDS)
def test_one_wrong_entry_is_found_and_named(said, wrong, tmp_path):
    contract, slots = sabotage(wrong, said)
    found = replay(files.write(tmp_path / "wrong.onnx", contract), needed=30)
    assert not found.passed
    assert found.first.slot in slots
    assert FIELDS[wrong] in str(found.first)


@pytest.mark.parametrize("wrong", FIELDS)
def test_the_motion_alone_gives_it_away(said, wrong, tmp_path, monkeypatch):
    contract, slots = sabotage(wrong, said)
    monkeypatch.setattr(diagnosis, "contracts", lambda file, here: [])
    found = replay(files.write(tmp_path / "wrong.onnx", contract), needed=30)
    assert not found.passed and found.first.step < 10
    assert found.first.slot in slots
    assert abs(found.first.file - found.first.here) > TOLERANCE
    if "slots" in wrong or wrong == "own actions":
        assert "the slots stand in another order" in found.first.cause
    else:
        assert found.first.cause.startswith("Suspects: ")


def test_a_file_of_another_width_prints_its_table(said, tmp_path):
    contract = said["MicroDuck-Flat-v0"]
    ranges = {k: v for k, v in contract.command_ranges.items() if k != "body_command"}
    short = replace(contract, slots=contract.slots[:-1], command_ranges=ranges)
    with pytest.raises(ValueError, match=r"(?s)55 observation columns.*61 in .*head_command"):
        replay(files.write(tmp_path / "short.onnx", short))


def test_values_in_each_others_place_are_told(said):
    here = said["MicroDuck-Flat-v0"]
    start = here.slices()["joint_pos"].start
    wanted = [0.0] * here.obs_size
    wanted[start + 3], wanted[start + 12] = 0.2, -0.4
    found = list(wanted)
    found[start + 3], found[start + 12] = -0.4, 0.2
    text = diagnosis.cause(
        here, here, "observation", start + 3, np.array(found), np.array(wanted), TOLERANCE
    )
    assert text == "The values of left_knee and right_knee stand in each other's place."


def test_what_training_changed_in_the_environment_is_changed_again(said, tmp_path):
    late = files.late(said["MicroDuck-Flat-v0"], "joint_vel", 2)
    path = files.write(tmp_path / "late.onnx", late)
    assert not replay(path, needed=30).passed
    overrides = {"sensing": {"joint_vel_lag": 2}, "rewards": {"cost_of_transport": 0.0}}
    assert replay(path, needed=30, overrides=overrides).passed
