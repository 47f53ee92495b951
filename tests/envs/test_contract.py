"""The 61 observations and 14 actions, and that twins differ in the gap alone."""

from dataclasses import asdict, replace

import gymnasium as gym
import numpy as np
import pytest

import servogym  # noqa: F401
from servogym import robots
from servogym.actuators.ideal import IdealTorque
from servogym.envs import registration
from servogym.envs.commands import Commands
from servogym.envs.contract import slots
from servogym.envs.core import Core

IDS = list(registration.ids())
LAYOUT = {
    "base_ang_vel": 3,
    "projected_gravity": 3,
    "joint_pos": 14,
    "joint_vel": 14,
    "actions": 14,
    "command": 3,
    "head_command": 4,
    "body_command": 6,
}


def core(task="microduck_flat", n=1, **options):
    made = Core(task, n, threads=1, **options)
    rows = np.arange(n)
    made.seed(rows, rows.astype(np.uint64) + np.uint64(5))
    return made, made.reset(rows)


@pytest.mark.parametrize("env_id", [i for i in IDS if i.startswith("MicroDuck-")])
def test_every_task_and_twin_has_48_proprioceptive_and_13_command_columns(env_id):
    env = gym.make(env_id)
    contract = env.unwrapped.core.contract
    assert {s.name: s.size for s in contract.slots} == LAYOUT
    assert [s.name for s in contract.slots] == list(LAYOUT)
    assert contract.obs_size == 61 and env.observation_space.shape == (61,)
    assert contract.action_size == 14 and env.action_space.shape == (14,)
    assert env.unwrapped.core.model.nu == 14


def test_a_robot_without_a_head_has_no_slot_for_it_and_its_task_must_say_so():
    duck, task = robots.get("microduck"), registration.find("microduck_flat")
    headless = replace(duck, head=())
    with pytest.raises(ValueError, match=r"4 ranges.*0 head joints.*\(\) for no head"):
        slots(task, headless)
    assert [s.name for s in slots(task, duck)] == list(LAYOUT)
    bare = slots(replace(task, commands=Commands(head=(), body=())), headless)
    assert [s.name for s in bare] == list(LAYOUT)[:-2]


def test_twins_differ_in_nothing_but_the_gap():
    plain, twin = (Core("microduck_flat", 1, backlash=b) for b in (False, True))
    assert plain.task == twin.task
    a, b = asdict(plain.contract), asdict(twin.contract)
    assert a.pop("task") == "MicroDuck-Flat-v0" and b.pop("task") == "MicroDuck-Flat-Backlash-v0"
    assert (a.pop("backlash"), b.pop("backlash")) == (0.0, twin.robot.backlash)
    assert a == b
    extra = {twin.model.joint(i).name for i in range(twin.model.njnt)}
    extra -= {plain.model.joint(i).name for i in range(plain.model.njnt)}
    assert extra == {f"passive_{joint}_backlash" for joint in plain.robot.joints}
    assert np.array_equal(plain.model.body_mass, twin.model.body_mass)


def test_each_slot_holds_what_its_name_says():
    c, _ = core(sensing=False, randomization=False, spawn=False, backlash=True)
    c.hold(np.array([0]), [0.1, -0.2, 0.3], [0.1, 0.2, 0.3, 0.05], [0.01, 0, 0, 0, 0.02, 0])
    c.reset(np.array([0]))
    action = np.linspace(-0.2, 0.2, 14)[None]
    obs = c.step(action).observation[0]
    at, s = c.contract.slices(), c.state
    qpos, qvel = c.batch.qpos[0], c.batch.qvel[0]
    for k, joint in enumerate(c.robot.joints):
        servo = c.model.joint(joint)
        play = c.model.joint(f"passive_{joint}_backlash")
        link = qpos[servo.qposadr[0]] + qpos[play.qposadr[0]]
        speed = qvel[servo.dofadr[0]] + qvel[play.dofadr[0]]
        assert obs[at["joint_pos"]][k] == pytest.approx(
            link - c.robot.default_pose[joint], abs=1e-6
        )
        assert obs[at["joint_vel"]][k] == pytest.approx(speed, abs=1e-5)
    assert np.allclose(obs[at["base_ang_vel"]], qvel[3:6], atol=1e-6)
    assert np.allclose(obs[at["projected_gravity"]], s.projected_gravity[0], atol=1e-6)
    assert np.allclose(obs[at["actions"]], action, atol=1e-7)
    assert np.allclose(obs[at["command"]], [0.1, -0.2, 0.3])
    assert np.allclose(obs[at["head_command"]], [0.1, 0.2, 0.3, 0.05])
    assert np.allclose(obs[at["body_command"]], [0.01, 0, 0, 0, 0.02, 0])


