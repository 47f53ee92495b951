"""Tells the environment how much has been learnt, so that reward weights can follow."""

from stable_baselines3.common.callbacks import BaseCallback

from servogym.envs.sb3 import Sb3VecEnv


class Experience(BaseCallback):
    """Writes the number of environment steps trained so far into the environment."""

    def _on_rollout_start(self) -> None:
        env = self.training_env
        assert isinstance(env, Sb3VecEnv)
        env.core.trained_steps[...] = self.num_timesteps

    def _on_step(self) -> bool:
        return True
