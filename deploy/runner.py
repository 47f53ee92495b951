"""Runs an exported policy with NumPy and onnxruntime alone."""

import os

import numpy as np
import onnxruntime as ort

from servogym.deploy.contract import Contract


class Policy:
    """An exported policy and its contract.

    Calling it maps raw observations to clipped actions; normalising and clipping happen inside the
    file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file that `export.py` wrote.

        Raises:
            ValueError: The file carries no servogym contract.
        """
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = ort.InferenceSession(
            os.fspath(path), options, providers=["CPUExecutionProvider"]
        )
        entries = self._session.get_modelmeta().custom_metadata_map
        if "servogym" not in entries:
            raise ValueError(f"{os.fspath(path)}: no 'servogym' entry; export it with servogym")
        self.contract = Contract.from_json(entries["servogym"])

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
        (actions,) = self._session.run(["actions"], {"obs": obs.reshape(-1, width)})
        return np.asarray(actions).reshape(*obs.shape[:-1], self.contract.action_size)

    def command(self, actions: np.ndarray) -> np.ndarray:
        """Turn actions `(…, j)` into commands: servo targets [rad], or torques [N·m]."""
        return self.contract.offset() + self.contract.scales() * np.asarray(actions)
