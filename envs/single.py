"""One robot as a `gymnasium.Env`: a batch of one, equal to a row of any batch to the last bit."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from servogym.envs.core import Core
from servogym.envs.fleet import Fleet
from servogym.envs.options import begin
from servogym.envs.render import Renderer

ROW = np.array([0])
NO_LIMIT = 2**62


def row_spaces(core: Core | Fleet) -> tuple[spaces.Box, spaces.Box]:
    """Return the observation and action space of one robot, bounded by its contract."""
    low, high = core.contract.bounds()
    clip = np.full(core.contract.action_size, core.contract.action_clip, np.float32)
    return spaces.Box(low, high, dtype=np.float32), spaces.Box(-clip, clip, dtype=np.float32)


class RobotEnv(gymnasium.Env):
    """A robot that does a task.

    Observations and actions are laid out as `core.contract` says. `info` carries `reward_terms`,
    the contribution of every term to this step's reward, `diverged`, whether the physics blew up,
    and `reason`, the name of the end that terminated or truncated the episode, empty otherwise; the
    time limit of `gym.make` is Gymnasium's own and has no name there.

    `reset(options={"command": (vx, vy, wz), "head": ..., "body": ...})` fixes the commands of the
    episode; without it they are drawn and redrawn by the task.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": ["human", "rgb_array"],
        "render_fps": 50,
    }

    def __init__(
        self,
        task: str,
        *,
        backlash: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the environment; options are those of `Core`.

        Raises:
            LookupError: for an unknown task, robot, motor law or servo, listing the known ones.
            ValueError: for an unknown render mode, section or field.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(
                f"render_mode {render_mode!r}; known: None, {self.metadata['render_modes']}"
            )
        self.core = Core(task, 1, backlash=backlash, **{"threads": 1, **options})
        self.metadata = {**self.metadata, "render_fps": round(1 / self.core.task.control_dt)}
        self.observation_space, self.action_space = row_spaces(self.core)
        self.render_mode = render_mode
        self._renderer = Renderer(self.core, render_mode) if render_mode else None
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the same seed gives the same bits.

        Raises:
            ValueError: for an option that does not exist or a command of the wrong size.
        """
        super().reset(seed=seed)
        if self.spec is not None:  # made by gym.make, whose TimeLimit holds the limit asked for
            self.core.max_episode_steps = NO_LIMIT
        if seed is not None or not self._seeded:
            self.core.seed(ROW, self.np_random.integers(0, 2**63, 1, np.uint64))
            self._seeded = True
        observation = begin(self.core, ROW, options)[0]
        if self.render_mode == "human":
            self.render()
        return observation, self._info()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Advance one control step.

        Args:
            action: (j,) in contract order, clipped to the action space [rad].

        Raises:
            ValueError: for a wrong shape or a number that is not finite, naming the joint.
        """
        out = self.core.step(np.asarray(action)[None])
        if self.render_mode == "human":
            self.render()
        return (
            out.observation[0],
            float(out.reward[0]),
            bool(out.terminated[0]),
            bool(out.truncated[0]),
            self._info(),
        )

    def render(self) -> np.ndarray | None:
        """Return a picture (height, width, 3) in mode rgb_array; in mode human draw the window."""
        if self._renderer is None:
            return None
        return self._renderer.render(0)

    def close(self) -> None:
        """Free the window or the drawing context."""
        if self._renderer is not None:
            self._renderer.close()

    def get_state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that decides the future."""
        return self.core.get_state()

    def set_state(self, saved: dict[str, np.ndarray]) -> None:
        """Continue from what `get_state` of an equal environment returned, bit for bit."""
        self.core.set_state(saved)
        self._seeded = True

    def _info(self) -> dict[str, Any]:
        terms = zip(self.core.task.rewards, self.core.terms[0].tolist(), strict=True)
        return {
            "reward_terms": dict(terms),
            "diverged": bool(self.core.diverged[0]),
            "reason": str(self.core.reason[0]),
        }
