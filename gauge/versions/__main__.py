"""Makes the environments of the version matrix, or runs it and writes the page.

python -m servogym.gauge.versions --make

python -m servogym.gauge.versions --go2 GO2.onnx --duck MICRODUCK.onnx --write docs/versions
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from servogym.gauge import stem
from servogym.gauge.versions import homes, matrix, page
from servogym.gauge.versions.jobs import Case

_HILLY: tuple[tuple[str, float | None], ...] = (("native", None), ("C", None), ("C", 0.0))
"""Contacts and margin of a height field's cases; other ground has the first alone."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Plays policies in several versions of MuJoCo and says what differs, and why."""

    make: bool = False
    """Make the environments that are missing (needs a package index), and end."""
    environments: Path = homes.FOLDER
    """Folder of the environments, one a version."""
    versions: tuple[str, ...] = homes.VERSIONS
    """Versions, oldest first."""
    reference: str = homes.VERSIONS[-1]
    """Version that the others are held against."""
    go2: Path | None = None
    """Policy of Go2, an ONNX file: it is played on every ground."""
    duck: Path | None = None
    """Policy of MicroDuck, an ONNX file: it is played on the flat."""
    terrains: tuple[str, ...] = ("flat", "slope", "wave", "stairs", "obstacle")
    """Kinds of ground for Go2."""
    level: int = 2
    """Their level."""
    speed: float = 0.5
    """Forward speed asked of Go2 [m/s]."""
    duck_speed: float = 0.2
    """Forward speed asked of MicroDuck [m/s]."""
    seconds: float = 8.0
    """Length of a run [s]."""
    starts: int = 5
    """Runs a cell, from starts that differ."""
    limit: float = 120.0
    """Time limit of a cell [s]."""
    processes: int = 2
    """How many runs side by side."""
    runs: Path | None = None
    """Folder to keep scenes and runs in; default: one that is thrown away."""
    write: Annotated[Path, tyro.conf.arg(metavar="STEM")] = Path("versions")
    """Where to write STEM.json and STEM.md."""


def cases(options: Options) -> list[Case]:
    """List what is played: Go2 on every ground, on height fields in three ways; MicroDuck."""
    out = []
    if options.go2 is not None:
        out += [case for kind in options.terrains for case in _on(kind, options.go2, options)]
    if options.duck:
        asked = (options.duck_speed, 0.0, 0.0)
        out.append(
            Case(
                policy=options.duck,
                command=asked,
                seconds=options.seconds,
                starts=options.starts,
            )
        )
    return out


def _on(kind: str, policy: Path, options: Options) -> list[Case]:
    """Ways to play one ground: on height fields contacts and their margin matter."""
    return [
        Case(
            policy=policy,
            terrain="flat" if kind == "flat" else f"{kind}:{options.level}:open",
            contact=contact,
            margin=margin,
            command=(options.speed, 0.0, 0.0),
            seconds=options.seconds,
            starts=options.starts,
        )
        for contact, margin in (_HILLY if kind == "wave" else _HILLY[:1])
    ]


def main(args: list[str] | None = None) -> int:
    """Run the command line; give the exit code. A cell that dies is a result, not an error."""
    args = sys.argv[1:] if args is None else args
    options = tyro.cli(Options, args=args, description=__doc__)
    try:
        if options.make:
            for version in options.versions:
                homes.make(options.environments, version)
                print(f"MuJoCo {version}: {homes.python(options.environments, version)}")
            return 0
        stem.place(options.write)
        found = _run(options)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        print(
            f"versions: {error.args[0] if isinstance(error, LookupError) else error}",
            file=sys.stderr,
        )
        return 1
    command = shlex.join(["python", "-m", "servogym.gauge.versions", *_asked(args)])
    stem.write({"command": command, **found}, page.write(found, command), options.write)
    return 0


def _asked(args: list[str]) -> list[str]:
    """Leave out of a command line what changes no result: places, and how many run at a time."""
    kept: list[str] = []
    words = iter(args)
    for word in words:
        if word in ("--environments", "--runs", "--processes"):
            next(words, None)
        elif not word.startswith(("--environments=", "--runs=", "--processes=")):
            kept.append(word)
    return kept


def _run(options: Options) -> dict:
    wanted = cases(options)
    if not wanted:
        raise ValueError("nothing to play; give --go2 or --duck a policy, or --make")
    missing = [v for v in options.versions if not homes.present(options.environments, v)]
    if missing:
        raise LookupError(
            f"no environment of MuJoCo {', '.join(missing)} in {options.environments}; --make "
            "makes them"
        )
    pythons = {v: homes.python(options.environments, v).absolute() for v in options.versions}
    with tempfile.TemporaryDirectory() as folder:
        return matrix.run(
            wanted,
            pythons,
            options.reference,
            (options.runs or Path(folder)).absolute(),
            limit=options.limit,
            processes=options.processes,
        )


if __name__ == "__main__":
    sys.exit(main())
