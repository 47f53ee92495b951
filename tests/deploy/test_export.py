import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
import torch

from servogym.deploy import graph
from servogym.deploy.contract import Contract
from servogym.deploy.metadata import metadata, microduck, unfit
from servogym.deploy.runner import Policy
from servogym.export import export, export_policy, main
from tests.learning import duck


@pytest.fixture
def path(tmp_path):
    return export_policy(duck.policy(), duck.contract(), tmp_path / "policy.onnx").path


def run(path, obs):
    feed = {"obs": obs.astype(np.float32)}
    return np.asarray(ort.InferenceSession(path).run(["actions"], feed)[0])


def predicted(policy, obs):
    with torch.no_grad():
        return policy.actor(torch.from_numpy(obs.astype(np.float32))).numpy().clip(-2.0, 2.0)


def entries(path):
    return {entry.key: entry.value for entry in onnx.load(path).metadata_props}


def test_raw_observations_go_in_because_the_normaliser_is_inside(path):
    obs = np.random.default_rng(1).normal(3.0, 5.0, (1000, 61))
    assert np.abs(run(path, obs) - predicted(duck.policy(), obs)).max() < 1e-5


def test_extreme_observations_give_the_same_clipped_result(path):
    obs = np.random.default_rng(1).choice([-1e6, 1e6], (1000, 61))
    assert np.abs(run(path, obs) - predicted(duck.policy(), obs)).max() < 1e-5
    low, high = duck.contract().bounds()
    assert np.array_equal(run(path, obs), run(path, obs.clip(low, high)))


def test_actions_beyond_the_clip_leave_clipped(tmp_path):
    policy, contract = duck.policy(), duck.contract(action_clip=0.3)
    path = export_policy(policy, contract, tmp_path / "loud.onnx").path
    obs = np.random.default_rng(1).normal(size=(1000, 61)).astype(np.float32)
    with torch.no_grad():
        mean = policy.actor(torch.from_numpy(obs)).numpy()
    assert np.abs(mean).max() > 0.6
    assert np.abs(run(path, obs) - mean.clip(-0.3, 0.3)).max() < 1e-5
    stated = Contract.from_json(entries(path)["servogym"])
    assert (stated.action_clip, stated.action_scale) == (0.3, 1.0)
    assert stated.offset() == pytest.approx(duck.contract().default_pose)


def test_scales_of_one_export_the_identity(tmp_path):
    ones = replace(duck.PRESET, obs_scale=dict.fromkeys(duck.PRESET.obs_scale, 1.0), obs_center={})
    policy = duck.policy(preset=ones)
    path = export_policy(policy, duck.contract(), tmp_path / "plain.onnx").path
    obs = np.random.default_rng(1).uniform(-0.9, 0.9, (100, 61)).astype(np.float32)
    command = np.abs(obs[:, duck.contract().slices()["command"]]).sum(axis=1, keepdims=True)
    asked = np.minimum(command / 0.06, 1.0)
    with torch.no_grad():
        seen = torch.from_numpy(np.concatenate((obs, asked, 1.0 - asked), axis=1))
        wanted = 0.5 * policy.actor.net(seen)
    assert np.abs(run(path, obs) - wanted.numpy().clip(-2.0, 2.0)).max() < 1e-5


def test_a_policy_in_training_mode_is_refused(tmp_path):
    policy = duck.policy()
    policy.set_training_mode(True)
    with pytest.raises(ValueError, match="training mode"):
        export_policy(policy, duck.contract(), tmp_path / "policy.onnx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lost", ["scale", "layers", "action_clip", "catch", "tipping"])
