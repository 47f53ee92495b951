"""The end of the page: the walking bar, and how everything was measured."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from servogym.gauge.criterion import MARKS
from servogym.gauge.sheet import tables, words

Record = Mapping[str, Any]


def bar(record: Record | None) -> str:
    """Write the criteria of a judgement; nothing where there is no bar."""
    if not record or not record["criteria"]:
        return ""
    parts = []
    for mark in MARKS:
        mine = [c for c in record["criteria"] if c["mark"] == mark]
        met = sum(c["passed"] for c in mine)
        rows = [
            (
                c["name"],
                "–" if c["value"] is None else f"{c['value']:.3g}",  # noqa: RUF001 (a dash)
                "" if c["interval"] is None else " to ".join(f"{v:.3g}" for v in c["interval"]),
                f"{'≥' if c['at_least'] else '<' if c['strict'] else '≤'} {c['limit']:g}",
                "yes" if c["passed"] else tables.Raw('<span class="flag">no</span>'),
            )
            for c in mine
        ]
        reached = "reached" if record["marks"][mark] else "not reached"
        parts.append(
            f"<p><b>{mark}</b>: {reached}, {met} of {len(mine)}. {record['episodes']} robots a "
            f"command, {record['seconds']:g} s, with the task's pushes.</p>"
            + tables.table(("criterion", "value", "95 %", "limit", "met"), rows)
        )
    return "".join(parts)


def conditions(card: Record) -> str:
    """Write on what a card was measured, and how to measure it again."""
    score = card["entries"][0]["score"]
    cell, world = score["cell"], score["world"]
    collides = ", ".join(world["collides"])
    if world["feet_only"]:
        collides += "; nothing else does: a robot that falls sinks into the ground"
    rows = [
        ("rules", f"{words.RULES[score['rules']]}, docs/metrics.md"),
        ("goals", ", ".join(words.goal(name) for name in cell["goals"])),
        (
            "options",
            ", ".join(f"{k} {v}" for k, v in cell["options"].items()) or "those of the task",
        ),
        ("pushes", "only in the goal that pushes, unless an option says otherwise"),
        ("terrain, contact", f"{world['terrain']}, {world['contact']}"),
        ("backlash, encoder", f"± {world['backlash']:g} rad, at the {world['encoder']}"),
        ("geoms that collide", collides),
        ("scales", ", ".join(f"{k} {v:.4g}" for k, v in world["scales"].items())),
        ("versions", ", ".join(f"{k} {v}" for k, v in world["versions"].items())),
    ]
    for each in card["entries"]:
        who, differs = each["score"]["subject"], each["score"]["world"]["differs"]
        about = f"{who['file']}, trained on {who['trained_task']} with {who['trained_actuator']}"
        about += f", sha256 {who['sha256']}" if who["sha256"] else ""
        rows.append((each["label"], about))
        if differs:
            rows.append((f"{each['label']} differs", "; ".join(differs)))
    shown = "".join(
        f'<tr><td>{escape(k)}</td><td class="text long">{escape(v)}</td></tr>' for k, v in rows
    )
    return (
        f"<h2>How it was measured</h2><table>{shown}</table>"
        f"<h3>The same card again</h3><pre>{escape(card['command'])}</pre>"
    )
