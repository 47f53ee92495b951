"""What can be said of a policy file without a robot: its graph, its shape, its texts.

How it moves is proven in `servogym.deploy.trial.proof`.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime as ort

from servogym.deploy.contract import Contract
from servogym.deploy.metadata import metadata

TOLERANCE = 1e-5
"""Largest accepted difference of an action, in units of action."""

CALM = 0.04
"""Share of every column's range in which a robot is that hardly moves."""


def inputs(contract: Contract, visited: np.ndarray, n: int = 10_000) -> np.ndarray:
    """Draw `(n, obs)` float32 test observations: plain, off-centre, in range, visited, extreme.

    A third of those in range are about robots that are asked for nothing; half of these hardly
    move, so that it is open whether they tip over.

    Args:
        contract: Gives the slot bounds.
        visited: Observations met in training, `(m, obs)`; may be empty.
        n: Number of observations.
    """
    rng = np.random.default_rng(0)
    low, high = contract.bounds()
    shape = (n // 5, contract.obs_size)
    inside = rng.uniform(low, high, shape)
    for slot in ("command", "head_command", "body_command"):
        inside[::3, contract.slices().get(slot, slice(0))] = 0.0
    inside[::6] *= CALM
    extreme = rng.choice(np.array([-1e6, 0.0, 1e6], np.float32), shape)
    parts = [
        rng.normal(3.0, 5.0, shape),
        inside,
        extreme,
        visited[rng.integers(len(visited), size=n // 5)]
        if len(visited)
        else np.empty((0, shape[1])),
    ]
    parts.append(rng.normal(0.0, 1.0, (n - sum(len(part) for part in parts), shape[1])))
    return np.concatenate(parts).astype(np.float32)


def compare(path: Path, reference: Callable[[np.ndarray], np.ndarray], obs: np.ndarray) -> float:
    """Give the largest difference between a file's actions and the reference's.

    Raises:
        ValueError: They differ by `TOLERANCE` or more, or an output is not finite.
    """
    (found,) = ort.InferenceSession(path, providers=["CPUExecutionProvider"]).run(
        ["actions"], {"obs": obs}
    )
    wanted = reference(obs)
    difference = np.abs(np.asarray(found) - wanted).max()
    if not difference < TOLERANCE:
        row = int(np.abs(np.asarray(found) - wanted).max(axis=1).argmax())
        raise ValueError(
            f"the exported graph differs from the policy by {difference:.3g} (test input {row});"
            f" less than {TOLERANCE} is accepted"
        )
    return float(difference)


def check(path: Path, contract: Contract) -> None:
    """Make the checks a Microduck policy must pass before it is published.

    One input and one output with static last dimensions; 50 steps on small noise with the previous
    action fed back stay finite and are not constant (microduck_rl publish/check.py, figures).

    Raises:
        ValueError: A check fails; the message says which.
    """
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    ends = [*session.get_inputs(), *session.get_outputs()]
    wanted = [("obs", contract.obs_size), ("actions", contract.action_size)]
    if (found := [(end.name, end.shape[-1]) for end in ends]) != wanted:
        raise ValueError(f"inputs and outputs {found}; {wanted} is needed")
    rng = np.random.default_rng(0)
    actions, history = np.zeros((1, contract.action_size), np.float32), []
    for _ in range(50):
        obs = rng.normal(0.0, 0.05, (1, contract.obs_size)).astype(np.float32)
        if "actions" in contract.slices():
            obs[:, contract.slices()["actions"]] = np.clip(actions, -1.0, 1.0)
        actions = np.asarray(session.run(["actions"], {"obs": obs})[0])
        history.append(actions)
    if not np.isfinite(history).all():
        raise ValueError("an output is not finite on small noise")
    if np.std(history) == 0.0:
        raise ValueError("the output never changes: an untrained or broken policy")


def texts(path: Path, contract: Contract) -> None:
    """Compare the entries that other programs read with what the contract would have written.

    Raises:
        ValueError: One differs, so that two readers of the file would run two policies.
    """
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = session.get_modelmeta().custom_metadata_map
    wanted = metadata(contract, found.get("run_path", ""))
    names = dict.fromkeys((*wanted, "microduck"))  # an entry the contract would not write lies too
    wrong = [name for name in names if _read(found.get(name)) != _read(wanted.get(name))]
    if wrong:
        raise ValueError(
            f"entries {', '.join(wrong)}: they say something else than the contract in the same"
            " file; export it again"
        )


def _read(text: str | None) -> object:
    """Give JSON as what it says, anything else as it stands."""
    try:
        return None if text is None else json.loads(text)
    except json.JSONDecodeError:
        return text
