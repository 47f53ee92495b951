"""How much of bare physics is left once motors, sensors, rewards and resets are added.

    python benchmarks/throughput.py [--write docs/throughput.md]

For every motor law the environment and bare `mujoco.batch` take turns over the same stretches of
motion, in which the shipped policy walks: the environment makes 10 control steps; a plain batch
starts from the same states, on the same model for each row, and makes the same 40 physics steps
with the same controls and the same friction, and nothing else. Ratios are medians over stretches.
With ideal torque, the policy's angles are held by a stiffness and damping outside the environment.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from itertools import product
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import MODEL_FIELDS, Batch
from tqdm import tqdm

from servogym.deploy.runner import Policy
from servogym.envs import fleet
from servogym.envs.options import keys

CASES = {
    "ideal": {"actuator": "ideal"},
    "pd": {"actuator": "pd"},
    "dc": {"actuator": "dc"},
    "bam": {"actuator": "bam"},
    "bam + backlash": {"actuator": "bam", "backlash": True},
}
Note = dict[str, np.ndarray]
STRETCH = 10
"""Control steps of a turn."""
WARM_UP = 15
"""Turns before anything counts: three seconds, until everybody walks."""
POLICY = Path(__file__).parent.parent / "policies" / "microduck-flat-backlash.onnx"
"""Who walks."""


class Pair:
    """An environment and a bare batch of its model, side by side."""

    def __init__(self, n: int, threads: int, options: dict, policy: Policy) -> None:
        """Make both with n robots."""
        self.env = fleet.make("microduck_flat", n, threads=threads, **options)
        self.cores = self.env.cores if isinstance(self.env, fleet.Fleet) else (self.env,)
        self.model, self.n, self.threads = self.cores[0].model, n, threads
        self._policy, self._torque = policy, options.get("actuator") == "ideal"
        self.env.seed(np.arange(n), keys(list(range(n))))
        self.obs = self.env.reset(np.arange(n))
        self.bare: Batch | None = None

    def plan(self) -> None:
        """Rehearse a stretch: note its actions, its controls and its friction, then go back."""
        before, obs = self.env.get_state(), self.obs.copy()
        notes: list[list[Note]] = [[] for _ in self.cores]
        for core, log in zip(self.cores, notes, strict=True):

            def spy(batch=core.batch, log=log) -> None:
                log.append(_note(batch))
                Batch.step(batch)

            object.__setattr__(core.batch, "step", spy)
        self.actions = []
        for _ in range(STRETCH):
            self.actions.append(self._act())
            self._advance(self.actions[-1])
        for core in self.cores:
            object.__delattr__(core.batch, "step")
        self.notes = [
            {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            for parts in zip(*notes, strict=True)
        ]
        self.env.set_state(before)
        self.obs = obs
        self._same_start(before)

    def walk(self) -> float:
        """Let the environment make the stretch, finished rows restarting; return the seconds."""
        start = time.perf_counter()
        for action in self.actions:
            self._advance(action)
        return time.perf_counter() - start

    def physics(self) -> float:
        """Let the bare batch make the same stretch; return the seconds."""
        assert self.bare is not None, "physics without plan"
        live = {name: self._field(name) for name in self.notes[0]}
        start = time.perf_counter()
        for note in self.notes:
            for name, values in note.items():
                live[name][:] = values
            self.bare.step()
        return time.perf_counter() - start

    def _act(self) -> np.ndarray:
        """Ask the policy; where actions are torques, hold its angles by a spring and damper."""
        angles = self._policy(self.obs)
        if not self._torque:
            return angles
        at = self._policy.contract.slices()
        return 0.55 * (angles - self.obs[:, at["joint_pos"]]) - 0.05 * self.obs[:, at["joint_vel"]]

    def _advance(self, action: np.ndarray) -> None:
        out = self.env.step(action)
        self.obs = out.observation
        finished = np.flatnonzero(out.terminated | out.truncated)
        if len(finished):
            self.obs[finished] = self.env.reset(finished)

    def _same_start(self, before: dict[str, np.ndarray]) -> None:
        """Put the bare batch where the environment is, each row on its own model."""
        if self.bare is None:
            self.bare = Batch(self.model, self.n, self.threads)
        for name in sorted(MODEL_FIELDS):
            halves = [core.batch.expanded(name) for core in self.cores]
            if halves[0] is not None:
                self.bare.expand(name)[:] = np.concatenate(halves)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            halves = [before[key] for key in sorted(before) if key.endswith(f"physics.{name}")]
            self.bare.bind(name)[:] = np.concatenate(halves)

    def _field(self, name: str) -> np.ndarray:
        assert self.bare is not None
        return self.bare.expand(name) if name in MODEL_FIELDS else self.bare.bind(name)


def _note(batch: Batch) -> Note:
    """Copy what the motors tell the physics before a step."""
    note = {"ctrl": batch.bind("ctrl").copy()}
    for name in ("dof_frictionloss", "dof_damping"):
        values = batch.expanded(name)
        if values is not None:
            note[name] = np.array(values)
    return note


def measure(pair: Pair, stretches: int, name: str) -> tuple[float, float, float]:
    """Return environment steps/s, bare control steps/s and their ratio, medians over stretches."""
    ours, theirs = [], []
    for turn in tqdm(range(WARM_UP + stretches), desc=name, leave=False):
        pair.plan()
        first, second = (pair.physics, pair.walk) if turn % 2 else (pair.walk, pair.physics)
        times = {first: first(), second: second()}
        if turn >= WARM_UP:
            ours.append(times[pair.walk])
            theirs.append(times[pair.physics])
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    work = pair.n * STRETCH
    return work / statistics.median(ours), work / statistics.median(theirs), ratio


def main() -> None:
    """Measure every motor law; print the table and write it where told."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=int, nargs="+", default=[512, 2048], help="robots")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--stretches", type=int, default=30, help="turns of each")
    parser.add_argument("--write", type=Path, help="Markdown file for the table")
    args = parser.parse_args()
    policy = Policy(POLICY)
    lines = [
        "| robots | motors | environment steps/s | bare `mujoco.batch`, same motion | ratio |",
        "|---:|---|---:|---:|---:|",
    ]
    for n, (name, options) in product(args.envs, CASES.items()):
        pair = Pair(n, args.threads, options, policy)
        ours, theirs, ratio = measure(pair, args.stretches, name)
        lines.append(f"| {n} | {name} | {ours:,.0f} | {theirs:,.0f} | {ratio:.2f} |")
        tqdm.write(lines[-1])
    about = (
        f"{args.threads} threads, {args.stretches} stretches; "
        f"MuJoCo {mujoco.__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
    )
    command = "python benchmarks/throughput.py"
    text = f"{chr(10).join(lines)}\n\nMade by `{command}`: {about}.\n"
    print("\n" + text)
    if args.write:
        head = args.write.read_text().split("<!-- table -->")[0] if args.write.exists() else ""
        args.write.write_text(f"{head}<!-- table -->\n{text}")


if __name__ == "__main__":
    main()
