"""`servogym explain RUN`: what a reward pays for standing, stepping and walking, and its trap."""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from servogym.cli.text import show, table
from servogym.envs import registration
from servogym.gauge import trap
from servogym.gauge.pay import Aimless, Stage, aimless, stages
from servogym.learning import folder


def main() -> int:
    """Print the page of a run or of an environment.

    Returns:
        2 when there is neither, or it cannot be explained, else 0.
    """
    parser = argparse.ArgumentParser(prog="servogym explain", description=__doc__)
    parser.add_argument("what", metavar="RUN", help="a run folder, or an id from `servogym list`")
    parser.add_argument(
        "--speed",
        type=float,
        help="forward, asked for and walked [m/s]; default: 0.75 of the fastest command",
    )
    words = parser.parse_args()
    try:
        text = page(words.what, words.speed)
    except (LookupError, OSError, ValueError) as error:
        said = error.args[0] if isinstance(error, LookupError) else error
        print(f"explain: {said}", file=sys.stderr)
        return 2
    show(text)
    return 0


def page(what: str, speed: float | None = None) -> str:
    """Write the Markdown page of a run folder or an environment id.

    Raises:
        LookupError: There is neither such a folder nor such an environment.
        ValueError: The folder is no run's, or the robot cannot step as asked.
    """
    run = Path(what)
    options = _options(run) if run.exists() else _known(what)
    found, idlers = stages(speed=speed, **options), aimless(**options)
    speed = found[-1].speed
    parts = [
        f"# What the reward of {what} pays",
        f"Reward per second. Scripted motions are asked to walk forward at {speed:g} m/s, then to "
        "stand. Action 0 and random actions get the task's own commands; their seconds end with "
        "the episode.",
    ]
    for stage in found:
        extra = idlers if stage is found[-1] else ()
        parts += [f"## {stage.when.capitalize()}", _masses(stage, extra)]
    parts += ["## An episode", _episodes(run, found[-1], idlers)]
    parts += ["## The likely trap", _verdict(found, idlers)]
    return "\n\n".join(parts)


def _known(env_id: str) -> dict[str, Any]:
    try:
        return registration.resolve(env_id)
    except LookupError as error:
        raise LookupError(f"no run folder {env_id!r}, and {error.args[0]}") from None


def _options(run: Path) -> dict[str, Any]:
    """What makes the environment of a run."""
    config = run / folder.CONFIG
    if not config.is_file():
        raise ValueError(f"{run} has no {folder.CONFIG}: not the folder of a run")
    try:
        record = json.loads(config.read_text("utf-8"))
        env_id, overrides = record["task"], dict(record["overrides"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{config} is not what a run writes: {error!r}") from error
    return {**registration.resolve(env_id), **overrides}


def _masses(stage: Stage, idlers: Sequence[Aimless]) -> str:
    """A row a term, a column a motion."""
    columns = {pay.doing: pay for pay in stage.asked_to_walk}
    columns |= {f"{pay.doing}, asked to stand": pay for pay in stage.asked_to_stand[:2]}
    columns |= {idler.pay.doing: idler.pay for idler in idlers}
    rows = [
        (term, *(_signed(pay.terms[term]) for pay in columns.values()))
        for term in stage.asked_to_walk[0].terms
    ]
    total = ("total", *(_signed(pay.total) for pay in columns.values()))
    return table(("term", *columns), [*rows, total])


def _signed(value: float) -> str:
    return f"{value:+.2f}" if abs(value) >= 0.005 else "0"


def _episodes(run: Path, stage: Stage, idlers: Sequence[Aimless]) -> str:
    """What whole episodes earn: scripted, simulated here, and as the run noted them."""
    rows = [
        (f"{pay.doing} (scripted)", f"{pay.total * stage.episode_s:.1f}", "all", "-")
        for pay in stage.asked_to_walk
    ]
    rows += [
        (who.pay.doing, f"{who.episode_return:.1f}", f"{who.length:.0f}", f"{who.falls:.0%}")
        for who in idlers
    ]
    return table(("what", "return", "control steps", "falls"), rows + _noted(run))


def _noted(run: Path) -> list[tuple[str, str, str, str]]:
    """What the run itself measured: both baselines and its best policy."""
    path = run / folder.EVALUATIONS
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values()]  # no torn line
    best: dict[str, dict[str, str]] = {}
    for row in rows:
        kept = best.setdefault(row["policy"], row)
        if float(row["return"]) > float(kept["return"]):
            best[row["policy"]] = row
    return [
        (
            f"{policy}, noted by the run at step {row['env_steps']}",
            f"{float(row['return']):.1f}",
            f"{float(row['length']):.0f}",
            f"{float(row['falls']):.0%}",
        )
        for policy, row in best.items()
    ]


def _verdict(found: Sequence[Stage], idlers: Sequence[Aimless]) -> str:
    """Say every trap that was found, or that none was, and what steps alone are paid."""
    last = found[-1]
    said = [
        f"{stage.when.capitalize()}, {sentence}."
        for stage in found
        for sentence in trap.traps(stage)
    ]
    said += [f"{s}." for who in idlers for s in trap.idle(who, last)]
    if not said:
        *rivals, walk = last.asked_to_walk
        shares = " and ".join(f"'{pay.doing}' {pay.total / walk.total:.0%}" for pay in rivals)
        said.append(
            f"No trap found: {shares} of what walking earns at the end ({1 / trap.MARGIN:.0%} "
            "is the most that is safe), and asked to stand, standing earns most."
        )
    if names := trap.blind(last):
        said.append(
            f"Paid for a step in place like for one that leads somewhere: {', '.join(names)}. The "
            "other terms must tell them apart."
        )
    return "\n\n".join(said)
