"""A Go2 policy of today's contract, and workers that end in every way a worker can."""

import json
from pathlib import Path

from servogym.envs.core import Core
from tests.deploy import nets


def policy(folder: Path, loud: float = 0.15) -> Path:
    """A small random network that moves Go2 a little and leaves it standing."""
    contract = Core("go2_flat", 1, threads=1).contract
    path = folder / "go2.onnx"
    return nets.write(path, contract.obs_size, contract.action_size, loud=loud, contract=contract)


MADE_UP = """
import json, os, signal, sys, time
import numpy as np

job, out = json.load(open(sys.argv[1])), sys.argv[2]
name = os.path.basename(sys.argv[1])
for word, act in {acts}.items():
    if word in name and act == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if word in name and act == "hang":
        time.sleep(60)
    if word in name and act == "fail":
        raise RuntimeError("the scene does not load")
starts = np.array(job["qpos"])
k, steps, j = len(starts), job["steps"], len(job["joints"])
qpos = np.repeat(starts[:, None], steps, axis=1)
moves = {moves}
for word, (loops, far) in moves.items():
    if word in name and job["loop"] in loops and (not job["tight"] or far > 1e-3):
        qpos[:, steps // 2:, 0] += far
nv = starts.shape[1] - 1
found = dict(
    qpos=qpos, qvel=np.zeros((k, steps, nv)), torque=np.zeros((k, steps, j)),
    target=np.zeros((k, steps, j)), action=np.zeros((k, steps, j)), end=np.full(k, steps),
    fell=np.zeros(k, bool), diverged=np.zeros(k, bool), depth=np.full(4, 1e-3),
    versions=np.array("made up"),
)
sys.path.insert(0, {root!r})
for array in {parity}:
    found["model." + array] = np.ones(2) + (1e-3 if array in {other} and "old" in name else 0)
with open(out, "wb") as file:
    np.savez(file, **found)
"""


def made_up(folder: Path, *, acts=None, moves=None, other=()) -> Path:
    """A worker without an engine.

    Args:
        folder: where to put it.
        acts: part of a job's name -> `crash`, `hang` or `fail`.
        moves: part of a job's name -> (loops in which it ends elsewhere, how far).
        other: arrays of the model that the version called old reads otherwise.
    """
    from servogym.gauge.versions.worker import PARITY

    text = MADE_UP.replace("{acts}", repr(acts or {})).replace("{moves}", repr(moves or {}))
    text = text.replace("{parity}", repr(PARITY)).replace("{other}", repr(tuple(other)))
    path = folder / "made_up.py"
    path.write_text(text.replace("{root!r}", json.dumps(str(folder))))
    return path
