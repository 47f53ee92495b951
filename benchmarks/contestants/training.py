"""A training as `train.py` makes it, watched; evaluations are left out."""

import tempfile
from pathlib import Path
from unittest.mock import patch

from turns import serve

from benchmarks.cases import CASES
from servogym.learning.openmp import give_way

NEVER = 10**12
"""Environment steps until the first evaluation."""


def make(case: str, steps: int, every: int, early: int, late: int):
    """Return a training; its only turn makes all of it."""
    give_way()
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import CallbackList

    from benchmarks.watch import Watch
    from servogym.learning.options import TrainOptions
    from servogym.learning.training import train

    watch, learn = Watch(every, early, late), PPO.learn

    def watched(self, total_timesteps, callback, **how):
        return learn(self, total_timesteps, CallbackList([*callback.callbacks, watch]), **how)

    def turn(_: float) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            options = TrainOptions(
                task=CASES[case].env_id,
                seed=0,
                steps=steps,
                out=Path(folder) / "run",
                eval_every=NEVER,
                eval_envs=4,
            )
            with patch.object(PPO, "learn", watched):
                train(options, overrides=CASES[case].options)
        return {"rows": watch.rows, "same_work": watch.same_work}

    return {"env": CASES[case].env_id}, turn


if __name__ == "__main__":
    serve(make)
