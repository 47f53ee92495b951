"""What was seen of errands: recordings cut so that all errands of one length begin together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from servogym.gauge.metrics import footing, samples
from servogym.gauge.metrics.footing import Footing
from servogym.gauge.metrics.samples import Samples
from servogym.gauge.plan import Errand

NEVER = 10**9
"""Number of a sample that does not come."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was seen of errands of one length, cut so that all begin together."""

    errands: tuple[Errand, ...]
    """Which, one a column."""
    samples: Samples
    """What they did from where they had come to rest on; for a robot that reached its target, or
    went out of bounds, `settled` ends there."""
    footing: Footing
    """Contacts of the same time."""
    whole: tuple[Samples, Footing] | None
    """Both from the reset to the end, where settling is wanted too; nobody is `alive` after it."""
    fell: np.ndarray
    """Who fell, (n,) bool."""
    target: np.ndarray
    """Place each was sent to, (n, 2) [m]; NaN where none."""
    lost: np.ndarray
    """Whose physics blew up, (n,) bool; that is a fall as well."""


@dataclass(frozen=True, kw_only=True)
class Times:
    """When what happened to each of n robots, in samples since the reset."""

    start: np.ndarray
    """When it had come to rest and its errand began; a multiple of the footing's, (n,) int."""
    length: np.ndarray
    """How long the errand is, (n,) int."""
    fell: np.ndarray
    """The sample from which on it has fallen, or `NEVER`, (n,) int."""
    left: np.ndarray
    """From which on it was at its target or out of bounds, or `NEVER`, (n,) int."""


def cut(
    whole: Samples, ground: Footing, times: Times, rows: np.ndarray, settling: bool
) -> dict[str, Any]:
    """Cut a recording: what `Seen` says of rows whose errands have one length.

    Args:
        whole: what all robots did from the reset on.
        ground: their contacts.
        times: when what happened to them.
        rows: whose errands.
        settling: whether the recording from the reset on is wanted too.
    """
    start, length = times.start[rows], int(times.length[rows[0]])
    end = np.minimum(start + length, times.left[rows])
    moments = start + np.arange(length)[:, None]
    one, other = _from(whole, ground, start, length, rows)
    both = None
    if settling:
        width = length + int(start.max())
        all_of, all_on = _from(whole, ground, np.zeros_like(start), width, rows)
        time = np.arange(width)[:, None]
        up = (time < times.fell[rows]) & (time < end)
        both = replace(all_of, alive=up, settled=time >= start), all_on
    return {
        "samples": replace(one, alive=moments < times.fell[rows], settled=moments < end),
        "footing": other,
        "whole": both,
        "fell": times.fell[rows] < NEVER,
    }


def _from(
    whole: Samples, ground: Footing, begin: np.ndarray, width: int, rows: np.ndarray
) -> tuple[Samples, Footing]:
    """Give so many samples of rows, each from a beginning of its own; the last one repeats."""
    found = np.minimum(begin + np.arange(width)[:, None], len(whole) - 1)
    kept = {name: getattr(whole, name)[found, rows] for name in samples.NAMES}
    looks = begin // ground.every + np.arange(width // ground.every)[:, None]
    looks = np.minimum(looks, len(ground) - 1)
    return replace(whole, **kept), footing.pick(ground, looks, rows)
