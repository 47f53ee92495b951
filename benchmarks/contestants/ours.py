"""Our batch with small random actions, as other environments get them."""

import numpy as np
from turns import random_actions, serve, stepping

from benchmarks.cases import CASES
from servogym.envs import fleet, registration
from servogym.envs.options import keys


def make(case: str, robots: int, threads: int):
    """Return a batch whose finished rows restart at once."""
    chosen = CASES[case]
    task = registration.resolve(chosen.env_id)
    env = fleet.make(**task, n=robots, threads=threads, **chosen.options)
    env.seed(np.arange(robots), keys(list(range(robots))))
    env.reset(np.arange(robots))
    actions = random_actions(robots, env.contract.action_size)

    def step() -> int:
        out = env.step(next(actions))
        finished = np.flatnonzero(out.terminated | out.truncated)
        if len(finished):
            env.reset(finished)
        return len(finished)

    facts = {
        "case": case,
        "env": chosen.env_id,
        "robots": robots,
        "threads": threads,
        "control_dt": env.task.control_dt,
        "physics_dt": env.task.timestep,
    }
    return facts, stepping(step, robots)


if __name__ == "__main__":
    serve(make)
