"""Trains a policy with PPO and leaves a run folder that explains itself.

python train.py MicroDuck-Flat-v0

python train.py --resume runs/<run>
"""

import sys

import tyro

from servogym.learning.openmp import give_way
from servogym.learning.options import TrainOptions


def main() -> None:
    """Run the command line."""
    give_way()
    try:
        options = tyro.cli(TrainOptions, description=__doc__)
        sys.exit(_train(options))
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"train: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        sys.exit("train: interrupted; the checkpoints written so far are kept")


def _train(options: TrainOptions) -> int:
    from servogym.learning.training import train  # PyTorch: not needed for --help

    result = train(options)
    print(f"{result.env_steps} environment steps in {result.seconds / 60.0:.1f} min: {result.run}")
    if result.last_return is not None:
        print(
            f"return {result.last_return:.1f} (best {result.best_return:.1f}), doing nothing"
            f" {result.zero_return:.1f}, random actions {result.random_return:.1f}: "
            + _ratio(result.last_return, result.zero_return)
        )
    if result.status == "below_baseline":
        print("WARNING: doing nothing earns more than this policy; see reward/ in progress.csv")
    if result.status == "interrupted":
        print(f"interrupted; go on with: python train.py --resume {result.run}")
        return 130
    return 0


def _ratio(reached: float, baseline: float) -> str:
    if baseline <= 0.0:
        return f"{reached - baseline:+.1f} against doing nothing"
    return f"{reached / baseline:.2f} times doing nothing"


if __name__ == "__main__":
    main()
