"""Where things lie in a run folder, and which checkpoint of it is meant."""

from pathlib import Path

from servogym.learning.bundle import RUN

CHECKPOINTS = "checkpoints"
BEST = "best"


def checkpoint_path(run: Path, env_steps: int) -> Path:
    """Give the checkpoint folder for a number of environment steps."""
    return run / CHECKPOINTS / f"{env_steps:09d}"


def latest_bundle(run: Path) -> Path:
    """Give the checkpoint with the most environment steps; `run` itself if it is a checkpoint.

    Raises:
        FileNotFoundError: There is none.
    """
    if (run / RUN).is_file():
        return run
    found = sorted((run / CHECKPOINTS).glob("[0-9]*"))
    if not found:
        raise FileNotFoundError(f"{run}: neither a checkpoint nor a run folder with {CHECKPOINTS}/")
    return found[-1]


def find_bundle(run: Path) -> Path:
    """Give the checkpoint that evaluated best, the latest one if none was evaluated.

    Raises:
        FileNotFoundError: There is none.
    """
    best = run / BEST
    return best if (best / RUN).is_file() else latest_bundle(run)
