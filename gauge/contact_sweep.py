"""A policy under many contact settings, each physics once, however many names it has.

python -m servogym.gauge.contact_sweep GO2.onnx --folder runs/contacts --write contacts
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import tyro

from servogym.gauge import cell as cells
from servogym.gauge import judgement, stem
from servogym.gauge.acting import acting
from servogym.gauge.cell import Cell
from servogym.gauge.plan import core_options
from servogym.gauge.stress import runner
from servogym.gauge.stress.point import Point
from servogym.gauge.stress.runner import Sheet
from servogym.gauge.subject import Subject, find

FORMAT = "servogym-contacts-1"
CONTACTS = (
    "native",
    *(f"C:{t:g}" for t in (0.004, 0.006, 0.01, 0.02, 0.04)),
    *("A", "B", "B:0.01,0.04", "B:0.02,0.1", "B:none,none"),
)
"""Scheme A, B, C and the robot's own, over the time constants of both directions."""
CONES = ("pyramidal", "elliptic", "elliptic:10", "elliptic:100")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way for feet and ground to touch."""

    contact: str
    """As `contact.parse` reads it, cones included."""
    friction: float | None = None
    """Sliding friction of the feet [1]; None: as the task draws it."""

    def __str__(self) -> str:
        """Say it in a few words."""
        friction = "" if self.friction is None else f", friction {self.friction:g}"
        return f"{self.contact}{friction}"


@dataclass(frozen=True, kw_only=True)
class Physics:
    """Settings that are one and the same to MuJoCo."""

    cell: Cell
    """What is played of them."""
    names: tuple[str, ...]
    """All of them; the first is played."""


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Every setting, sorted by what it does."""

    physics: tuple[Physics, ...]
    """In order of first appearance."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Setting -> why it cannot be."""


def settings(
    contacts: Sequence[str], cones: Sequence[str], frictions: Sequence[float | None]
) -> list[Setting]:
    """All combinations; no cones at all leaves those of the scene."""
    shapes = [f"/{cone}" for cone in cones] or [""]
    return [
        Setting(contact=f"{contact}{shape}", friction=friction)
        for contact, shape, friction in product(contacts, shapes, frictions)
    ]


def sort(base: Cell, wanted: Sequence[Setting]) -> Sweep:
    """Merge what is physically the same, and put aside what cannot be.

    Args:
        base: what is played of each; its options but for contact and friction.
        wanted: settings.

    Raises:
        LookupError: as for `Core`.
        ValueError: no setting can be.
    """
    groups: dict[tuple[Any, ...], list[tuple[Setting, Cell]]] = {}
    refused: dict[str, str] = {}
    for setting in wanted:
        cell = _cell(base, setting)
        try:
            does = acting(core_options(cell))
        except ValueError as error:
            refused[str(setting)] = str(error)
            continue
        groups.setdefault(does, []).append((setting, cell))
    if not groups:
        raise ValueError(f"none of {len(wanted)} settings can be: {refused}")
    physics = tuple(
        Physics(cell=group[0][1], names=tuple(dict.fromkeys(str(s) for s, _ in group)))
        for group in groups.values()
    )
    return Sweep(physics=physics, refused=refused)


def _cell(base: Cell, setting: Setting) -> Cell:
    options: dict[str, Any] = {**base.options, "contact": setting.contact}
    if setting.friction is not None:
        drawn = options.get("randomization")
        fixed = {"of": "feet", "value": [setting.friction, setting.friction]}
        options["randomization"] = {
            **(drawn if isinstance(drawn, dict) else {}),
            "sliding_friction": fixed,
        }
    return Cell(**{**vars(base), "options": options})


def points(sweep: Sweep) -> list[Point]:
    """Give what is played, one point a physics."""
    return [
        Point(name=f"{k:03d}_" + _file(physics.names[0]), cell=physics.cell)
        for k, physics in enumerate(sweep.physics)
    ]


def summarise(sweep: Sweep, sheet: Sheet) -> dict[str, Any]:
    """Survival, quality, friction and penetration of each physics, as JSON-able values."""
    rows = []
    for physics, result in zip(sweep.physics, sheet.results, strict=True):
        rows.append({"settings": list(physics.names), **row(result)})
    return judgement.short({"format": FORMAT, "physics": rows, "refused": dict(sweep.refused)})


