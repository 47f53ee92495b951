"""The same seed gives the same bits: in any face, any batch size, any process, after any past."""

import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import servogym  # noqa: F401
from servogym.envs.fleet import SMALL
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.single import RobotEnv
from servogym.envs.vector import RobotVectorEnv

ID, TASK, N, STEPS = "MicroDuck-Flat-Backlash-v0", "microduck_flat", 4, 200
ACTIONS = np.random.default_rng(5).uniform(-1.2, 1.2, (STEPS, N, 14)).astype(np.float32)
"""Wild enough that every robot falls within the 200 steps."""


def sb3_trace(envs, seed=0):
    """Observations, rewards and ends of 200 steps, as one array (steps, n, 63)."""
    if seed is not None:
        envs.seed(seed)
    trace = [np.pad(envs.reset(), ((0, 0), (0, 2)))]
    for actions in ACTIONS:
        observation, reward, done, _ = envs.step(actions)
        trace.append(np.column_stack((observation, reward, done)))
    envs.close()
    return np.array(trace, np.float32)


def rows_alone():
    """The same 200 steps, each row a single environment with the seed s + i."""
    trace = np.zeros((STEPS + 1, N, 63), np.float32)
    for row in range(N):
        env = RobotEnv(TASK, backlash=True)
        trace[0, row, :61], _ = env.reset(seed=row)
        for k in range(STEPS):
            observation, reward, terminated, truncated, _ = env.step(ACTIONS[k, row])
            if over := terminated or truncated:
                observation, _ = env.reset()
            trace[k + 1, row] = (*observation, reward, over)
    return trace


@pytest.fixture(scope="module")
def reference():
    trace = rows_alone()
    assert trace[:, :, 62].any(axis=0).all(), "every row must have fallen and begun again"
    return trace


def test_four_robots_of_a_batch_begin_four_different_episodes(reference):
    assert len(np.unique(reference[0], axis=0)) == N


def test_sb3_rows_are_single_environments_bit_for_bit_and_so_is_a_second_construction(reference):
    for _ in range(2):
        np.testing.assert_array_equal(sb3_trace(Sb3VecEnv(ID, N)), reference)
    np.testing.assert_array_equal(sb3_trace(Sb3VecEnv(ID, N, seed=0), seed=None), reference)


def test_dummy_vec_env_of_gym_make_gives_the_same_bits(reference):
    made = sb3_trace(DummyVecEnv([lambda: gymnasium.make(ID)] * N))
    np.testing.assert_array_equal(made, reference)


def test_subproc_vec_env_of_gym_make_gives_the_same_bits(reference):
    made = sb3_trace(SubprocVecEnv([lambda: gymnasium.make(f"servogym:{ID}")] * N))
    np.testing.assert_array_equal(made, reference)


def test_a_gymnasium_batch_gives_the_same_bits(reference):
    envs = RobotVectorEnv(TASK, N, backlash=True, autoreset_mode="SameStep")
    observation, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(observation, reference[0, :, :61])
    for k in range(STEPS):
        observation, reward, terminated, truncated, _ = envs.step(ACTIONS[k])
        seen = np.column_stack((observation, reward, terminated | truncated))
        np.testing.assert_array_equal(seen.astype(np.float32), reference[k + 1])


def test_a_robot_does_not_feel_the_size_of_its_batch_nor_its_threads(reference):
    envs = RobotVectorEnv(TASK, 8, backlash=True, threads=2, autoreset_mode="SameStep")
    observation, _ = envs.reset(seed=[0, 1, 2, 3, 90, 91, 92, 93])
    for k in range(STEPS):
        np.testing.assert_array_equal(observation[:4], reference[k, :, :61])
        observation = envs.step(np.concatenate((ACTIONS[k], -ACTIONS[k])))[0]


