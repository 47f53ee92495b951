"""Writes what `matrix.run` found as a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Record = Mapping[str, Any]

_INTRO = """\
# One policy, many MuJoCos

`{command}` wrote this page: one virtual environment per version of MuJoCo, one process per cell. A
process that dies is a cell with its return code, not a gap. Every version reads the same compiled
numbers (`gauge/versions/plain.py`); the arrays of the loaded models are compared, and one that
differs is named. Motors are explicit PD servos with a torque limit, sensors are perfect, starts are
the same; islands are off, as in our scenes.

**How to read it.** A difference between two versions is either other physics or the same physics
whose rounding a walking robot has grown: chaos. Three ways to be told what to do tell them apart,
each held against MuJoCo {reference} with its native detector:

* **step**: before each control step the robot is put into the state the reference went through, so
  that chaos has no time to grow. Given are the share of control steps that end somewhere else by
  more than {rounding:g} m or rad, and by how much at most. Once as the scene has it, and once
  *solved*: with a solver that goes on until it can get no further.
* **open loop**: the reference's servo targets, played back. When runs part: the first time that any
  coordinate differs by more than {thresholds}; the median over the starts, - for never.
* **closed loop**: the policy answers what it sees.

The row *nudged* is the reference itself with {nudge:g} rad added to one joint of each start: what
chaos alone does. *Why* is worked out from the steps: **physics** when solved steps end more than
{alike:g} apart; **tolerance** when they do not, but steps differ by more than rounding: solver or
detector stop at other digits; **chaos** when steps are the same to rounding and runs part all the
same. *Group*: cells of one letter end every solved step at the same place, to {alike:g}.

