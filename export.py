"""Writes a trained policy as one ONNX file, and only if it does what the policy does.

python export.py runs/<run> [--out policy.onnx] [--force]
"""

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import onnx
import torch
import tyro

from servogym.cli.text import show
from servogym.cli.verify import page
from servogym.deploy import graph, manifest, verify
from servogym.deploy.contract import Contract
from servogym.deploy.manifest_rules import validate
from servogym.deploy.metadata import metadata, unfit
from servogym.deploy.trial.proof import Proof, prove
from servogym.envs import registration, setup
from servogym.learning import folder
from servogym.learning.bundle import Bundle
from servogym.learning.policy import ServoPolicy, acting, rebuild
from servogym.learning.source import source
from servogym.scenes.contact import Native, written


@dataclass(frozen=True, kw_only=True)
class Options:
    """Export a trained policy as one ONNX file and verify it."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder (its best checkpoint is taken), or one checkpoint folder."""
    out: Path | None = None
    """The file to write; default: policy.onnx in the run folder."""
    force: bool = False
    """Replace the file if it exists."""
    verify: bool = True
    """Publish the file only if it does, alone, what it did in training; see `servogym verify`."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What an export left behind and what it proved."""

    path: Path
    """The file."""
    inputs: int
    """Observations on which file and policy were compared."""
    difference: float
    """Largest difference of an action on them, in units of action."""
    unfit: str
    """Why no Microduck can run the file; "" when one can."""
    proof: Proof | None
    """How it moves beside its training environment; None when that was not tried."""


Trial = Literal["all", "replay", "nothing"]
"""What a file must pass: all that `servogym verify` does, the replay without noise, or nothing."""


def export(
    run: Path, out: Path | None = None, *, force: bool = False, trial: Trial = "replay"
) -> Exported:
    """Write the policy of a run as one ONNX file.

    Args:
        run: A run folder or one checkpoint folder.
        out: The file to write; None: `policy.onnx` in `run`.
        force: Replace an existing file.
        trial: What it must pass.

    Raises:
        FileExistsError: The file exists and `force` is false.
        ValueError: The checkpoint is damaged, the graph differs from the policy, or the file fails
            its trial; no file is left.
    """
    out = out or run / "policy.onnx"
    if manifest.beside(out).exists() and not force:
        raise FileExistsError(f"{manifest.beside(out)} exists; --force replaces it")
    checkpoint = folder.find(run)
    bundle = Bundle.load(checkpoint)
    policy = rebuild(dict(bundle.network), bundle.obs_width, bundle.policy_weights())
    visited = bundle.state.get("last_obs", np.empty((0, bundle.obs_width), np.float32))
    record = describe(bundle, checkpoint, out)
    exported = export_policy(
        policy,
        contract_of(bundle),
        out,
        run_path=str(checkpoint),
        visited=visited[:, : bundle.contract.obs_size],
        force=force,
        trial=trial,
        overrides=bundle.overrides,
    )
    if record:
        manifest.write(record, manifest.beside(out), force=force)
    return exported


def contract_of(bundle: Bundle) -> Contract:
    """Give a checkpoint's contract; one from before contacts were written down gets its task's."""
    said = bundle.contract
    if not said.contact:
        where = registration.resolve(bundle.task)
        task = setup.task(where["task"], contact=bundle.overrides.get("contact"))
        if not isinstance(task.contact, Native):  # which nothing said means
            said = replace(said, contact=written(task.contact))
    return said


