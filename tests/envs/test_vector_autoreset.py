"""When an episode ends, every face starts the next one its own way and none joins two episodes."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import servogym  # noqa: F401
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.vector import RobotVectorEnv

TASK, N, STEPS = "microduck_flat", 3, 150
WEIGHTS = np.random.default_rng(0).normal(size=(61, 14)) * 0.6
LIMIT = 20
"""So short that some episodes end by time and some by a fall."""


def policy(observation):
    """A policy of the observation alone, so that extra steps of a face do not shift it."""
    return np.clip(observation @ WEIGHTS, -1.5, 1.5).astype(np.float32)


def by_next_step():
    envs = RobotVectorEnv(TASK, N, max_episode_steps=LIMIT, autoreset_mode="NextStep")
    observation, _ = envs.reset(seed=0)
    waiting = np.zeros(N, bool)
    for _ in range(STEPS):
        actions = policy(observation)
        after, reward, terminated, truncated, _ = envs.step(actions)
        for row in np.flatnonzero(~waiting):
            yield row, observation[row], actions[row], reward[row], after[row], terminated[row]
        for row in np.flatnonzero(waiting):
            assert reward[row] == 0 and not terminated[row] and not truncated[row]
        waiting = terminated | truncated
        observation = after


def by_same_step():
    envs = RobotVectorEnv(TASK, N, max_episode_steps=LIMIT, autoreset_mode="SameStep")
    observation, _ = envs.reset(seed=0)
    for _ in range(STEPS):
        actions = policy(observation)
        after, reward, terminated, truncated, infos = envs.step(actions)
        for row in range(N):
            over = terminated[row] or truncated[row]
            last = infos["final_obs"][row] if over else after[row]
            yield row, observation[row], actions[row], reward[row], last, terminated[row]
        observation = after


def by_mask():
    envs = RobotVectorEnv(TASK, N, max_episode_steps=LIMIT, autoreset_mode="Disabled")
    observation, _ = envs.reset(seed=0)
    for _ in range(STEPS):
        actions = policy(observation)
        after, reward, terminated, truncated, _ = envs.step(actions)
        for row in range(N):
            yield row, observation[row], actions[row], reward[row], after[row], terminated[row]
        over = terminated | truncated
        observation = envs.reset(options={"reset_mask": over})[0] if over.any() else after


def by_sb3():
    envs = Sb3VecEnv("MicroDuck-Flat-v0", N, seed=0, max_episode_steps=LIMIT)
    observation = envs.reset()
    for _ in range(STEPS):
        actions = policy(observation)
        after, reward, done, infos = envs.step(actions)
        for row in range(N):
            last = infos[row]["terminal_observation"] if done[row] else after[row]
            fell = done[row] and not infos[row]["TimeLimit.truncated"]
            yield row, observation[row], actions[row], reward[row], last, fell
        observation = after


def by_gymnasiums_own_sync_vector_env():
    envs = gymnasium.make_vec(
        "MicroDuck-Flat-v0",
        num_envs=N,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        max_episode_steps=LIMIT,
    )
    observation, _ = envs.reset(seed=0)
    for _ in range(STEPS):
        actions = policy(observation)
        after, reward, terminated, truncated, infos = envs.step(actions)
        for row in range(N):
            over = terminated[row] or truncated[row]
            last = infos["final_obs"][row] if over else after[row]
            yield row, observation[row], actions[row], reward[row], last, terminated[row]
        observation = after


def transitions(face):
    rows = [[] for _ in range(N)]
    for row, *transition in face():
        rows[row].append(transition)
    return rows


@pytest.fixture(scope="module")
def reference():
    return transitions(by_same_step)


def test_episodes_end_both_ways_in_what_is_compared(reference):
    for row in reference:
        new = [k + 1 for k in range(len(row) - 1) if (row[k][3] != row[k + 1][0]).any()]
        falls = [k + 1 for k in range(len(row)) if row[k][4]]
        assert len(new) > 4 and falls
        assert set(falls) - {len(row)} < set(new), "some episodes end by a fall, some by time"


@pytest.mark.parametrize("face", [by_next_step, by_mask, by_sb3, by_gymnasiums_own_sync_vector_env])
def test_the_transitions_are_the_same_and_none_joins_two_episodes(face, reference):
    for ours, theirs in zip(transitions(face), reference, strict=True):
        assert len(ours) > STEPS * 0.9
        for a, b in zip(ours, theirs, strict=False):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(np.float32(x), np.float32(y))


def test_the_mode_is_declared_and_next_step_is_the_default():
    assert RobotVectorEnv(TASK, 1).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    for mode in AutoresetMode:
        assert RobotVectorEnv(TASK, 1, autoreset_mode=mode).metadata["autoreset_mode"] is mode


def test_a_masked_reset_leaves_the_other_rows_and_their_observations_alone():
    envs, twin = (RobotVectorEnv(TASK, N, autoreset_mode="Disabled") for _ in range(2))
    envs.reset(seed=0)
    twin.reset(seed=0)
    for _ in range(5):
        seen = envs.step(np.zeros((N, 14), np.float32))[0]
        twin.step(np.zeros((N, 14), np.float32))
    mask = np.array([False, True, False])
    observation, infos = envs.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(observation[~mask], seen[~mask])
    assert (observation[mask] != seen[mask]).any()
    assert infos["_diverged"].tolist() == mask.tolist()
    ours, theirs = (e.step(np.zeros((N, 14), np.float32)) for e in (envs, twin))
    np.testing.assert_array_equal(ours[0][~mask], theirs[0][~mask])


def test_final_info_holds_the_terms_of_the_last_step_not_of_the_new_episode():
    envs = RobotVectorEnv(TASK, N, max_episode_steps=3, autoreset_mode="SameStep")
    envs.reset(seed=0)
    for _ in range(3):
        _, reward, _, truncated, infos = envs.step(np.zeros((N, 14), np.float32))
    assert truncated.all()
    terms = infos["final_info"]["reward_terms"]
    paid = sum(values for name, values in terms.items() if not name.startswith("_"))
    np.testing.assert_allclose(paid, reward, atol=1e-12)