def test_a_graph_that_differs_is_never_left_behind(tmp_path, monkeypatch, lost):
    build = graph.build

    def sabotaged(network, layers, action_clip, metadata):
        if lost == "scale":
            network = network | {"scale": [1.0] * 61}
        elif lost == "layers":
            layers = [(weight + 1e-4, bias) for weight, bias in layers]
        elif lost == "catch":
            network = network | {"rolling": []}
        elif lost == "tipping":
            network = network | {"tipping": 0.6}
        else:
            action_clip = 0.5
        return build(network, layers, action_clip, metadata)

    monkeypatch.setattr(graph, "build", sabotaged)
    policy = duck.policy(preset=replace(duck.PRESET, tipping=0.7, catch=(-0.1, 0.0, 0.0)))
    with pytest.raises(ValueError, match="differs from the policy"):
        export_policy(policy, duck.contract(), tmp_path / "policy.onnx")
    assert list(tmp_path.iterdir()) == []


def test_an_old_file_survives_a_failed_export(path, monkeypatch):
    before = path.read_bytes()
    monkeypatch.setattr("servogym.deploy.verify.TOLERANCE", 0.0)
    with pytest.raises(ValueError, match="differs"):
        export_policy(duck.policy(), duck.contract(), path, force=True)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["policy.onnx"]


def test_an_existing_file_is_replaced_only_when_forced(path):
    with pytest.raises(FileExistsError, match="--force"):
        export_policy(duck.policy(), duck.contract(), path)
    export_policy(duck.policy(1), duck.contract(), path, force=True)


def test_the_file_is_one_file_of_an_old_enough_dialect(path):
    model = onnx.load(path)
    assert model.opset_import[0].version <= 18
    assert model.ir_version <= 10
    assert [p.name for p in path.parent.iterdir()] == ["policy.onnx"]
    assert [(i.name, i.type.tensor_type.shape.dim[1].dim_value) for i in model.graph.input] == [
        ("obs", 61)
    ]
    assert [(o.name, o.type.tensor_type.shape.dim[1].dim_value) for o in model.graph.output] == [
        ("actions", 14)
    ]


def test_the_same_policy_exports_to_the_same_bytes(path, tmp_path):
    again = export_policy(duck.policy(), duck.contract(), tmp_path / "again.onnx").path
    assert again.read_bytes() == path.read_bytes()


def test_a_microduck_finds_everything_it_compares(path):
    found = entries(path)
    contract = duck.contract()
    record = json.loads(found["microduck"])
    assert {k: record[k] for k in ("schema_version", "obs_len", "action_len", "control_hz")} == {
        "schema_version": 1,
        "obs_len": 61,
        "action_len": 14,
        "control_hz": 50,
    }
    assert (record["action_scale"], record["kp_fw"]) == (1.0, 200)
    assert record["joint_names"] == list(contract.joints)
    assert record["default_joint_pos"] == list(contract.default_pose)
    assert record["observation"][6] == ["head_command", 4]
    assert found["joint_names"] == ",".join(contract.joints)
    assert [float(x) for x in found["default_joint_pos"].split(",")] == list(contract.default_pose)
    assert found["command_names"] == "twist,head_pose,body_pose"
    assert found["observation_names"].startswith("base_ang_vel,projected_gravity,joint_pos,")
    assert {"run_path", "joint_stiffness", "joint_damping", "action_scale"} <= set(found)
    assert Contract.from_json(found["servogym"]) == contract
    assert "passive_" not in "".join(found.values())


def test_gains_that_differ_from_joint_to_joint_are_written_joint_by_joint():
    joints = duck.contract().joints
    stiff = {joint: 0.5 + k for k, joint in enumerate(joints)}
    found = metadata(duck.contract(firmware={"kp": stiff, "kd": 0.05}), "")
    assert [float(x) for x in found["joint_stiffness"].split(",")] == list(stiff.values())
    same = metadata(duck.contract(firmware={"kp_fw": dict.fromkeys(joints, 125.0)}), "")
    assert json.loads(same["microduck"])["kp_fw"] == 125.0


