"""Says a judgement in words: a table of walks, and the bar, a line for each criterion."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from servogym.cli.text import table
from servogym.gauge import bar, criterion
from servogym.gauge.judgement import Judgement
from servogym.gauge.walking import Walk, said

if TYPE_CHECKING:
    from servogym.gauge.checkpoints import Stage

Column = tuple[str, str, float, int]
"""Heading, statistic, factor, digits."""

_FOLLOWED: tuple[Column, ...] = (
    ("error [m/s]", "error_xy", 1.0, 2),
    ("yaw error [rad/s]", "error_yaw", 1.0, 2),
    ("yaw drift [deg]", "yaw_drift", 1.0, 0),
    ("head error [rad]", "head_error", 1.0, 2),
)
_GAIT: tuple[Column, ...] = (
    ("strides [1/s]", "strides", 1.0, 1),
    ("swing [s]", "swing", 1.0, 2),
    ("clearance [mm]", "clearance", 1e3, 0),
    ("limp", "asymmetry", 1.0, 2),
    ("all feet down", "double_support", 1.0, 2),
    ("no foot down", "flight", 1.0, 2),
)
_EFFORT: tuple[Column, ...] = (
    ("power [W]", "power", 1.0, 1),
    ("torque [N·m]", "torque", 1.0, 3),
    ("action rate [rad²]", "action_rate", 1.0, 3),
    ("outside soft limits", "outside", 1.0, 3),
    ("furthest outside [rad]", "excursion", 1.0, 3),
)


def write(judgement: Judgement) -> str:
    """Write a judgement as Markdown."""
    c, pushed = judgement.conditions, judgement.walks[:-1]
    looked = any(walk.looking for walk in pushed)
    return "\n\n".join(
        (
            f"{c.task}, motor law {c.actuator}, {c.seconds:g} s each, seed {c.seed}"
            + (", calm" if c.calm else "")
            + (f", with {', '.join(c.options)} of its own" if c.options else ""),
            _followed(pushed, _FOLLOWED if looked else _FOLLOWED[:-1]),
            _numbers(pushed, _GAIT),
            _numbers(pushed, _EFFORT),
            _stand(judgement.walks[-1]),
            _bar(judgement.criteria)
            or "No bar here: it takes a task that has one and "
            f"{bar.SECONDS:g} s episodes with everything on.",
        )
    )


STAGES = f"{'env steps':>10} {'minutes':>8} {'falls':>8}  {'usable':>7}  {'walking':>7}"
"""Headings of `stage`."""


def stage(stage: Stage) -> str:
    """Write a checkpoint as a line."""
    found, minutes = stage.judgement, _minutes(stage.seconds)
    falls, episodes = sum(w.falls for w in found.grid), sum(w.episodes for w in found.grid)
    marks = [
        f"{sum(c.passed for c in found.criteria if c.mark == mark):>3} of "
        f"{sum(c.mark == mark for c in found.criteria)}"
        for mark in criterion.MARKS
    ]
    return f"{stage.env_steps:>10} {minutes:>8} {falls:>4}/{episodes:<3}  {'  '.join(marks)}"


def first_reached(stages: Sequence[Stage]) -> str:
    """Say which checkpoint reached each mark first."""
    lines = []
    for mark in criterion.MARKS:
        there = next((s for s in stages if s.judgement.reached(mark)), None)
        lines.append(
            f"{mark}: not reached"
            if there is None
            else f"{mark}: first at {there.env_steps} environment steps, "
            f"{_minutes(there.seconds)} min of training"
        )
    return "\n".join(lines)


def _minutes(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds / 60:.2f}"


def _followed(walks: Sequence[Walk], columns: Sequence[Column]) -> str:
    """Table of what was asked and what came of it."""
    rows = [
        (
            _asked(w),
            _triple(w.velocity) if w.falls < w.episodes else "-",
            f"{w.falls}/{w.episodes}",
            *_means(w, columns),
        )
        for w in walks
    ]
    names = [heading for heading, *_ in columns]
    return table(("asked [m/s, rad/s]", "did: vx, vy, yaw", "falls", *names), rows)


def _numbers(walks: Sequence[Walk], columns: Sequence[Column]) -> str:
    names = [heading for heading, *_ in columns]
    return table(("asked", *names), [(_asked(w), *_means(w, columns)) for w in walks])


def _asked(walk: Walk) -> str:
    return said(walk.command) + ", head too" * walk.looking


def _means(walk: Walk, columns: Sequence[Column]) -> list[str]:
    if walk.falls == walk.episodes:
        return ["-"] * len(columns)
    return [f"{scale * walk.mean(name):.{digits}f}" for _, name, scale, digits in columns]


def _stand(quiet: Walk) -> str:
    drifts = quiet.robots["base_drift"]
    if not drifts:
        return "Standing unpushed: every robot fell."
    return (
        f"Standing unpushed, {quiet.episodes} robots: {quiet.falls} fell; drift in 10 s "
        f"{1e3 * median(drifts):.1f} mm (median), {1e3 * max(drifts):.1f} mm (worst); "
        f"{quiet.mean('strides'):.2f} strides/s."
    )


def _bar(criteria: Sequence[criterion.Criterion]) -> str:
    yes, no = _signs()
    parts = []
    for mark in criterion.MARKS:
        mine = [c for c in criteria if c.mark == mark]
        if not mine:
            return ""
        met = sum(c.passed for c in mine)
        verdict = "reached" if met == len(mine) else "not reached"
        lines = [
            (yes if c.passed else no, c.name, _value(c), _interval(c), _limit(c)) for c in mine
        ]
        parts.append(
            f"**{mark}**: {verdict}, {met} of {len(mine)}\n\n"
            + table(("", "criterion", "value", "95 %", "limit"), lines)
        )
    return "\n\n".join(parts)


def _signs() -> tuple[str, str]:
    drawn = sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")
    return ("✓", "✗") if drawn else ("ok", "NO")


def _value(c: criterion.Criterion) -> str:
    return "-" if c.value != c.value else f"{c.value:.3g}"


def _interval(c: criterion.Criterion) -> str:
    return "" if c.interval is None else f"{c.interval[0]:.3g} to {c.interval[1]:.3g}"


def _limit(c: criterion.Criterion) -> str:
    sign = ">=" if c.at_least else "<" if c.strict else "<="
    return f"{sign} {c.limit:g}"


def _triple(values: Sequence[float]) -> str:
    return ", ".join(f"{value:+.2f}" for value in values)
