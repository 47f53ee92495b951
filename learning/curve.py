"""Draws the learning curve of a run from its tables."""

from pathlib import Path

from matplotlib.figure import Figure

from servogym.learning import folder
from servogym.learning.callbacks.table import read

PANELS = (
    ("reward", "reward per control step"),
    ("falls_per_min", "falls per robot and minute"),
    ("tracking", "velocity tracking (1: perfect)"),
)


def draw(run: Path, path: Path) -> Path:
    """Write a PNG of reward, falls, tracking and evaluations over environment steps.

    Training curves include exploration noise; the evaluated return does not.

    Args:
        run: The run folder.
        path: The picture to write.
    """
    rows = read(run / folder.PROGRESS)
    steps = [float(row["env_steps"]) / 1e6 for row in rows]
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True).ravel()
    for ax, (column, label) in zip(axes, PANELS, strict=False):
        ax.plot(steps, [float(row[column]) for row in rows], color="tab:blue")
        ax.set_title(label)
    ax = axes[3]
    found = read(run / folder.EVALUATIONS)
    trained = [row for row in found if row["policy"] == "trained"]
    ax.plot(
        [float(row["env_steps"]) / 1e6 for row in trained],
        [float(row["return"]) for row in trained],
        "o-",
        color="tab:blue",
        label="trained policy",
    )
    for row in found:
        if row["policy"] == "zero":
            ax.axhline(float(row["return"]), color="tab:gray", ls="--", label="doing nothing")
    ax.set_title("return of an evaluated episode")
    ax.legend()
    for ax in axes:
        ax.set_xlabel("million environment steps")
        ax.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    return path
