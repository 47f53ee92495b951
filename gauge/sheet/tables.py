"""The tables of the page, each from the JSON of one or several scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from servogym.gauge.compare import TOLERANCE
from servogym.gauge.sheet import draw, words

Record = Mapping[str, Any]


class Raw(str):
    """Text that is HTML already."""


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]], text: Sequence[int] = ()) -> str:
    """Write a table; the first column and those of `text` are words, the others numbers."""

    def cell(kind: str, place: int, value: Any) -> str:
        inner = value if isinstance(value, Raw) else escape(str(value))
        mark = ' class="text"' if place in text else ""
        return f"<{kind}{mark}>{inner}</{kind}>"

    def line(kind: str, values: Sequence[Any]) -> str:
        cells = "".join(cell(kind, place, value) for place, value in enumerate(values))
        return f"<tr>{cells}</tr>"

    body = "".join(line("td", row) for row in rows)
    return (
        f'<div class="wide"><table><thead>{line("th", headings)}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def key(place: int, label: str) -> Raw:
    """Write a label with the colour of its policy."""
    ink = draw.colour(place)
    return Raw(f'<span class="key" style="background:{ink}"></span>{escape(label)}')


def metrics(score: Record, weights: Mapping[str, float], ink: str) -> str:
    """Write every metric of one score: how good, at its worst, and how often it was 0."""
    rows = [
        (
            Raw(f'<span title="{escape(words.METRICS[name][1])}">{words.metric(name)}</span>'),
            Raw(draw.bar(found["mean"], found["mean@25"], ink)),
            words.number(found["mean"]),
            words.number(found["mean@50"]),
            words.number(found["mean@25"]),
            found["zeros"],
            f"{weights[name]:g}" if name in weights else "",
        )
        for name, found in score["metrics"].items()
    ]
    headings = ("metric", "", "mean", "@50", "@25", "zeros", "weight")
    return table(headings, rows, text=(1,))


def side_by_side(entries: Sequence[Record]) -> str:
    """Write the mean of every metric, a column a policy."""
    scores = [each["score"] for each in entries]
    rows = [
        (words.metric(name), *(words.number(s["metrics"][name]["mean"]) for s in scores))
        for name in scores[0]["metrics"]
    ]
    rows.append(("falls", *(f"{falls(s)} of {episodes(s)}" for s in scores)))
    return table(("metric", *(key(k, e["label"]) for k, e in enumerate(entries))), rows)


def moved(found: Record) -> str:
    """Write what moved from one score to another."""
    rows = [
        (
            words.metric(each["metric"]),
            words.number(each["before"]),
            words.number(each["after"]),
            f"{each['change']:+.3f}",
            f"{each['interval'][0]:+.3f} to {each['interval'][1]:+.3f}",
            "yes" if each["surely"] and abs(each["change"]) > TOLERANCE else "no",
        )
        for each in found["metrics"]
    ]
    headings = ("metric", found["from"], found["to"], "change", "95 %", f"more than {TOLERANCE:g}")
    return table(headings, rows)


def goals(score: Record) -> str:
    """Write how each goal was played."""
    rows = []
    for name, g in score["goals"].items():
        low, high = g["falls_interval"]
        quality = g["metrics"]["quality"]
        rows.append(
            (
                Raw(f'<span title="{escape(words.GOALS[name][1])}">{words.goal(name)}</span>'),
                g["episodes"],
                Raw(f'<span class="flag">{g["falls"]}</span>') if g["falls"] else 0,
                f"{100 * low:.0f} to {100 * high:.0f} %",
                "" if g["success"] is None else f"{100 * g['success']:.0f} %",
                *(words.number(quality[k]) for k in ("mean", "mean@50", "mean@25")),
                quality["zeros"],
            )
        )
    headings = ("goal", "episodes", "falls", "95 %", "done", "quality", "@50", "@25", "zeros")
    return table(headings, rows)


def heat(score: Record) -> str:
    """Write the mean of every metric in every goal, lower ones shaded."""
    names = list(score["metrics"])

    def shaded(value: float | None) -> Raw:
        share = 0.0 if value is None else 55.0 * (1.0 - min(max(value, 0.0), 1.0))
        style = f"background:color-mix(in srgb, var(--bad) {share:.0f}%, transparent)"
        return Raw(f'<span style="{style};padding:.1rem .3rem">{words.number(value, 2)}</span>')

    rows = [
        (words.goal(goal), *(shaded(g["metrics"][name]["mean"]) for name in names))
        for goal, g in score["goals"].items()
    ]
    return table(("goal", *(words.metric(name) for name in names)), rows)


def numbers(score: Record) -> str:
    """Write the numbers without a score, a row a number, a column a goal."""
    goals = score["goals"]
    rows = []
    for name, (title, factor, unit, digits) in words.NUMBERS.items():
        found = [g["numbers"].get(name) for g in goals.values()]
        if any(found):
            named = f"{title} [{unit}]" if unit else title
            rows.append((named, *(_number(n, factor, digits) for n in found)))
    return table(("mean; worst robot", *(words.goal(name) for name in goals)), rows)


def penetration(score: Record) -> str:
    """Write how deep feet sink, in millimetres."""
    rows = [
        (
            words.goal(name),
            g["penetration"]["contacts"],
            *(_mm(g["penetration"][k]) for k in ("mean", "p95", "p99", "max")),
            _mm(g["deepest"]),
        )
        for name, g in score["goals"].items()
    ]
    headings = ("feet [mm]", "contacts", "mean", "P95", "P99", "max", "any part, max")
    return table(headings, rows)


def bins(score: Record) -> str:
    """Write what came of each command that was held."""
    rows = [
        (
            words.asked(b["command"]),
            b["robots"],
            words.number(b["achieved"], 2),
            words.span(b["achieved_interval"]),
            words.number(b["score"], 2),
            words.span(b["score_interval"]),
        )
        for b in score["bins"]
    ]
    headings = ("asked [m/s, rad/s]", "robots", "made / asked", "95 %", "score", "95 %")
    return table(headings, rows)


def bad(score: Record, ink: str) -> str:
    """Write the worst moments, with the course of their episodes."""
    rows = [
        (
            words.goal(b["goal"]),
            b["part"],
            b["robot"],
            f"{b['time']:.1f}",
            f"{b['quality']:.2g}",
            words.metric(b["metric"]),
            Raw(draw.course(b["course"], round(10 * b["time"]) - 1, ink)),
        )
        for b in score["bad"]
    ]
    headings = ("goal", "asked", "robot", "at [s]", "quality", "lowest", "quality over the episode")
    return table(headings, rows, text=(1, 5, 6))


def baselines(entry: Record) -> str:
    """Write what not trying comes to."""
    called = {"zero": "does nothing (action 0)", "random": "acts at random"}
    rows = [
        (
            called[each["name"]],
            words.number(each["quality"]),
            words.number(each["policy"]),
            f"{each['falls']} of {each['episodes']}",
        )
        for each in entry["baselines"]
    ]
    return table(("baseline", "its quality", "the policy's, same robots", "it fell"), rows)


def falls(score: Record) -> int:
    """Count the falls of a score."""
    return sum(g["falls"] for g in score["goals"].values())


def episodes(score: Record) -> int:
    """Count the episodes of a score."""
    return sum(g["episodes"] for g in score["goals"].values())


def _number(found: Record | None, factor: float, digits: int) -> str:
    if found is None or found["mean"] is None:
        return "" if found is None else "never"
    worst = "never" if found["worst"] is None else f"{factor * found['worst']:.{digits}f}"
    return f"{factor * found['mean']:.{digits}f}; {worst}"


def _mm(value: float) -> str:
    return f"{1e3 * value:.2f}"
