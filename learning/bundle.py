"""A checkpoint as a folder of safetensors and JSON: nothing in it is ever unpickled.

`run.json` says what it is and holds the SHA-256 of its two neighbours and of itself;
`weights.safetensors` holds the policy, input scales included, and Adam's moments;
`state.safetensors` holds what an exact continuation needs: environment and random states.
"""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from servogym.deploy.contract import WIDEST, Contract
from servogym.deploy.record import hinted, rebuild
from servogym.learning.network import Network
from servogym.learning.preset import PpoPreset

FORMAT = "servogym-bundle-1"
WEIGHTS, STATE, RUN = "weights.safetensors", "state.safetensors", "run.json"
FIELDS = {
    "format": str,
    "task": str,
    "overrides": dict,
    "seed": int,
    "preset": dict,
    "network": dict,
    "obs_width": int,
    "contract": dict,
    "versions": dict,
    "counters": dict,
    "files": dict,
    "digest": str,
}


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """One checkpoint, complete: it rebuilds the policy and continues the run."""

    task: str
    """Id of the task."""
    overrides: Mapping[str, Any]
    """Environment keyword arguments that differ from the task's own, e.g. the actuator."""
    seed: int
    """Seed of the run."""
    preset: PpoPreset
    """Hyper-parameters of the run."""
    network: Mapping[str, Any]
    """The policy's `Network` as a dictionary."""
    obs_width: int
    """Observation columns of the policy, privileged ones included."""
    contract: Contract
    """What the policy reads and what its actions mean."""
    versions: Mapping[str, str]
    """Versions of the packages that wrote it."""
    counters: Mapping[str, float | None]
    """Progress, e.g. `env_steps`, `updates`, `best_return`."""
    weights: Mapping[str, np.ndarray]
    """`policy/<name>` and `adam/<name>/<moment>` -> array."""
    state: Mapping[str, np.ndarray]
    """`env/<name>`, random states and last observations -> array."""

    def save(self, folder: Path) -> None:
        """Write it as a new folder; the folder appears whole or not at all.

        Raises:
            FileExistsError: The folder exists.
            ValueError: A weight is not finite; the message names it.
        """
        for name, array in self.weights.items():
            if not _finite(array):
                raise ValueError(f"weights: {name} is not finite; nothing was written")
        if folder.exists():
            raise FileExistsError(f"{folder} exists; a checkpoint is never overwritten")
        folder.parent.mkdir(parents=True, exist_ok=True)
        files = {
            WEIGHTS: save({k: np.asarray(v, order="C") for k, v in self.weights.items()}),
            STATE: save({k: np.asarray(v, order="C") for k, v in self.state.items()}),
        }
        record = {
            "format": FORMAT,
            "task": self.task,
            "overrides": dict(self.overrides),
            "seed": self.seed,
            "preset": asdict(self.preset),
            "network": dict(self.network),
            "obs_width": self.obs_width,
            "contract": json.loads(self.contract.to_json()),
            "versions": dict(self.versions),
            "counters": dict(self.counters),
            "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        }
        record["digest"] = _digest(json.loads(json.dumps(record)))
        files[RUN] = json.dumps(record, indent=2, allow_nan=False).encode()
        unfinished = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
        unfinished.mkdir()
        try:
            for name, data in files.items():
                (unfinished / name).write_bytes(data)
            os.rename(unfinished, folder)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise

    @classmethod
    def load(cls, folder: Path) -> "Bundle":
        """Read a folder that `save` wrote, and trust nothing in it before it is checked.

        Raises:
            FileNotFoundError: The folder or one of its files is missing.
            ValueError: A file was truncated, edited or made by something else; the message names
                the file and the field.
        """
        record = _read_record(folder / RUN)
        preset, contract = _records(record, folder / RUN)
        arrays = {}
        for name in (WEIGHTS, STATE):
            if name not in record["files"]:
                raise ValueError(f"{folder / RUN}: files: {name} is missing")
            if not (folder / name).is_file():
                raise FileNotFoundError(f"{folder / name} is missing; {RUN} lists it")
            data = (folder / name).read_bytes()
            if (found := hashlib.sha256(data).hexdigest()) != record["files"][name]:
                raise ValueError(
                    f"{folder / name}: sha256 {found[:12]}… is not the {RUN} field files.{name}"
                    f" {str(record['files'][name])[:12]}…; the file was changed or cut short"
                )
            try:
                arrays[name] = load(data)
            except (SafetensorError, KeyError) as error:  # the latter: a kind of number NumPy lacks
                raise ValueError(f"{folder / name}: not safetensors ({error})") from error
        if wrong := [name for name, array in arrays[WEIGHTS].items() if not _finite(array)]:
            raise ValueError(f"{folder / WEIGHTS}: {wrong[0]} is not finite")
        return cls(
            task=record["task"],
            overrides=record["overrides"],
            seed=record["seed"],
            preset=preset,
            network=record["network"],
            obs_width=record["obs_width"],
            contract=contract,
            versions=record["versions"],
            counters=record["counters"],
            weights=arrays[WEIGHTS],
            state=arrays[STATE],
        )

    def policy_weights(self) -> dict[str, np.ndarray]:
        """Give the policy's own arrays by parameter or buffer name."""
        return {
            name.removeprefix("policy/"): array
            for name, array in self.weights.items()
            if name.startswith("policy/")
        }


def _digest(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _finite(array: np.ndarray) -> bool:
    return not np.issubdtype(array.dtype, np.inexact) or bool(np.isfinite(array).all())


def _records(record: Mapping[str, Any], path: Path) -> tuple[PpoPreset, Contract]:
    """Give preset and contract of a `run.json`, and refuse a network that cannot be built."""
    try:
        rebuild(Network, record["network"], "network")
        preset = PpoPreset.from_dict(record["preset"])
        contract = Contract.from_json(json.dumps(record["contract"]))
        least, width = contract.obs_size, record["obs_width"]
        if not least <= width <= least + WIDEST:
            raise ValueError(f"field obs_width {width}: {least} to {least + WIDEST} is accepted")
        return preset, contract
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read_record(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: not a servogym checkpoint")
    try:
        record = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"{path}: field format is not {FORMAT!r}: not a servogym checkpoint")
    if unknown := sorted(set(record) - set(FIELDS)):
        text = hinted(unknown, set(FIELDS) - set(record))
        raise ValueError(f"{path}: field(s) not understood: {text}")
    for name, kind in FIELDS.items():
        if name not in record:
            raise ValueError(f"{path}: field {name} is missing")
        if type(record[name]) is not kind:
            raise ValueError(f"{path}: field {name} is no {kind.__name__}")
    for name, count in record["counters"].items():
        if type(count) not in (int, float, type(None)):
            raise ValueError(f"{path}: field counters.{name} {count!r} is no number")
    if record.pop("digest") != _digest(record):
        raise ValueError(f"{path}: field digest does not fit the content; the file was edited")
    return record
