"""One policy under several motors, gear gaps and contact schemes, side by side.

python -m servogym.gauge.under_motors GO2.onnx --folder runs/motors --write docs/go2-motors
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import tyro

from servogym.envs import registration, setup
from servogym.gauge import cell as cells
from servogym.gauge import contact_sweep, judgement, stem
from servogym.gauge.cell import Cell
from servogym.gauge.stress import runner
from servogym.gauge.stress.point import Point
from servogym.gauge.stress.runner import Sheet
from servogym.gauge.subject import find
from servogym.scenes.contact import acts_as, written

FORMAT = "servogym-under-motors-1"
MOTORS = ("pd", "dc-24v", "dc-29.6v", "pd+gap")
"""Ideal PD servos with a torque limit; DC motors at the two ends of the pack; PD servos whose gears
have play."""
SCHEMES = ("A", "B", "C")
GAP = "+gap"
"""Behind the name of a motor: its gears have the robot's play."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Says what motors, play and contacts do to a policy: a row for each combination."""

    policy: Annotated[str, tyro.conf.Positional]
    """ONNX file, run folder, checkpoint, `zero` or `random`."""
    folder: Path
    """Folder of the finished points."""
    task: str = "Go2-Flat-v0"
    """Environment id."""
    terrain: str = "flat"
    """Ground, e.g. `wave:3:middle`."""
    motors: tuple[str, ...] = MOTORS
    """Motors by the robot's names; with `+gap` their gears have play."""
    schemes: tuple[str, ...] = SCHEMES
    """Contact settings."""
    goals: tuple[str, ...] = (cells.MAX, cells.STRAIGHT)
    """What is asked for."""
    robots: int = 8
    """Episodes of each part of a goal."""
    seconds: float = 20.0
    """Length of held commands [s]."""
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


def points(options: Options) -> list[Point]:
    """List the combinations, motor by motor."""
    both = product(options.motors, options.schemes)
    return [_point(options, motor, scheme) for motor, scheme in both]


def _point(options: Options, motor: str, scheme: str) -> Point:
    name = motor.removesuffix(GAP)
    told = {
        "actuator": name,
        "backlash": motor.endswith(GAP),
        "contact": scheme,
        "terrain": options.terrain,
    }
    return Point(
        name="".join(c if c.isalnum() or c in ".-+" else "_" for c in f"{motor}_{scheme}"),
        cell=Cell(
            task=options.task,
            goals=options.goals,
            robots=options.robots,
            seconds=options.seconds,
            seed=options.seed,
            options=told,
        ),
        watched=True,
    )


def summarise(wanted: Sequence[Point], sheet: Sheet) -> dict[str, Any]:
    """Give tracking, falls, saturation, penetration and friction of each row."""
    rows = []
    for point, result in zip(wanted, sheet.results, strict=True):
        told = point.cell.options
        short = result["saturation"]
        rows.append(
            {
                "motor": told["actuator"] + (GAP if told["backlash"] else ""),
                "scheme": told["contact"],
                **contact_sweep.row(result),
                **_tracking(result["score"]),
                "saturation": None if short is None else short["mean"],
            }
        )
    return judgement.short({"format": FORMAT, "acts": _acts(wanted), "rows": rows})


def _acts(wanted: Sequence[Point]) -> dict[str, str]:
    """Scheme -> the setting that it comes to on this ground with the task's physics step."""
    found = {}
    for point in wanted:
        told = point.cell.options
        task = setup.task(
            registration.resolve(point.cell.task)["task"],
            terrain=told["terrain"],
            contact=told["contact"],
        )
        found[told["contact"]] = written(acts_as(task.contact, task.timestep))
    return found


def _tracking(score: Mapping[str, Any] | None) -> dict[str, Any]:
    """Achieved / commanded over the bins that move, and the falls."""
    if score is None:
        return {"achieved": None, "falls": None}
    moving = [b["achieved"] for b in score["bins"] if any(b["command"])]
    return {
        "achieved": sum(moving) / len(moving) if moving else None,
        "falls": sum(goal["falls"] for goal in score["goals"].values()),
    }


def page(record: Mapping[str, Any]) -> str:
    """Give the page of a record, as Markdown."""
    policy = record["policy"]
    head = (
        f"# {policy['name']} under other motors and contacts\n\n`{record['command']}`; policy "
        f"sha256 {policy['sha256'][:16]}…, trained on {policy['trained_actuator']}. Goals "
        f"{', '.join(record['goals'])} on {record['terrain']}.\n\n"
        "Tracking is the metric lin_vel_err (1 is perfect) and achieved / commanded velocity; "
        "saturation the share of physics steps in which a motor gives less than 99 % of what its "
        "PD asks; penetration P95 is over all contacts of feet; friction margin 0 is sliding, the "
        "number behind it how many moments slid.\n\n"
        f"On this ground, with the task's physics step, "
        f"{', '.join(f'{name} acts as `{real}`' for name, real in record['acts'].items())}.\n\n"
        "| motors | contacts | tracking | achieved | falls | saturation | penetration P95 [mm] "
        "| friction margin | quality |\n|---|---|---|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(_line(row) for row in record["rows"]) + "\n"


def _line(row: Mapping[str, Any]) -> str:
    where = f"| {row['motor']} | {row['scheme']} "
    if row["ending"] != "ran":
        return where + f"| {row['ending']} | | | | | | 0.000 |"
    achieved = "-" if row["achieved"] is None else f"{row['achieved']:.2f}"
    short = "-" if row["saturation"] is None else f"{row['saturation']:.2%}"
    return where + (
        f"| {row['lin_vel_err']:.3f} | {achieved} | {row['falls']} of {row['episodes']} | {short} "
        f"| {1e3 * row['penetration_p95']:.2f} | {row['friction_margin']:.3f} "
        f"({row['friction_zeros']}) | {row['quality']:.3f} |"
    )


def main(args: list[str] | None = None) -> int:
    """Run the command line; give the exit code: 1 when a point died."""
    args = sys.argv[1:] if args is None else args
    options = tyro.cli(Options, args=args, description=__doc__)
    try:
        stem.place(options.write)
        subject = find(options.policy, options.task)
        wanted = points(options)
        sheet = runner.run(
            wanted,
            options.policy,
            subject,
            options.folder,
            jobs=options.jobs,
            limit=options.limit,
            retry=options.retry,
        )
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        print(
            f"under_motors: {error.args[0] if isinstance(error, LookupError) else error}",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print(
            f"under_motors: interrupted; finished points stay in {options.folder}", file=sys.stderr
        )
        return 1
    record = {
        "command": shlex.join(["python", "-m", "servogym.gauge.under_motors", *args]),
        "policy": subject.record(),
        "goals": list(options.goals),
        "terrain": options.terrain,
        **summarise(wanted, sheet),
    }
    stem.write(record, page(record), options.write)
    return int(any(row["ending"] != "ran" for row in record["rows"]))


if __name__ == "__main__":
    sys.exit(main())
