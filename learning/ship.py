"""Ships the policy of a run, with everything that lets a stranger judge it.

python -m servogym.learning.ship runs/<run> --name microduck-walk

NAME.onnx, verified; NAME.manifest.json, its entry in the robot's catalogue; NAME/, its weights;
NAME.json, how it walks and how it was made; NAME.md, the same as a page; NAME.mp4, a film. The
final checkpoint is taken, unless only the best one reaches a mark of the bar.
"""

import json
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import tyro

from servogym import evaluate
from servogym.deploy import manifest
from servogym.envs.opengl import NoDisplay
from servogym.export import Exported, contract_of, describe, export_policy
from servogym.gauge import criterion, judgement
from servogym.gauge.judgement import Conditions, Judgement
from servogym.gauge.subject import Subject, load
from servogym.learning import card, film, folder, spot_check
from servogym.learning.bundle import RUN as BUNDLE
from servogym.learning.bundle import Bundle
from servogym.learning.history import history, run_of
from servogym.learning.policy import rebuild

EPISODES = 7
"""Robots a command."""
FINAL, BEST, CHOSEN = (
    "the final one",
    "the best of the run's own evaluations; the final one reaches less of the bar",
    "chosen by hand, not the final one",
)
"""Which checkpoint was taken, as the card says it."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Ship the policy of a run: file, weights, evaluation, card and film."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or one checkpoint folder in it."""
    name: str
    """What the policy is called; every file begins with it."""
    into: Path = Path("policies")
    """Folder of the shipped policies."""
    force: bool = False
    """Replace what has this name there."""


@dataclass(frozen=True, kw_only=True)
class Shipped:
    """What was left behind and what it can do."""

    files: list[Path]
    """Every file and folder, the ONNX file first."""
    exported: Exported
    """What the export proved."""
    record: dict[str, Any]
    """The JSON."""
    no_film: str
    """Why there is no film; empty when there is one."""


def ship(
    run: Path, name: str, into: Path, *, seconds: float = film.SECONDS, force: bool = False
) -> Shipped:
    """Export, verify, evaluate and film a policy; its files appear together, when all are made.

    Args:
        run: A run folder, or one checkpoint folder in it.
        name: What the policy is called.
        into: Where it goes.
        seconds: Length of the film [s].
        force: Replace files of this name.

    Raises:
        FileExistsError: A file of this name exists and `force` is false.
        FileNotFoundError: There is no checkpoint, or no run around it.
        ValueError: The checkpoint is damaged, or the graph differs from the policy.
    """
    endings = (".onnx", "", ".json", ".md", ".mp4", ".manifest.json")
    there = [place for end in endings if (place := into / f"{name}{end}").exists()]
    if there and not force:
        raise FileExistsError(f"{there[0]} exists; --force replaces it")
    final = folder.latest(run_of(run))
    checkpoint = run if (run / BUNDLE).is_file() else final
    which = FINAL if checkpoint.resolve() == final.resolve() else CHOSEN
    into.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{name}.", dir=into) as desk:
        onnx, weights, numbers, page, video, entry = made = [
            Path(desk) / f"{name}{e}" for e in endings
        ]
        bundle, exported, found = _try(checkpoint, onnx)
        if checkpoint is final and (best := _rival(run, bundle, found)):
            spare = onnx.with_name("best.onnx")
            tried = _try(best, spare)
            if _marks(tried[-1]) > _marks(found):
                checkpoint, which = best, BEST
                bundle, exported, found = tried
                spare.replace(onnx)
        replace(bundle, weights=_policy_only(bundle), state={}).save(weights)
        found = replace(found, subject=replace(found.subject, file=into / onnx.name))
        record = {
            "command": evaluate.command(
                evaluate.Options(policies=(found.subject.file,), episodes=EPISODES)
            ),
            **found.record(),
            "spot_check": spot_check.record(spot_check.spot_check(found.subject)),
            "training": history(checkpoint, bundle),
            "checkpoint": which,
            "shipping": _command(run, name, into),
        }
        judgement.write(record, numbers)
        record = json.loads(numbers.read_text())
        page.write_text(card.write(name, record), "utf-8")
        if catalogued := describe(bundle, checkpoint, onnx):
            manifest.write(catalogued, entry)
        no_film = _film(onnx, video, seconds)
        for place in there:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        files = [path.replace(into / path.name) for path in made if path.exists()]
    exported = replace(exported, path=files[0])
    return Shipped(files=files, exported=exported, record=record, no_film=no_film)


