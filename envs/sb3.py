"""n robots as a stable-baselines3 `VecEnv`: finished rows restart within the same step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from servogym.envs import fleet, registration
from servogym.envs.options import begin, keys, split
from servogym.envs.render import Renderer
from servogym.envs.single import row_spaces


class Sb3VecEnv(VecEnv):
    """n robots for stable-baselines3; row i of seed s is a `RobotEnv` of seed s + i, bit for bit.

    Only rows that finish have something in their info: `terminal_observation`,
    `TimeLimit.truncated`, `diverged`, `reason`, `episode` (return r, length l in control steps) and
    `reward_terms` (each term summed over the episode).
    """

    def __init__(
        self,
        env_id: str,
        num_envs: int,
        *,
        seed: int | None = None,
        privileged: bool = False,
        stagger: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the environments.

        Args:
            env_id: such as "MicroDuck-Flat-Backlash-v0".
            num_envs: how many robots.
            seed: row i starts from seed + i; None draws seeds from the system.
            privileged: append columns to the observation that only a critic may read.
            stagger: let first episodes start at random times, so that rows do not end together.
            render_mode: "rgb_array" or None.
            **options: those of `Core`.

        Raises:
            LookupError: for an unknown id, motor law or servo, listing the known ones.
            ValueError: for a section or field that does not exist.
        """
        self.core = fleet.make(**registration.resolve(env_id), n=num_envs, **options)
        self.contract = self.core.contract
        self.render_mode = render_mode
        self._privileged, self._stagger = privileged, stagger
        self._renderer = Renderer(self.core, render_mode) if render_mode else None
        self._all = np.arange(num_envs)
        self._terms = np.zeros_like(self.core.terms)
        self._length = np.zeros(num_envs, np.int64)
        self._actions: np.ndarray | None = None
        self._seeded = False
        observation, action = row_spaces(self.core)
        if privileged:
            bound = np.full(self.core.privileged().shape[1], np.finfo(np.float32).max)
            observation = spaces.Box(
                np.concatenate((observation.low, -bound)),
                np.concatenate((observation.high, bound)),
                dtype=np.float32,
            )
        super().__init__(num_envs, observation, action)
        if seed is not None:
            self.seed(seed)

    def reset(self) -> np.ndarray:
        """Begin an episode in every row; seeds and options given before hold for this once."""
        if not self._seeded or any(s is not None for s in self._seeds):
            self.core.seed(self._all, keys(self._seeds))
            self._seeded = True
        obs = (
            np.concatenate(
                [begin(self.core, self._all[i : i + 1], self._options[i]) for i in self._all]
            )
            if any(self._options)
            else begin(self.core, self._all, None)
        )
        self._reset_seeds()
        self._reset_options()
        self._terms[:] = 0.0
        self._length[:] = 0
        if self._stagger:
            self.core.stagger()
        return self._with_privileged(obs)

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions (n, j) for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Advance one control step; finished rows return their next episode's first observation."""
        assert self._actions is not None, "step_wait without step_async"
        obs, reward, terminated, truncated = self.core.step(self._actions)
        obs = self._with_privileged(obs)
        self._terms += self.core.terms
        self._length += 1
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rows = np.flatnonzero(done)
        if len(rows):
            reason = self.core.reason
            for row in rows:
                terms = self._terms[row].tolist()
                infos[row] = {
                    "terminal_observation": obs[row].copy(),
                    "TimeLimit.truncated": bool(truncated[row]),
                    "diverged": bool(self.core.diverged[row]),
                    "reason": str(reason[row]),
                    "episode": {"r": sum(terms), "l": int(self._length[row])},
                    "reward_terms": dict(zip(self.core.task.rewards, terms, strict=True)),
                }
            self._terms[rows] = 0.0
            self._length[rows] = 0
            obs[rows] = self._with_privileged(self.core.reset(rows), rows)
        return obs, reward.astype(np.float32), done, infos

    def close(self) -> None:
        """Free the drawing context."""
        if self._renderer is not None:
            self._renderer.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return one picture a robot."""
        if self._renderer is None:
            return [None] * self.num_envs
        return [self._renderer.render(row) for row in range(self.num_envs)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of this environment, once for each row asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of this environment; the rows share it."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method of this environment once; return its result for each row asked for."""
        result = getattr(self, method_name)(*args, **kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each row asked for: there are no wrappers inside."""
        return [False for _ in self._get_indices(indices)]

    def get_state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that decides the future."""
        own = {"face.terms": self._terms.copy(), "face.length": self._length.copy()}
        return {**self.core.get_state(), **own}

    def set_state(self, saved: dict[str, np.ndarray]) -> None:
        """Continue from what `get_state` of an equal environment returned, bit for bit.

        Raises:
            ValueError: naming what is missing, unknown or of another shape; nothing has changed.
        """
        own, core = split(saved, {"face.terms": self._terms, "face.length": self._length})
        self.core.set_state(core)
        self._terms[:], self._length[:] = own["face.terms"], own["face.length"]
        self._seeded = True

    def _get_indices(self, indices: int | Iterable[int] | None) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        return [int(indices)] if isinstance(indices, int | np.integer) else indices

    def _with_privileged(
        self, obs: np.ndarray, rows: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        if not self._privileged:
            return obs
        return np.concatenate((obs, self.core.privileged(rows)), axis=1)
