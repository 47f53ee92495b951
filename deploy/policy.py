"""A policy file and its contract, as a function: observations in, actions out.

Needs NumPy and onnxruntime alone. Files from elsewhere run through it too, with their contract in
a small JSON file beside them.
"""

import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import onnxruntime as ort

from servogym.deploy import external
from servogym.deploy.contract import Contract

ENTRY = "servogym"
"""Metadata entry in which a policy file carries its contract."""


class Policy:
    """An exported policy and its contract.

    Calling it maps raw observations to clipped actions: columns are clipped to their slot's bounds
    and multiplied by its scale, the network answers, the answer is clipped to plus and minus
    `action_clip`. A file that `export.py` wrote does the same inside, so there it changes nothing.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        contract: Contract | str | os.PathLike[str] | None = None,
    ) -> None:
        """Open a policy file and let it answer once.

        Args:
            path: The ONNX file.
            contract: What it reads and what its actions mean, or the JSON file that says so, in
                which fields that have a default may be left out; None: the file says so itself.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The file is no ONNX, keeps numbers in another file, carries no contract and
                none is given, or does not fit its contract; the message names the field.
        """
        name = os.fspath(path)
        self._session = _open(name)
        self.contract = _contract(name, self._session, contract)
        self._fixed = _check(name, self._session, self.contract)
        self._low, self._high = self.contract.bounds()
        self._factor = np.concatenate(
            [np.broadcast_to(slot.scale, slot.size) for slot in self.contract.slots]
        ).astype(np.float32)
        try:
            self(np.zeros((1, self.contract.obs_size)))
        except Exception as error:  # onnxruntime's own kinds share no public base
            raise ValueError(
                f"{name}: it does not turn the {self.contract.obs_size} columns of the contract's"
                f" slots into {self.contract.action_size} actions ({error})"
            ) from error

    def __call__(self, obs: np.ndarray) -> np.ndarray:
        """Map observations `(obs,)` or `(n, obs)` of any float type to actions `(j,)`, `(n, j)`.

        Raises:
            ValueError: The observation has another width; the message prints the slot table.
        """
        obs = np.ascontiguousarray(obs, np.float32)
        width = self.contract.obs_size
        if obs.ndim not in (1, 2) or obs.shape[-1] != width:
            raise ValueError(
                f"observation of shape {obs.shape}; ({width},) or (n, {width}) is needed:\n"
                + self.contract.table()
            )
        seen = np.minimum(np.maximum(obs.reshape(-1, width), self._low), self._high) * self._factor
        one_by_one = self._fixed and len(seen) > 1
        actions = (
            np.concatenate([*map(self._ask, seen[:, None])]) if one_by_one else self._ask(seen)
        )
        clip = self.contract.action_clip
        return np.minimum(np.maximum(actions, -clip), clip).reshape(
            *obs.shape[:-1], self.contract.action_size
        )

    def command(self, actions: np.ndarray) -> np.ndarray:
        """Turn actions `(…, j)` into commands: servo targets [rad], or torques [N·m]."""
        return self.contract.offset() + self.contract.scales() * np.asarray(actions)

    def _ask(self, batch: np.ndarray) -> np.ndarray:
        names = self.contract
        (actions,) = self._session.run([names.output_name], {names.input_name: batch})
        return np.asarray(actions)


def _open(name: str) -> ort.InferenceSession:
    if not os.path.isfile(name):
        raise FileNotFoundError(f"{name}: no such file")
    data = Path(name).read_bytes()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        elsewhere = list(external.tensors(data))
        if not elsewhere:
            return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own kinds share no public base
        raise ValueError(f"{name}: not an ONNX file that onnxruntime can read ({error})") from error
    raise ValueError(
        f"{name}: tensor(s) {', '.join(elsewhere)} stand in another file; a policy is one file"
    )


def _contract(
    name: str, session: ort.InferenceSession, given: Contract | str | os.PathLike[str] | None
) -> Contract:
    """Give the contract inside the file or the given one; two must not contradict each other."""
    own = None
    try:
        text = session.get_modelmeta().custom_metadata_map.get(ENTRY)
        if text is not None:
            own = Contract.from_json(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if given is not None and not isinstance(given, Contract):
        if not os.path.isfile(given):
            raise FileNotFoundError(f"{os.fspath(given)}: no such file")
        try:
            given = Contract.from_json(Path(given).read_text("utf-8"), by_hand=True)
        except ValueError as error:
            raise ValueError(f"{os.fspath(given)}: {error}") from error
    if own is not None and given is not None and own != given:
        first = next(f.name for f in fields(own) if getattr(own, f.name) != getattr(given, f.name))
        raise ValueError(
            f"{name}: it carries a contract of its own, which differs from the given: {first} is "
            f"{getattr(own, first)!r} in the file, {getattr(given, first)!r} in the given"
        )
    found = own or given
    if found is None:
        raise ValueError(
            f"{name}: no {ENTRY!r} entry; export it with servogym, or give its contract as a JSON"
            " file"
        )
    return found


def _check(name: str, session: ort.InferenceSession, contract: Contract) -> bool:
    """Refuse tensors that do not fit the contract; say whether the graph takes one row at a time.

    Raises:
        ValueError: Another name, type, width or number of tensors.
    """
    inputs, outputs = session.get_inputs(), session.get_outputs()
    for field, wanted, tensors in (
        ("input_name", contract.input_name, inputs),
        ("output_name", contract.output_name, outputs),
    ):
        names = [tensor.name for tensor in tensors]
        if wanted not in names:
            raise ValueError(f"{name}: contract field {field} {wanted!r}; the graph has {names}")
    if len(inputs) != 1:
        raise ValueError(
            f"{name}: inputs {[tensor.name for tensor in inputs]}; one is accepted (a policy that"
            " remembers is not)"
        )
    output = next(tensor for tensor in outputs if tensor.name == contract.output_name)
    for tensor, what, width in (
        (inputs[0], "slots", contract.obs_size),
        (output, "joints", contract.action_size),
    ):
        shape = tensor.shape
        batch, last = shape if len(shape) == 2 else (0, 0)
        if tensor.type != "tensor(float)" or (isinstance(batch, int) and batch != 1):
            raise ValueError(
                f"{name}: tensor {tensor.name!r} is {tensor.type} {shape}; tensor(float)"
                f" (1, {width}) or (n, {width}) is needed"
            )
        if isinstance(last, int) and last != width:
            raise ValueError(
                f"{name}: tensor {tensor.name!r} has {last} columns, the contract's {what} are"
                f" {width}:\n{contract.table()}"
            )
    return inputs[0].shape[0] == 1
