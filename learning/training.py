"""Trains from options to a finished run folder: begin or resume, learn, sum up."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import configure

from servogym.deploy.trial.fields import differences
from servogym.envs import configuration
from servogym.envs.configuration import Configuration
from servogym.learning import folder
from servogym.learning.bundle import Bundle
from servogym.learning.callbacks.checkpoints import Checkpoints
from servogym.learning.callbacks.curriculum import Curriculum
from servogym.learning.callbacks.evaluations import Evaluations
from servogym.learning.callbacks.finite import FiniteGuard
from servogym.learning.callbacks.metrics import RolloutMetrics
from servogym.learning.callbacks.progress import Progress
from servogym.learning.callbacks.stop import Stop
from servogym.learning.callbacks.table import Table, rewind
from servogym.learning.callbacks.threads import TorchThreads
from servogym.learning.options import TrainOptions
from servogym.learning.preset import PpoPreset
from servogym.learning.run import Run


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a run ended."""

    run: Path
    """The run folder."""
    status: str
    """`ok`; `below_baseline`: doing nothing earns more; `interrupted`: Ctrl-C."""
    env_steps: int
    """Environment steps made in all."""
    seconds: float
    """Duration of this call [s]."""
    last_return: float | None
    """Return of the last evaluation; None: none was made."""
    best_return: float | None
    """Return of the best evaluation; None: none was made."""
    zero_return: float
    """Return of the action 0 on the same episodes."""
    random_return: float
    """Return of uniformly random actions on the same episodes."""


def train(
    options: TrainOptions,
    preset: PpoPreset | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Result:
    """Train until the steps are made, the time is up or Ctrl-C is pressed.

    Args:
        options: What to train, and how long.
        preset: Hyper-parameters; None: the task's own. A resumed run keeps its own.
        overrides: Environment keyword arguments, e.g. `{"rewards": {"cost_of_transport": 0.0}}`;
            must survive JSON. A resumed run keeps its own.

    Raises:
        LookupError: Unknown task or motor law; the message lists the known ones.
        FileExistsError: The run folder exists.
        ValueError: Options, preset or checkpoint do not fit.
        NotFinite: An observation or reward is not finite; checkpoints stay as they are.
    """
    started = time.monotonic()
    stop = Stop(options.minutes)
    run = _resume(options) if options.resume else _begin(options, preset, overrides or {})
    todo = _todo(run, options.resume or options.start)
    run.model.set_logger(configure(str(run.path / folder.TENSORBOARD), ["tensorboard"]))
    with stop:
        run.model.learn(
            todo, CallbackList(_callbacks(options, run, stop)), reset_num_timesteps=False
        )
    result = _result(run, stop, time.monotonic() - started)
    (run.path / folder.RESULT).write_text(json.dumps(asdict(result), indent=2, default=str))
    return result


def _begin(options: TrainOptions, preset: PpoPreset | None, overrides: Mapping[str, Any]) -> Run:
    assert options.task is not None
    seed = options.seed or 0
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = options.out or Path("runs") / f"{options.task}-seed{seed}-{stamp}"
    if path.exists():
        raise FileExistsError(f"{path} exists; choose another --out, or --resume {path}")
    made = _configured(options, overrides)
    if made is not None:
        overrides = {**made.options, **overrides}
    if options.actuator is not None:
        overrides = {**overrides, "actuator": options.actuator}
    run = Run(
        path,
        options.task,
        seed=seed,
        overrides=overrides,
        preset=preset,
        envs=options.envs,
        steps=options.steps,
        threads=options.threads,
        judges=options.eval_envs,
    )
    if options.start is not None:
        run.start(folder.find(options.start))
        _todo(run, options.start)
    path.mkdir(parents=True)
    folder.describe(run, made)
    run.measure_baselines()
    return run


def _todo(run: Run, source: Path | None) -> int:
    """Steps still to make; none is an error, told before anything is written."""
    todo = run.preset.total_steps - run.env_steps
    if todo <= 0:
        raise ValueError(f"{source} has made {run.env_steps} steps; ask for more with --steps")
    return todo


def _resume(options: TrainOptions) -> Run:
    assert options.resume is not None
    bundle = Bundle.load(folder.latest(options.resume))
    _same_configuration(options, bundle)
    run = Run(
        options.resume,
        bundle.task,
        seed=bundle.seed,
        overrides=bundle.overrides,
        preset=bundle.preset,
        steps=options.steps,
        threads=options.threads,
        judges=options.eval_envs,
    )
    run.restore(bundle)
    folder.note_continuation(run)
    for name in (folder.PROGRESS, folder.EVALUATIONS):
        rewind(run.path / name, run.env_steps)
    return run


def _configured(options: TrainOptions, overrides: Mapping[str, Any]) -> Configuration | None:
    """Read the configuration of a run that begins, and say what it changes."""
    if options.config is None:
        return None
    assert options.task is not None
    more = {"actuator": options.actuator} if options.actuator else {}
    made = configuration.load(options.config, options.task, **{**overrides, **more})
    for name, value in {**overrides, **more}.items():
        if made.options.get(name, value) != value:
            raise ValueError(
                f"{options.config}: {name} is {made.options[name]!r}, and {value!r} was asked for"
                " beside it; say it once"
            )
    print(made.page(), flush=True)
    return made


def _same_configuration(options: TrainOptions, bundle: Bundle) -> None:
    """Refuse to go on under a configuration that is not the run's own."""
    if options.config is None:
        return
    kept, asked = dict(bundle.overrides), configuration.read(options.config)
    if "actuator" not in asked:
        kept.pop("actuator", None)
    if wrong := differences(kept, asked):
        first = wrong[0]
        raise ValueError(
            f"{options.config}: {first.field} is {first.here!r}, in the run {first.file!r};"
            " --resume continues a run with its own configuration; leave --config out"
        )


def _callbacks(options: TrainOptions, run: Run, stop: Stop) -> list[BaseCallback]:
    metrics = RolloutMetrics()
    return [
        stop,
        TorchThreads(options.update_threads),
        Curriculum(),
        FiniteGuard(run.contract),
        metrics,
        Table(run.path / folder.PROGRESS, metrics),
        Progress(metrics, stop),
        Evaluations(options.eval_every, run.evaluate, run.path / folder.EVALUATIONS, stop),
        Checkpoints(options.save_every, run.save, stop),
    ]


def _result(run: Run, stop: Stop, seconds: float) -> Result:
    counters = run.counters
    zero, last = counters["zero_return"], counters.get("last_return")
    status = "ok"
    if stop.interrupted:
        status = "interrupted"
    elif last is not None and zero is not None and last < zero:
        status = "below_baseline"
    return Result(
        run=run.path,
        status=status,
        env_steps=run.env_steps,
        seconds=seconds,
        last_return=last,
        best_return=counters["best_return"],
        zero_return=float(zero or 0.0),
        random_return=float(counters["random_return"] or 0.0),
    )
