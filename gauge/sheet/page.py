"""Puts the page of a card together: one file, no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from servogym.gauge.flags import MEANING
from servogym.gauge.metrics.rules import RULES
from servogym.gauge.sheet import closing, draw, tables, words
from servogym.gauge.sheet.style import CSS

Record = Mapping[str, Any]

_DONE = {
    "target": "It reaches {} of its targets.",
    "push_recovery": "It recovers from {} of the pushes.",
}
_AXES = (("forward", "m/s", 0), ("sideways", "m/s", 1), ("turning", "rad/s", 2))


def write(card: Record) -> str:
    """Write a card's JSON record as a page; the same record gives the same text."""
    entries = card["entries"]
    title = " · ".join(each["label"] for each in entries)
    body = [_head(entries, title)]
    if len(entries) == 1:
        body.append(_tiles(entries[0]["score"]))
    else:
        body.append(_compared(card))
    body += [_overview(entries), _following(entries)]
    for place, each in enumerate(entries):
        body.append(_one(each, place, alone=len(entries) == 1))
    body.append(closing.conditions(card))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: score card</title><style>{CSS}</style></head>\n"
        f"<body>{''.join(body)}</body></html>\n"
    )


def verdict(score: Record) -> str:
    """Say in a sentence or two how good a policy is."""
    falls, episodes = tables.falls(score), tables.episodes(score)
    parts = [
        f"Quality {words.number(score['metrics']['quality']['mean'])} of 1; {falls} of {episodes} "
        "episodes ended in a fall."
    ]
    moving = [b for b in score["bins"] if any(b["command"])]
    if moving:
        low, high = (
            f"{round(100 * b['achieved'])} % ({words.asked(b['command'])})"
            for b in (end(moving, key=lambda b: b["achieved"]) for end in (min, max))
        )
        parts.append(f"Of what is asked it makes between {low} and {high}.")
    for goal, done in _DONE.items():
        if found := score["goals"].get(goal):
            parts.append(done.format(f"{100 * found['success']:.0f} %"))
    return " ".join(parts)


def _head(entries: Sequence[Record], title: str) -> str:
    score = entries[0]["score"]
    cell, world = score["cell"], score["world"]
    named = len(entries) > 1
    flags = "".join(
        f'<p class="flag">{escape(each["label"]) + ": " if named else ""}{MEANING[tag]}</p>'
        for each in entries
        for tag in each["score"]["flags"]
    )
    said = verdict(score) if len(entries) == 1 else ""
    return (
        f"<h1>{escape(title)}</h1>"
        f'<p class="faint">on {escape(cell["task"])}, motor law {escape(_motors(entries))}, '
        f"{cell['robots']} robots a part, seed {cell['seed']}, {escape(world['robot'])} "
        f'<span class="mode">{words.RULES[score["rules"]]}</span></p>'
        f"{flags}<p>{escape(said)}</p>"
    )


def _tiles(score: Record) -> str:
    goals, quality = score["goals"], score["metrics"]["quality"]
    tiles = [
        (words.number(quality["mean"], 2), "quality"),
        (words.number(quality["mean@25"], 2), "quality of its worst quarter"),
        (f"{tables.falls(score)} / {tables.episodes(score)}", "episodes with a fall"),
    ]
    moving = [b["score"] for b in score["bins"] if any(b["command"])]
    if moving:
        tiles.append((words.number(sum(moving) / len(moving), 2), "follows commands (1 is exact)"))
    tiles += [
        (f"{100 * goals[name]['success']:.0f} %", label)
        for name, label in (("target", "targets reached"), ("push_recovery", "pushes recovered"))
        if name in goals
    ]
    shown = "".join(f'<div class="tile"><b>{b}</b><span>{escape(s)}</span></div>' for b, s in tiles)
    return f'<div class="tiles">{shown}</div>'


def _compared(card: Record) -> str:
    parts = ["<h2>Side by side</h2>", tables.side_by_side(card["entries"])]
    for found in card["moved"]:
        most = next(m for m in found["metrics"] if m["metric"] == found["most"])
        parts.append(
            f"<p>From <b>{escape(found['from'])}</b> to <b>{escape(found['to'])}</b>, "
            f"<b>{words.metric(most['metric'])}</b> moved most: by {most['change']:+.3f} "
            f"(95 %: {most['interval'][0]:+.3f} to {most['interval'][1]:+.3f}).</p>"
            + tables.moved(found)
        )
    return "".join(parts)