def describe(bundle: Bundle, checkpoint: Path, out: Path) -> dict[str, Any]:
    """Give the manifest of a policy that a Microduck runs, validated; empty for any other.

    Args:
        bundle: The checkpoint.
        checkpoint: Its folder.
        out: The ONNX file that will be made from it.

    Raises:
        ValueError: A Microduck's catalogue has no place for it; the message names the field.
    """
    contract = bundle.contract
    if unfit(contract) or contract.skill is None:
        return {}
    known = {
        **source(checkpoint, bundle),
        "checkpoint": checkpoint.name,
        "source_file": out.name,
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    record = manifest.describe(contract, out.stem, known)
    validate(record)
    return record


def export_policy(
    policy: ServoPolicy,
    contract: Contract,
    out: Path,
    *,
    run_path: str = "",
    visited: np.ndarray | None = None,
    force: bool = False,
    trial: Trial = "replay",
    overrides: Mapping[str, Any] | None = None,
) -> Exported:
    """Write one policy as an ONNX file; it appears only after it has passed its trial.

    A contract written by hand, without a motor law, cannot be replayed: its trial is to act as the
    policy does.

    Args:
        policy: The policy, in inference mode.
        contract: What it reads and what its actions mean.
        out: The file to write.
        run_path: Where it came from; goes into the metadata.
        visited: Observations met in training, `(m, obs)`; used as test inputs.
        force: Replace an existing file.
        trial: What it must pass.
        overrides: Arguments of the environment that training changed.

    Raises:
        FileExistsError: The file exists and `force` is false.
        LookupError: The contract names a task or motor law that does not exist here.
        ValueError: The policy is in training mode, does not fit the contract, is no Microduck's
            although the robot is one, the graph differs from it, or the file fails its trial; no
            file is left.
    """
    if out.is_dir():
        raise IsADirectoryError(f"{out} is a folder; a file is written, e.g. {out / 'policy.onnx'}")
    if out.exists() and not force:
        raise FileExistsError(f"{out} exists; --force replaces it")
    if policy.training:
        raise ValueError("the policy is in training mode; call policy.set_training_mode(False)")
    network = policy.network
    sizes = {
        "observation columns": (len(network.low), contract.obs_size),
        "actions": (network.actions, contract.action_size),
    }
    for what, (found, wanted) in sizes.items():
        if found != wanted:
            raise ValueError(f"the network has {found} {what}, its contract {wanted}")
    entries = metadata(contract, run_path)
    layers = [(_array(weight), _array(bias)) for weight, bias in policy.actor.net.layers()]
    model = graph.build(asdict(network), layers, contract.action_clip, entries)

    mean = acting(policy)

    def act(obs: np.ndarray) -> np.ndarray:
        return np.clip(mean(obs), -contract.action_clip, contract.action_clip)

    if visited is None:
        visited = np.empty((0, contract.obs_size), np.float32)
    obs = verify.inputs(contract, visited)
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        onnx.save(model, unfinished)
        difference = verify.compare(unfinished, act, obs)
        verify.check(unfinished, contract)
        proof = None
        if trial != "nothing" and contract.motor:
            proof = prove(unfinished, overrides=overrides, noisy=trial == "all")
            if not proof.passed:
                raise ValueError(f"it fails its trial, no file is left. {proof.failures[0]}")
        os.replace(unfinished, out)
    finally:
        unfinished.unlink(missing_ok=True)
    return Exported(
        path=out,
        inputs=len(obs),
        difference=difference,
        unfit=unfit(contract),
        proof=proof,
    )


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def main() -> None:
    """Run the command line."""
    options = tyro.cli(Options, description=__doc__)
    try:
        trial = "all" if options.verify else "nothing"
        exported = export(options.run, options.out, force=options.force, trial=trial)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"export: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        sys.exit("export: interrupted; no file is left")
    print(
        f"{exported.path}: {exported.path.stat().st_size} bytes, differs from the policy by at most"
        f" {exported.difference:.1e} on {exported.inputs} inputs"
    )
    if exported.proof is None:
        print("not verified: nobody has seen this file move as it did in training")
    else:
        show(page(replace(exported.proof, path=exported.path)))
    if exported.unfit:
        print(f"no 'microduck' entry: a Microduck will not run this file ({exported.unfit})")


if __name__ == "__main__":
    main()
