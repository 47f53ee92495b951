"""Ends a run early but cleanly, between two iterations: on Ctrl-C or when its time is up."""

import signal
import threading
import time
from types import FrameType
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback


class Stop(BaseCallback):
    """Lets the current iteration finish, then ends the run.

    It must be first in the list: others read `stopping` when a rollout starts. The rollout that has
    just begun then is abandoned after one step, which is not counted. One iteration is always made.
    """

    def __init__(self, minutes: float | None = None) -> None:
        """Prepare a stop.

        Args:
            minutes: Time the run may take [min]; None: as long as it needs.
        """
        super().__init__()
        self.stopping = False
        self.interrupted = False
        self._previous: Any = None
        self._begun_at = 0
        self._deadline = None if minutes is None else time.monotonic() + 60.0 * minutes

    def remaining(self) -> float | None:
        """Give the time left until the deadline [s]; None when there is none."""
        return None if self._deadline is None else self._deadline - time.monotonic()

    def __enter__(self) -> "Stop":
        """Take the first Ctrl-C as a wish to stop; a second one acts at once."""
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        """Give Ctrl-C back its usual meaning."""
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print(
            "\nStopping after this iteration; what was learnt is kept. Ctrl-C again: at once.",
            flush=True,
        )

    def _on_training_start(self) -> None:
        self._begun_at = self.num_timesteps

    def _on_rollout_start(self) -> None:
        if self.num_timesteps > self._begun_at:
            remaining = self.remaining()
            self.stopping = self.interrupted or (remaining is not None and remaining <= 0.0)

    def _on_step(self) -> bool:
        if self.stopping:
            self.model.num_timesteps -= self.training_env.num_envs
        return not self.stopping
