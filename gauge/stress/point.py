"""One point of a grid: a cell, perhaps after a search for the terrain level it is played on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from servogym.gauge import judgement, levels
from servogym.gauge.cell import Cell, of
from servogym.gauge.metrics.rules import RULES
from servogym.gauge.play import play
from servogym.gauge.quality import terrain_score
from servogym.gauge.saturation import saturation
from servogym.gauge.subject import Subject


@dataclass(frozen=True, kw_only=True)
class Point:
    """What is played, as plain data."""

    name: str
    """One of its kind in a grid; a file is called after it."""
    cell: Cell
    """What is scored."""
    climb: str | None = None
    """Kind of terrain whose highest level is searched first; the cell is then played there, from
    its middle. None: the cell is played as it stands."""
    climbers: int = levels.ROBOTS
    """Robots a look of that search [1]."""
    watched: bool = False
    """Whether it is counted how often the motors give less than they are asked."""

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values; equal points give equal records."""
        return {**vars(self), "cell": self.cell.record()}


def from_record(record: Mapping[str, Any]) -> Point:
    """Make the point of a record.

    Raises:
        LookupError: as for `Cell`.
        TypeError: for a field it does not have.
        ValueError: as for `Cell`.
    """
    return Point(**{**record, "cell": of(record["cell"])})


def play_point(point: Point, subject: Subject, *, threads: int = 1) -> dict[str, Any]:
    """Play a point; give its level, score, value and saturation as JSON-able values.

    The value of a point that climbs is the terrain score of its level and the quality there, 0
    where no level was passed (`quality.terrain_score`); of another it is the quality.

    Raises:
        LookupError: as for `play`.
        ValueError: as for `play`.
    """
    cell, found = point.cell, None
    if point.climb is not None:
        searched = replace(cell, robots=point.climbers)
        found = levels.climb(searched, point.climb, subject, threads=threads)
        if found.level == 0:
            return {"level": found.record(), "score": None, "value": 0.0, "saturation": None}
        middle = f"{point.climb}:{found.level}:middle"
        cell = replace(cell, options={**cell.options, "terrain": middle})
    score = play(cell, subject, threads=threads)
    value = score.quality
    if found is not None:
        value = terrain_score(found.level, score.quality, RULES[cell.rules])
    short = saturation(cell, subject) if point.watched else None
    told = {
        "level": None if found is None else found.record(),
        "score": score.record(),
        "value": judgement.short(value),
        "saturation": None if short is None else judgement.short(vars(short)),
    }
    # Through text, so that what was just played and what is read back are the same to the last bit.
    return json.loads(json.dumps(told))
