"""Writes one row per rollout into a CSV file."""

import csv
from collections.abc import Mapping
from pathlib import Path

from stable_baselines3.common.callbacks import BaseCallback

from servogym.learning.callbacks.metrics import RolloutMetrics


class Table(BaseCallback):
    """Appends the metrics of each rollout; every row is on disk before the update begins."""

    def __init__(self, path: Path, metrics: RolloutMetrics) -> None:
        """Prepare the table.

        Args:
            path: The CSV file.
            metrics: Where the numbers come from.
        """
        super().__init__()
        self._path, self._metrics = path, metrics

    def _on_rollout_end(self) -> None:
        append(self._path, self._metrics.latest)

    def _on_step(self) -> bool:
        return True


def append(path: Path, row: Mapping[str, float | str]) -> None:
    """Add one row; a new file gets its header first."""
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        if fresh:
            writer.writeheader()
        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})


def read(path: Path) -> list[dict[str, str]]:
    """Give the rows; none when there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def rewind(path: Path, env_steps: int) -> None:
    """Drop rows beyond a number of environment steps: a run is about to make them again.

    A last row cut short by a crash goes too; the next one would continue its line.
    """
    rows = read(path)
    torn = path.exists() and not path.read_bytes().endswith(b"\n")
    whole = rows[:-1] if torn else rows
    kept = [row for row in whole if int(row["env_steps"]) <= env_steps]
    if torn or len(kept) < len(rows):
        path.unlink()
        for row in kept:
            append(path, row)
