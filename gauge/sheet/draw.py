"""Drawings as inline SVG: a radar of metrics, made against asked, the course of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import cos, pi, sin
from typing import Any

from servogym.gauge.sheet.style import COLOURS

Points = Sequence[tuple[float, float]]


def colour(place: int) -> str:
    """Return the colour of a policy by its place."""
    return COLOURS[place % len(COLOURS)]


def radar(
    axes: Sequence[str], shapes: Sequence[tuple[str, Sequence[float | None], str, bool]]
) -> str:
    """Draw values from 0 in the middle to 1 at the rim.

    Args:
        axes: names, clockwise from the top.
        shapes: of each its title, its values by axis, its colour, and whether it is dashed.
    """
    middle, rim = (210.0, 165.0), 120.0

    def at(place: int, value: float) -> tuple[float, float]:
        angle = 2 * pi * place / len(axes) - pi / 2
        return middle[0] + rim * value * cos(angle), middle[1] + rim * value * sin(angle)

    parts = []
    for ring in (0.25, 0.5, 0.75, 1.0):
        parts.append(_closed([at(k, ring) for k in range(len(axes))], "var(--line)", "none"))
    for place, name in enumerate(axes):
        x, y = at(place, 1.12)
        anchor = "middle" if abs(x - middle[0]) < 12 else "start" if x > middle[0] else "end"
        parts.append(_line(middle, at(place, 1.0), "var(--line)"))
        parts.append(_text(x, y + 4, name, anchor))
    for title, values, ink, dashed in shapes:
        points = [at(k, min(max(v or 0.0, 0.0), 1.0)) for k, v in enumerate(values)]
        parts.append(_closed(points, ink, "none" if dashed else ink, dashed, title))
    return _svg(420, 320, "radar of the metrics", parts)


def follow(
    panels: Sequence[tuple[str, str, Sequence[Sequence[Mapping[str, Any]]]]],
) -> str:
    """Draw what was made against what was asked, a panel an axis, with 95 % intervals.

    Args:
        panels: of each its title, its unit and, for each policy, its points with `asked`, `made`
            and `interval`.
    """
    size, gap, parts = 250.0, 55.0, []
    for place, (title, unit, series) in enumerate(panels):
        left, top = 45.0 + place * (size + gap), 26.0
        ends = [p["asked"] for points in series for p in points]
        ends += [v for points in series for p in points for v in p["interval"]]
        reach = 1.1 * max(abs(v) for v in (*ends, 1e-9))

        def at(x: float, y: float, left=left, top=top, reach=reach) -> tuple[float, float]:
            half = size / 2
            return left + half * (1 + x / reach), top + half * (1 - y / reach)

        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{size:.0f}" height="{size:.0f}" '
            'fill="none" stroke="var(--line)"/>'
        )
        parts.append(_text(left + size / 2, top - 9, f"{title} [{unit}]", "middle"))
        parts.append(_line(at(-reach, -reach), at(reach, reach), "var(--faint)", dashed=True))
        for line in (((-reach, 0), (reach, 0)), ((0, -reach), (0, reach))):
            parts.append(_line(at(*line[0]), at(*line[1]), "var(--line)"))
        mark = max(abs(p["asked"]) for points in series for p in points)
        for value in (-mark, mark):
            x, y = at(value, -reach)
            parts.append(_text(x, y + 14, f"{value:g}", "middle", faint=True))
            x, y = at(-reach, value)
            parts.append(_text(x - 5, y + 4, f"{value:g}", "end", faint=True))
        for number, points in enumerate(series):
            ink, shift = colour(number), 5.0 * (number - (len(series) - 1) / 2)
            for p in points:
                (x, y), (_, low) = at(p["asked"], p["made"]), at(0, p["interval"][0])
                high = at(0, p["interval"][1])[1]
                parts.append(_line((x + shift, low), (x + shift, high), ink, width=1.6))
                hint = f"asked {p['asked']:+g}, made {p['made']:+.3g} {unit}"
                parts.append(
                    f'<circle cx="{x + shift:.1f}" cy="{y:.1f}" r="3.4" fill="{ink}">'
                    f"<title>{escape(hint)}</title></circle>"
                )
    width = 45.0 + len(panels) * (size + gap) - gap + 15
    return _svg(width, size + 52, "velocity made against velocity asked", parts)


def course(values: Sequence[float | None], at: int, ink: str) -> str:
    """Draw the quality of an episode over time, from 0 to 1, its worst moment marked."""
    width, height, count = 150.0, 26.0, max(len(values) - 1, 1)
    runs: list[list[tuple[float, float]]] = [[]]
    for k, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((2 + (width - 4) * k / count, height - 2 - (height - 4) * value))
    parts = [_line((0, height - 2), (width, height - 2), "var(--line)")]
    parts += [_path(run, ink) for run in runs if len(run) > 1]
    x = 2 + (width - 4) * at / count
    parts.append(f'<circle cx="{x:.1f}" cy="{height - 3:.1f}" r="2.6" fill="var(--bad)"/>')
    return _svg(width, height, "quality over the episode", parts, fixed=True)


def bar(value: float | None, worst: float | None, ink: str) -> str:
    """Draw a value from 0 to 1 as a bar, with a mark where its worst quarter lies."""
    width = 90.0
    long = width * min(max(value or 0.0, 0.0), 1.0)
    parts = [
        f'<rect width="{width:.0f}" height="10" y="2" fill="var(--line)" rx="2"/>',
        f'<rect width="{long:.1f}" height="10" y="2" fill="{ink}" rx="2"/>',
    ]
    if worst is not None:
        x = width * min(max(worst, 0.0), 1.0)
        parts.append(_line((x, 0), (x, 14), "var(--ink)", width=1.6))
    return _svg(width, 14, "mean, and the mean of the worst quarter", parts, fixed=True)


def _svg(width: float, height: float, label: str, parts: Sequence[str], fixed=False) -> str:
    size = f' width="{width:.0f}" height="{height:.0f}"' if fixed else ' width="100%"'
    limit = "" if fixed else f' style="max-width:{width * 1.25:.0f}px"'
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}"{size}{limit} role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _line(a, b, ink: str, dashed: bool = False, width: float = 1.0) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
        f'stroke="{ink}" stroke-width="{width:g}"{dash}/>'
    )


def _text(x: float, y: float, words: str, anchor: str, faint: bool = False) -> str:
    kind = ' class="faint"' if faint else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'


def _closed(points: Points, ink: str, fill: str, dashed: bool = False, title: str = "") -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    hint = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<polygon points="{places}" fill="{fill}" fill-opacity="0.14" stroke="{ink}" '
        f'stroke-width="{1.8 if title else 1:g}"{dash}>{hint}</polygon>'
    )


def _path(points: Points, ink: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{places}" fill="none" stroke="{ink}" stroke-width="1.2"/>'