def _overview(entries: Sequence[Record]) -> str:
    first = entries[0]["score"]
    names = [name for name in first["metrics"] if name != "quality"]
    shapes = []
    for place, each in enumerate(entries):
        found, ink = each["score"]["metrics"], draw.colour(place)
        label = each["label"]
        shapes.append((label, [found[n]["mean"] for n in names], ink, False))
        if len(entries) == 1:
            worst = [found[n]["mean@25"] for n in names]
            shapes.append((f"{label}, worst quarter", worst, ink, True))
    picture = draw.radar([words.metric(name) for name in names], shapes)
    keys = " &nbsp; ".join(tables.key(k, e["label"]) for k, e in enumerate(entries))
    beside = keys
    if len(entries) == 1:
        weights = RULES[first["rules"]].weights
        beside = tables.metrics(first, weights, draw.colour(0))
    note = (
        "Every metric lies between 0 and 1, and 1 is best. Means over the goals. The dashed line, "
        "and the mark on each bar, is the mean of the worst quarter of all moments (@25). "
        "Zeros are moments in which a metric was 0: it slipped, tipped over, or had fallen."
    )
    return (
        f'<h2>Metrics</h2><p class="note">{note}</p>'
        f'<div class="side"><div>{picture}</div><div>{beside}</div></div>'
    )


def _following(entries: Sequence[Record]) -> str:
    panels = []
    for title, unit, axis in _AXES:
        series = [[_point(b, axis) for b in _along(e["score"], axis)] for e in entries]
        if any(series):
            panels.append((title, unit, series))
    if not panels:
        return ""
    note = (
        "Velocity made against velocity asked, commands along one axis; on the dashed line both "
        "are equal. Lines are 95 % bootstrap intervals over robots; a robot that fell has made 0."
    )
    return f'<h2>Made against asked</h2><p class="note">{note}</p>{draw.follow(panels)}'


def _one(entry: Record, place: int, alone: bool) -> str:
    score, ink = entry["score"], draw.colour(place)
    head = (
        ""
        if alone
        else f"<h2>{tables.key(place, entry['label'])}</h2><p>{escape(verdict(score))}</p>"
    )
    level = "h2" if alone else "h3"

    def part(title: str, note: str, content: str) -> str:
        said = f'<p class="note">{escape(note)}</p>' if note else ""
        return f"<{level}>{title}</{level}>{said}{content}" if content else ""

    return ("" if alone else head) + "".join(
        (
            part("Goals", "", tables.goals(score)),
            part("Metrics by goal", "", tables.heat(score)),
            part(
                "Commands that were held",
                "Made / asked is the speed along the command, the worse of speed and turn. The "
                "score also minds what goes astray; standing still is 0 wherever motion is asked.",
                tables.bins(score) if score["bins"] else "",
            ),
            part(
                "Worst moments",
                "The worst moment of each of the worst episodes.",
                tables.bad(score, ink) if score["bad"] else "",
            ),
            part(
                "Numbers without a score",
                "Of the robots that did not fall: the mean, and the worst robot.",
                tables.numbers(score),
            ),
            part("How deep feet sink", "", tables.penetration(score)),
            part(
                "Against not trying",
                f"On {entry['baselines'][0]['episodes']} episodes by the same robots."
                if entry["baselines"]
                else "",
                tables.baselines(entry) if entry["baselines"] else "",
            ),
            part("The walking bar", "", closing.bar(entry["bar"])),
        )
    )


def _motors(entries: Sequence[Record]) -> str:
    return ", ".join(dict.fromkeys(each["score"]["world"]["actuator"] for each in entries))


def _along(score: Record, axis: int) -> list[Record]:
    """Give the bins that ask for one axis alone."""
    return [
        b
        for b in score["bins"]
        if b["command"][axis] and not any(v for k, v in enumerate(b["command"]) if k != axis)
    ]


def _point(found: Record, axis: int) -> Record:
    asked = found["command"][axis]
    low, high = sorted(asked * share for share in found["achieved_interval"])
    return {"asked": asked, "made": asked * found["achieved"], "interval": (low, high)}
