"""stable-baselines3's SubprocVecEnv of our single robots, one to a process."""

import gymnasium
import stable_baselines3
from stable_baselines3.common.vec_env import SubprocVecEnv
from turns import random_actions, serve, stepping

import servogym  # noqa: F401 (registers the ids)
from benchmarks.cases import CASES


def make(case: str, workers: int):
    """Return as many robots as workers; finished ones restart at once."""
    chosen = CASES[case]

    def one() -> gymnasium.Env:
        return gymnasium.make(chosen.env_id, disable_env_checker=True, **dict(chosen.options))

    task = one().unwrapped.core.task  # type: ignore[attr-defined]
    env = SubprocVecEnv([one] * workers, start_method="forkserver")
    env.seed(0)
    env.reset()
    actions = random_actions(workers, *env.action_space.shape)  # type: ignore[misc]
    facts = {
        "case": case,
        "env": chosen.env_id,
        "robots": workers,
        "workers": workers,
        "threads": 1,
        "control_dt": task.control_dt,
        "physics_dt": task.timestep,
        "version": f"stable-baselines3 {stable_baselines3.__version__}",
    }
    return facts, stepping(lambda: env.step(next(actions))[2].sum(), workers)


if __name__ == "__main__":
    serve(make)
