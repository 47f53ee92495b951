"""Measures each rollout: rewards, every reward term, falls, tracking, speed."""

import time

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import safe_mean

from servogym.envs.ramp import current
from servogym.envs.sb3 import Sb3VecEnv


class RolloutMetrics(BaseCallback):
    """Fills `latest` after each rollout and hands the numbers to TensorBoard.

    Rewards are per control step. Reward terms are means over rows whose episode goes on. `tracking`
    is the mean of the terms called `track_…`, each divided by its weight: 1 is perfect. `level`,
    where there is a field of tiles, is the robots' mean level, from 1. A robot that got stuck on
    such a field counts as a fall.
    """

    def __init__(self) -> None:
        """Prepare the sums."""
        super().__init__()
        self.latest: dict[str, float] = {}
        self._reward = self._falls = self._steps = 0.0
        self._terms = np.zeros(0)
        self._rows = 0
        self._started = time.monotonic()
        self._mark = (0, self._started)

    def _on_training_start(self) -> None:
        self._started = time.monotonic()
        self._mark = (self.num_timesteps, self._started)

    def _on_rollout_start(self) -> None:
        self._reward = self._falls = self._steps = 0.0
        self._terms = np.zeros(len(self._core.task.rewards))
        self._rows = 0

    def _on_step(self) -> bool:
        dones, infos = self.locals["dones"], self.locals["infos"]
        self._reward += float(self.locals["rewards"].sum())
        self._steps += len(dones)
        self._terms += self._core.terms[~dones].sum(axis=0)
        self._rows += int((~dones).sum())
        self._falls += sum(not infos[row]["TimeLimit.truncated"] for row in np.flatnonzero(dones))
        return True

    def _on_rollout_end(self) -> None:
        task, now = self._core.task, time.monotonic()
        terms = dict(zip(task.rewards, self._terms / max(self._rows, 1), strict=True))
        steps, before = self._mark
        self._mark = (self.num_timesteps, now)
        learnt = self.logger.name_to_value
        self.latest = {
            "env_steps": self.num_timesteps,
            "seconds": now - self._started,
            "steps_per_s": (self.num_timesteps - steps) / max(now - before, 1e-9),
            "reward": self._reward / self._steps,
            "falls_per_min": self._falls / (self._steps * task.control_dt / 60.0),
            "tracking": self._tracking(terms),
            **self._level(),
            "episode_return": self._episodes("r"),
            "episode_length": self._episodes("l"),
            **{key: learnt.get(f"train/{key}", float("nan")) for key in LEARNT},
            **{f"reward/{name}": float(value) for name, value in terms.items()},
        }
        for name, value in self.latest.items():
            if name not in LEARNT and name not in ("env_steps", "seconds"):
                self.logger.record(name if "/" in name else f"rollout/{name}", value)

    @property
    def _core(self):
        assert isinstance(self.training_env, Sb3VecEnv)
        return self.training_env.core

    def _tracking(self, terms: dict[str, float]) -> float:
        task, steps = self._core.task, float(self._core.trained_steps)
        shares = [
            value / (weight * task.control_dt)
            for name, value in terms.items()
            if name.startswith("track_") and (weight := current(task.rewards[name].weight, steps))
        ]
        return float(np.mean(shares)) if shares else float("nan")

    def _level(self) -> dict[str, float]:
        levels = self._core.levels
        return {"level": float(levels.mean())} if len(levels) else {}

    def _episodes(self, key: str) -> float:
        return float(safe_mean([episode[key] for episode in self.model.ep_info_buffer or []]))


LEARNT = ("approx_kl", "clip_fraction", "explained_variance", "std", "learning_rate")
"""Numbers of SB3's previous update that go into the table as well."""
