"""A score card: one policy or several side by side, the baselines, and the bar if there is one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from servogym.envs import registration
from servogym.gauge import bar, compare, flags, subject
from servogym.gauge.cell import Cell
from servogym.gauge.compare import Moved
from servogym.gauge.judgement import Conditions, Judgement, judge, short
from servogym.gauge.play import play
from servogym.gauge.score import Score
from servogym.gauge.subject import Subject

FORMAT = "servogym-card-1"
FEW = 2
"""Robots of each part that play the baselines; the policy is held against them by the same ones."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What not trying comes to, beside the policy, on the same robots."""

    name: str
    """`zero` or `random`."""
    quality: float
    """Its quality, mean over episodes and then over goals [1]."""
    policy: float
    """The policy's on these robots [1]."""
    falls: int
    """How many of its episodes ended in a fall [1]."""
    episodes: int
    """How many it played [1]."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One column of a card."""

    label: str
    """What it is called on the card."""
    score: Score
    """What it scored."""
    baselines: tuple[Baseline, ...]
    """What not trying comes to."""
    judgement: Judgement | None
    """The walking bar; None where the task has none, or it was not asked for."""

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values."""
        return {
            "label": self.label,
            "score": self.score.record(),
            "baselines": [short(asdict(each)) for each in self.baselines],
            "bar": self.judgement.record() if self.judgement else None,
        }


def entry(
    label: str,
    who: Subject,
    cell: Cell,
    *,
    conditions: Conditions | None = None,
    threads: int = 0,
    tell: Callable[[str], None] = lambda text: None,
) -> Entry:
    """Play everything that makes a column.

    Args:
        label: what it is called.
        who: who plays.
        cell: what is played.
        conditions: those of the walking bar; None leaves it out.
        threads: physics threads; 0 uses every CPU.
        tell: is told what comes next.

    Raises:
        LookupError: for an unknown task, motor law or terrain.
        ValueError: when the policy does not fit the task.
    """
    tell(f"{label}: goals")
    score = play(cell, who, threads=threads)
    few = replace(cell, robots=min(FEW, cell.robots))
    baselines = []
    for name in subject.BASELINES:
        tell(f"{label}: the baseline {name}")
        idle = play(few, subject.find(name, cell.task), threads=threads)
        baselines.append(
            Baseline(
                name=name,
                quality=_quality(idle, few.robots),
                policy=_quality(score, few.robots),
                falls=idle.falls,
                episodes=idle.episodes,
            )
        )
    if any(each.policy <= each.quality for each in baselines):
        score = replace(score, flags=(*score.flags, flags.IDLE))
    judgement = None
    if conditions is not None and bar.of(registration.resolve(cell.task)["task"]):
        tell(f"{label}: the walking bar")
        judgement = judge(who, conditions)
    return Entry(label=label, score=score, baselines=tuple(baselines), judgement=judgement)


def record(entries: Sequence[Entry], command: str) -> dict[str, Any]:
    """Give a card as JSON-able values: every column, and what moved from the first to each other.

    Args:
        entries: the columns.
        command: the command line that makes the same card again.
    """
    columns = [each.record() for each in entries]
    return {
        "format": FORMAT,
        "command": command,
        "entries": columns,
        "moved": [
            {
                "from": columns[0]["label"],
                "to": other["label"],
                **moves(compare.moved(columns[0]["score"], other["score"])),
            }
            for other in columns[1:]
        ],
    }


def moves(found: list[Moved]) -> dict[str, Any]:
    """Give a comparison as JSON-able values."""
    most = compare.most(found)
    return {
        "most": most.metric,
        "metrics": [short({**asdict(each), "surely": each.surely}) for each in found],
    }


def read(path: Path) -> dict[str, Any]:
    """Read a card.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON, no card, or one of which something is missing.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        card = json.loads(path.read_text("utf-8"))
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{path} is no JSON: {error}") from None
    kind = card.get("format") if isinstance(card, dict) else None
    if kind != FORMAT:
        raise ValueError(f"{path} has format {kind!r}; a card has {FORMAT!r}")
    try:
        scores = [each["score"] for each in card["entries"]]
        for score in scores:  # what a comparison needs, it needs of both
            compare.moved(score, score)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is a card of which something is missing ({why})") from None
    if not scores:
        raise ValueError(f"{path} is a card without a column; needs 1 or more")
    return card


def accepted(card: Mapping[str, Any], least: float | None, mark: str | None) -> bool:
    """Whether every policy of a card is good enough.

    Args:
        card: its record.
        least: quality that is needed, and no flag; None asks for nothing.
        mark: mark of the bar that must be reached; None asks for nothing.
    """
    for each in card["entries"]:
        score, bar_of = each["score"], each["bar"]
        good = not score["flags"] and score["metrics"]["quality"]["mean"] >= (least or 0.0)
        if least is not None and not good:
            return False
        if mark is not None and not (bar_of and bar_of["marks"].get(mark)):
            return False
    return True


def against(card: Mapping[str, Any], stored: Mapping[str, Any], tolerance: float) -> list[Moved]:
    """Return the metrics that surely fell below those of a stored card by more than a tolerance.

    Raises:
        ValueError: as for `comparable`, or when the episodes of the two are not pairs.
    """
    old, new = (each["entries"][0]["score"] for each in (stored, card))
    comparable(stored, new["cell"])
    return [each for each in compare.moved(old, new) if each.worse(tolerance)]


def comparable(stored: Mapping[str, Any], cell: Mapping[str, Any]) -> None:
    """Refuse a stored card that a score of this cell cannot be held against.

    Args:
        stored: its record.
        cell: record of the cell that is to be played.

    Raises:
        ValueError: it has several columns, or is of other conditions, naming what differs.
    """
    if len(stored["entries"]) != 1:
        labels = ", ".join(repr(each.get("label")) for each in stored["entries"])
        raise ValueError(f"the stored card has the columns {labels}; needs a card of one")
    asked = (*compare.ASKED, "options")
    if differs := compare.unlike(stored["entries"][0]["score"], {"cell": cell}, asked):
        raise ValueError(f"the stored card is of other conditions: {differs}")


def _quality(score: Score, robots: int) -> float:
    """Mean quality of the episodes of the first robots of each part, then over the goals."""
    by: dict[str, list[float]] = {}
    for one in score.played:
        if one.robot < robots and not np.isnan(value := one.metrics["quality"]):
            by.setdefault(one.goal, []).append(value)
    return float(np.mean([np.mean(values) for values in by.values()])) if by else 0.0
