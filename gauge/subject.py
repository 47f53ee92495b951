"""Opens what is to be judged: a policy, and the words that identify it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from servogym.deploy.contract import Contract


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
