"""The clean room is made from the file alone, by its own rules, and refuses what it cannot do."""

import subprocess
import sys
from dataclasses import replace

import mujoco
import numpy as np
import onnx
import pytest

from servogym.actuators.friction_row import FrictionRow
from servogym.deploy.cleanroom.room import CleanRoom
from servogym.deploy.contract import fingerprint
from servogym.deploy.style import RuntimeStyle
from tests.deploy import files


@pytest.fixture(scope="module")
def said():
    return files.contract()


@pytest.fixture(scope="module")
def path(said, tmp_path_factory):
    return files.write(tmp_path_factory.mktemp("walk") / "walk.onnx", said)


# Without Gymnasium `import servogym` registers nothing.
ALONE = """
import sys
for forbidden in ("servogym.envs", "servogym.learning", "servogym.gauge", "gymnasium", "torch"):
    sys.modules[forbidden] = None
from servogym.deploy.cleanroom.room import CleanRoom
room = CleanRoom(sys.argv[1])
for _ in range(3):
    room.step(room.act(room.observe()))
print(room.observe().shape, [name for name in sys.modules if name.startswith("servogym.envs.")])
"""


def test_nothing_of_the_training_environment_is_loaded(path):
    done = subprocess.run([sys.executable, "-c", ALONE, path], capture_output=True, text=True)
    assert done.stdout.strip() == "(1, 61) []", done.stderr


def test_the_columns_stand_where_the_slots_of_the_file_say(said, tmp_path):
    order = ("command", "actions", "projected_gravity", "head_command", "joint_vel")
    slots = {slot.name: slot for slot in said.slots}
    turned = tuple(slots[name] for name in (*order, *(set(slots) - set(order))))
    room = CleanRoom(files.write(tmp_path / "turned.onnx", replace(said, slots=turned)))
    room.command({"command": np.array([0.1, 0.2, 0.3]), "head_command": np.full(4, 0.05)})
    obs = room.observe()[0]
    assert obs[:3] == pytest.approx([0.1, 0.2, 0.3])
    assert obs[17:20] == pytest.approx([0.0, 0.0, -1.0])
    assert obs[20:24] == pytest.approx([0.05] * 4)


def test_a_slot_is_clipped_scaled_and_as_late_as_it_says(said, tmp_path):
    slots = tuple(
        replace(s, high=0.15, scale=2.0, delay=2) if s.name == "command" else s for s in said.slots
    )
    room = CleanRoom(files.write(tmp_path / "late.onnx", replace(said, slots=slots)))
    seen = []
    for forward in (0.1, 0.2, 0.0, 0.0):
        room.command({"command": np.array([forward, 0.0, 0.0])})
        seen.append(room.observe()[0, said.slices()["command"]][0])
    assert seen == pytest.approx([0.2, 0.2, 0.2, 0.3])  # the first stands for the past


def test_rotation_is_mujocos(path):
    room, wanted = CleanRoom(path), np.zeros(9)
    body = room._bodies[0]
    for quat in np.random.default_rng(0).normal(size=(20, 4)):
        body.data.qpos[3:7] = quat / np.linalg.norm(quat)
        mujoco.mju_quat2Mat(wanted, body.data.qpos[3:7])
        assert body.rotation() == pytest.approx(wanted.reshape(3, 3), abs=1e-12)


def test_speed_is_seen_along_the_heading(path):
    room = CleanRoom(path)
    data = room._bodies[0].data
    data.qpos[3:7] = np.cos(np.pi / 4), 0.0, 0.0, np.sin(np.pi / 4)  # facing y
    data.qvel[:6] = 0.3, 0.5, 0.0, 0.0, 0.0, 0.7
    assert room.speeds()[0] == pytest.approx([0.5, -0.3, 0.7])


def test_a_gear_gap_is_read_through_on_the_output_side_only(tmp_path):
    said = files.contract(backlash=True)
    knee = said.slices()["joint_pos"].start + said.joints.index("left_knee")
    read = {}
    for side in ("output", "motor"):
        room = CleanRoom(files.write(tmp_path / side, replace(said, encoder=side)))
        body = room._bodies[0]
        body.data.joint("passive_left_knee_backlash").qpos[0] = 0.01
        read[side] = room.observe()[0, knee]
    assert read == pytest.approx({"output": 0.01, "motor": 0.0})


def test_two_ways_to_know_a_friction_force_must_agree(path, monkeypatch):
    force = FrictionRow.force
    monkeypatch.setattr(FrictionRow, "force", lambda *given: force(*given) + 1e-6)
    room = CleanRoom(path)
    with pytest.raises(RuntimeError, match=r"friction of \w+: .* by the formula"):
        room.step(room.act(room.observe()))


