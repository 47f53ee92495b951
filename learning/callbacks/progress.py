"""Says how a run is going: a bar on a terminal, a line now and then elsewhere."""

import math
import sys
import time

from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from servogym.learning.callbacks.metrics import RolloutMetrics
from servogym.learning.callbacks.stop import Stop


class Progress(BaseCallback):
    """Shows steps, speed, time left, falls, reward and tracking."""

    def __init__(self, metrics: RolloutMetrics, stop: Stop, every: float = 10.0) -> None:
        """Prepare the display.

        Args:
            metrics: Where the numbers come from.
            stop: Knows the deadline.
            every: Time between two lines when there is no terminal [s].
        """
        super().__init__()
        self._metrics, self._stop, self._every = metrics, stop, every
        self._bar: tqdm | None = None
        self._spoke = -math.inf
        self._said: float | None = None
        self._speed = 0.0

    def _on_training_start(self) -> None:
        if sys.stderr.isatty():
            self._bar = tqdm(
                total=self.model._total_timesteps,
                initial=self.num_timesteps,
                unit_scale=True,
                bar_format="{percentage:3.0f}% |{bar:20}| {postfix}",
            )

    def _on_rollout_end(self) -> None:
        text = self._text()
        if self._bar is not None:
            self._bar.n = self.num_timesteps
            self._bar.set_postfix_str(text)
        elif time.monotonic() - self._spoke >= self._every:
            self._spoke = time.monotonic()
            self._said = self._metrics.latest["env_steps"]
            print(text, flush=True)

    def _on_training_end(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._metrics.latest and self._metrics.latest["env_steps"] != self._said:
            print(self._text(), flush=True)

    def _on_step(self) -> bool:
        return True

    def _text(self) -> str:
        m, total = self._metrics.latest, self.model._total_timesteps
        fresh = m["steps_per_s"]
        self._speed = fresh if not self._speed else 0.8 * self._speed + 0.2 * fresh
        left = max(0.0, (total - m["env_steps"]) / self._speed)
        remaining = self._stop.remaining()
        left = left if remaining is None else max(0.0, min(left, remaining))
        parts = [
            f"{_short(m['env_steps'])}/{_short(total)} steps",
            f"{_short(self._speed)} steps/s",
            f"{int(left) // 60}:{int(left) % 60:02d} left",
            f"{m['falls_per_min']:.1f} falls/min",
            f"reward {m['reward']:.3f}",
        ]
        if not math.isnan(m["tracking"]):
            parts.append(f"tracking {m['tracking']:.2f}")
        if "level" in m:
            parts.append(f"level {m['level']:.1f}")
        return ", ".join(parts)


def _short(number: float) -> str:
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e3:.1f}k" if number < 1e6 else f"{number / 1e6:.2f}M"
