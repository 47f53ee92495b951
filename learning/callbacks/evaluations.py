"""Evaluates the deterministic policy at multiples of a number of environment steps."""

from collections.abc import Callable
from pathlib import Path

from stable_baselines3.common.callbacks import BaseCallback

from servogym.learning.callbacks.stop import Stop
from servogym.learning.callbacks.table import append
from servogym.learning.evaluation import Evaluation


class Evaluations(BaseCallback):
    """Evaluates between two iterations, at the first chance after each multiple of `every`.

    `every` counts environment steps, whatever the number of robots. A last evaluation follows the
    last iteration, also when time is up, but not after Ctrl-C.
    """

    def __init__(
        self, every: int, evaluate: Callable[[], Evaluation], path: Path, stop: Stop
    ) -> None:
        """Prepare the schedule.

        Args:
            every: Environment steps between two evaluations.
            evaluate: Makes one.
            path: CSV file that collects them.
            stop: Says whether the run is about to end.
        """
        super().__init__()
        self._every, self._evaluate, self._path, self._stop = every, evaluate, path, stop
        self._done_at = 0

    def _on_training_start(self) -> None:
        self._done_at = self.num_timesteps

    def _on_rollout_start(self) -> None:
        crossed = self.num_timesteps // self._every > self._done_at // self._every
        if (crossed or self._stop.stopping) and not self._stop.interrupted:
            self._once()

    def _on_training_end(self) -> None:
        if not self._stop.stopping:
            self._once()

    def _on_step(self) -> bool:
        return True

    def _once(self) -> None:
        if self.num_timesteps == self._done_at:
            return
        self._done_at = self.num_timesteps
        found = self._evaluate()
        row = found.row(self.num_timesteps, "trained")
        append(self._path, row)
        for name in ("return", "length", "falls"):
            self.logger.record(f"evaluation/{name}", row[name])