def test_robots_in_one_room_do_not_touch_each_other(path):
    alone, many = CleanRoom(path), CleanRoom(path, 3)
    many.command({"command": np.array([[0.2, 0, 0], [0, 0, 0], [0, 0, 0.5]])})
    for _ in range(5):
        alone.step(alone.act(alone.observe()))
        many.step(many.act(many.observe()))
    assert np.array_equal(many.observe()[1], alone.observe()[0])
    assert not np.array_equal(many.observe()[0], alone.observe()[0])


@pytest.fixture
def told(monkeypatch):
    """What the servos are told, one entry a physics step."""
    targets = []

    def watch(room):
        substep = room._drive.substep
        monkeypatch.setattr(
            room._drive, "substep", lambda *a: targets.append(a[0].copy()) or substep(*a)
        )
        return targets

    return watch


def test_the_robots_software_scales_actions_and_smooths_targets_and_commands(said, path, told):
    style = RuntimeStyle(action_scale=0.9, target_weights={"left_knee": 0.7}, command_weight=0.2)
    room, pose = CleanRoom(path, style=style), np.array(said.default_pose)
    targets = told(room)
    room.command({"command": np.zeros(3)})
    room.observe()
    room.step(np.full((1, 14), 0.1))
    assert targets[0][0] == pytest.approx(pose + 0.09)
    room.command({"command": np.array([0.3, 0.0, 0.0])})
    assert room.observe()[0, said.slices()["command"]][0] == pytest.approx(0.06)
    room.step(np.full((1, 14), 0.2))
    after = dict(zip(said.joints, targets[-1][0] - pose, strict=True))
    assert (after["left_knee"], after["right_knee"]) == pytest.approx((0.09 + 0.7 * 0.09, 0.18))


def test_smoothed_commands_begin_at_rest_as_the_robots_do(said, path):
    room = CleanRoom(path, style=RuntimeStyle(command_weight=0.2))
    room.command({"command": np.array([0.3, 0.0, 0.0])})
    seen = [room.observe()[0, said.slices()["command"]][0] for _ in range(2)]
    assert seen == pytest.approx([0.06, 0.108])
    room.reset()
    assert room.observe()[0, said.slices()["command"]][0] == pytest.approx(0.06)


def refused(said, tmp_path, error=ValueError, **changes):
    with pytest.raises(error) as caught:
        CleanRoom(files.write(tmp_path / "wrong.onnx", replace(said, **changes)))
    return str(caught.value)


def test_another_model_of_the_robot_is_refused(said, tmp_path):
    assert "model_hash 0000" in refused(said, tmp_path, model_hash="0" * 64)


def test_a_file_that_does_not_describe_its_motors_is_refused(said, tmp_path):
    assert "motor is empty" in refused(said, tmp_path, motor={})


def test_a_motor_that_is_another_one_here_is_refused(said, tmp_path):
    motor = {**said.motor, "identified": {**said.motor["identified"], "kt": 0.5}}
    text = refused(said, tmp_path, motor=motor, actuator_hash=fingerprint(motor))
    assert "motor.identified.kt is 0.5 in the file" in text


@pytest.mark.parametrize(
    "described",
    [
        {"a": 1},
        {"law": [], "parameters": {}},
        {"law": "bam", "parameters": []},
        {"law": "dc", "parameters": {}},
    ],
)
def test_motors_that_are_no_motors_are_refused(said, described, tmp_path):
    text = refused(said, tmp_path, motor=described, actuator_hash=fingerprint(described))
    assert text.startswith("contract: motor")


def test_a_battery_with_a_field_nobody_knows_is_refused(said, tmp_path):
    text = refused(said, tmp_path, supply={**said.supply, "colour": 1.0})
    assert text == "contract: supply: field(s) not understood: colour"


def test_a_slot_nobody_can_fill_is_refused(said, tmp_path):
    slots = (*said.slots[:-1], replace(said.slots[-1], name="wind"))
    ranges = {k: v for k, v in said.command_ranges.items() if k != "body_command"}
    assert "slots: wind cannot" in refused(said, tmp_path, slots=slots, command_ranges=ranges)


def test_a_joint_the_robot_lacks_is_named(said, tmp_path):
    joints = ("left_wing", *said.joints[1:])
    assert "left_wing" in refused(
        said, tmp_path, LookupError, joints=joints, wire_orders={}, firmware={}
    )


def test_what_is_no_policy_file_is_refused(path, tmp_path):
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(ValueError, match=r"text\.onnx: not an ONNX file"):
        CleanRoom(tmp_path / "text.onnx")
    model = onnx.load(path)
    del model.metadata_props[:]
    onnx.save(model, tmp_path / "bare.onnx")
    with pytest.raises(ValueError, match=r"bare\.onnx: no 'servogym' entry"):
        CleanRoom(tmp_path / "bare.onnx")
