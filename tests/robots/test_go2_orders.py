"""Go2's joint orders: on every wire each command arrives at the joint it was meant for."""

import mujoco
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from servogym import robots
from servogym.deploy.runner import Runner
from servogym.envs.core import Core

GO2 = robots.get("go2")
SDK = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]
ISAAC_TO_SDK = [3, 0, 9, 6, 4, 1, 10, 7, 5, 2, 11, 8]
STEP = 0.2


@pytest.fixture(scope="module")
def contract():
    return Core("go2_flat", 1, threads=1).contract


def test_the_sdk_order_is_its_own_inverse(contract):
    gather = contract.wire("sdk")
    assert gather.tolist() == SDK
    np.testing.assert_array_equal(gather[gather], np.arange(12))
    assert contract.wire_orders["sdk"][:3] == ("FR_hip_joint", "FR_thigh_joint", "FR_calf_joint")


def test_the_mujoco_order_is_the_contracts_own(contract):
    assert contract.wire("mujoco").tolist() == list(range(12))


def test_the_isaac_order_goes_hips_thighs_calves_and_maps_onto_the_sdk(contract):
    isaac, sdk = contract.wire_orders["isaac"], contract.wire_orders["sdk"]
    assert isaac[:4] == tuple(f"{leg}_hip_joint" for leg in ("FL", "FR", "RL", "RR"))
    assert [sdk.index(joint) for joint in isaac] == ISAAC_TO_SDK


def test_the_isaac_order_is_not_its_own_inverse_and_there_and_back_needs_both_ways(contract):
    gather = contract.wire("isaac")
    values = np.arange(12.0)
    assert not np.array_equal(values[gather][gather], values)
    np.testing.assert_array_equal(values[gather][np.argsort(gather)], values)


def asking_for(path, contract, action):
    """A policy file that always answers this action."""
    nodes = [helper.make_node("Gemm", ["obs", "weight", "bias"], ["actions"])]
    weight = np.zeros((contract.obs_size, 12), np.float32)
    arrays = {"weight": weight, "bias": np.asarray(action, np.float32)}
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size])
        for name, size in (("obs", contract.obs_size), ("actions", 12))
    ]
    tensors = [numpy_helper.from_array(value, name) for name, value in arrays.items()]
    graph = helper.make_graph(nodes, "constant", ends[:1], ends[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"servogym": contract.to_json()})
    onnx.save(model, path)
    return path


def machine(order):
    """Go2 held up by its trunk, its servos listed in a vendor's order as on the wire."""
    spec = GO2.spec()
    for key in list(spec.keys):
        spec.delete(key)
    spec.delete(spec.joint("base_freejoint"))
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for number, joint in enumerate(GO2.wire_orders[order]):
        servo = spec.add_actuator(name=f"motor_{number}", target=joint)
        servo.trntype = mujoco.mjtTrn.mjTRN_JOINT
        servo.set_to_position(kp=60.0, kv=2.0)
    spec.option.gravity = [0.0, 0.0, 0.0]
    return spec.compile()


def moved(model, command):
    """How far each joint, by name, goes from the default pose under a command [rad]."""
    data = mujoco.MjData(model)
    for joint, angle in GO2.default_pose.items():
        data.joint(joint).qpos[0] = angle
    data.ctrl[:] = command
    for _ in range(1000):
        mujoco.mj_step(model, data)
    return {joint: data.joint(joint).qpos[0] - q for joint, q in GO2.default_pose.items()}


@pytest.mark.parametrize("order", GO2.wire_orders)
@pytest.mark.parametrize("joint", GO2.joints)
def test_a_joint_asked_for_alone_moves_alone_on_the_machine(tmp_path, contract, joint, order):
    action = STEP / contract.scales() * (np.array(contract.joints) == joint)
    runner = Runner(
        asking_for(tmp_path / "one.onnx", contract, action),
        rate_hz=1 / contract.control_dt,
        clock=None,
    )
    readings = {name: (angle, 0.0) for name, angle in GO2.default_pose.items()}
    answer = runner.step(readings, gyro=(0, 0, 0), gravity=(0, 0, -1))
    assert not answer.fault
    way = moved(machine(order), answer.wire(order))
    assert way.pop(joint) == pytest.approx(STEP, abs=0.02)
    assert max(map(abs, way.values())) < 0.02


def test_sending_the_contracts_order_to_the_sdk_would_move_the_wrong_leg():
    command = GO2.pose()
    command[GO2.joints.index("FL_hip_joint")] += STEP
    way = moved(machine("sdk"), command)
    assert abs(way["FL_hip_joint"]) > 0.15  # it gets FR's angle, -0.1 instead of +0.1
    assert way["FR_hip_joint"] == pytest.approx(STEP + 0.2, abs=0.03)


@pytest.mark.parametrize("joint", GO2.joints)
def test_a_joint_asked_for_alone_moves_alone_in_the_environment(joint):
    calm = {"sensing": False, "randomization": False, "spawn": False}
    core = Core("go2_flat", 1, threads=1, actuator="pd", **calm)
    rows = np.arange(1)
    core.seed(rows, np.zeros(1, np.uint64))
    core.reset(rows)
    core.batch.bind("qpos")[0, 2] += 1.0  # in the air
    start = core.batch.bind("qpos")[0, core.at.servo_qpos].copy()
    action = STEP / core.contract.scales() * (np.array(GO2.joints) == joint)
    for _ in range(8):
        core.step(action[None])
    way = core.batch.bind("qpos")[0, core.at.servo_qpos] - start
    assert np.argmax(np.abs(way)) == GO2.joints.index(joint)
    assert way[GO2.joints.index(joint)] > 0.1
    assert np.partition(np.abs(way), -2)[-2] < 0.07
