"""How episodes begin and end, and what a policy may know."""

import gymnasium
import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

import servogym  # noqa: F401
from servogym.envs.core import Core
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.single import RobotEnv

TASK, ID = "microduck_flat", "MicroDuck-Flat-v0"
DIVE = np.full(14, 1.5, np.float32)
LAST_ACTION = slice(34, 48)


def fall_step(seed=0):
    """Return the step at which a robot that dives has fallen."""
    env = RobotEnv(TASK)
    env.reset(seed=seed)
    steps = 1
    while not env.step(DIVE)[2]:
        steps += 1
    return steps


def last(env, steps, action):
    env.reset(seed=0)
    for _ in range(steps):
        out = env.step(action)
    return out


def test_the_time_limit_truncates_and_does_not_terminate_even_without_gym_make():
    for env in (RobotEnv(TASK, max_episode_steps=7), gymnasium.make(ID, max_episode_steps=7)):
        assert last(env, 6, np.zeros(14))[2:4] == (False, False)
        assert last(env, 7, np.zeros(14))[2:4] == (False, True)
    assert RobotEnv(TASK).core.max_episode_steps == 1000


def test_a_fall_terminates_and_does_not_truncate():
    steps = fall_step()
    assert last(RobotEnv(TASK), steps, DIVE)[2:4] == (True, False)


def test_a_fall_on_the_last_step_is_a_fall():
    steps = fall_step()
    assert last(RobotEnv(TASK, max_episode_steps=steps), steps, DIVE)[2:4] == (True, False)
    assert last(gymnasium.make(ID, max_episode_steps=steps), steps, DIVE)[2]


def test_leaving_the_field_truncates_and_is_no_failure():
    env = RobotEnv(TASK)
    env.reset(seed=0)
    state = env.get_state()
    state["physics.qpos"][0, env.core.at.base_qpos[0]] = 50.1
    env.set_state(state)
    assert env.step(np.zeros(14))[2:4] == (False, True)


def sb3_faces(limit):
    yield Sb3VecEnv(ID, 1, seed=0, max_episode_steps=limit)
    dummy = DummyVecEnv([lambda: gymnasium.make(ID, max_episode_steps=limit)])
    dummy.seed(0)
    yield dummy
    dummy = DummyVecEnv([lambda: RobotEnv(TASK, max_episode_steps=limit)])
    dummy.seed(0)
    yield dummy


@pytest.mark.parametrize(
    ("limit", "action", "truncated"),
    [(7, 0.0 * DIVE, True), (1000, DIVE, False), (None, DIVE, False)],
    ids=["time limit", "fall", "both on the same step"],
)
def test_sb3_bootstraps_time_limits_and_never_falls(limit, action, truncated):
    limit = limit or fall_step()
    for envs in sb3_faces(limit):
        envs.reset()
        twin = RobotEnv(TASK)
        twin.reset(seed=0)
        done = [False]
        while not done[0]:
            after, _, done, infos = envs.step(action[None])
            before_reset = twin.step(action)[0]
        assert infos[0]["TimeLimit.truncated"] is truncated
        np.testing.assert_array_equal(infos[0]["terminal_observation"], before_reset)
        assert (after[0] != before_reset).any()


def test_the_last_action_is_zero_after_every_reset_and_the_first_rate_penalty_uses_zero():
    rate = {"rewards": {"action_rate_l2": -1.0}}
    env = RobotEnv(TASK, **rate)
    assert env.core.contract.slices()["actions"] == LAST_ACTION
    for _ in range(2):
        observation, _ = env.reset(seed=0)
        assert not observation[LAST_ACTION].any()
        observation, *_, info = env.step(DIVE)
        np.testing.assert_array_equal(observation[LAST_ACTION], DIVE)
        expected = -1.0 * 0.02 * 14 * 1.5**2
        assert info["reward_terms"]["action_rate_l2"] == pytest.approx(expected)
    envs = Sb3VecEnv(ID, 2, seed=0, **rate)
    envs.reset()
    done = np.zeros(2, bool)
    while not done.any():
        observation, _, done, _ = envs.step(np.tile(DIVE, (2, 1)))
    assert not observation[done][:, LAST_ACTION].any()
    envs.step(np.tile(DIVE, (2, 1)))
    np.testing.assert_allclose(envs._terms[done, _column(envs, "action_rate_l2")], expected)


def _column(envs, name):
    return list(envs.core.task.rewards).index(name)


def test_an_action_of_a_million_radians_is_the_clipped_one_to_robot_and_observation():
    huge, clipped = RobotEnv(TASK), RobotEnv(TASK)
    huge.reset(seed=0)
    clipped.reset(seed=0)
    sign = np.where(np.arange(14) % 2, 1.0, -1.0)
    for _ in range(10):
        ours, theirs = huge.step(1e6 * sign), clipped.step(np.pi * sign)
        np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[0][LAST_ACTION], (np.pi * sign).astype(np.float32))
    assert huge.observation_space.contains(ours[0])


def test_the_actor_cannot_see_the_velocity_of_its_trunk_and_a_critic_can():
    still, moving = RobotEnv(TASK, sensing=False), RobotEnv(TASK, sensing=False)
    seen, known = [], []
    for env, speed in ((still, 0.0), (moving, 0.7)):
        env.core.seed(np.array([0]), np.array([5], np.uint64))
        env.core.reset(np.array([0]))
        env.core._qvel[0, env.core.at.base_dof[:3]] += (speed, -speed, speed)
        env.core._read_state()
        seen.append(env.core.observer.first(env.core._reading(), np.array([0]), env.core.rng))
        known.append(env.core.privileged())
    np.testing.assert_array_equal(*seen)
    assert (known[0] != known[1]).any()
    sensors = {slot.name: slot.sensor for slot in still.core.contract.slots}
    assert all(sensors.values()) and "base_lin_vel" not in sensors


