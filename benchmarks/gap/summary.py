"""Sums up what was measured: means over runs, and the differences the experiment asks about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from benchmarks.gap import seeds
from benchmarks.gap.groups import BACKLASH, DC, GROUPS, IDEAL, PLAIN, Group
from benchmarks.gap.measures import FALLS, MEASURES, Sample
from benchmarks.gap.worlds import GAP, MOTOR_SIDE, NO_GAP, WIDTHS, WORLDS, World

Found = Mapping[tuple[str, str], Sequence[Mapping[str, Sample]]]
"""(group, world) by name -> of each run, every measure by key; runs in one order everywhere."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A difference between two means."""

    about: str
    """What it is about: training, gap, encoder, motor or instead."""
    name: str
    """In words."""
    above: tuple[Group, World]
    """Whose mean is taken."""
    below: tuple[Group, World]
    """Whose mean is subtracted."""

    @property
    def paired(self) -> bool:
        """Whether the same runs are on both sides."""
        return self.above[0] is self.below[0]


QUESTIONS = (
    *(
        Question(about="training", name=world.title, above=(BACKLASH, world), below=(PLAIN, world))
        for world in WORLDS
    ),
    *(
        Question(
            about="gap",
            name=f"{group.name}: {world.title}",
            above=(group, world),
            below=(group, NO_GAP),
        )
        for world in WIDTHS
        for group in (PLAIN, BACKLASH)
    ),
    *(
        Question(about="encoder", name=group.name, above=(group, MOTOR_SIDE), below=(group, GAP))
        for group in (PLAIN, BACKLASH)
    ),
    *(
        Question(
            about="motor",
            name=f"{group.name}: BAM instead of own motors",
            above=(group, NO_GAP),
            below=(group, group.worlds[0]),
        )
        for group in (IDEAL, DC)
    ),
    *(
        Question(
            about="instead",
            name=f"{group.name} minus plain: {world.title}",
            above=(group, world),
            below=(PLAIN, world),
        )
        for group in (IDEAL, DC)
        for world in (NO_GAP, GAP)
    ),
)


def means(found: Found) -> list[dict[str, Any]]:
    """Return one row for each group, world and measure.

    `runs` are the numbers of the runs, None where nobody was left to measure; `mean` and `seeds`
    are their mean and its 95 % interval over runs, `robots` the 95 % interval over robots for these
    very policies.
    """
    return [
        {
            "group": group.name,
            "world": world.title,
            "measure": measure.key,
            **_row([run[measure.key] for run in found[group.name, world.title]], measure.key),
        }
        for group in GROUPS
        for world in group.worlds
        if (group.name, world.title) in found
        for measure in MEASURES
    ]


def differences(found: Found) -> list[dict[str, Any]]:
    """Return one row for each question that the groups at hand can answer, and each measure."""
    rows = []
    for question in QUESTIONS:
        sides = [(group.name, world.title) for group, world in (question.above, question.below)]
        if not all(side in found for side in sides):
            continue
        for measure in MEASURES:
            above, below = ([run[measure.key].value for run in found[side]] for side in sides)
            estimate = seeds.paired if question.paired else seeds.difference
            mean, interval = estimate(above, below)
            rows.append(
                {
                    "about": question.about,
                    "name": question.name,
                    "measure": measure.key,
                    "mean": mean,
                    "seeds": interval,
                }
            )
    return rows


def _row(runs: Sequence[Sample], key: str) -> dict[str, Any]:
    values = [run.value for run in runs]
    mean, interval = seeds.mean(values)
    cells = [run.cells for run in runs]
    return {
        "runs": [value if isfinite(value) else None for value in values],
        "mean": mean,
        "seeds": interval,
        "robots": seeds.falls(cells) if key in FALLS else seeds.robots(cells),
    }
