"""Writes a result as tables, between two markers of a page whose prose stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.gap.groups import GROUPS
from benchmarks.gap.measures import MEASURES, PARTS, Measure
from benchmarks.gap.seeds import excludes_zero
from servogym.cli.text import table

BEGIN, END = "<!-- measured -->", "<!-- end of what was measured -->"
Result = Mapping[str, Any]
Row = Mapping[str, Any]
_TITLES = {
    "training": "Trained with the gap minus trained without, in each world",
    "gap": "What the gap costs: with it minus without, same policies",
    "encoder": "Encoders on the motor side minus on the output side, gap ±1°, same policies",
    "motor": "BAM motors minus the motors of the training, no gap, same policies",
    "instead": "Trained with ideal PD or DC motors minus trained with BAM motors, judged on BAM",
}


def split(page: Path) -> tuple[str, str]:
    """Return what stands above and below the tables of a page.

    Raises:
        ValueError: the page has no place for tables.
    """
    head, begin, rest = page.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page}: the lines {BEGIN} and {END} are needed, in this order")
    return head, tail


def put(text: str, page: Path) -> None:
    """Put text between the markers of a page; the rest stays.

    Raises:
        ValueError: the page has no place for tables.
    """
    head, tail = split(page)
    page.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{tail}")


def write(result: Result, name: str, pictures: Sequence[Path]) -> str:
    """Write everything below the first marker.

    Args:
        result: the result.
        name: file name of the JSON.
        pictures: picture files, in a folder `media` beside the page.
    """
    parts = [
        _made(result, name),
        *(f"![{picture.stem.replace('_', ' ')}](media/{picture.name})" for picture in pictures),
        "### Who was judged\n\n" + _who(result["policies"]),
    ]
    for about in ("training", "gap", "encoder"):
        parts += _differences(result, about)
    parts += [_part(result, part) for part in PARTS]
    for about in ("motor", "instead"):
        parts += _differences(result, about)
    each = f"<details><summary>open</summary>\n\n{_each(result)}\n\n</details>"
    parts.append(f"### Every policy by itself\n\n{each}")
    return "\n\n".join(parts) + "\n"


def estimate(mean: float | None, interval: Sequence[float] | None, digits: int) -> str:
    """Write a mean with its interval."""
    if mean is None:
        return "-"
    text = f"{mean:z.{digits}f}"
    if interval is None:
        return text
    return f"{text} ({interval[0]:z.{digits}f} to {interval[1]:z.{digits}f})"


def _made(result: Result, name: str) -> str:
    versions = ", ".join(f"{key} {value}" for key, value in result["versions"].items())
    robots = result["protocol"]
    told = [row for row in result["differences"] if row["seeds"] is not None]
    apart = sum(excludes_zero(row["seeds"]) for row in told)
    return (
        f"Made on {result['date']} in {result['minutes']:.1f} minutes by\n\n"
        f"    {result['command']}\n\n"
        f"{robots['episodes']} robots a command, {robots['seconds']:g} s each; {versions}. Every "
        f"number is in [benchmarks/results/{name}](../benchmarks/results/{name}).\n"
        "In brackets: the 95 % interval over runs; none where runs are too few or agree exactly. "
        f"Bold: a difference whose interval leaves out 0,\n{apart} of {len(told)} here; if nothing "
        f"mattered, up to {0.05 * len(told):.0f} would be expected by chance. A dash: nobody was "
        "left standing to measure."
    )


def _who(policies: Sequence[Row]) -> str:
    trained = {group.name: group.trained for group in GROUPS}
    rows = [
        (
            row["name"],
            trained[row["group"]],
            "unknown" if row["env_steps"] is None else f"{row['env_steps']:,}",
            f"`{row['path']}`",
            f"`{row['sha256'][:12]}`",
        )
        for row in policies
    ]
    return table(("policy", "trained", "environment steps", "file", "SHA-256"), rows)


def _differences(result: Result, about: str) -> list[str]:
    mine = [row for row in result["differences"] if row["about"] == about]
    if not mine:
        return []
    names = list(dict.fromkeys(row["name"] for row in mine))
    rows = []
    for measure in MEASURES:
        cells = {r["name"]: _difference(r, measure) for r in mine if r["measure"] == measure.key}
        rows.append((measure.full, *(cells[name] for name in names)))
    return [f"### {_TITLES[about]}\n\n{table(('', *names), rows)}"]


def _difference(row: Row, measure: Measure) -> str:
    text = estimate(row["mean"], row["seeds"], measure.digits)
    return f"**{text}**" if excludes_zero(row["seeds"]) else text


def _part(result: Result, part: str) -> str:
    measures = [measure for measure in MEASURES if measure.part == part]
    places = dict.fromkeys((row["world"], row["group"]) for row in _in_order(result["means"]))
    by = {(r["world"], r["group"], r["measure"]): r for r in result["means"]}
    rows = [
        (*place, *(_mean(by[(*place, measure.key)], measure) for measure in measures))
        for place in places
    ]
    titles = [measure.title for measure in measures]
    return f"### {part}\n\n{table(('judged', 'trained', *titles), rows)}"


def _in_order(rows: Sequence[Row]) -> Iterable[Row]:
    """Sort rows by world, in the order in which worlds first appear."""
    worlds = list(dict.fromkeys(row["world"] for row in rows))
    return sorted(rows, key=lambda row: worlds.index(row["world"]))


def _mean(row: Row, measure: Measure) -> str:
    told = sum(value is not None for value in row["runs"])
    some = "" if told == len(row["runs"]) else f", {told} of {len(row['runs'])} runs"
    return estimate(row["mean"], row["seeds"], measure.digits) + some


def _each(result: Result) -> str:
    rows = []
    for found in result["evaluations"]:
        values = [found["measures"][measure.key]["value"] for measure in MEASURES]
        cells = [estimate(v, None, m.digits) for v, m in zip(values, MEASURES, strict=True)]
        rows.append((found["policy"], found["world"], *cells))
    return table(("policy", "judged", *(measure.full for measure in MEASURES)), rows)
