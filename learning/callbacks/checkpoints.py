"""Saves a run at multiples of a number of environment steps, and at its end."""

from collections.abc import Callable

from stable_baselines3.common.callbacks import BaseCallback

from servogym.learning.callbacks.stop import Stop


class Checkpoints(BaseCallback):
    """Saves between two iterations, at the first chance after each multiple of `every`.

    `every` counts environment steps, whatever the number of robots.
    """

    def __init__(self, every: int, save: Callable[[], None], stop: Stop) -> None:
        """Prepare the schedule.

        Args:
            every: Environment steps between two checkpoints.
            save: Writes one.
            stop: Says whether the run is about to end.
        """
        super().__init__()
        self._every, self._save, self._stop = every, save, stop
        self._saved_at = 0

    def _on_training_start(self) -> None:
        self._saved_at = self.num_timesteps

    def _on_rollout_start(self) -> None:
        crossed = self.num_timesteps // self._every > self._saved_at // self._every
        if crossed or self._stop.stopping:
            self._save_once()

    def _on_training_end(self) -> None:
        if not self._stop.stopping:
            self._save_once()

    def _on_step(self) -> bool:
        return True

    def _save_once(self) -> None:
        if self.num_timesteps > self._saved_at:
            self._save()
            self._saved_at = self.num_timesteps
