"""Small random policies as ONNX files, and the contracts and readings of two robots."""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from servogym import robots
from servogym.deploy.contract import Contract, Skill, Slot

LEGS = ("FL", "FR", "RL", "RR")
GO2_JOINTS = [f"{leg}_{part}_joint" for leg in LEGS for part in ("hip", "thigh", "calf")]
GO2_POSE = [0.1, 0.8, -1.5, -0.1, 0.8, -1.5, 0.1, 1.0, -1.5, -0.1, 1.0, -1.5]
DUCK = robots.get("microduck")
DUCK_SLOTS = (
    ("base_ang_vel", 3, "rad/s", "gyro", 20.0),
    ("projected_gravity", 3, "1", "IMU", 1.1),
    ("joint_pos", 14, "rad", "encoders", 4.0),
    ("joint_vel", 14, "rad/s", "encoders", 30.0),
    ("actions", 14, "rad", "previous network output", 2.0),
    ("command", 3, "m/s, rad/s", "operator", 3.0),
    ("head_command", 4, "rad", "operator", 2.0),
    ("body_command", 6, "m, rad", "operator", 1.0),
)


def write(
    path: Path,
    width: int,
    actions: int,
    *,
    seed: int = 0,
    names: tuple[str, str] = ("obs", "actions"),
    batch: int | str = "N",
    loud: float = 1.0,
    contract: Contract | None = None,
) -> Path:
    """Write actions = loud * tanh(W obs + b), with a contract inside if there is one."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(0.0, 0.3, (width, actions)).astype(np.float32)
    bias = rng.normal(0.0, 0.3, actions).astype(np.float32)
    constants = {"weight": weight, "bias": bias, "loud": np.float32(loud)}
    nodes = [
        helper.make_node("Gemm", [names[0], "weight", "bias"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["bounded"]),
        helper.make_node("Mul", ["bounded", "loud"], [names[1]]),
    ]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, size])
        for name, size in zip(names, (width, actions), strict=True)
    ]
    arrays = [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], arrays)
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    if contract is not None:
        helper.set_model_props(model, {"servogym": contract.to_json()})
    onnx.save(model, path)
    return path


def answer(obs: np.ndarray, actions: int, seed: int = 0, loud: float = 1.0) -> np.ndarray:
    """Compute what such a file answers, without onnxruntime."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(0.0, 0.3, (obs.shape[-1], actions)).astype(np.float32)
    bias = rng.normal(0.0, 0.3, actions).astype(np.float32)
    return loud * np.tanh(obs @ weight + bias)


def duck_contract(**changes) -> Contract:
    """A MicroDuck contract as the environment writes it, with other bounds."""
    standard = {
        "task": "MicroDuck-Flat-v0",
        "robot": DUCK.name,
        "joints": DUCK.joints,
        "default_pose": tuple(DUCK.pose().tolist()),
        "slots": tuple(
            Slot(name=name, size=size, unit=unit, frame="-", sensor=sensor, low=-bound, high=bound)
            for name, size, unit, sensor, bound in DUCK_SLOTS
        ),
        "action_scale": 1.0,
        "action_clip": 2.0,
        "command": "position",
        "control_dt": 0.02,
        "sim_dt": 0.005,
        "decimation": 4,
        "firmware": {"kp_fw": 200.0},
        "actuator": "bam",
        "command_ranges": {"command": (0.4, 0.3, 1.0)},
        "skill": Skill(kind="perpetual", slot="walk", duration_s=None, description="Walk."),
    }
    return Contract(**{**standard, **changes})


def duck_file(path: Path, seed: int = 0, *, loud: float = 1.0, **changes) -> Path:
    return write(path, 61, 14, seed=seed, loud=loud, contract=duck_contract(**changes))


def duck_readings(seed: int = 0) -> dict:
    """Readings of a MicroDuck that stands about as it should, as `Runner.step` takes them."""
    rng = np.random.default_rng(seed)
    pose = DUCK.pose() + rng.normal(0.0, 0.05, 14)
    pairs = np.stack((pose, rng.normal(0.0, 0.5, 14)), axis=1)
    return {
        "joints": dict(zip(DUCK.joints, map(tuple, pairs.tolist()), strict=True)),
        "gyro": rng.normal(0.0, 0.2, 3),
        "gravity": (0.0, 0.0, -1.0),
    }


def go2_json(*, velocity: bool = False, **changes) -> dict:
    """A contract as a person writes it for unitree_rl_gym's Go2: 45 columns, or 48 with velocity.

    Slots, scales, clips, gains and joint orders: unitree_rl_gym, legged_gym/envs/go2 and base.
    """

    def slot(name, size, unit, frame, sensor, **more):
        slot = {"name": name, "size": size, "unit": unit, "frame": frame, "sensor": sensor}
        return slot | {"low": -100.0, "high": 100.0} | more

    slots = [
        slot("base_ang_vel", 3, "rad/s", "trunk", "gyro", scale=0.25),
        slot("projected_gravity", 3, "1", "trunk", "IMU"),
        slot("command", 3, "m/s, rad/s", "trunk", "operator", scale=[2.0, 2.0, 0.25]),
        slot("joint_pos", 12, "rad", "joint", "encoders"),
        slot("joint_vel", 12, "rad/s", "joint", "encoders", scale=0.05),
        slot("actions", 12, "1", "joint", "previous network output"),
    ]
    if velocity:
        slots.insert(0, slot("base_lin_vel", 3, "m/s", "trunk", "estimator", scale=2.0))
    sdk = [joint for leg in ("FR", "FL", "RR", "RL") for joint in GO2_JOINTS if joint[:2] == leg]
    return {
        "schema": 2,
        "task": "go2",
        "robot": "go2",
        "joints": GO2_JOINTS,
        "default_pose": GO2_POSE,
        "slots": slots,
        "action_scale": 0.25,
        "action_clip": 100.0,
        "command": "position",
        "control_dt": 0.02,
        "sim_dt": 0.005,
        "decimation": 4,
        "actuator": "pd",
        "firmware": {"kp": 20.0, "kd": 0.5},
        "wire_orders": {"sdk": sdk},
        **changes,
    }


def go2(folder: Path, *, velocity: bool = False, **changes) -> tuple[Path, Path]:
    """Write a Go2 policy as others export it (one row, names of their own) and its contract."""
    names = ("nn_input", "nn_output")
    data = go2_json(velocity=velocity, input_name=names[0], output_name=names[1], **changes)
    contract = folder / "go2.json"
    contract.write_text(json.dumps(data))
    width = sum(slot["size"] for slot in data["slots"])
    return write(folder / "go2.onnx", width, 12, names=names, batch=1), contract
