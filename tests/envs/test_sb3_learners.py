"""stable-baselines3 accepts the environments as they are and its learners start on them."""

import warnings

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecNormalize

import servogym  # noqa: F401
from servogym.envs import registration
from servogym.envs.sb3 import Sb3VecEnv

ID = "MicroDuck-Flat-v0"


@pytest.mark.parametrize("env_id", sorted(registration.ids()))
def test_sb3s_checker_finds_nothing_but_that_actions_are_radians(env_id):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(gymnasium.make(env_id), skip_render_check=True)
    said = [str(w.message) for w in caught]
    assert all("symmetric and normalized" in text for text in said), said


@pytest.mark.parametrize("make", [
    lambda: Sb3VecEnv(ID, 2, seed=0),
    lambda: DummyVecEnv([lambda: gymnasium.make(ID)] * 2),
])  # fmt: skip
def test_ppo_and_sac_start_and_learn_a_little(make):
    envs = make()
    assert np.isfinite(envs.action_space.low).all() and np.isfinite(envs.action_space.high).all()
    PPO("MlpPolicy", envs, n_steps=8, batch_size=16, n_epochs=1, device="cpu").learn(32)
    SAC("MlpPolicy", envs, learning_starts=8, batch_size=8, buffer_size=64, device="cpu").learn(16)


def test_a_privileged_batch_puts_the_actors_columns_first():
    plain, both = Sb3VecEnv(ID, 3, seed=0), Sb3VecEnv(ID, 3, seed=0, privileged=True)
    first, full = plain.reset(), both.reset()
    assert both.observation_space.shape == full.shape[1:] and full.shape[1] > 61
    np.testing.assert_array_equal(full[:, :61], first)
    action = np.full((3, 14), 1.5)
    for _ in range(60):
        (first, *_), (full, _, done, infos) = plain.step(action), both.step(action)
        np.testing.assert_array_equal(full[:, :61], first)
        assert both.observation_space.contains(full[0])
        for row in np.flatnonzero(done):
            assert infos[row]["terminal_observation"].shape == full.shape[1:]


def test_an_episodes_info_sums_what_was_paid_per_term():
    envs = Sb3VecEnv(ID, 2, seed=0)
    envs.reset()
    paid, steps = np.zeros(2), np.zeros(2, int)
    for _ in range(80):
        _, reward, done, infos = envs.step(np.full((2, 14), 1.5))
        paid, steps = paid + reward, steps + 1
        for row in np.flatnonzero(done):
            assert infos[row]["episode"]["l"] == steps[row]
            assert infos[row]["episode"]["r"] == pytest.approx(paid[row], abs=1e-4)
            terms = infos[row]["reward_terms"]
            assert list(terms) == list(envs.core.task.rewards)
            assert sum(terms.values()) == pytest.approx(infos[row]["episode"]["r"])
            paid[row] = steps[row] = 0
    assert not any(infos[row] for row in np.flatnonzero(~done))


def test_sb3s_own_wrappers_fit_around_it():
    envs = VecNormalize(VecCheckNan(Sb3VecEnv(ID, 2, seed=0), raise_exception=True))
    envs.reset()
    for _ in range(5):
        envs.step(np.zeros((2, 14)))
    assert envs.get_attr("num_envs") == [2, 2]
    assert envs.env_is_wrapped(VecNormalize) == [False, False]


def test_staggered_robots_do_not_reach_their_time_limit_together():
    envs = Sb3VecEnv(ID, 16, seed=0, stagger=True, max_episode_steps=40)
    envs.reset()
    ends = [np.flatnonzero(envs.step(np.zeros((16, 14)))[2]) for _ in range(40)]
    assert max(len(rows) for rows in ends) < 8
    assert set(np.concatenate(ends)) == set(range(16))
