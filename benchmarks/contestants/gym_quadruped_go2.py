"""gym-quadruped's Go2 on flat ground, run with the Python of its own environment.

One robot in one process, as the package offers it. It has no control step: every step is a physics
step, and its actions are torques.
"""

from importlib.metadata import version

from gym_quadruped.quadruped_env import QuadrupedEnv  # type: ignore[import-not-found]
from turns import random_actions, serve, stepping


def make():
    """Return one robot that restarts when its episode ends."""
    env = QuadrupedEnv(robot="go2", scene="flat", base_vel_command_type="forward")
    env.reset(seed=0)
    actions = random_actions(*env.action_space.shape)

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(next(actions))
        if terminated or truncated:
            env.reset()
        return int(terminated or truncated)

    dt = float(env.mjModel.opt.timestep)
    facts = {
        "env": "QuadrupedEnv(go2, flat)",
        "robots": 1,
        "threads": 1,
        "control_dt": dt,
        "physics_dt": dt,
        "version": f"gym-quadruped {version('gym-quadruped')}",
    }
    return facts, stepping(step, 1)


if __name__ == "__main__":
    serve(make)