def test_a_policy_for_one_stiffer_servo_is_a_file_that_no_microduck_takes_for_its_own():
    contract = duck.contract()
    stiff = {joint: 200.0 for joint in contract.joints} | {"left_knee": 150.0}
    said = replace(contract, firmware={"kp_fw": stiff})
    found = metadata(said, "")
    assert "microduck" not in found and Contract.from_json(found["servogym"]) == said
    assert unfit(said).startswith("it takes one kp_fw for all servos, which is 200.0 for left_hip_")
    assert unfit(said).endswith("and 150.0 for left_knee")
    with pytest.raises(ValueError, match="a Microduck cannot run this policy: it takes one kp_fw"):
        microduck(said)
    assert unfit(contract) == ""


def test_a_passive_joint_is_refused(tmp_path):
    joints = ("passive_left_knee_backlash", *duck.contract().joints[1:])
    with pytest.raises(ValueError, match="passive_left_knee_backlash"):
        export_policy(duck.policy(), duck.contract(joints=joints), tmp_path / "policy.onnx")


def test_another_observation_is_refused_for_a_microduck(tmp_path):
    contract = duck.contract()
    renamed = (*contract.slots[:-1], replace(contract.slots[-1], name="torso_command"))
    with pytest.raises(ValueError, match="61 columns"):
        export_policy(duck.policy(), duck.contract(slots=renamed), tmp_path / "policy.onnx")
    with pytest.raises(ValueError, match="61 observation columns"):
        export_policy(
            duck.policy(), duck.contract(slots=contract.slots[:-1]), tmp_path / "policy.onnx"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_replaced_and_no_time_is_lost_on_it(tmp_path, monkeypatch):
    monkeypatch.setattr("servogym.deploy.verify.compare", lambda *_: pytest.fail("tried first"))
    with pytest.raises(IsADirectoryError, match="is a folder"):
        export_policy(duck.policy(), duck.contract(), tmp_path, force=True)


def test_a_torque_policy_carries_no_microduck_entry(tmp_path):
    done = export_policy(duck.policy(), duck.contract(command="torque"), tmp_path / "p.onnx")
    assert done.unfit == "it takes position targets of its own 14 servos"
    assert "microduck" not in entries(done.path)
    assert not Policy(done.path).command(np.zeros(14)).any()


def test_a_run_folder_exports_its_best_checkpoint(tmp_path):
    duck.bundle(duck.policy(0)).save(tmp_path / "run" / "checkpoints" / "000000096")
    duck.bundle(duck.policy(1)).save(tmp_path / "run" / "best")
    done = export(tmp_path / "run")
    assert (done.path, done.inputs) == (tmp_path / "run" / "policy.onnx", 10_000)
    obs = np.random.default_rng(1).normal(size=(100, 61))
    assert np.abs(run(done.path, obs) - predicted(duck.policy(1), obs)).max() < 1e-5


def test_what_is_no_run_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="none: no such file or folder"):
        export(tmp_path / "none")
    (tmp_path / "policy.onnx").write_bytes(b"")
    with pytest.raises(NotADirectoryError, match=r"policy\.onnx is a file; a run folder or"):
        export(tmp_path / "policy.onnx", tmp_path / "again.onnx")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="empty: no checkpoint in"):
        export(tmp_path / "empty")


def test_a_damaged_checkpoint_is_not_exported(tmp_path):
    duck.bundle(duck.policy(0)).save(tmp_path / "checkpoint")
    (tmp_path / "checkpoint" / "weights.safetensors").write_bytes(b"")
    with pytest.raises(ValueError, match=r"weights\.safetensors"):
        export(tmp_path / "checkpoint")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("microduck-walk", ""),
        ("go2-flat", "will not run this file (it takes position targets of its own 14 servos)"),
    ],
)
def test_the_command_says_which_file_no_microduck_runs(name, said, tmp_path, monkeypatch, capsys):
    weights = Path(__file__).resolve().parents[2] / "policies" / name
    out = tmp_path / "policy.onnx"
    monkeypatch.setattr("sys.argv", ["export.py", str(weights), "--out", str(out), "--no-verify"])
    main()
    told = capsys.readouterr().out
    assert "nobody has seen this file move" in told and out.is_file()
    assert said in told and ("no 'microduck' entry" in told) == bool(said)
