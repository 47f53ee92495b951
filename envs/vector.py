"""n robots as a `gymnasium.vector.VectorEnv`, with all three autoreset modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from servogym.envs import fleet
from servogym.envs.options import begin, keys, split
from servogym.envs.render import Renderer
from servogym.envs.single import RobotEnv, row_spaces


class RobotVectorEnv(VectorEnv):
    """n robots stepped together; row i with seed s is a `RobotEnv` with seed s + i, bit for bit.

    `infos` carries `reward_terms`, `diverged` and `reason` as arrays with their masks.
    """

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        backlash: bool = False,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        """Make the environments; options are those of `Core`.

        Raises:
            LookupError: for an unknown task, robot, motor law or servo, listing the known ones.
            ValueError: for an unknown autoreset or render mode, section or field.
        """
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode {render_mode!r}; a batch knows None and 'rgb_array'")
        modes: dict[AutoresetMode | str, AutoresetMode] = {m: m for m in AutoresetMode}
        modes |= {m.name: m for m in AutoresetMode} | {m.value: m for m in AutoresetMode}
        if autoreset_mode not in modes:
            known = ", ".join(m.name for m in AutoresetMode)
            raise ValueError(f"autoreset_mode {autoreset_mode!r}; known: {known}")
        self.mode = modes[autoreset_mode]
        self.core = fleet.make(
            task, num_envs, backlash=backlash, max_episode_steps=max_episode_steps, **options
        )
        self.num_envs, self.render_mode = num_envs, render_mode
        self.metadata = {
            **RobotEnv.metadata,
            "render_modes": ["rgb_array"],
            "render_fps": round(1 / self.core.task.control_dt),
            "autoreset_mode": self.mode,
        }
        self.single_observation_space, self.single_action_space = row_spaces(self.core)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._renderer = Renderer(self.core, render_mode) if render_mode else None
        self._finished = np.zeros(num_envs, bool)
        self._observation = np.zeros((num_envs, self.core.contract.obs_size), np.float32)
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: s gives row i the seed s + i; a sequence gives every row its own.
            options: `reset_mask` (n,) bool picks the rows to reset; the rest as in
                `RobotEnv.reset`, for all rows that reset.

        Returns:
            Observations (n, 61), of rows that run on their latest, and infos.

        Raises:
            ValueError: for a wrong number of seeds, a wrong mask or an unknown option.
        """
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ValueError(
                f"reset_mask has shape {mask.shape} and type {mask.dtype}; "
                f"needs ({self.num_envs},) bool"
            )
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seeds: list[int | None] = [int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = [None] * self.num_envs if seed is None else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
        rows = np.flatnonzero(mask)
        if seed is not None or not self._seeded:
            fresh = [i for i in rows if seeds[i] is not None or not self._seeded]
            self.core.seed(np.array(fresh, int), keys([seeds[i] for i in fresh]))
            self._seeded = self._seeded or bool(mask.all())
        if len(rows):
            self._observation[rows] = begin(self.core, rows, options)
        self._finished[rows] = False
        return self._observation.copy(), self._infos(mask)

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advance one control step.

        Args:
            actions: (n, j) in contract order, clipped to the action space [rad].

        Raises:
            ValueError: for a wrong shape or a number that is not finite, naming joint and row.
        """
        waiting = np.flatnonzero(self._finished)
        obs, reward, terminated, truncated = self.core.step(actions)
        if self.mode is AutoresetMode.NEXT_STEP and len(waiting):
            obs[waiting] = self.core.reset(waiting)
            reward[waiting] = 0.0
            terminated[waiting] = truncated[waiting] = False
        infos = self._infos(np.ones(self.num_envs, bool))
        finished = terminated | truncated
        if self.mode is AutoresetMode.SAME_STEP and finished.any():
            infos |= {
                "final_obs": _objects(obs, finished),
                "_final_obs": finished.copy(),
                "final_info": self._infos(finished),
                "_final_info": finished.copy(),
            }
            rows = np.flatnonzero(finished)
            obs[rows] = self.core.reset(rows)
        self._finished[:] = finished & (self.mode is AutoresetMode.NEXT_STEP)
        self._observation[:] = obs
        return obs, reward, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return one picture a robot in mode rgb_array."""
        if self._renderer is None:
            return None
        pictures = (self._renderer.render(row) for row in range(self.num_envs))
        return tuple(p for p in pictures if p is not None)

    def close_extras(self, **kwargs: Any) -> None:
        """Free the drawing context."""
        if self._renderer is not None:
            self._renderer.close()

    def get_state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that decides the future."""
        own = {"finished": self._finished.copy(), "observation": self._observation.copy()}
        return {**self.core.get_state(), **own}

    def set_state(self, saved: dict[str, np.ndarray]) -> None:
        """Continue from what `get_state` of an equal environment returned, bit for bit.

        Raises:
            ValueError: naming what is missing, unknown or of another shape; nothing has changed.
        """
        live = {"finished": self._finished, "observation": self._observation}
        own, core = split(saved, live)
        self.core.set_state(core)
        for name, array in live.items():
            array[:] = own[name]
        self._seeded = True

    def _infos(self, mask: np.ndarray) -> dict[str, Any]:
        terms: dict[str, np.ndarray] = {}
        for column, name in enumerate(self.core.task.rewards):
            terms[name] = np.where(mask, self.core.terms[:, column], 0.0)
            terms[f"_{name}"] = mask.copy()
        return {
            "reward_terms": terms,
            "_reward_terms": mask.copy(),
            "diverged": self.core.diverged & mask,
            "_diverged": mask.copy(),
            "reason": np.where(mask, self.core.reason, ""),
            "_reason": mask.copy(),
        }


def _objects(obs: np.ndarray, which: np.ndarray) -> np.ndarray:
    out = np.full(len(obs), None, dtype=object)
    for row in np.flatnonzero(which):
        out[row] = obs[row].copy()
    return out
