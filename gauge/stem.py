"""Writes what was found twice, under one name: JSON for machines, Markdown for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from servogym.gauge import judgement


def files(stem: Path) -> tuple[Path, Path]:
    """The two files of a name, whose dots are its own: `go2-29.6v` has `go2-29.6v.json`."""
    return stem.with_name(f"{stem.name}.json"), stem.with_name(f"{stem.name}.md")


def place(stem: Path | None) -> None:
    """Make the folder of both files; to be called before anything takes time.

    Raises:
        OSError: there can be no such folder, or one of them is a folder itself.
    """
    for file in files(stem) if stem is not None else ():
        judgement.place(file)


def write(record: Mapping[str, Any], page: str, stem: Path | None) -> None:
    """Write both; without a name, print the page."""
    if stem is None:
        print(page)
        return
    machine, people = files(stem)
    judgement.write(record, machine)
    people.write_text(page, encoding="utf-8")
