"""Draws a result: one panel a section."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

OURS, THEIRS = "tab:blue", "tab:gray"
PARTS = {"environment": OURS, "policy": "tab:orange", "update": "tab:red", "rest": "tab:gray"}


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Write a PNG of all sections; thin lines are the middle half of the turns' range."""
    machine = result["machine"]
    figure = Figure(figsize=(12.0, 9.0), layout="constrained")
    figure.suptitle(f"servogym on {machine['cores']} cores of {machine['cpu']}, {machine['date']}")
    (left, right), (below, last) = figure.subplots(2, 2)
    _bare(left, result["bare"])
    _others(right, result["others"])
    _training(below, result["training"])
    _curve(last, result["training"], result["cores"])
    figure.savefig(path, dpi=110)


def _bare(ax: Axes, rows: list[dict[str, Any]]) -> None:
    for place, row in enumerate(rows):
        for shift, who, colour in ((-0.2, "ours", OURS), (0.2, "bare", THEIRS)):
            speed = row[who]["median"]
            half = 0.5 * row[who]["spread"] * speed
            ax.bar(place + shift, speed, 0.38, color=colour, yerr=half)
        top = 1.05 * max(row["ours"]["median"], row["bare"]["median"])
        ax.text(place, top, f"{row['ratio']['median']:.2f}", ha="center", weight="bold")
    names = [f"{row['case']}, {row['robots']}" for row in rows]
    ax.set_xticks(range(len(rows)), names, fontsize=8, rotation=30, ha="right")
    ax.margins(y=0.15)
    ax.set_ylabel("environment steps per second")
    ax.set_title("The environment (blue), bare mujoco.batch (gray), ratio")


def _others(ax: Axes, rows: list[dict[str, Any]]) -> None:
    side = ax.get_yaxis_transform()  # x from the left edge of the axes, y in rows
    for place, row in enumerate(rows):
        if "absent" in row:
            ax.text(0.0, place, " not measured", transform=side, va="center", fontsize=8)
            continue
        speed = row["speed"]["median"]
        mine = row["name"].startswith("servogym")
        ax.barh(place, speed, color=OURS if mine else THEIRS)
        ax.text(speed, place, f" {speed:,.0f}", va="center", fontsize=8)
    ax.set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize=8)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xscale("log")
    ax.margins(x=0.2)
    ax.set_xlabel("environment steps per second (each its own robot, task and step)")
    ax.set_title("Beside other environments, small random actions")


def _training(ax: Axes, rows: list[dict[str, Any]]) -> None:
    for place, row in enumerate(rows):
        bottom = 0.0
        for part, colour in PARTS.items():
            height = row["microseconds"][part]
            label = part if place == 0 else None
            ax.bar(place, height, 0.6, bottom=bottom, color=colour, label=label)
            bottom += height
        ratio = f"{row['ratio']['median']:.2f}"
        ax.text(place, bottom, ratio, ha="center", va="bottom", weight="bold")
    ax.set_xticks(range(len(rows)), [row["case"] for row in rows])
    ax.set_ylabel("µs per environment step")
    ax.set_xlim(-0.6, len(rows) + 0.5)
    ax.margins(y=0.2)
    ax.legend(loc="upper right")
    ax.set_title("Training, its speed over that of the environment alone")


def _curve(ax: Axes, rows: list[dict[str, Any]], cores: list[dict[str, Any]]) -> None:
    memory = ax.twinx()
    for row, style in zip(rows, ("-", "--"), strict=False):
        steps, speed, megabytes = zip(*row["curve"], strict=True)
        thousands = [value / 1e3 for value in steps]
        ax.plot(thousands, speed, style, color=OURS, label=f"{row['case']}: steps/s")
        memory.plot(thousands, megabytes, style, color="tab:green")
    ax.set_ylim(bottom=0)
    memory.set_ylim(0, 1.5 * max(point[2] for row in rows for point in row["curve"]))
    memory.set_ylabel("memory [MB], green")
    ax.set_xlabel("thousand training steps")
    ax.set_ylabel("training steps per second")
    ax.legend(loc="lower left")
    gain = ", ".join(
        f"{row['case']} {row['ratio']['median']:.2f}" for row in cores if "absent" not in row
    )
    ax.set_title(f"Two cores over one: {gain or 'not measured'}")
