"""Plays a policy on terrains x frictions x masses x motors x gear gaps.

python -m servogym.gauge.stress GO2.onnx --folder runs/stress --write stress

Finished points stay in the folder: the same command goes on where it was stopped.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from servogym.gauge import judgement, stem
from servogym.gauge.stress import page, runner, summary
from servogym.gauge.stress.grid import TERRAINS, Grid
from servogym.gauge.subject import find


@dataclass(frozen=True, kw_only=True)
class Options:
    """Stresses a policy and writes one benchmark number, and where it comes from."""

    policy: Annotated[str, tyro.conf.Positional]
    """ONNX file, run folder, checkpoint, `zero` or `random`."""
    folder: Path
    """Folder of the finished points."""
    task: str = "Go2-Flat-v0"
    """Environment id."""
    terrains: tuple[str, ...] = TERRAINS
    """Kinds of ground."""
    frictions: tuple[float, ...] = (0.4, 0.7, 1.0)
    """Sliding friction of the feet [1]."""
    masses: tuple[float, ...] = (1.0, 1.2)
    """Factors on the mass of the base [1]."""
    actuators: tuple[str, ...] = ()
    """Motors; none: those it was trained on."""
    gaps: tuple[float, ...] = (0.0,)
    """Half ranges of the gear gap [rad]; 0: none."""
    contact: str | None = None
    """Contact setting; default: the task's."""
    robots: int = 4
    """Episodes of each part of a goal."""
    climbers: int = 5
    """Robots a look of the search for a level."""
    seconds: float = 20.0
    """Time limit of a target on even ground [s]."""
    rules: str = "servogym"
    """Rules of the score, `servogym` or `robogauge`."""
    seed: int = 0
    """What random streams are made from."""
    jobs: int = 0
    """Processes side by side; 0 is one a CPU."""
    limit: float = runner.TIME_LIMIT
    """Time limit of a point [s]."""
    retry: bool = False
    """Play points again whose process died."""
    write: Annotated[Path | None, tyro.conf.arg(metavar="STEM")] = None
    """Write STEM.json and STEM.md."""


def main(args: list[str] | None = None) -> int:
    """Run the command line; give the exit code: 1 when a point died."""
    args = sys.argv[1:] if args is None else args
    options = tyro.cli(Options, args=args, description=__doc__)
    try:
        stem.place(options.write)
        record, sheet = _run(options)
    except (LookupError, OSError, ValueError) as error:
        print(f"stress: {error.args[0] if error.args else error}", file=sys.stderr)
        return 1
    if sheet.changed:
        again = ", ".join(sheet.changed)
        print(f"stress: of another definition, played again: {again}", file=sys.stderr)
    record = {"command": shlex.join(["python", "-m", "servogym.gauge.stress", *args]), **record}
    stem.write(record, page.write(record), options.write)
    return int(any(terrain["dead"] for terrain in record["terrains"].values()))


def _run(options: Options) -> tuple[dict, runner.Sheet]:
    subject = find(options.policy, options.task)
    grid = Grid(
        task=options.task,
        terrains=options.terrains,
        frictions=options.frictions,
        masses=options.masses,
        actuators=options.actuators or (None,),
        gaps=options.gaps,
        contact=options.contact,
        rules=options.rules,
        robots=options.robots,
        climbers=options.climbers,
        seconds=options.seconds,
        seed=options.seed,
    )
    points = grid.points(subject.contract.actuator)
    sheet = runner.run(
        points,
        options.policy,
        subject,
        options.folder,
        jobs=options.jobs,
        limit=options.limit,
        retry=options.retry,
    )
    found = summary.summarise(points, sheet)
    told = {"grid": vars(grid), "policy": subject.record()}
    return {**judgement.short(told), **found}, sheet


if __name__ == "__main__":
    sys.exit(main())
