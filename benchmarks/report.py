"""Writes the tables of a result, and with them the page and the picture in `docs`.

Run it by `python -m benchmarks.report benchmarks/results/FILE.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import compare, plot
from benchmarks.contestant import ROOT

PAGE = ROOT / "docs" / "throughput.md"
PICTURE = ROOT / "docs" / "media" / "throughput.png"
MARKER = "<!-- measured -->"
Rows = Sequence[Mapping[str, Any]]


def bare(rows: Rows) -> str:
    """Tabulate ours beside bare physics."""
    head = ("motors", "robots", "environment steps/s", "bare `mujoco.batch`", "ratio", "spread")
    return _table(
        head,
        [
            (
                row["case"],
                row["robots"],
                _speed(row["ours"]),
                _speed(row["bare"]),
                f"{row['ratio']['median']:.2f}",
                _percent(row["ratio"]),
            )
            for row in rows
        ],
    )


def cores(rows: Rows) -> str:
    """Tabulate one core beside two."""
    return _table(
        ("motors", "one core", "two cores", "ratio", "spread"),
        [
            (
                row["case"],
                _speed(row["one"]),
                _speed(row["two"]),
                f"{row['ratio']['median']:.2f}",
                _percent(row["ratio"]),
            )
            if "absent" not in row
            else (row["case"], row["absent"], "", "", "")
            for row in rows
        ],
    )


def others(rows: Rows) -> str:
    """Tabulate ours beside the others; who is absent has a line that says why."""
    head = (
        "what",
        "environment",
        "robots",
        "steps/s",
        "spread",
        "restarts",
        "step [ms]",
        "physics steps/s",
        "cores busy",
        "busiest process",
    )
    return _table(head, [_other(row) for row in rows])


def _other(row: Mapping[str, Any]) -> tuple[Any, ...]:
    if "absent" in row:
        return (row["name"], row["absent"], *[""] * 8)
    speed, substeps = row["speed"]["median"], row["control_dt"] / row["physics_dt"]
    return (
        row["name"],
        row["env"],
        row["robots"],
        _speed(row["speed"]),
        _percent(row["speed"]),
        f"{row['restarts']:.1%}",
        f"{1e3 * row['control_dt']:.0f}",
        f"{speed * substeps:,.0f}",
        f"{row['cores']:.2f}",
        f"{row['busiest']:.2f}",
    )


def training(rows: Rows) -> str:
    """Tabulate training beside the environment alone, and early beside late."""
    whole = _table(
        ("motors", "training steps/s", "environment alone", "ratio", "spread"),
        [
            (
                row["case"],
                _speed(row["speed"]),
                _speed(row["alone"]),
                f"{row['ratio']['median']:.2f}",
                _percent(row["ratio"]),
            )
            for row in rows
        ],
    )
    parts = _table(
        ("µs per step", "environment", "policy", "update", "rest", "all"),
        [(row["case"], *(f"{us:.1f}" for us in row["microseconds"].values())) for row in rows],
    )
    early = _table(
        ("motors", "steps/s early", "late", "ratio", "same work, ratio", "memory early", "late"),
        [
            (
                row["case"],
                f"{row['early']['speed']:,.0f}",
                f"{row['late']['speed']:,.0f}",
                f"{row['later_speed']:.2f}",
                f"{row['later_same_work']:.2f}",
                f"{row['early']['memory']:.0f} MB",
                f"{row['late']['memory']:.0f} MB",
            )
            for row in rows
        ],
    )
    return f"{whole}\n\n{parts}\n\n{early}"


SECTIONS = {"bare": bare, "cores": cores, "others": others, "training": training}
TITLES = {
    "bare": "Beside bare physics",
    "cores": "One core and two",
    "others": "Beside other environments",
    "training": "Training beside its environment",
}


def page(result: Mapping[str, Any], name: str) -> str:
    """Return what the page says below its marker about the result in a file of this name."""
    machine = result["machine"]
    versions = ", ".join(f"{key} {value}" for key, value in machine["versions"].items())
    threads = ", ".join(f"{key} {value}" for key, value in machine["threads"].items())
    parts = [
        f"Made by `make bench` on {machine['date']} in {machine['minutes']:.0f} minutes: "
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']:.0f} GB; load before "
        f"{machine['load_before']:.2f}.\nThreads: {threads}.\nVersions: {versions}.\n"
        f"Every turn is in [benchmarks/results/{name}](../benchmarks/results/{name}).",
        "![The four sections](media/throughput.png)",
    ]
    for key, text in SECTIONS.items():
        parts.append(f"### {TITLES[key]}\n\n{text(result[key])}")
    return "\n\n".join(parts) + "\n"


def write(result: Mapping[str, Any], name: str) -> None:
    """Put a result into the page, below its marker, and draw its picture."""
    head = PAGE.read_text().partition(MARKER)[0]
    PAGE.write_text(f"{head}{MARKER}\n\n{page(result, name)}")
    plot.draw(result, PICTURE)


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, marks, *rows))


def _speed(of: Mapping[str, Any]) -> str:
    return f"{of['median']:,.0f}"


def _percent(of: Mapping[str, Any]) -> str:
    return f"{of['spread']:.0%}"


def main() -> None:
    """Write the page for a result."""
    parser = argparse.ArgumentParser(description="Write the page for a result.")
    parser.add_argument("result", type=Path)
    path = parser.parse_args().result
    try:
        result = compare.load(path)
    except (OSError, ValueError) as error:
        sys.exit(f"report: {error}")
    write(result, path.name)


if __name__ == "__main__":
    main()
