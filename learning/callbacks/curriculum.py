"""Tells the environment how far training is, for weights and commands that ramp."""

from stable_baselines3.common.callbacks import BaseCallback

from servogym.envs.sb3 import Sb3VecEnv


class Curriculum(BaseCallback):
    """Writes the environment steps made so far into the training environment."""

    def _on_rollout_start(self) -> None:
        env = self.training_env
        assert isinstance(env, Sb3VecEnv)
        env.core.trained_steps[...] = self.num_timesteps

    def _on_step(self) -> bool:
        return True
