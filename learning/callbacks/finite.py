"""Stops a run before a number that is not finite reaches the learner."""

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from servogym.deploy.contract import Contract


class NotFinite(ValueError):
    """An observation or reward was infinite or not a number."""


class FiniteGuard(BaseCallback):
    """Checks every observation and reward as it arrives, long before the gradient step."""

    def __init__(self, contract: Contract) -> None:
        """Prepare the guard.

        Args:
            contract: Names the observation slots.
        """
        super().__init__()
        self._slices = contract.slices()

    def _on_step(self) -> bool:
        obs, rewards = self.locals["new_obs"], self.locals["rewards"]
        if np.isfinite(obs).all() and np.isfinite(rewards).all():
            return True
        step = f"environment step {self.num_timesteps}"
        bad = np.argwhere(~np.isfinite(obs))
        if len(bad):
            env, column = bad[0]
            raise NotFinite(
                f"observation of env {env}, {self._name(column)}, is {obs[env, column]} at {step};"
                " nothing was learnt from it"
            )
        env = int(np.argmin(np.isfinite(rewards)))
        raise NotFinite(f"reward of env {env} is {rewards[env]} at {step}; nothing was learnt")

    def _name(self, column: int) -> str:
        for name, where in self._slices.items():
            if where.start <= column < where.stop:
                return f"slot {name}[{column - where.start}]"
        return f"privileged column {column - sum(s.stop - s.start for s in self._slices.values())}"
