"""Why the episode of each row ended in a step: by failing, by leaving, by time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

DIVERGED, STUCK, CROSSED, TIME = "diverged", "stuck", "crossed", "time"
"""Reasons that no task names: the physics blew up; a robot in training got nowhere on its tile; it
crossed the tile; the time limit."""


class Ends:
    """The name of what ended each row's episode, an empty one while it goes on."""

    def __init__(self, named: Iterable[str], n: int) -> None:
        """Begin with nothing ended.

        Args:
            named: ends that the task names.
            n: rows.
        """
        self.names = ("", DIVERGED, *named, STUCK, CROSSED, TIME)
        self._code = {name: code for code, name in enumerate(self.names)}
        self._words = np.array(self.names, dtype=object)
        self._of_row = np.zeros(n, int)

    def clear(self, rows: np.ndarray | slice = slice(None)) -> None:
        """Let the episodes of rows go on."""
        self._of_row[rows] = 0

    def add(self, name: str, which: np.ndarray) -> np.ndarray:
        """Note that an end holds for some rows (n,) bool, and return them; the first one counts."""
        self._of_row[which & (self._of_row == 0)] = self._code[name]
        return which

    @property
    def reason(self) -> np.ndarray:
        """Reason of every row, (n,) of str."""
        return self._words[self._of_row]
