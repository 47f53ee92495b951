"""The whole line on one screen: train, export, verify, evaluate, film.

python -m servogym.learning.walk

Everything lies in the run folder afterwards: policy.onnx, its weights, its numbers, its card, its
film and the learning curve. The last line says from measurement whether it walks.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from servogym.learning.openmp import give_way


@dataclass(frozen=True, kw_only=True)
class Options:
    """Train a policy, export it, verify it, hold it against the walking bar and film it."""

    task: str = "MicroDuck-Flat-Backlash-v0"
    """Environment id."""
    minutes: float | None = None
    """Time for training [min]; None: as many steps as the task's preset says."""
    seconds: float = 10.0
    """Length of the film [s]."""
    seed: int = 0
    """Seed of everything random."""
    envs: int | None = None
    """Robots simulated side by side; default: the task's preset."""
    threads: int = 0
    """Threads; 0: every core."""
    out: Path | None = None
    """Run folder, must not exist; default: runs/<walk or demo>-<time>."""


def main() -> None:
    """Train in full."""
    command("walk", Options())


def command(name: str, default: Options) -> None:
    """Run the command line.

    Args:
        name: The command, `servogym.learning.<name>`.
        default: What it does unless it is told otherwise.
    """
    give_way()
    try:
        prog = f"python -m servogym.learning.{name}"
        options = tyro.cli(Options, prog=prog, description=__doc__, default=default)
        out = options.out or Path("runs") / time.strftime(f"{name}-%Y%m%d-%H%M%S")
        sys.exit(walk(options, out))
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"{name}: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted")


def walk(options: Options, out: Path) -> int:
    """Run every step and print where each result lies; give the exit status."""
    from servogym.learning import card, curve  # PyTorch: not needed for --help
    from servogym.learning.options import TrainOptions
    from servogym.learning.ship import ship
    from servogym.learning.training import train

    long = f"for {options.minutes:g} min" if options.minutes else "in full"
    print(f"training {options.task} {long} into {out}", flush=True)
    result = train(
        TrainOptions(
            task=options.task,
            out=out,
            minutes=options.minutes,
            seed=options.seed,
            envs=options.envs,
            threads=options.threads,
        )
    )
    picture = curve.draw([out], out / "learning_curve.png")
    if result.status == "interrupted":
        print(f"interrupted; go on with: python train.py --resume {out}")
        return 130
    if result.last_return is not None:
        print(
            f"{result.env_steps} steps; an episode earns {result.last_return:.1f},"
            f" doing nothing {result.zero_return:.1f}, random actions {result.random_return:.1f}"
        )
    shipped = ship(out, "policy", out, seconds=options.seconds)
    for path in (*shipped.files, *([picture] if picture else ())):
        print(f"   {path}")
    if shipped.no_film:
        print(f"   no film: {shipped.no_film}")
    print(card.verdict(shipped.record))
    return 0


if __name__ == "__main__":
    main()