def row(result: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of one played point; a dead one survived nothing."""
    score = result["score"]
    if score is None:
        return {"ending": result["ending"]["text"], "survival": 0.0, "quality": 0.0}
    goals = list(score["goals"].values())
    episodes = sum(goal["episodes"] for goal in goals)
    falls = sum(goal["falls"] for goal in goals)
    metrics = score["metrics"]
    return {
        "ending": result["ending"]["text"],
        "survival": 1.0 - falls / episodes,
        "episodes": episodes,
        "diverged": sum(goal["diverged"] for goal in goals),
        "quality": metrics["quality"]["mean"],
        "quality@25": metrics["quality"]["mean@25"],
        "lin_vel_err": metrics["lin_vel_err"]["mean"],
        "friction_margin": metrics["friction_margin"]["mean"],
        "friction_zeros": metrics["friction_margin"]["zeros"],
        "penetration_p95": max(goal["penetration"]["p95"] for goal in goals),
        "penetration_max": max(goal["penetration"]["max"] for goal in goals),
        "slip_speed": _number(goals, "slip_speed"),
    }


def page(record: Mapping[str, Any]) -> str:
    """Give the page of a record, as Markdown."""
    told = (
        f"# Contacts under {record['policy']['name']}\n\n`{record['command']}`; policy sha256 "
        f"{record['policy']['sha256'][:16]}…\n\nEach row is one physics: settings whose contacts "
        "come out the same in every number that acts are played once and stand together.\n\n"
        "| settings | survival | quality | mean@25 | friction margin (zeros) | slip [m/s] "
        "| penetration P95, max [mm] | |\n|---|---|---|---|---|---|---|---|\n"
    )
    rows = [_line(found) for found in record["physics"]]
    refused = [f"* `{name}`: {why}" for name, why in record["refused"].items()]
    tail = "\n\nNot possible:\n\n" + "\n".join(refused) if refused else ""
    return told + "\n".join(rows) + tail + "\n"


def _line(found: Mapping[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in found["settings"])
    dead = "" if found["ending"] == "ran" else found["ending"]
    if dead:
        return f"| {names} | 0 % | 0.000 | | | | | {dead} |"
    slip = "-" if found["slip_speed"] is None else f"{found['slip_speed']:.3f}"
    return (
        f"| {names} | {found['survival']:.0%} | {found['quality']:.3f} | {found['quality@25']:.3f} "
        f"| {found['friction_margin']:.3f} ({found['friction_zeros']}) | {slip} "
        f"| {1e3 * found['penetration_p95']:.2f}, {1e3 * found['penetration_max']:.2f} | |"
    )


def _number(goals: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Mean over robots of a number without a score, over all goals that have it."""
    found = [n for goal in goals if (n := goal["numbers"].get(name)) and n["robots"]]
    robots = sum(n["robots"] for n in found)
    return sum(n["mean"] * n["robots"] for n in found) / robots if robots else None


def _file(name: str) -> str:
    return "".join(c if c.isalnum() or c in ".-" else "_" for c in name)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Plays a policy under contact settings: survival and quality against each."""

    policy: Annotated[str, tyro.conf.Positional]
    """ONNX file, run folder, checkpoint, `zero` or `random`."""
    folder: Path
    """Folder of the finished points."""
    task: str = "Go2-Flat-v0"
    """Environment id."""
    terrain: str = "flat"
    """Ground, e.g. `wave:3:middle`."""
    contacts: tuple[str, ...] = CONTACTS
    """Settings of `scenes.contact`."""
    cones: tuple[str, ...] = CONES
    """Friction cones, with impratio."""
    frictions: tuple[float, ...] = ()
    """Sliding frictions of the feet [1]; none: as the task draws them."""
    goals: tuple[str, ...] = (cells.MAX, cells.STILL)
    """What is asked for."""
    robots: int = 4
    """Episodes of each part of a goal."""
    seconds: float = 10.0
    """Length of held commands [s]."""
    seed: int = 0
    """What random streams are made from."""
    jobs: int = 0
    """Processes side by side; 0 is one a CPU."""
    limit: float = runner.TIME_LIMIT
    """Time limit of a point [s]."""
    write: Annotated[Path | None, tyro.conf.arg(metavar="STEM")] = None
    """Write STEM.json and STEM.md."""


def main(args: list[str] | None = None) -> int:
    """Run the command line; give the exit code."""
    args = sys.argv[1:] if args is None else args
    options = tyro.cli(Options, args=args, description=__doc__)
    try:
        stem.place(options.write)
        subject = find(options.policy, options.task)
        record = _run(options, subject)
    except (LookupError, OSError, ValueError) as error:
        print(f"contact_sweep: {error.args[0] if error.args else error}", file=sys.stderr)
        return 1
    command = shlex.join(["python", "-m", "servogym.gauge.contact_sweep", *args])
    record = {"command": command, "policy": subject.record(), **record}
    stem.write(record, page(record), options.write)
    return 0


def _run(options: Options, subject: Subject) -> dict[str, Any]:
    base = Cell(
        task=options.task,
        goals=options.goals,
        robots=options.robots,
        seconds=options.seconds,
        seed=options.seed,
        options={"actuator": subject.contract.actuator, "terrain": options.terrain},
    )
    sweep = sort(base, settings(options.contacts, options.cones, options.frictions or (None,)))
    sheet = runner.run(
        points(sweep),
        options.policy,
        subject,
        options.folder,
        jobs=options.jobs,
        limit=options.limit,
    )
    return summarise(sweep, sheet)


if __name__ == "__main__":
    sys.exit(main())
