"""Times a training from inside, and lets the environment alone make some of its rollouts again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from servogym.envs.sb3 import Sb3VecEnv

REPEATS = 3
"""How often the kept rollout is made, early and late."""


class Watch(BaseCallback):
    """Collects one row of numbers per iteration of PPO; must be the last callback.

    Every few iterations, when a rollout is complete, the environment goes back to where it began
    and makes the same steps with the same actions and nothing in between; then it is put where the
    training left it. What that takes is not counted as training. One early rollout is made again
    much later too: the same work then and now. The last iteration is left out, for the evaluation
    that ends a training falls into it.
    """

    def __init__(self, every: int, early: int, late: int) -> None:
        """Prepare the watch.

        Args:
            every: Iterations from one that is made again to the next.
            early: Environment steps from which on a rollout is kept to be made again much later.
            late: Environment steps from which on that happens.
        """
        super().__init__()
        self.rows: list[dict[str, float]] = []
        self.same_work: dict[str, list[float]] = {}
        self._early, self._late = early, late
        self._every, self._count = every, 0
        self._spent: dict[str, float] = {}
        self._rollout = self._resumed = self._alone = 0.0
        self._before: dict[str, np.ndarray] | None = None

    def _on_training_start(self) -> None:
        env, model = self.training_env, self.model
        assert isinstance(env, Sb3VecEnv) and isinstance(model, OnPolicyAlgorithm)
        self._env, self._ppo = env, model
        self._timed(env, "step", "environment")
        self._timed(model.policy, "forward", "policy")
        self._timed(model, "train", "update")

    def _on_rollout_start(self) -> None:
        self._close_row()
        again = self._count % self._every == 0
        self._before = self._env.get_state() if again else None
        self._count += 1
        self._spent = {"environment": 0.0, "policy": 0.0, "update": 0.0}
        self._alone = 0.0
        self._rollout = time.perf_counter()

    def _on_rollout_end(self) -> None:
        self._rollout = time.perf_counter() - self._rollout
        if self._before is not None:
            self._alone = self._make_again(self._before)
        self._resumed = time.perf_counter()

    def _on_step(self) -> bool:
        return True

    def _close_row(self) -> None:
        """Finish the row of the iteration that has just ended, if there was one."""
        if not self._resumed:
            return
        self.rows.append(
            {
                "env_steps": self.num_timesteps,
                "steps": self._ppo.n_steps * self._env.num_envs,
                "seconds": self._rollout + time.perf_counter() - self._resumed,
                **self._spent,
                "alone": self._alone,
                "memory": _resident(),
            }
        )
        self._resumed = 0.0

    def _make_again(self, before: dict[str, np.ndarray]) -> float:
        """Let the environment alone make the rollout; return the time it took [s]."""
        env, after = self._env, self._env.get_state()
        space = self._ppo.action_space
        actions = np.clip(self._ppo.rollout_buffer.actions, space.low, space.high)  # type: ignore
        seconds = self._alone_from(before, actions)
        reached = env.get_state()
        if self.num_timesteps >= self._early and not self.same_work:
            self._kept = (before, actions)
            self.same_work["early"] = [self._alone_from(*self._kept) for _ in range(REPEATS)]
        if self.num_timesteps >= self._late and "late" not in self.same_work:
            self.same_work["late"] = [self._alone_from(*self._kept) for _ in range(REPEATS)]
        env.set_state(after)
        if wrong := [k for k in after if not np.array_equal(reached[k], after[k], equal_nan=True)]:
            raise RuntimeError(f"made again, the rollout ended elsewhere: {', '.join(wrong)}")
        return seconds

    def _alone_from(self, before: dict[str, np.ndarray], actions: np.ndarray) -> float:
        step = type(self._env).step  # past the clock that is on this one's
        self._env.set_state(before)
        start = time.perf_counter()
        for action in actions:
            step(self._env, action)
        return time.perf_counter() - start

    def _timed(self, owner: Any, name: str, what: str) -> None:
        """Put a clock on a method."""
        method: Callable[..., Any] = getattr(owner, name)

        def clocked(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                if what in self._spent:
                    self._spent[what] += time.perf_counter() - start

        object.__setattr__(owner, name, clocked)


def _resident() -> float:
    """Return the memory this process holds [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
