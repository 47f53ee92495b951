"""What is obviously wrong with a policy, so that no number can hide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from servogym.gauge.metrics.tracking import Bin, stands_still
from servogym.gauge.score import GoalScore

STANDS, FALLS, IDLE = "stands_still", "falls", "no_better_than_nothing"
MEANING: Mapping[str, str] = {
    STANDS: "It stands still: it achieves less than a tenth of every command to move.",
    FALLS: "It falls in more than half of all episodes.",
    IDLE: "Doing nothing at all scores as much.",
}
"""Tag -> sentence."""


def of(goals: Mapping[str, GoalScore], bins: Sequence[Bin]) -> tuple[str, ...]:
    """Return the tags that hold for a score.

    Args:
        goals: how each goal was played.
        bins: how each command was followed.
    """
    falls = sum(goal.falls for goal in goals.values())
    episodes = sum(goal.episodes for goal in goals.values())
    holds = {STANDS: stands_still(bins), FALLS: 2 * falls > episodes}
    return tuple(tag for tag, does in holds.items() if does)
