"""Says a card in a few lines, for a terminal; the page says it all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from servogym.cli.text import table
from servogym.gauge.compare import Moved
from servogym.gauge.flags import MEANING
from servogym.gauge.sheet import words
from servogym.gauge.sheet.page import verdict


def write(card: Mapping[str, Any]) -> str:
    """Write a card's record as Markdown."""
    parts = []
    for each in card["entries"]:
        score = each["score"]
        flags = [f"**{MEANING[tag]}**" for tag in score["flags"]]
        rows = [
            (
                words.goal(name),
                f"{goal['falls']}/{goal['episodes']}",
                "" if goal["success"] is None else f"{100 * goal['success']:.0f} %",
                *(words.number(goal["metrics"]["quality"][k], 2) for k in ("mean", "mean@25")),
            )
            for name, goal in score["goals"].items()
        ]
        parts += [
            f"**{each['label']}**, {words.RULES[score['rules']]}",
            verdict(score),
            *flags,
            table(("goal", "falls", "done", "quality", "worst quarter"), rows),
        ]
        if each["bar"] and each["bar"]["marks"]:
            marks = each["bar"]["marks"].items()
            reached = (f"{mark} {'reached' if there else 'not reached'}" for mark, there in marks)
            parts.append(f"The walking bar: {', '.join(reached)}.")
    for found in card["moved"]:
        most = next(m for m in found["metrics"] if m["metric"] == found["most"])
        low, high = most["interval"]
        parts.append(
            f"From {found['from']} to {found['to']}, {words.metric(most['metric'])} moved most: "
            f"{most['change']:+.3f} ({low:+.3f} to {high:+.3f})."
        )
    return "\n\n".join(parts) + "\n"


def regression(moved: Moved) -> str:
    """Say that a metric fell."""
    low, high = moved.interval
    return (
        f"{words.metric(moved.metric)} fell from {moved.before:.3f} to {moved.after:.3f} "
        f"(change {low:+.3f} to {high:+.3f})"
    )
