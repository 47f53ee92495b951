"""Says how good a policy is: a score card of goals and metrics, with the walking bar inside.

python evaluate.py runs/<run>

python evaluate.py one.onnx another.onnx zero --task MicroDuck-Flat-v0

python evaluate.py policy.onnx --actuator bam pd

python evaluate.py policy.onnx --against docs/cards/policy.json

python evaluate.py runs/<run> --bar --checkpoints
"""

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from servogym.cli.text import show
from servogym.envs import configuration
from servogym.envs.trained import physics
from servogym.gauge import bar, judgement, page
from servogym.gauge.cell import GOALS, Cell, Name
from servogym.gauge.subject import Subject, baseline, find, load


@dataclass(frozen=True, kw_only=True)
class Options:
    """Measure how good policies are, and hold them against the walking bar of their task."""

    policies: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders, checkpoints or exported ONNX files; `zero` and `random` act without a policy."""
    task: str | None = None
    """Environment id; default: the one the first policy was trained on."""
    actuator: tuple[str, ...] = ()
    """Motor laws, each a column of the card; default: the one the first policy was trained on."""
    config: Path | None = None
    """A TOML file: how the physics and the task differ here; default: edits and contacts as they
    were in training."""
    terrain: str | None = None
    """Other ground, e.g. `wave:3`."""
    level: int | None = None
    """Level of a task's field of tiles."""
    contact: str | None = None
    """Another contact setting, e.g. `B`."""
    goals: tuple[Name, ...] = ()
    """What is asked; default: everything."""
    rules: Literal["servogym", "robogauge"] = "servogym"
    """What counts and how: ours, or RoboGauge's with its commands and its known mistakes."""
    robots: int = 8
    """Robots that play each part of a goal."""
    episodes: int = 7
    """Robots a command, for the walking bar."""
    seconds: float = bar.SECONDS
    """For how long a command is held [s]; the bar is made for 20 s."""
    seed: int = 2_000_003
    """Seed of the first robot; far from training seeds."""
    calm: bool = False
    """Switch randomisation, pushes, noise and delays off; the bar is not for that."""
    json: Path | None = None
    """File for everything that was measured; default: cards/<policies>.json, with --bar none."""
    html: Path | None = None
    """File for the page; default: beside the JSON."""
    bar: bool = False
    """Only the walking bar, command by command, without a card."""
    checkpoints: bool = False
    """With --bar: judge every checkpoint of a run folder and say when each mark was reached."""
    require: Literal["usable", "walking"] | None = None
    """Exit with status 1 unless this mark is reached (with --checkpoints: by any checkpoint)."""
    least: float | None = None
    """Exit with status 1 unless every policy has this quality [0 to 1] and no flag."""
    against: Path | None = None
    """Exit with status 1 when any metric surely fell below that of this stored card."""
    tolerance: float = 0.02
    """By how much a metric may fall with --against [1]."""
    strict: bool = False
    """Refuse, with status 1, to judge on other motors than it was trained on."""


def main() -> int:
    """Run the command line; give the exit code."""
    options = tyro.cli(Options, description=__doc__)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # PyTorch, not loaded yet: these nets are small
    try:
        _check(options)
        if options.json is not None:  # now, not when everything has been walked
            judgement.place(options.json)
        if options.checkpoints:
            return _follow(options)
        return _judge(options) if options.bar else _card(options)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"evaluate: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        sys.exit("evaluate: interrupted; nothing is written")


def command(options: Options) -> str:
    """Give the command line that measures the same again: what was asked, not where it went."""
    words = ["python", "evaluate.py", *(each.as_posix() for each in options.policies)]
    for f in fields(options):
        value = getattr(options, f.name)
        if f.name not in _ASIDE and value != f.default:
            values = value if isinstance(value, tuple) else (value,)
            words += [f"--{f.name}", *([] if value is True else [str(v) for v in values])]
    return shlex.join(words)


_ASIDE = ("policies", "json", "html", "require", "least", "against", "tolerance", "strict")


