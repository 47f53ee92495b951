"""A policy from elsewhere, with a contract written by hand, runs through the same runner."""

import json

import numpy as np
import onnx
import pytest

from servogym.deploy.contract import Contract
from servogym.deploy.policy import Policy
from servogym.deploy.runner import Runner
from tests.deploy import nets

SELF_INVERSE = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]


def readings(seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    pairs = np.stack((nets.GO2_POSE + rng.normal(0.0, 0.1, 12), rng.normal(0.0, 2.0, 12)), axis=1)
    return {
        "joints": dict(zip(nets.GO2_JOINTS, map(tuple, pairs.tolist()), strict=True)),
        "gyro": np.array((0.1, -0.2, 0.3)),
        "gravity": np.array((0.0, 0.6, -0.8)),
        "commands": {"command": (0.5, -0.1, 0.4)},
    }


def expected(given: dict, previous: np.ndarray, velocity=()) -> np.ndarray:
    """Lay the observation of unitree_rl_gym out by hand."""
    pairs = np.array([given["joints"][joint] for joint in nets.GO2_JOINTS])
    parts = (
        2.0 * np.array(velocity),
        0.25 * given["gyro"],
        given["gravity"],
        given["commands"]["command"] * np.array((2.0, 2.0, 0.25)),
        pairs[:, 0] - nets.GO2_POSE,
        0.05 * pairs[:, 1],
        previous,
    )
    return np.concatenate(parts)


@pytest.mark.parametrize("velocity", [(), (0.4, 0.1, -0.05)], ids=["45 columns", "48 columns"])
def test_a_go2_policy_given_by_path_walks_through_the_runner(tmp_path, velocity):
    runner = Runner(*nets.go2(tmp_path, velocity=bool(velocity)), rate_hz=50, clock=None)
    assert runner.contract.obs_size == 45 + len(velocity)
    previous = np.zeros(12)
    for step in range(5):
        given = readings(step)
        more = {"base_lin_vel": velocity} if velocity else {}
        answer = runner.step(**given, **more)
        action = nets.answer(expected(given, previous, velocity), 12)
        assert not answer.fault
        assert answer.action == pytest.approx(action, abs=1e-5)
        wanted = dict(zip(nets.GO2_JOINTS, nets.GO2_POSE + 0.25 * action, strict=True))
        assert answer.targets == pytest.approx(wanted, abs=1e-5)
        previous = action


def test_targets_come_in_the_order_of_the_wire(tmp_path):
    runner = Runner(*nets.go2(tmp_path), rate_hz=50, clock=None)
    assert runner.contract.wire("sdk").tolist() == SELF_INVERSE
    answer = runner.step(**readings())
    wired = answer.wire("sdk")
    assert wired.tolist() == answer.command[SELF_INVERSE].tolist()
    assert wired[0] == answer.targets["FR_hip_joint"]
    assert wired[SELF_INVERSE].tolist() == answer.command.tolist()
    with pytest.raises(LookupError, match="known: sdk"):
        answer.wire("isaac")
    with pytest.raises(LookupError, match="no wire order 'sdk'; known: none"):
        nets.duck_contract().wire("sdk")


def test_readings_and_answers_are_clipped_where_the_graph_does_not(tmp_path):
    slots = [slot | {"low": -0.2, "high": 0.3} for slot in nets.go2_json()["slots"]]
    data = nets.go2_json(slots=slots, action_clip=0.5)
    (tmp_path / "c.json").write_text(json.dumps(data))
    policy = Policy(nets.write(tmp_path / "loud.onnx", 45, 12, loud=2.0), tmp_path / "c.json")
    obs = np.random.default_rng(0).normal(size=(50, 45))
    factor = np.repeat([0.25, 1.0, 2.0, 2.0, 0.25, 1.0, 0.05, 1.0], [3, 3, 1, 1, 1, 12, 12, 12])
    loud = nets.answer(obs.clip(-0.2, 0.3) * factor, 12, loud=2.0)
    assert np.abs(loud).max() > 0.5
    assert policy(obs) == pytest.approx(loud.clip(-0.5, 0.5), abs=1e-5)


def test_a_file_that_takes_one_row_at_a_time_answers_many(tmp_path):
    policy = Policy(*nets.go2(tmp_path))
    obs = np.random.default_rng(0).normal(size=(7, 45))
    one_by_one = np.stack([policy(row) for row in obs])
    assert policy(obs).shape == (7, 12)
    assert np.array_equal(policy(obs), one_by_one)


def test_what_has_a_default_may_be_left_out(tmp_path):
    path = nets.write(tmp_path / "p.onnx", 45, 12)
    data = nets.go2_json()
    del data["firmware"], data["wire_orders"]
    for slot in data["slots"]:
        slot.pop("scale", None)
    (tmp_path / "bare.json").write_text(json.dumps(data))
    contract = Policy(path, tmp_path / "bare.json").contract
    assert (contract.firmware, contract.slots[0].scale, contract.input_name) == ({}, 1.0, "obs")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model_hsah": ""}, r"model_hsah \(did you mean model_hash\?\)"),
        ({"slots": [{"name": "x", "size": 3}]}, r"slots\[0\]: field\(s\) missing: unit, frame"),
        ({"joints": "FL_hip_joint"}, r"joints 'FL_hip_joint': a list is needed"),
        ({"default_pose": [0.0, "a"]}, r"default_pose\[1\] 'a': a finite number is needed"),
        ({"default_pose": [float("nan")]}, r"default_pose\[0\] nan"),
        ({"decimation": 4.5}, r"decimation 4\.5: a whole number"),
        ({"action_scale": "big"}, r"action_scale 'big': a finite number or an object"),
        ({"command": "velocity"}, r"command 'velocity': 'position' or 'torque'"),
        ({"schema": 1}, r"schema 1, only 2 is understood"),
        ({"wire_orders": {"sdk": ["FL_hip_joint"]}}, r"wire order 'sdk'"),
        ({"skill": 3}, r"skill 3: an object or null"),
        ({"control_dt": 0.01}, r"control_dt"),
        ({"joints": ["FL_hip_joint"] * 12}, "joints: distinct names are needed"),
        ({"slots": [nets.go2_json()["slots"][0]] * 2}, "slots: distinct names are needed"),
    ],
)
def test_a_contract_with_a_mistake_names_file_and_field(tmp_path, change, named):
    path = nets.write(tmp_path / "p.onnx", 45, 12)
    data = nets.go2_json() | change
    (tmp_path / "hand.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=rf"hand\.json: .*{named}"):
        Policy(path, tmp_path / "hand.json")


@pytest.mark.parametrize(
    ("contract", "file", "named"),
    [
        ({"input_name": "observation"}, {}, r"input_name 'observation'; the graph has \['obs'\]"),
        ({"output_name": "mean"}, {}, r"output_name 'mean'; the graph has \['actions'\]"),
        ({}, {"width": 48}, r"'obs' has 48 columns, the contract's slots are 45:\n +\[  0:  3\]"),
        ({}, {"actions": 14}, r"'actions' has 14 columns, the contract's joints are 12"),
        ({}, {"batch": 8}, r"\(1, 45\) or \(n, 45\) is needed"),
    ],
)
def test_a_file_that_does_not_fit_its_contract_is_refused(tmp_path, contract, file, named):
    shape = {"width": 45, "actions": 12} | file
    path = nets.write(tmp_path / "p.onnx", **shape)
    (tmp_path / "c.json").write_text(json.dumps(nets.go2_json(**contract)))
    with pytest.raises(ValueError, match=rf"p\.onnx: .*{named}"):
        Policy(path, tmp_path / "c.json")


def test_a_graph_that_leaves_its_width_open_is_tried_with_the_contracts(tmp_path):
    path = nets.write(tmp_path / "p.onnx", 45, 12)
    model = onnx.load(path)
    for tensor in (model.graph.input[0], model.graph.output[0]):
        tensor.type.tensor_type.shape.dim[1].dim_param = f"width of {tensor.name}"
    onnx.save(model, path)
    (tmp_path / "c.json").write_text(json.dumps(nets.go2_json()))
    assert Policy(path, tmp_path / "c.json")(np.zeros(45)).shape == (12,)
    (tmp_path / "c.json").write_text(json.dumps(nets.go2_json(velocity=True)))
    with pytest.raises(ValueError, match=r"p\.onnx: it does not turn the 48 columns"):
        Policy(path, tmp_path / "c.json")


def test_a_rate_too_fast_to_be_a_number_is_no_excuse_for_another(tmp_path):
    tiny = {"control_dt": 5e-324, "sim_dt": 5e-324, "decimation": 1}
    with pytest.raises(ValueError, match="rate_hz 50: the policy was trained at inf Hz"):
        Runner(*nets.go2(tmp_path, **tiny), rate_hz=50)


def test_a_file_that_is_no_onnx_or_not_there_is_refused_by_name(tmp_path):
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(ValueError, match=r"text\.onnx: not an ONNX file"):
        Policy(tmp_path / "text.onnx")
    with pytest.raises(FileNotFoundError, match=r"none\.onnx"):
        Policy(tmp_path / "none.onnx")
    path = nets.duck_file(tmp_path / "duck.onnx")
    with pytest.raises(FileNotFoundError, match=r"^\S*none\.json: no such file$"):
        Policy(path, tmp_path / "none.json")


def test_a_contract_by_hand_does_not_overrule_the_one_inside(tmp_path):
    path = nets.duck_file(tmp_path / "duck.onnx")
    Policy(path, nets.duck_contract())
    with pytest.raises(ValueError, match=r"which differs from the given: action_scale is 1\.0 in"):
        Policy(path, nets.duck_contract(action_scale=0.5))


def test_a_slot_that_nothing_measures_is_refused(tmp_path):
    data = nets.go2_json()
    data["slots"][2] |= {"name": "height_scan", "sensor": "lidar"}
    (tmp_path / "c.json").write_text(json.dumps(data))
    path = nets.write(tmp_path / "p.onnx", 45, 12)
    with pytest.raises(ValueError, match=r"'height_scan' \(sensor 'lidar'\): nothing here"):
        Runner(path, tmp_path / "c.json", rate_hz=50)


def test_the_contract_of_the_public_go2_policy_says_what_its_page_says(checkout):
    text = (checkout / "docs" / "go2-robot-lab.json").read_text("utf-8")
    contract = Contract.from_json(text, by_hand=True)
    assert (contract.obs_size, contract.action_size, contract.control_dt) == (45, 12, 0.02)
    assert contract.wire("mujoco").tolist() == SELF_INVERSE
    scale = dict(zip(contract.joints, contract.scales().tolist(), strict=True))
    assert (scale["FR_hip_joint"], scale["RL_calf_joint"]) == (0.125, 0.25)
    assert [slot.name for slot in contract.slots][2] == "command"