def judge(subject: Subject) -> Judgement:
    """Judge a policy as `evaluate.py` does unless it is told otherwise, in its own world."""
    usual = evaluate.Options(policies=(subject.file,))
    conditions = Conditions(
        task=subject.contract.task,
        actuator=subject.contract.actuator,
        episodes=EPISODES,
        seconds=usual.seconds,
        seed=usual.seed,
        calm=False,
    )
    return judgement.judge(subject, conditions)


def _try(checkpoint: Path, out: Path) -> tuple[Bundle, Exported, Judgement]:
    """Export a checkpoint and judge the file."""
    bundle = Bundle.load(checkpoint)
    exported = _export(checkpoint, bundle, out)
    print(
        f"exported and verified: file and policy differ by at most {exported.difference:.1e} on"
        f" {exported.inputs} inputs; now it is judged",
        flush=True,
    )
    return bundle, exported, judge(load(out))


def _rival(run: Path, final: Bundle, found: Judgement) -> Path | None:
    """Give the run's best checkpoint, if it is another one and the final one is not good enough."""
    best = run / folder.BEST
    if all(_marks(found)) or not (best / BUNDLE).is_file():
        return None
    same = Bundle.load(best).counters["env_steps"] == final.counters["env_steps"]
    return None if same else best


def _marks(found: Judgement) -> list[bool]:
    """Whether each mark is reached, the hardest first."""
    return [found.reached(mark) for mark in reversed(criterion.MARKS)]


def _export(checkpoint: Path, bundle: Bundle, out: Path) -> Exported:
    policy = rebuild(dict(bundle.network), bundle.obs_width, bundle.policy_weights())
    visited = bundle.state.get("last_obs")
    return export_policy(
        policy,
        contract_of(bundle),
        out,
        run_path=checkpoint.resolve().relative_to(run_of(checkpoint).parent).as_posix(),
        visited=None if visited is None else visited[:, : bundle.contract.obs_size],
        overrides=bundle.overrides,
    )


def _policy_only(bundle: Bundle) -> dict[str, Any]:
    return {name: array for name, array in bundle.weights.items() if name.startswith("policy/")}


def _film(onnx: Path, out: Path, seconds: float) -> str:
    """Film it; without a display or encoder say in a line why there is no film."""
    try:
        for played in film.film(onnx, out, seconds):
            print(film.said(played), flush=True)
    except (ImportError, NoDisplay) as error:
        return str(error).splitlines()[0]
    return ""


def _command(run: Path, name: str, into: Path) -> str:
    home = run_of(run)
    place = PurePath("runs") / run.resolve().relative_to(home.parent)
    words = ["python", "-m", "servogym.learning.ship", place.as_posix(), "--name", name]
    return shlex.join(words + ["--into", into.as_posix()] * (into != Options.into))


def main() -> int:
    """Run the command line; status 1 when there is no film."""
    options = tyro.cli(Options, prog="python -m servogym.learning.ship", description=__doc__)
    try:
        shipped = ship(options.run, options.name, options.into, force=options.force)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"ship: {error.args[0] if isinstance(error, LookupError) else error}")
    for path in shipped.files:
        print(path)
    print(card.verdict(shipped.record))
    if shipped.no_film:
        print(f"no film: {shipped.no_film}")
    return int(bool(shipped.no_film))


if __name__ == "__main__":
    sys.exit(main())