def _check(options: Options) -> None:
    """Refuse options that do not go together.

    Raises:
        ValueError: naming them.
    """
    if not options.policies:
        raise ValueError("no policy given; needs one or more files, run folders, zero or random")
    if options.checkpoints and not options.bar:
        raise ValueError("--checkpoints is for the walking bar; say --bar --checkpoints")
    if options.bar and (len(options.policies) > 1 or len(options.actuator) > 1):
        raise ValueError("--bar judges one policy on one motor law; without it they make a card")
    card = ("terrain", "level", "contact", "goals", "html", "least", "against")
    given = [name for name in card if getattr(options, name) not in (None, ())]
    if options.bar and given:
        raise ValueError(f"--{', --'.join(given)} belong to the card and not to --bar")
    if options.against is not None and len(options.policies) * max(1, len(options.actuator)) > 1:
        raise ValueError("--against holds one policy on one motor law against a stored card")
    if options.least is not None and not 0 <= options.least <= 1:
        raise ValueError(f"--least {options.least:g}; needs a quality from 0 to 1")
    if not 0 <= options.tolerance <= 1:
        raise ValueError(f"--tolerance {options.tolerance:g}; needs a number from 0 to 1")
    for name in ("policies", "actuator"):
        given = [str(each) for each in getattr(options, name)]
        if twice := sorted({each for each in given if given.count(each) > 1}):
            raise ValueError(f"{', '.join(twice)} given twice; needs each once")
    if options.json is not None:
        _spare(options, options.json)


def _spare(options: Options, *written: Path) -> None:
    """Refuse to write over what is read, or one file over the other.

    Raises:
        ValueError: naming the file.
    """
    read = [*options.policies, options.config, options.against]
    kept = {path.resolve() for path in read if path is not None}
    for path in written:
        if path.resolve() in kept:
            raise ValueError(f"{path} is read, and would be overwritten; needs another --json")
        kept.add(path.resolve())


def _card(options: Options) -> int:
    from servogym.gauge import brief, card, play
    from servogym.gauge.sheet.page import write

    stored = None if options.against is None else card.read(options.against)
    subjects = _subjects(options)
    out = options.json or Path("cards") / f"{'-'.join(who.name for who in subjects)}.json"
    html = options.html or out.with_suffix(".html")
    _spare(options, out, html)
    for path in (out, html):
        judgement.place(path)
    task, made = options.task or subjects[0].contract.task, _made(options, subjects[0])
    said = (made or {}).get("actuator")
    motors = options.actuator or (said or subjects[0].contract.actuator,)
    asked = []
    for label, who, law in _columns(subjects, motors):  # all of it, before any of it is played
        conditions = _conditions(options, who, task, law, made)
        cell = _cell(options, conditions, who)
        play.check(cell, who)
        asked.append((label, who, cell, conditions))
    if stored is not None:
        card.comparable(stored, asked[0][2].record())
    entries = []
    for label, who, cell, conditions in asked:
        judged = conditions if options.seconds == bar.SECONDS and not options.calm else None
        entries.append(card.entry(label, who, cell, conditions=judged, tell=_tell))
    judgement.write(card.record(entries, command(options)), out)
    record = card.read(out)
    judgement.keep(write(record), html)
    show(brief.write(record))
    fell = card.against(record, stored, options.tolerance) if stored else []
    show("\n".join(brief.regression(each) for each in fell))
    print(f"{out}\n{html}")
    return int(bool(fell) or not card.accepted(record, options.least, options.require))


def _subjects(options: Options) -> list[Subject]:
    """Open every policy; those who act without one act in the task of the first that is one."""
    task, found = options.task, {}
    for which in options.policies:
        if not baseline(which):
            found[which] = load(which)
            task = task or found[which].contract.task
    if task is None:
        raise ValueError(f"--task is needed for {', '.join(map(str, options.policies))}")
    return [found[w] if w in found else find(str(w), task) for w in options.policies]


