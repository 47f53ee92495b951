"""Plays one whole episode per robot, on fixed seeds, and says how it went."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from servogym.envs.sb3 import Sb3VecEnv


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Means over the episodes of one evaluation."""

    episode_return: float
    """Sum of rewards of an episode."""
    length: float
    """Control steps of an episode."""
    falls: float
    """Share of episodes that ended in failure."""

    def row(self, env_steps: int, policy: str) -> dict[str, float | str]:
        """Give it as a row of the table of evaluations."""
        return {
            "env_steps": env_steps,
            "policy": policy,
            "return": self.episode_return,
            "length": self.length,
            "falls": self.falls,
        }


def evaluate(
    env: Sb3VecEnv, act: Callable[[np.ndarray], np.ndarray], seed: int, limit: int | None = None
) -> Evaluation:
    """Play the first episode of every row; the same seed gives the same episodes.

    Args:
        env: Environment of its own, not the training one.
        act: Observations `(n, obs)` -> actions `(n, j)`.
        seed: Seed of the first row.
        limit: Stop after so many control steps; None: the time limit of the task.
    """
    env.seed(seed)
    obs = env.reset()
    returns, lengths = np.zeros(env.num_envs), np.zeros(env.num_envs)
    running, fallen = np.ones(env.num_envs, bool), np.zeros(env.num_envs, bool)
    for _ in range(limit or env.core.max_episode_steps):
        env.step_async(act(obs))
        obs, rewards, dones, infos = env.step_wait()
        returns[running] += rewards[running]
        lengths[running] += 1
        for row in np.flatnonzero(dones & running):
            fallen[row] = not infos[row]["TimeLimit.truncated"]
        running &= ~dones
        if not running.any():
            break
    return Evaluation(
        episode_return=float(returns.mean()),
        length=float(lengths.mean()),
        falls=float(fallen.mean()),
    )