def test_a_robot_does_not_feel_that_a_large_batch_moves_in_two_halves(reference):
    n = 2 * SMALL
    places = np.array([0, 1, n - 2, n - 1])
    seeds = np.arange(1000, 1000 + n)
    seeds[places] = range(N)
    envs = RobotVectorEnv(TASK, n, backlash=True, threads=2, autoreset_mode="SameStep")
    observation, _ = envs.reset(seed=[int(s) for s in seeds])
    actions = np.zeros((n, 14), np.float32)
    for k in range(60):
        np.testing.assert_array_equal(observation[places], reference[k, :, :61])
        actions[places] = ACTIONS[k]
        observation = envs.step(actions)[0]


def test_the_worlds_random_generators_neither_poison_nor_are_poisoned(reference):
    for seed in (1, 2):
        np.random.seed(seed)
        random.seed(seed)
        torch.manual_seed(seed)
        before = np.random.get_state()[1].copy(), random.getstate(), torch.get_rng_state()
        np.testing.assert_array_equal(rows_alone(), reference)
        np.testing.assert_array_equal(np.random.get_state()[1], before[0])
        assert random.getstate() == before[1]
        assert torch.equal(torch.get_rng_state(), before[2])


def test_without_a_seed_two_environments_differ():
    one, two = RobotEnv(TASK), RobotEnv(TASK)
    assert (one.reset()[0] != two.reset()[0]).any()
    np.random.seed(0)
    three = Sb3VecEnv(ID, 2).reset()
    np.random.seed(0)
    assert (Sb3VecEnv(ID, 2).reset() != three).any()


def test_a_seed_repeats_whatever_was_done_before():
    env, fresh = RobotEnv(TASK, backlash=True), RobotEnv(TASK, backlash=True)
    env.reset(seed=11)
    while not env.step(np.full(14, 1.5))[2]:
        pass
    np.testing.assert_array_equal(env.reset(seed=3)[0], fresh.reset(seed=3)[0])
    for k in range(60):
        ours, theirs = env.step(0.3 * ACTIONS[k, 0]), fresh.step(0.3 * ACTIONS[k, 0])
        np.testing.assert_array_equal(ours[0], theirs[0])
        assert ours[1:] == theirs[1:], "every reward term of every step"


def test_the_second_episode_of_a_seed_is_another_one_and_repeats_too():
    env, again = RobotEnv(TASK), RobotEnv(TASK)
    first = env.reset(seed=3)[0]
    env.step(np.zeros(14))
    second = env.reset()[0]
    assert (second != first).any()
    again.reset(seed=3)
    np.testing.assert_array_equal(again.reset()[0], second)


def test_two_environments_in_one_process_do_not_feel_each_other():
    alone, beside, heavy = (RobotEnv(TASK, backlash=True) for _ in range(3))
    models = [env.core.model for env in (alone, beside, heavy)]
    before = [(m.dof_frictionloss.copy(), m.dof_damping.copy()) for m in models]

    def felt(env):
        return env.core.batch.expanded("dof_frictionloss")[0].copy()

    alone.reset(seed=0)
    expected = [(alone.step(0.2 * a)[0], felt(alone)) for a in ACTIONS[:80, 0]]
    beside.reset(seed=0)
    heavy.reset(seed=1)
    for k in range(80):
        heavy.step(np.full(14, 3.0 * (-1) ** k))
        np.testing.assert_array_equal(beside.step(0.2 * ACTIONS[k, 0])[0], expected[k][0])
        np.testing.assert_array_equal(felt(beside), expected[k][1])
        assert (felt(heavy) != felt(beside)).any()
    for model, (friction, damping) in zip(models, before, strict=True):
        np.testing.assert_array_equal(model.dof_frictionloss, friction)
        np.testing.assert_array_equal(model.dof_damping, damping)


IN_A_NEW_PROCESS = """
import sys
import numpy as np
from servogym.envs.single import RobotEnv
env = RobotEnv("microduck_flat", backlash=True)
env.reset(seed=3)
print(np.array([env.step(np.full(14, 0.2))[0] for _ in range(30)]).tobytes().hex())
"""


def test_a_new_process_gives_the_same_bits():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS], capture_output=True, text=True, check=True
    )
    env = RobotEnv(TASK, backlash=True)
    env.reset(seed=3)
    ours = np.array([env.step(np.full(14, 0.2))[0] for _ in range(30)])
    assert done.stdout.strip() == ours.tobytes().hex()
