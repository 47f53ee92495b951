"""Writes a stress grid as a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def write(record: Mapping[str, Any]) -> str:
    """Give the page of a record of `summary.summarise`, as Markdown."""
    grid = record["grid"]
    head = (
        f"# Stress: {record['policy']['name']}\n\n"
        f"`{record['command']}`; policy sha256 {record['policy']['sha256'][:16]}…, trained on "
        f"{record['policy']['trained_actuator']}. Rules {grid['rules']}, {grid['robots']} episodes "
        f"a part of {', '.join(grid['goals'])}.\n\n"
        f"**Benchmark {record['benchmark']:.4f}**: mean over terrains of the worse half of their "
        "points. A point that passed no level or whose process died counts 0.\n\n"
        "| terrain | points | died | mean | mean@50 | levels |\n|---|---|---|---|---|---|\n"
    )
    rows = [
        f"| {kind} | {t['points']} | {t['dead']} | {t['mean']:.4f} | {t['mean@50']:.4f} "
        f"| {_levels(t['levels'])} |"
        for kind, t in record["terrains"].items()
    ]
    points = [
        f"| {p['name'].replace('_', ' ')} | {_said(p['level'])}{_disorderly(p)} "
        f"| {_said(p['quality'])} | {_falls(p)} | {p['value']:.4f} | {_ending(p)} |"
        for p in record["points"]
    ]
    head_of = "| point | level | quality there | falls | score | |\n|---|---|---|---|---|---|\n"
    table = f"\n\n## Points\n\n{head_of}"
    foot = "\n\n\\* a level below the one passed was failed by most robots that tried it.\n"
    return head + "\n".join(rows) + table + "\n".join(points) + foot


def _levels(levels: list[int | None]) -> str:
    found = [level for level in levels if level is not None]
    return f"{min(found)} to {max(found)}" if found else "-"


def _falls(point: Mapping[str, Any]) -> str:
    return "-" if point["falls"] is None else f"{point['falls']} of {point['episodes']}"


def _disorderly(point: Mapping[str, Any]) -> str:
    return "\\*" if point["orderly"] is False else ""


def _said(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _ending(point: Mapping[str, Any]) -> str:
    return "" if point["ending"] == "ran" else point["ending"]
