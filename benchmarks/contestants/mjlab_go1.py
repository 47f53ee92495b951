"""mjlab's flat velocity task for the Go1 on the CPU, run with the Python of its own environment."""

from importlib.metadata import version

import mjlab.tasks  # type: ignore[import-not-found]  # noqa: F401 (registers the tasks)
import torch
from mjlab.envs import ManagerBasedRlEnv  # type: ignore[import-not-found]
from mjlab.tasks.registry import load_env_cfg  # type: ignore[import-not-found]
from turns import random_actions, serve, stepping

TASK = "Mjlab-Velocity-Flat-Unitree-Go1"


def make(robots: int, threads: int):
    """Return the environment on device "cpu"; finished robots restart at once."""
    torch.set_num_threads(threads)
    config = load_env_cfg(TASK)
    config.scene.num_envs = robots
    env = ManagerBasedRlEnv(config, device="cpu")
    env.reset()
    actions = random_actions(robots, env.action_manager.total_action_dim)
    dt = float(config.sim.mujoco.timestep)
    facts = {
        "env": TASK,
        "robots": robots,
        "threads": threads,
        "control_dt": dt * config.decimation,
        "physics_dt": dt,
        "version": f"mjlab {version('mjlab')}",
    }

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(torch.from_numpy(next(actions)))
        return int((terminated | truncated).sum())

    return facts, stepping(step, robots)


if __name__ == "__main__":
    serve(make)