def test_a_motor_side_encoder_does_not_see_the_play():
    c, _ = core(sensing=False, randomization=False, spawn=False, backlash=True, encoder="motor")
    c.step(np.full((1, 14), 0.1))
    obs, at = c.step(np.full((1, 14), 0.1)).observation[0], c.contract.slices()
    play = c.batch.qpos[0, c.at.play_qpos]
    servo = (c.state.servo_pos - c.state.default_pose)[0]
    assert np.allclose(obs[at["joint_pos"]], servo, atol=1e-6)
    assert np.allclose(obs[at["joint_vel"]], c.state.servo_vel[0], atol=1e-5)
    assert np.abs(play).max() > 1e-3
    with pytest.raises(ValueError, match="motor"):
        core(encoder="wheel")


def test_a_positive_action_moves_exactly_its_own_joint():
    for k in range(14):
        c, _ = core(sensing=False, randomization=False, spawn=False, actuator="pd")
        c.step(np.zeros((1, 14)))
        before = c.state.joint_pos.copy()
        action = np.zeros((1, 14))
        action[0, k] = 0.2
        reference, _ = core(sensing=False, randomization=False, spawn=False, actuator="pd")
        reference.step(np.zeros((1, 14)))
        moved = c.step(action) and c.state.joint_pos - before
        still = reference.step(np.zeros((1, 14))) and reference.state.joint_pos - before
        change = (moved - still)[0]
        assert np.argmax(np.abs(change)) == k and change[k] > 0


def test_the_observation_stays_inside_its_box_whatever_happens():
    c, _ = core(n=8, backlash=True)
    low, high = c.contract.bounds()
    generator = np.random.default_rng(0)
    for _ in range(60):
        out = c.step(generator.normal(0, 3, (8, 14)))
        assert (out.observation >= low).all() and (out.observation <= high).all()
        finished = np.flatnonzero(out.terminated | out.truncated)
        if len(finished):
            c.reset(finished)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensing": {"gyro": 1}}, "gyro_noise"),
        ({"randomization": {"weight": 1}}, "mass, center_of_mass"),
        ({"commands": {"speed": 1}}, "twist"),
        ({"rewards": {"walk": 1.0}}, "pace"),
        ({"commands": False}, "cannot be switched off"),
        ({"sensing": 3}, "needs a mapping"),
        ({"terrain": 3}, "terrain=3; needs a text such as 'wave:3'"),
        ({"terrain": True}, "terrain=True; needs a text"),
        ({"contact": 0.01}, r"contact=0\.01; needs a text such as 'C'"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_known_ones(options, message):
    with pytest.raises(ValueError, match=message):
        Core("microduck_flat", 1, **options)


def test_an_unknown_task_or_id_is_refused_with_the_known_ones():
    with pytest.raises(LookupError, match="microduck_flat"):
        Core("microduck_hop", 1)
    with pytest.raises(LookupError, match="did you mean MicroDuck-Flat-v0"):
        registration.resolve("MicroDuck-Flatt-v0")


def test_a_task_of_an_unknown_robot_is_named(monkeypatch):
    task = replace(registration.find("microduck_flat"), robot="microduk")
    monkeypatch.setattr(registration, "all_tasks", lambda: [("hop", task)])
    with pytest.raises(LookupError, match="task 'hop': unknown robot 'microduk'; known: go2, mic"):
        registration.ids()


def test_torque_actuators_read_the_action_as_torque():
    c, _ = core(actuator="ideal", sensing=False, randomization=False, spawn=False)
    assert c.contract.command == "torque" and not c.contract.offset().any()
    c.step(np.full((1, 14), 0.05))
    assert np.allclose(c.state.torque, 0.05)


def test_a_motor_that_takes_torques_may_be_asked_for_all_it_has():
    made = Core("go2_flat", 1, actuator="ideal", threads=1)
    assert made.contract.action_clip == 2 * 45.43
    actions = next(slot for slot in made.contract.slots if slot.name == "actions")
    assert (actions.unit, actions.low, actions.high) == ("N*m", -90.86, 90.86)
    env = gym.make("Go2-Flat-v0", actuator="ideal")
    np.testing.assert_array_equal(env.action_space.high, np.float32(90.86))
    free = Core("go2_flat", 1, actuator=IdealTorque(effort_limit=np.inf), threads=1)
    assert free.contract.action_clip == free.task.action_clip
