"""An environment in which robots walk, and a stretch of it that can be made more than once."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.cases import Case
from servogym.deploy.runner import Policy
from servogym.envs import fleet, registration
from servogym.envs.options import keys

STRETCH = 10
"""Control steps of a stretch."""
WARM_UP = 15
"""Stretches before anything counts: three seconds, until everybody walks."""


class Walk:
    """Robots on their way, moved by the policy of a case."""

    def __init__(self, case: Case, robots: int, threads: int) -> None:
        """Make the robots and let them begin to walk."""
        task = registration.resolve(case.env_id)
        self.env = fleet.make(**task, n=robots, threads=threads, **case.options)
        self.cores = self.env.cores if isinstance(self.env, fleet.Fleet) else (self.env,)
        self.robots, self.threads = robots, threads
        self.steps = robots * STRETCH
        self._case, self._policy = case, Policy(case.policy) if case.policy else None
        self._zero = np.zeros((robots, self.env.contract.action_size))
        self.env.seed(np.arange(robots), keys(list(range(robots))))
        self.obs = self.env.reset(np.arange(robots))
        for _ in range(WARM_UP * STRETCH):
            self._advance(self._act())

    def rehearse(self) -> dict[str, np.ndarray]:
        """Make a stretch, keep its actions, and go back; return the state it began from."""
        before, obs = self.env.get_state(), self.obs.copy()
        self.actions = []
        for _ in range(STRETCH):
            self.actions.append(self._act())
            self._advance(self.actions[-1])
        self.env.set_state(before)
        self.obs = obs
        return before

    def walk(self) -> float:
        """Make the rehearsed stretch, finished rows restarting; return the time it took [s]."""
        start = time.perf_counter()
        for action in self.actions:
            self._advance(action)
        return time.perf_counter() - start

    def _act(self) -> np.ndarray:
        """Ask the policy; where actions are torques, hold its angles by a spring and damper."""
        if self._policy is None:
            return self._zero
        angles = self._policy(self.obs)
        if self._case.hold is None:
            return angles
        stiffness, damping = self._case.hold
        at = self._policy.contract.slices()
        error = angles - self.obs[:, at["joint_pos"]]
        return stiffness * error - damping * self.obs[:, at["joint_vel"]]

    def _advance(self, action: np.ndarray) -> None:
        out = self.env.step(action)
        self.obs = out.observation
        finished = np.flatnonzero(out.terminated | out.truncated)
        if len(finished):
            self.obs[finished] = self.env.reset(finished)
