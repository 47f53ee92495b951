"""Go2's tasks: what they read and emit, and that they share all but ground and pace of learning."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from servogym.envs import registration
from servogym.envs.core import Core
from servogym.envs.ramp import Ramp
from servogym.envs.task import Term

KINDS = ("Flat", "Wave", "Slope", "Stairs", "Obstacle", "Rough")


@pytest.mark.parametrize("twin", ["", "-Backlash"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_terrain_has_a_task_and_a_twin_with_45_observations_and_12_actions(kind, twin):
    env = gymnasium.make(f"servogym:Go2-{kind}{twin}-v0")
    assert env.observation_space.shape == (45,) and env.action_space.shape == (12,)
    observation, _ = env.reset(seed=3)
    assert env.observation_space.contains(observation)
    for _ in range(5):
        observation, reward, *_ = env.step(env.action_space.sample() * 0.1)
        assert env.observation_space.contains(observation) and np.isfinite(reward)
    env.close()


def sooner(value):
    """What grows with training, three quarters as late: the flat task's gait comes first."""
    if not isinstance(value, Ramp):
        return value
    return Ramp(value.before, value.after, 0.75 * value.start, 0.75 * value.end)


def on_the_flat(task):
    """A task of other ground with the flat one's ramps and charge for yaw error."""
    drawn, rewards = task.randomization, dict(task.rewards)
    rewards["yaw_error"] = Term(rewards["yaw_error"].function, Ramp(0.0, -8.0, 2.0e6, 3.0e6))
    offset = sooner(drawn.center_of_mass.offset)
    return replace(
        task,
        commands=replace(task.commands, standing=sooner(task.commands.standing)),
        randomization=replace(
            drawn,
            push=sooner(drawn.push),
            center_of_mass=replace(drawn.center_of_mass, offset=offset),
        ),
        rewards={name: Term(t.function, sooner(t.weight)) for name, t in rewards.items()},
    )


def test_the_tasks_differ_in_nothing_but_name_summary_ground_and_what_it_asks_for():
    flat = registration.find("go2_flat")
    asked = ("forward", "backward", "sideways", "turning", "straight")
    shares = {name: getattr(flat.commands, name) for name in asked}
    for kind in KINDS:
        other = registration.find(f"go2_{kind.lower()}")
        other = other if kind == "Flat" else on_the_flat(other)
        same = replace(
            other,
            name=flat.name,
            summary=flat.summary,
            terrain=flat.terrain,
            contact=flat.contact,
            commands=replace(other.commands, **shares),
            stride=replace(other.stride, height=0.06, ceiling=0.12, width=0.03, ahead=0.0),
            ppo=replace(
                other.ppo.sized(steps=flat.ppo.total_steps),
                final_learning_rate=flat.ppo.final_learning_rate,
            ),
        )
        assert same == flat, kind
        assert (other.stride == flat.stride) == (kind == "Flat")
        assert (other.commands == flat.commands) == (kind == "Flat")


def test_with_an_estimator_switched_on_it_reads_48_columns_the_velocity_first():
    core = Core("go2_flat", 2, threads=1, sensing={"lin_vel_noise": 0.0})
    rows = np.arange(2)
    core.seed(rows, rows.astype(np.uint64))
    observation = core.reset(rows)
    assert observation.shape == (2, 48)
    assert core.contract.slots[0].name == "base_lin_vel"
    np.testing.assert_allclose(observation[:, :3], core.state.base_lin_vel, atol=1e-6)
    noisy = Core("go2_flat", 2, threads=1, sensing={"lin_vel_noise": 0.1})
    noisy.seed(rows, rows.astype(np.uint64))
    off = noisy.reset(rows)[:, :3] - noisy.state.base_lin_vel
    assert 0 < np.abs(off).max() <= 0.1


def test_a_robot_on_its_belly_or_its_back_has_fallen():
    core = Core("go2_flat", 3, threads=1, spawn=False, randomization=False)
    rows = np.arange(3)
    core.seed(rows, rows.astype(np.uint64))
    core.reset(rows)
    qpos = core.batch.bind("qpos")
    qpos[0, core.at.base_qpos[2]] = 0.09
    qpos[0, core.at.servo_qpos] = np.tile([0.0, 1.4, -2.7], 4)
    qpos[1, core.at.base_qpos] = [0, 0, 0.3, 0, 1, 0, 0]
    assert core.step(np.zeros((3, 12))).terminated.tolist() == [True, True, False]


def test_with_only_its_feet_colliding_a_toppled_robot_ends_before_it_sinks():
    """Pain 79."""
    core = Core("go2_flat", 1, threads=1)
    bodies = [path for path in core.built.scene().paths("body") if path.endswith(("hip", "thigh"))]
    trunk = "/world/go2/base"
    off = {"set": "set_contact_physics_properties", "collision_enabled": False}
    calves = [path for path in core.built.scene().paths("geom") if "calf_collision" in path]
    edits = [{**off, "body_paths": [trunk, *bodies]}, {**off, "geom_paths": calves}]
    core = Core(
        "go2_flat", 2, threads=1, spawn=False, randomization=False, sensing=False, edits=edits
    )
    rows = np.arange(2)
    core.seed(rows, rows.astype(np.uint64))
    core.reset(rows)
    roll = np.radians(60.0)
    core.batch.bind("qpos")[0, core.at.base_qpos[3:]] = [np.cos(roll / 2), np.sin(roll / 2), 0, 0]
    for _ in range(100):
        terminated = core.step(np.zeros((2, 12))).terminated
        assert (core.state.base_pos[:, 2] > 0).all()
        if terminated[0]:
            break
    assert terminated.tolist() == [True, False]
