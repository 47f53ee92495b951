"""Numbers that are not finite: found, named once, and kept from everything that learns."""

from __future__ import annotations

import warnings

import numpy as np


class Faults:
    """Remembers what has been complained about, so that a broken term speaks once."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._said: set[str] = set()

    def clean(self, what: str, values: np.ndarray, lost: np.ndarray) -> np.ndarray:
        """Return values (n,) or (n, k) with 0 for what is not finite; mark such rows as lost.

        Args:
            what: name for people, said in a RuntimeWarning the first time.
            values: one row a robot.
            lost: (n,) bool, changed in place.
        """
        bad = ~np.isfinite(values)
        if not bad.any():
            return values
        rows = bad if bad.ndim == 1 else bad.any(axis=1)
        lost |= rows
        if what not in self._said:
            self._said.add(what)
            warnings.warn(
                f"{what} is not finite in row {np.flatnonzero(rows)[0]}; such rows end as "
                "diverged (said once)",
                RuntimeWarning,
                stacklevel=2,
            )
        return np.where(bad, 0, values)
