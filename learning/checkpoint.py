"""Turns a live PPO run into a bundle and back, so that a resumed run continues to the bit."""

import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO

from servogym.deploy.contract import Contract
from servogym.envs.sb3 import Sb3VecEnv
from servogym.learning.bundle import Bundle
from servogym.learning.policy import ServoPolicy, load_weights
from servogym.learning.preset import PpoPreset


def capture(
    model: PPO,
    *,
    seed: int,
    preset: PpoPreset,
    overrides: Mapping[str, Any],
    counters: Mapping[str, float | None],
) -> Bundle:
    """Copy everything a run needs to go on, between two iterations.

    Args:
        model: The run; its environment is an `Sb3VecEnv`.
        seed: Seed of the run.
        preset: Hyper-parameters of the run.
        overrides: Environment keyword arguments that differ from the task's own.
        counters: Numbers to keep beside `env_steps` and `updates`.
    """
    policy, env = model.policy, model.env
    assert isinstance(policy, ServoPolicy) and isinstance(env, Sb3VecEnv)
    weights = {f"policy/{k}": v.numpy().copy() for k, v in policy.state_dict().items()}
    moments = policy.optimizer.state_dict()["state"]
    for index, (name, _) in enumerate(policy.named_parameters()):
        for moment, tensor in moments.get(index, {}).items():
            weights[f"adam/{name}/{moment}"] = tensor.numpy().copy()
    return Bundle(
        task=env.contract.task,
        overrides=overrides,
        seed=seed,
        preset=preset,
        network=asdict(policy.network),
        obs_width=policy.observation_space.shape[0],  # type: ignore[index]
        contract=env.contract,
        versions=versions(env.contract),
        counters={
            **counters,
            "env_steps": model.num_timesteps,
            "updates": model._n_updates,
        },
        weights=weights,
        state=_state(model, env),
    )


def restore(model: PPO, bundle: Bundle) -> None:
    """Put a freshly built run where a bundle was captured.

    Raises:
        ValueError: The bundle is of another task, motor law or number of robots; the message names
            what differs.
    """
    policy, env = model.policy, model.env
    assert isinstance(policy, ServoPolicy) and isinstance(env, Sb3VecEnv)
    exact = ("task", "robot", "joints", "default_pose", "slots", "actuator", "actuator_hash")
    _same(exact, bundle.contract, env.contract, "continued")
    load_weights(policy, bundle.policy_weights())
    optimizer = policy.optimizer.state_dict()
    for index, (name, _) in enumerate(policy.named_parameters()):
        prefix = f"adam/{name}/"
        optimizer["state"][index] = {
            key.removeprefix(prefix): torch.from_numpy(array.copy())
            for key, array in bundle.weights.items()
            if key.startswith(prefix)
        }
    policy.optimizer.load_state_dict(optimizer)
    state = bundle.state
    env.set_state({k.removeprefix("env/"): v for k, v in state.items() if k.startswith("env/")})
    model.num_timesteps = int(bundle.counters["env_steps"] or 0)
    model._n_updates = int(bundle.counters["updates"] or 0)
    model._last_obs = state["last_obs"].copy()
    model._last_episode_starts = state["last_episode_starts"].copy()
    torch.set_rng_state(torch.from_numpy(state["random/torch"].copy()))
    position, has_gauss = state["random/numpy_position"].tolist()
    gauss = float(state["random/numpy_gauss"][0])
    np.random.set_state(("MT19937", state["random/numpy_key"], position, has_gauss, gauss))


def start(model: PPO, bundle: Bundle) -> None:
    """Give a freshly built run the policy of a bundle and the count of its steps, nothing else.

    Raises:
        ValueError: The bundle's policy is of another robot, reads or moves something else, or is of
            another size; the message names what differs.
    """
    policy, env = model.policy, model.env
    assert isinstance(policy, ServoPolicy) and isinstance(env, Sb3VecEnv)
    _same(
        ("robot", "joints", "default_pose", "slots"), bundle.contract, env.contract, "started from"
    )
    load_weights(policy, bundle.policy_weights())
    model.num_timesteps = int(bundle.counters["env_steps"] or 0)


def versions(contract: Contract) -> dict[str, str]:
    """Give the versions of what a run depends on."""
    packages = ("torch", "stable_baselines3", "gymnasium", "numpy")
    found = {name: version(name) for name in packages}
    return {**contract.versions, **found, "python": platform.python_version()}


def _state(model: PPO, env: Sb3VecEnv) -> dict[str, np.ndarray]:
    assert isinstance(model._last_obs, np.ndarray) and model._last_episode_starts is not None
    _, key, position, has_gauss, gauss = np.random.get_state(legacy=True)
    return {
        "last_obs": model._last_obs.copy(),
        "last_episode_starts": model._last_episode_starts.copy(),
        "random/torch": torch.get_rng_state().numpy().copy(),
        "random/numpy_key": np.asarray(key).copy(),
        "random/numpy_position": np.array([position, has_gauss]),
        "random/numpy_gauss": np.array([gauss]),
        **{f"env/{name}": array for name, array in env.get_state().items()},
    }


def _same(fields: tuple[str, ...], saved: Contract, live: Contract, use: str) -> None:
    for name in fields:
        if getattr(saved, name) != getattr(live, name):
            raise ValueError(
                f"{name}: the checkpoint says {getattr(saved, name)}, this installation makes"
                f" {getattr(live, name)}; it cannot be {use} here"
            )
