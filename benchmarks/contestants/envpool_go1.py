"""envpool's Go1JoystickFlatTerrain, run with the Python of its own environment."""

from importlib.metadata import version

import envpool  # type: ignore[import-not-found]
from turns import random_actions, serve, stepping


def make(robots: int, threads: int):
    """Return a pool in synchronous mode; finished robots restart at their next step."""
    env = envpool.make(
        "Go1JoystickFlatTerrain-v1",
        env_type="gymnasium",
        num_envs=robots,
        num_threads=threads,
        seed=0,
    )
    env.reset()
    actions = random_actions(robots, *env.action_space.shape)
    facts = {
        "env": "Go1JoystickFlatTerrain-v1",
        "robots": robots,
        "threads": threads,
        "control_dt": env.spec.config.ctrl_dt,
        "physics_dt": env.spec.config.sim_dt,
        "version": f"envpool {version('envpool')}",
    }

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(next(actions))
        return int((terminated | truncated).sum())

    return facts, stepping(step, robots)


if __name__ == "__main__":
    serve(make)