def _columns(subjects: list[Subject], motors: tuple[str, ...]) -> list[tuple[str, Subject, str]]:
    """Pair every policy with every motor law, under labels that differ."""
    names = [who.name for who in subjects]
    if len(set(names)) < len(names):
        names = [who.file.as_posix() for who in subjects]
    several = len(motors) > 1
    return [
        (f"{name} on {law}" if several else name, who, law)
        for name, who in zip(names, subjects, strict=True)
        for law in motors
    ]


def _cell(options: Options, conditions: judgement.Conditions, who: Subject) -> Cell:
    given: dict[str, Any] = {"encoder": who.contract.encoder}
    made = conditions.options
    given |= physics(who.contract, conditions.task) if made is None else made
    given["actuator"] = conditions.actuator
    for name in ("terrain", "level", "contact"):
        if (value := getattr(options, name)) is not None:
            given[name] = value
    if options.calm:
        given |= {"randomization": False, "sensing": False}
    return Cell(
        task=conditions.task,
        goals=options.goals or GOALS,
        rules=options.rules,
        robots=options.robots,
        seconds=options.seconds,
        seed=options.seed,
        options=given,
    )


def _judge(options: Options) -> int:
    (subject,) = _subjects(options)
    made = _made(options, subject)
    conditions = _conditions(options, subject, *_where(options, subject, made), made)
    found = judgement.judge(subject, conditions)
    show(page.write(found))
    _keep(options, found.record())
    return int(options.require is not None and not found.reached(options.require))


def _follow(options: Options) -> int:
    from servogym.gauge import checkpoints

    (subject,) = _subjects(options)
    made = _made(options, subject)
    conditions = _conditions(options, subject, *_where(options, subject, made), made)
    stages = []
    print(page.STAGES)
    for stage in checkpoints.stages(options.policies[0], conditions):
        stages.append(stage)
        print(page.stage(stage), flush=True)
    print("\n" + page.first_reached(stages))
    _keep(options, {"checkpoints": [stage.record() for stage in stages]})
    wanted = options.require
    return int(wanted is not None and not any(s.judgement.reached(wanted) for s in stages))


def _where(options: Options, subject: Subject, made: Mapping[str, Any] | None) -> tuple[str, str]:
    """Task and motor law of the only column there is."""
    law = options.actuator[0] if options.actuator else (made or {}).get("actuator")
    return options.task or subject.contract.task, law or subject.contract.actuator


def _made(options: Options, subject: Subject) -> Mapping[str, Any] | None:
    """Read the configuration, say what it changes, give the environment's options; None: none.

    Raises:
        ValueError: it says another motor law than the command line.
    """
    if options.config is None:
        return None
    asked = options.actuator[0] if options.actuator else None
    task = options.task or subject.contract.task
    made = configuration.load(options.config, task, actuator=asked)
    said = made.options.get("actuator", asked)
    if options.actuator and options.actuator != (said,):
        raise ValueError(
            f"{options.config}: actuator is {said!r}, --actuator {' '.join(options.actuator)!r}; "
            "say it once"
        )
    print(made.page() + "\n")
    return made.options


def _conditions(
    options: Options,
    subject: Subject,
    task: str,
    actuator: str,
    made: Mapping[str, Any] | None,
) -> judgement.Conditions:
    """Give the conditions; warn of other motors and edits, or refuse them."""
    conditions = judgement.Conditions(
        task=task,
        actuator=actuator,
        episodes=options.episodes,
        seconds=options.seconds,
        seed=options.seed,
        calm=options.calm,
        options=made,
    )
    if wrong := judgement.mismatch(subject, conditions):
        if options.strict:
            raise ValueError(f"{wrong}; --strict refuses that")
        print(f"evaluate: warning: {wrong}", file=sys.stderr)
    return conditions


def _keep(options: Options, record: dict[str, Any]) -> None:
    if options.json is not None:
        judgement.write({"command": command(options), **record}, options.json)


def _tell(text: str) -> None:
    """Say what is being played, on the side."""
    print(f"evaluate: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
