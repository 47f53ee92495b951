"""Draws the learning curves of one run, or of several on top of each other, from their tables.

python -m servogym.learning.curve runs/<run> runs/<another run> --out curves.png
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from matplotlib.figure import Figure

from servogym.learning import folder
from servogym.learning.callbacks.table import read

PANELS = (
    ("reward", "reward per control step"),
    ("falls_per_min", "falls per robot and minute"),
    ("tracking", "velocity tracking (1: perfect)"),
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Draw learning curves."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders; each gets a colour and its folder's name in the legend."""
    out: Path
    """The picture to write (.png, .svg or .pdf)."""


def draw(runs: Sequence[Path], path: Path) -> Path:
    """Write a picture of reward, falls, tracking and evaluations over environment steps.

    Training curves include exploration noise; the evaluated return does not.

    Args:
        runs: The run folders.
        path: The picture to write.

    Raises:
        FileNotFoundError: A folder has no table of progress.
    """
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True).ravel()
    for number, run in enumerate(runs):
        _add(run, axes, f"C{number}")
    for ax, (_, label) in zip(axes, PANELS, strict=False):
        ax.set_title(label)
    zero = [row for row in read(runs[0] / folder.EVALUATIONS) if row["policy"] == "zero"]
    for row in zero:
        axes[3].axhline(float(row["return"]), color="tab:gray", ls="--", label="doing nothing")
    axes[3].set_title("return of an evaluated episode")
    axes[3].legend()
    for ax in axes:
        ax.set_xlabel("million environment steps")
        ax.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


def _add(run: Path, axes, color: str) -> None:
    rows = read(run / folder.PROGRESS)
    if not rows:
        raise FileNotFoundError(f"{run / folder.PROGRESS}: no learning curve there")
    steps = [float(row["env_steps"]) / 1e6 for row in rows]
    for ax, (column, _) in zip(axes, PANELS, strict=False):
        ax.plot(steps, [float(row[column]) for row in rows], color=color, lw=1.0)
    trained = [row for row in read(run / folder.EVALUATIONS) if row["policy"] == "trained"]
    axes[3].plot(
        [float(row["env_steps"]) / 1e6 for row in trained],
        [float(row["return"]) for row in trained],
        "o-",
        color=color,
        label=run.name,
    )


def main() -> None:
    """Run the command line."""
    options = tyro.cli(Options, description=__doc__)
    try:
        print(draw(options.runs, options.out))
    except (OSError, ValueError) as error:
        sys.exit(f"curve: {error}")


if __name__ == "__main__":
    main()
