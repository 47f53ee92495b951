"""Draws a result: one panel a measure, a point a run, a bar for the 95 % interval over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.gap.groups import BACKLASH, DC, IDEAL, PLAIN, Group
from benchmarks.gap.measures import MEASURES, Measure
from benchmarks.gap.worlds import GAP, MOTOR_SIDE, NO_GAP, WORLDS, World

Place = tuple[Group, World]
COLOURS = {"plain": "tab:orange", "backlash": "tab:blue", "ideal": "tab:green", "dc": "tab:red"}
_COLUMNS = 4


def draw(result: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the pictures a result has numbers for; return their files."""
    rows = {(r["group"], r["world"], r["measure"]): r for r in result["means"]}
    have = {key[0] for key in rows}
    gaps = [[(group, world) for world in WORLDS] for group in (PLAIN, BACKLASH)]
    folder.mkdir(parents=True, exist_ok=True)
    pictures = [folder / "backlash_gaps.png"]
    _sheet(pictures[0], rows, gaps, "half range of the gap [deg]")
    others = [
        [(group, group.worlds[0]), (group, NO_GAP), (group, GAP)]
        for group in (IDEAL, DC)
        if group.name in have
    ]
    if others:
        pictures.append(folder / "backlash_motors.png")
        motors = [[(PLAIN, NO_GAP), (PLAIN, GAP)], *others]
        _sheet(pictures[1], rows, motors, "half range of the gap [deg], motors BAM unless named")
    return pictures


def _sheet(
    path: Path, rows: Mapping[Any, Any], series: Sequence[Sequence[Place]], label: str
) -> None:
    """Write a sheet; series with the same worlds share the places on the axis."""
    height = -(-(len(MEASURES) + 1) // _COLUMNS)
    figure = Figure(figsize=(14.0, 3.1 * height), layout="constrained")
    *panels, legend = figure.subplots(height, _COLUMNS).flat
    for panel, measure in zip(panels, MEASURES, strict=True):
        _panel(panel, rows, series, measure)
    for line in series:
        group = line[0][0]
        legend.plot([], [], "o-", color=COLOURS[group.name], label=f"trained {group.trained}")
    legend.set_axis_off()
    legend.legend(loc="center", fontsize=9)
    figure.supxlabel(f"{label}; scales do not begin at 0", fontsize=10)
    figure.savefig(path, dpi=100)


def _panel(
    ax: Axes, rows: Mapping[Any, Any], series: Sequence[Sequence[Place]], measure: Measure
) -> None:
    labels: list[str] = []
    shared = len({tuple(world.title for _, world in line) for line in series}) == 1
    for number, line in enumerate(series):
        first = 0 if shared else len(labels)
        shift = 0.16 * (number - 0.5) if shared else 0.0
        labels += [world.short for _, world in line] if first == len(labels) else []
        at = [first + place + shift for place in range(len(line))]
        found = [rows[group.name, world.title, measure.key] for group, world in line]
        _line(ax, at, found, COLOURS[line[0][0].name])
    ax.set_xticks(range(len(labels)), labels, fontsize=7)
    ax.set_title(measure.full, fontsize=9)
    ax.margins(y=0.1)


def _line(ax: Axes, at: Sequence[float], found: Sequence[Mapping[str, Any]], colour: str) -> None:
    for x, row in zip(at, found, strict=True):
        values = [value for value in row["runs"] if value is not None]
        ax.plot([x] * len(values), values, "o", color=colour, markersize=4, alpha=0.6)
        if row["seeds"] is not None:
            ax.vlines(x, *row["seeds"], color=colour, linewidth=1.2)
    means = [float("nan") if row["mean"] is None else row["mean"] for row in found]
    joined = sum(row["world"] != MOTOR_SIDE.title for row in found)
    ax.plot(at[:joined], means[:joined], "-", color=colour, linewidth=1.2)
    ax.plot(at[joined:], means[joined:], "_", color=colour, markersize=12)
