"""Opens what is to be judged: a policy, and the words that identify it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from servogym.deploy.contract import Contract
from servogym.envs.random import RowRandom

BASELINES = ("zero", "random")
"""Doing nothing, and acting at random: what every policy must beat."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A policy that can be asked."""

    act: Callable[[np.ndarray], np.ndarray]
    """Observations (n, obs) -> actions (n, j), without exploration."""
    contract: Contract
    """What it was trained on."""
    file: Path
    """The file that holds it."""
    sha256: str
    """Digest of that file."""
    library: str
    """The package that computes its answers."""

    @property
    def name(self) -> str:
        """What it is called: a file by its stem, a checkpoint by its run and which one it is."""
        if self.file.stem != "weights":
            return self.file.stem
        which, above = self.file.parent.name, self.file.parent.parent
        if above.name == "checkpoints":
            return "-".join((above.parent.name or "run", which.lstrip("0") or "0"))
        return f"{above.name or 'run'}-best" if which == "best" else which or "weights"

    def record(self) -> dict[str, str]:
        """Give what identifies it."""
        return {
            "name": self.name,
            "file": self.file.as_posix(),
            "sha256": self.sha256,
            "trained_task": self.contract.task,
            "trained_actuator": self.contract.actuator,
        }


def load(path: Path) -> Subject:
    """Open a policy: an ONNX file through the runner, a run folder through its best checkpoint.

    Raises:
        OSError: There is nothing to open.
        ValueError: It is damaged, or not servogym's.
    """
    if path.is_file():
        from servogym.deploy.runner import Policy

        policy = Policy(path)
        return _subject(policy, policy.contract, path, "onnxruntime")
    from servogym.learning import folder
    from servogym.learning.bundle import WEIGHTS, Bundle
    from servogym.learning.policy import acting, rebuild

    place = folder.find(path)
    bundle = Bundle.load(place)
    network = rebuild(dict(bundle.network), bundle.obs_width, bundle.policy_weights())
    return _subject(acting(network), bundle.contract, place / WEIGHTS, "torch")


def _subject(act, contract: Contract, file: Path, library: str) -> Subject:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Subject(act=act, contract=contract, file=file, sha256=digest, library=library)


def find(which: str, task: str) -> Subject:
    """Open a policy, or one of those every policy must beat: `zero` and `random`.

    Args:
        which: path of a policy, `zero` or `random`.
        task: environment id in which the last two act.

    Raises:
        LookupError: for an unknown task.
        OSError: There is nothing to open.
        ValueError: It is damaged, or not servogym's.
    """
    if baseline(which):
        return zero(task) if str(which) == "zero" else random(task)
    return load(Path(which))


def baseline(which: str | Path) -> bool:
    """Whether this names no file or folder, but one that acts without a policy."""
    return str(which) in BASELINES and not Path(which).exists()


def controller(act: Callable[[np.ndarray], np.ndarray], task: str, name: str) -> Subject:
    """Make a subject of any function of observations (n, obs) to actions (n, j).

    Where it has a method `begin`, that is given the random keys (n,) uint64 of the episodes before
    each batch of them.

    Raises:
        LookupError: for an unknown task.
    """
    from servogym.envs import contract, registration
    from servogym.envs.built import Built

    where = registration.resolve(task)
    record = registration.find(where["task"])
    built = Built.of(record, None, actuator=None, backlash=where["backlash"], edits=())
    made = contract.build(task, record, built, "output")
    return Subject(act=act, contract=made, file=Path(name), sha256="", library="numpy")


def zero(task: str) -> Subject:
    """Do nothing: action 0, the default pose."""
    made = controller(lambda obs: obs, task, "zero")
    width = made.contract.action_size
    return replace(made, act=lambda obs: np.zeros((len(obs), width)))


def random(task: str) -> Subject:
    """Act at random, uniformly within the bounds of the action, every robot by itself."""
    made = controller(lambda obs: obs, task, "random")
    return replace(made, act=_Dice(made.contract.action_size, made.contract.action_clip))


class _Dice:
    """Throws actions; the same keys give the same ones."""

    def __init__(self, width: int, bound: float) -> None:
        self._width, self._bound = width, bound

    def begin(self, keys: np.ndarray) -> None:
        self._rng = RowRandom(len(keys))
        self._rng.seed(np.arange(len(keys)), keys ^ np.uint64(1))
        self._rng.begin_episode(np.arange(len(keys)))

    def __call__(self, obs: np.ndarray) -> np.ndarray:
        return self._rng.uniform(-self._bound, self._bound, self._width)
