"""Tells whether something became slower: compares the ratios of two results, not the speeds.

    python -m benchmarks.compare OLD.json NEW.json

A ratio sets our code beside something else that ran on the same machine in the same minute, so a
slower machine does not show and slower code does. Exit status 1 names what fell by more than 20 %.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOLERANCE = 0.2
"""How far a ratio may fall, as a share of the old one."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A ratio then and now."""

    name: str
    """Section and case."""
    before: float
    """The stored ratio."""
    now: float | None
    """The new one; None: it was not measured."""

    @property
    def share(self) -> float:
        """By how much it rose (above 0) or fell, as a share of the old one."""
        return -1.0 if self.now is None else self.now / self.before - 1.0

    @property
    def fell(self) -> bool:
        """Whether it fell too far; what is no longer measured counts as fallen."""
        return self.share < -TOLERANCE

    def __str__(self) -> str:
        """Give a line for a person."""
        if self.now is None:
            return f"{self.name:32} {self.before:6.2f} -> not measured  FELL"
        mark = "  FELL" if self.fell else ""
        return f"{self.name:32} {self.before:6.2f} -> {self.now:6.2f} {self.share:+7.1%}{mark}"


def ratios(result: Mapping[str, Any]) -> dict[str, float]:
    """Return what is compared, name -> ratio, higher is better."""
    found = {
        f"ours / bare, {row['robots']} of {row['case']}": row["ratio"]["median"]
        for row in result["bare"]
    }
    for row in result["training"]:
        found[f"training / alone, {row['case']}"] = row["ratio"]["median"]
        found[f"late / early, {row['case']}"] = row["later_speed"]
    for row in result["cores"]:
        if "absent" not in row:
            found[f"two cores / one, {row['case']}"] = row["ratio"]["median"]
    return found


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return every ratio of the old result beside the new one's.

    Raises:
        ValueError: They were made with other sizes or thread counts, which change ratios too.
    """
    for name, before in _sizes(old).items():
        now = _sizes(new).get(name)
        if now != before:
            raise ValueError(f"not comparable: {name} {before} then, {now} now")
    current = ratios(new)
    return [
        Change(name=name, before=before, now=current.get(name))
        for name, before in ratios(old).items()
    ]


def verdict(old: Mapping[str, Any], new: Mapping[str, Any]) -> int:
    """Print every change; return 1 if something fell too far, 2 if they cannot be compared."""
    try:
        changes = compare(old, new)
    except ValueError as error:
        print(error)
        return 2
    print(*changes, sep="\n")
    fallen = [change.name for change in changes if change.fell]
    if fallen:
        print(f"slower by more than {TOLERANCE:.0%}: {'; '.join(fallen)}")
    return int(bool(fallen))


def load(path: Path) -> dict[str, Any]:
    """Read a result.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a result of this benchmark.
    """
    result = json.loads(path.read_text())
    missing = {"machine", "plan", "bare", "cores", "others", "training"} - set(result)
    if missing:
        names = ", ".join(sorted(missing))
        raise ValueError(f"{path} is no result of this benchmark: it has no {names}")
    return result


def _sizes(result: Mapping[str, Any]) -> dict[str, Any]:
    plan = {name: value for name, value in result["plan"].items() if name != "cpus"}
    return {"cores": len(result["plan"]["cpus"]), **plan}


def main() -> None:
    """Compare two files."""
    parser = argparse.ArgumentParser(description="Compare the ratios of two results.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    args = parser.parse_args()
    try:
        old, new = load(args.old), load(args.new)
    except (OSError, ValueError) as error:
        sys.exit(f"compare: {error}")
    sys.exit(verdict(old, new))


if __name__ == "__main__":
    main()
