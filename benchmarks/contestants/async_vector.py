"""Gymnasium's AsyncVectorEnv of our single robots, one to a process."""

import gymnasium
from gymnasium.vector import AsyncVectorEnv
from turns import random_actions, serve, stepping

import servogym  # noqa: F401 (registers the ids)
from benchmarks.cases import CASES


def _make(env_id: str, options: dict) -> gymnasium.Env:
    return gymnasium.make(env_id, disable_env_checker=True, **options)


def make(case: str, workers: int):
    """Return as many robots as workers; finished ones restart at their next step."""
    chosen = CASES[case]
    one = _make(chosen.env_id, dict(chosen.options))
    task = one.unwrapped.core.task  # type: ignore[attr-defined]
    env = AsyncVectorEnv(
        [lambda: _make(chosen.env_id, dict(chosen.options)) for _ in range(workers)],
        context="forkserver",
    )
    env.reset(seed=0)
    actions = random_actions(*env.action_space.shape)  # type: ignore[misc]
    facts = {
        "case": case,
        "env": chosen.env_id,
        "robots": workers,
        "workers": workers,
        "threads": 1,
        "control_dt": task.control_dt,
        "physics_dt": task.timestep,
        "version": f"Gymnasium {gymnasium.__version__}",
    }

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(next(actions))
        return int((terminated | truncated).sum())

    return facts, stepping(step, workers)


if __name__ == "__main__":
    serve(make)
