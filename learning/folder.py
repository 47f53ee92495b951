"""The run folder: where things lie in it, and the page that explains it to a stranger."""

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from servogym.learning.bundle import RUN
from servogym.learning.origin import origin

if TYPE_CHECKING:
    from servogym.envs.configuration import Configuration
    from servogym.learning.run import Run

CHECKPOINTS, BEST, TENSORBOARD = "checkpoints", "best", "tensorboard"
PROGRESS, EVALUATIONS, CONFIG, RESULT = (
    "progress.csv",
    "evaluations.csv",
    "config.json",
    "result.json",
)

_README = """\
# {task}, seed {seed}

A training run of servogym, started with

    {command}

{changes}| file | what it is |
|---|---|
| `{config}` | task, seed, every hyper-parameter, the policy's contract, commit and computer |
| `{progress}` | one row per PPO iteration: speed, falls, reward and its terms per control step |
| `{evaluations}` | action zero, random actions and the trained policy on the same fixed seeds |
| `{tensorboard}/` | the same numbers for `tensorboard --logdir {path}` |
| `{checkpoints}/` | one folder per checkpoint, named by environment steps |
| `{best}/` | the checkpoint that evaluated best |
| `{result}` | how it ended; absent while it runs |

A checkpoint is `weights.safetensors` (policy, input scales, Adam), `state.safetensors` (robots and
random streams) and `run.json` (everything else, with checksums). Nothing is pickled.

    python train.py --resume {path}        # goes on where the latest checkpoint stopped
    python export.py {path}        # writes {path}/policy.onnx and verifies it
"""


def checkpoint(run: Path, env_steps: int) -> Path:
    """Give the checkpoint folder for a number of environment steps."""
    return run / CHECKPOINTS / f"{env_steps:010d}"


def latest(run: Path) -> Path:
    """Give the checkpoint with the most environment steps.

    Raises:
        FileNotFoundError: There is none, or no such folder.
        NotADirectoryError: It is a file.
    """
    if not run.exists():
        raise FileNotFoundError(f"{run}: no such file or folder")
    if run.is_file():
        raise NotADirectoryError(f"{run} is a file; a run folder or a checkpoint is needed")
    found = sorted((run / CHECKPOINTS).glob("[0-9]*"))
    if not found:
        raise FileNotFoundError(f"{run}: no checkpoint in {run / CHECKPOINTS}")
    return found[-1]


def find(path: Path) -> Path:
    """Give the checkpoint meant by a path: itself, else its best one, else its latest.

    Raises:
        FileNotFoundError: There is none, or no such folder.
        NotADirectoryError: It is a file.
    """
    for candidate in (path, path / BEST):
        if (candidate / RUN).is_file():
            return candidate
    return latest(path)


def describe(run: "Run", made: "Configuration | None" = None) -> None:
    """Write the page and the configuration of a run that begins.

    Args:
        run: The run.
        made: The configuration file it was started with.
    """
    text = _README.format(
        task=run.contract.task,
        seed=run.seed,
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        changes="" if made is None else f"{indent(made.page(), '    ')}\n\n",
        path=run.path,
        config=CONFIG,
        progress=PROGRESS,
        evaluations=EVALUATIONS,
        tensorboard=TENSORBOARD,
        checkpoints=CHECKPOINTS,
        best=BEST,
        result=RESULT,
    )
    config = {
        "task": run.contract.task,
        "seed": run.seed,
        "start": run.begun,
        "overrides": run.overrides,
        "configuration": made
        and {
            "file": made.file.as_posix(),
            "changes": [str(change) for change in made.changes],
        },
        "command": sys.argv,
        "preset": asdict(run.preset),
        "contract": json.loads(run.contract.to_json()),
        "origin": origin(),
    }
    (run.path / "README.md").write_text(text)
    (run.path / CONFIG).write_text(json.dumps(config, indent=2))


def note_continuation(run: "Run") -> None:
    """Add to a run's configuration that it goes on: by which command, from which step."""
    path = run.path / CONFIG
    config = json.loads(path.read_text())
    now = {"command": sys.argv, "from": run.env_steps, "origin": origin()}
    config.setdefault("continued", []).append(now)
    path.write_text(json.dumps(config, indent=2))