def test_the_first_ten_rewards_after_a_dirty_episode_are_those_of_a_fresh_robot_per_term():
    dirty, fresh = RobotEnv(TASK, backlash=True), RobotEnv(TASK, backlash=True)
    dirty.reset(seed=9)
    rng = np.random.default_rng(0)
    lifted = False
    while not lifted:
        terminated = dirty.step(rng.uniform(-1.5, 1.5, 14))[2]
        lifted = terminated and not dirty.core.gait.loaded.all()
        if terminated and not lifted:
            dirty.reset()
    dirty.reset(seed=3)
    fresh.reset(seed=3)
    for k in range(10):
        action = 0.2 * np.sin(0.9 * k + np.arange(14))
        assert dirty.step(action)[4]["reward_terms"] == fresh.step(action)[4]["reward_terms"]


def test_options_hold_a_command_for_the_episode_and_the_next_reset_releases_it():
    env = RobotEnv(TASK, commands={"twist_interval": (0.1, 0.2), "standing": 0.0})
    asked = (0.2, -0.1, 0.5, 0.1, 0.2, 0.3, 0.05)
    observation, _ = env.reset(seed=0, options={"command": asked[:3], "head": asked[3:]})
    for _ in range(30):
        np.testing.assert_array_equal(observation[48:55], np.float32(asked))
        observation = env.step(np.zeros(14))[0]
    observation, _ = env.reset()
    commands = {tuple(observation[48:51])}
    commands |= {tuple(env.step(np.zeros(14))[0][48:51]) for _ in range(12)}
    assert len(commands) > 1 and asked[:3] not in commands


def core(n, **options):
    made = Core(TASK, n, randomization=False, sensing=False, threads=1, **options)
    made.seed(np.arange(n), np.zeros(n, np.uint64))
    made.reset(np.arange(n))
    return made


def turn(made, row, angle):
    """Turn a robot and its velocity about the vertical through the origin."""
    c, s = np.cos(angle), np.sin(angle)
    flat = np.array([[c, -s], [s, c]])
    position, velocity = made.at.base_qpos, made.at.base_dof
    made._qpos[row, position[:2]] = flat @ made._qpos[row, position[:2]]
    made._qvel[row, velocity[:2]] = flat @ made._qvel[row, velocity[:2]]
    w, x, y, z = made._qpos[row, position[3:]]
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    made._qpos[row, position[3:]] = (c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_rollout_on_the_floor_turned_by_quarters_looks_and_pays_the_same(quarters):
    """Quarters, because MuJoCo's pyramidal friction cone has four sides."""
    _same_when_turned(quarters * np.pi / 2, spawn={})


@pytest.mark.parametrize("angle", [0.3, -2.0])
def test_a_rollout_in_the_air_turned_by_any_angle_looks_and_pays_the_same(angle):
    _same_when_turned(angle, spawn={"drop": (3.0, 3.0)})


def _same_when_turned(angle, spawn):
    made = core(2, spawn=spawn)
    turn(made, 1, angle)
    rng = np.random.default_rng(0)
    for _ in range(30):
        out = made.step(np.tile(rng.uniform(-0.3, 0.3, 14), (2, 1)))
        np.testing.assert_allclose(out.observation[0], out.observation[1], atol=1e-6)
        np.testing.assert_allclose(made.terms[0], made.terms[1], atol=1e-6)
    assert np.abs(made.state.base_quat[0] - made.state.base_quat[1]).max() > 0.1


def test_velocities_are_read_in_the_trunks_axes():
    import mujoco

    made = core(1, spawn=False)
    turn(made, 0, np.pi / 2)
    made._qvel[0, made.at.base_dof] = (1.0, 0.0, 0.0, 0.0, -2.0, 0.0)
    data = mujoco.MjData(made.model)
    data.qpos, data.qvel = made._qpos[0], made._qvel[0]
    mujoco.mj_forward(made.model, data)
    world = np.zeros(6)
    body = mujoco.mjtObj.mjOBJ_XBODY
    mujoco.mj_objectVelocity(made.model, data, body, made.at.base_body, world, 0)
    np.testing.assert_allclose(world, (2, 0, 0, 1, 0, 0), atol=1e-9)
    made._read_state()
    seen = made.observer.first(made._reading(), np.array([0]), made.rng)
    np.testing.assert_allclose(seen[0, :3], (0, -2, 0), atol=1e-6)
    np.testing.assert_allclose(made.state.base_lin_vel[0], (0, -1, 0), atol=1e-9)
    np.testing.assert_allclose(made.state.heading_vel[0], (0, -1, 0), atol=1e-9)


@pytest.mark.parametrize("limit", [5, 1200])
def test_gym_make_takes_any_time_limit(limit):
    env = gymnasium.make("MicroDuck-Flat-v0", max_episode_steps=limit, sensing=False)
    core = env.unwrapped.core
    env.reset(seed=0)
    core.state.elapsed[:] = limit - 3
    for wrapper in (env, env.env):
        if hasattr(wrapper, "_elapsed_steps"):
            wrapper._elapsed_steps = limit - 3
    ends = [env.step(np.zeros(14))[3] for _ in range(3)]
    assert ends == [False, False, True]
