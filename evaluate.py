"""Says how a policy walks, command by command, and holds it against the walking bar.

python evaluate.py runs/<run>

python evaluate.py policy.onnx --json judged.json

python evaluate.py runs/<run> --checkpoints
"""

import os
import shlex
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from servogym.cli.text import show
from servogym.envs import configuration
from servogym.gauge import bar, judgement, page
from servogym.gauge.subject import Subject, load


@dataclass(frozen=True, kw_only=True)
class Options:
    """Measure how a policy walks, with all randomisation, noise, delays and pushes of its task."""

    policy: Annotated[Path, tyro.conf.Positional]
    """A run folder, a checkpoint or an exported ONNX file."""
    task: str | None = None
    """Environment id; default: the one it was trained on."""
    actuator: str | None = None
    """Motor law; default: that of the configuration, or the one it was trained on."""
    config: Path | None = None
    """A TOML file: how the physics and the task differ here; default: edits and contacts as they
    were in training."""
    episodes: int = 7
    """Robots a command."""
    seconds: float = bar.SECONDS
    """Length of an episode [s]."""
    seed: int = 2_000_003
    """Seed of the first robot; far from training seeds."""
    calm: bool = False
    """Switch randomisation, pushes, noise and delays off; the bar is not for that."""
    json: Path | None = None
    """Write everything that was measured into this file."""
    checkpoints: bool = False
    """Judge every checkpoint of a run folder and say when each mark was reached."""
    require: Literal["usable", "walking"] | None = None
    """Exit with status 1 unless this mark is reached (with --checkpoints: by any checkpoint)."""
    strict: bool = False
    """Refuse, with status 1, to judge on other motors than it was trained on."""


def main() -> int:
    """Run the command line; give the exit code."""
    options = tyro.cli(Options, description=__doc__)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # PyTorch, not loaded yet: these nets are small
    try:
        if options.json is not None:  # now, not when everything has been walked
            judgement.place(options.json)
        return (_follow if options.checkpoints else _judge)(options)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"evaluate: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        sys.exit("evaluate: interrupted; nothing is written")


def _judge(options: Options) -> int:
    subject = load(options.policy)
    conditions = _conditions(options, subject)
    found = judgement.judge(subject, conditions)
    show(page.write(found))
    _keep(options, found.record())
    return int(options.require is not None and not found.reached(options.require))


def _follow(options: Options) -> int:
    from servogym.gauge import checkpoints

    conditions = _conditions(options, load(options.policy))
    stages = []
    print(page.STAGES)
    for stage in checkpoints.stages(options.policy, conditions):
        stages.append(stage)
        print(page.stage(stage), flush=True)
    print("\n" + page.first_reached(stages))
    _keep(options, {"checkpoints": [stage.record() for stage in stages]})
    wanted = options.require
    return int(wanted is not None and not any(s.judgement.reached(wanted) for s in stages))


def _conditions(options: Options, subject: Subject) -> judgement.Conditions:
    """Give the conditions; say what a configuration changes; warn of other motors and edits."""
    contract, task, actuator, made = subject.contract, options.task, options.actuator, None
    task = task or contract.task
    if options.config is not None:
        made = configuration.load(options.config, task, actuator=actuator)
        actuator = made.options.get("actuator", actuator)
        print(made.page() + "\n")
    conditions = judgement.Conditions(
        task=task,
        actuator=actuator or contract.actuator,
        episodes=options.episodes,
        seconds=options.seconds,
        seed=options.seed,
        calm=options.calm,
        options=made and made.options,
    )
    if wrong := judgement.mismatch(subject, conditions):
        if options.strict:
            raise ValueError(f"{wrong}; --strict refuses that")
        print(f"evaluate: warning: {wrong}", file=sys.stderr)
    return conditions


def _keep(options: Options, record: dict[str, Any]) -> None:
    if options.json is not None:
        judgement.write({"command": command(options), **record}, options.json)


def command(options: Options) -> str:
    """Give the command line that measures the same again: what was asked, not where it went."""
    words = ["python", "evaluate.py", options.policy.as_posix()]
    for f in fields(options):
        value = getattr(options, f.name)
        if f.name not in ("policy", "json", "require", "strict") and value != f.default:
            words += [f"--{f.name}"] if value is True else [f"--{f.name}", str(value)]
    return shlex.join(words)


if __name__ == "__main__":
    sys.exit(main())