Quality is our rules' without friction and ZMP margin (contacts belong to the version), mean and
range over the starts; penetration is `contact.dist` of the feet in open loop. Detector: *native* is
MuJoCo's own convex collision, *legacy* libccd, *bare* libccd without multiple contacts.
"""

_HEAD = (
    "| MuJoCo | detector | steps elsewhere, by at most | solved steps elsewhere, by at most "
    "| open loop parts at [s] | closed loop parts at [s] | why | quality | falls | way [m] "
    "| penetration mean, P95, P99, max [mm] | group |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def write(record: Record, command: str) -> str:
    """Give the page of a record, as Markdown.

    Args:
        record: of `matrix.run`.
        command: what makes the page again.
    """
    thresholds = ", ".join(f"{t:g}" for t in record["thresholds"])
    intro = _INTRO.format(
        command=command,
        reference=record["reference"],
        rounding=record["rounding"],
        alike=record["alike"],
        nudge=record["nudge"],
        thresholds=thresholds,
    )
    parts = [intro, "## What differs\n", *(_sentences(case, record) for case in record["cases"])]
    parts += [_case(case, record) for case in record["cases"]]
    return "\n".join(parts)


def verdict(cell: Record, record: Record) -> str:
    """Say in a word why a cell's runs part from the reference's."""
    if any(end["outcome"] != "ran" for end in cell["ends"].values()):
        return "dead"
    if cell["version"] == record["reference"] and cell["detector"] == "native":
        return "reference"
    worst = cell["solved"]["max"]
    if worst is None or worst > record["alike"]:
        return "physics"
    if cell["step"]["share"] > 0.0:
        return "tolerance"
    never = [cell[f"{loop}_parting"][f"{t:g}"] is None for loop, t in _all(record)]
    return "equal" if all(never) else "chaos"


def _all(record: Record) -> list[tuple[str, float]]:
    return [(loop, t) for loop in ("open", "closed") for t in record["thresholds"]]


def _sentences(case: Record, record: Record) -> str:
    """What the cells of a case say, in words."""
    found: dict[str, list[str]] = {}
    for cell in case["cells"]:
        found.setdefault(verdict(cell, record), []).append(_named(cell))
    groups: dict[str, list[str]] = {}
    for cell in case["cells"]:
        if "group" in cell:
            groups.setdefault(cell["group"], []).append(_named(cell))
    lines = [f"**{_title(case)}**\n"]
    if dead := [c for c in case["cells"] if verdict(c, record) == "dead"]:
        for cell in dead:
            texts = sorted({e["text"] for e in cell["ends"].values() if e["outcome"] != "ran"})
            lines.append(f"* {_named(cell)}: {'; '.join(texts)}.")
    words = {
        "equal": "part from the reference nowhere by more than the smallest threshold",
        "chaos": "make every step as the reference does, to rounding; where they part, it is chaos",
        "tolerance": "have the same physics to other digits: solver or detector stop elsewhere",
        "physics": "have other physics",
    }
    for word, sentence in words.items():
        if word in found:
            lines.append(f"* {sentence[0].upper()}{sentence[1:]}: {', '.join(found[word])}.")
    same = [f"{letter}: {', '.join(names)}" for letter, names in groups.items()]
    lines.append(f"* Alike in every solved step: {'; '.join(same)}.")
    if other := [(c, c["other_model"]) for c in case["cells"] if c.get("other_model")]:
        told = "; ".join(f"{_named(cell)} in {', '.join(names)}" for cell, names in other)
        lines.append(f"* Not even the loaded model is the same: {told}.")
    return "\n".join(lines) + "\n"


def _case(case: Record, record: Record) -> str:
    vx, vy, wz = case["command"]
    text = (
        f"## {_title(case)}\n\n"
        f"`{case['policy']['file']}` (sha256 {case['policy']['sha256'][:16]}…), asked for "
        f"{vx:g} m/s ahead, {vy:g} m/s aside, {wz:g} rad/s; {case['starts']} starts of "
        f"{case['seconds']:g} s.\n\n{_HEAD}"
    )
    rows = [_row(cell, record) for cell in case["cells"]]
    nudged = {"version": "*nudged*", "detector": "native", "ends": {}, **case["nudged"]}
    place = next(
        k + 1
        for k, c in enumerate(case["cells"])
        if verdict(c, record) in ("reference", "dead") and c["version"] == record["reference"]
    )
    rows.insert(place, _row(nudged, record))
    return text + "\n".join(rows) + "\n"


def _row(cell: Record, record: Record) -> str:
    ends = cell["ends"]
    dead = sorted({e["text"] for e in ends.values() if e["outcome"] != "ran"})
    why = "chaos" if not ends else verdict(cell, record)
    columns = [
        cell["version"],
        cell["detector"],
        _steps(cell.get("step")),
        _steps(cell.get("solved")),
        _times(cell.get("open_parting"), record),
        _times(cell.get("closed_parting"), record),
        f"{why}: {'; '.join(dead)}" if dead else why,
        _range(cell["quality"]) if "quality" in cell else "",
        str(cell.get("falls", "")) + (f" (+{d} blew up)" if (d := cell.get("diverged")) else ""),
        f"{cell['distance']:.2f}" if "distance" in cell else "",
        ", ".join(f"{1e3 * v:.2f}" for v in cell["depth"].values()) if "depth" in cell else "",
        cell.get("group", ""),
    ]
    return f"| {' | '.join(columns)} |"


def _title(case: Record) -> str:
    margin = "" if case["margin"] is None else f", contact margin {1e3 * case['margin']:g} mm"
    return f"{case['robot']} on {case['terrain']}, contacts {case['contact']}{margin}"


def _named(cell: Record) -> str:
    return f"{cell['version']} {cell['detector']}"


def _times(parting: Record | None, record: Record) -> str:
    if parting is None:
        return ""
    found = [parting[f"{t:g}"] for t in record["thresholds"]]
    return ", ".join("-" if t is None else f"{t:.2f}" for t in found)


def _range(values: list[float]) -> str:
    return f"{sum(values) / len(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def _steps(step: Record | None) -> str:
    return f"{step['share']:.1%}, {_size(step['max'])}" if step else ""


def _size(value: float | None) -> str:
    return "∞" if value is None else f"{value:.1e}" if value else "0"
