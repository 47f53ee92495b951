"""How much of bare physics is left once motors, sensors, rewards and resets are added.

    python benchmarks/throughput.py [--write docs/throughput.md]

For every motor law the environment and bare `mujoco.batch` take turns over the same stretches of
motion: the environment makes 10 control steps with small random actions; then a plain batch of the
same compiled model starts from the same states and makes the same 40 physics steps with the same
controls. Its model is shared by all rows and holds the average friction that the law asked for, so
that the solver has the same rows to solve. Ratios are medians over stretches.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import Batch
from tqdm import tqdm

from servogym.envs import fleet
from servogym.envs.options import keys

CASES = {
    "ideal": {"actuator": "ideal"},
    "pd": {"actuator": "pd"},
    "dc": {"actuator": "dc"},
    "bam": {"actuator": "bam"},
    "bam + backlash": {"actuator": "bam", "backlash": True},
}
STRETCH = 10
"""Control steps between two turns."""


class Pair:
    """An environment and a bare batch of its model, side by side."""

    def __init__(self, n: int, threads: int, options: dict) -> None:
        """Make both with n robots."""
        self.env = fleet.make("microduck_flat", n, threads=threads, **options)
        self.n, rows = n, np.arange(n)
        self.env.seed(rows, keys(list(range(n))))
        self.env.reset(rows)
        self.cores = getattr(self.env, "cores", (self.env,))
        self.actions = np.random.default_rng(0)
        self.model = self.cores[0].model
        self.bare: Batch | None = None
        self.threads = threads

    def walk(self) -> float:
        """Let the environment make one stretch, finished rows restarting; return the seconds."""
        actions = self.actions.normal(0.0, 0.1, (STRETCH, self.n, 14))
        start = time.perf_counter()
        for action in actions:
            out = self.env.step(action)
            finished = np.flatnonzero(out.terminated | out.truncated)
            if len(finished):
                self.env.reset(finished)
        return time.perf_counter() - start

    def physics(self) -> float:
        """Let the bare batch make the stretch that comes next; return the seconds."""
        saved = self.env.get_state()
        generator = self.actions.bit_generator.state
        controls, friction = self._recorded()
        self.env.set_state(saved)
        self.actions.bit_generator.state = generator
        bare = self._bare(friction)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            bare.bind(name)[:] = np.concatenate([c.batch.bind(name) for c in self.cores])
        ctrl = bare.bind("ctrl")
        start = time.perf_counter()
        for control in controls:
            ctrl[:] = control
            bare.step()
        return time.perf_counter() - start

    def _recorded(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Make a stretch and return the controls of every physics step and the mean friction."""
        logs: list[list[np.ndarray]] = [[] for _ in self.cores]
        for core, log in zip(self.cores, logs, strict=True):
            step, ctrl = type(core.batch).step, core.batch.bind("ctrl")

            def spy(batch=core.batch, step=step, ctrl=ctrl, log=log) -> None:
                log.append(ctrl.copy())
                step(batch)

            object.__setattr__(core.batch, "step", spy)
        self.walk()
        friction = [core.batch.expanded("dof_frictionloss") for core in self.cores]
        for core in self.cores:
            object.__delattr__(core.batch, "step")
        mean = self.model.dof_frictionloss.copy()
        if friction[0] is not None:
            mean[:] = np.concatenate(friction).mean(axis=0)
        return [np.concatenate(parts) for parts in zip(*logs, strict=True)], mean

    def _bare(self, friction: np.ndarray) -> Batch:
        if self.bare is None:
            model = self.model.__copy__()
            model.dof_frictionloss[:] = friction
            self.bare = Batch(model, self.n, self.threads)
        return self.bare


def measure(n: int, threads: int, options: dict, stretches: int, name: str) -> tuple[float, ...]:
    """Return environment steps/s, bare control steps/s and their ratio, medians over stretches."""
    pair = Pair(n, threads, options)
    for _ in range(3):
        pair.physics()
        pair.walk()
    ours, theirs = [], []
    for _ in tqdm(range(stretches), desc=name, leave=False):
        theirs.append(pair.physics())
        ours.append(pair.walk())
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    work = n * STRETCH
    return work / statistics.median(ours), work / statistics.median(theirs), ratio


def main() -> None:
    """Measure every motor law; print the table and write it where told."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=int, default=512, help="robots side by side")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--stretches", type=int, default=30, help="turns of each")
    parser.add_argument("--write", type=Path, help="Markdown file for the table")
    args = parser.parse_args()
    lines = [
        "| motors | environment steps/s | bare `mujoco.batch`, same motion | ratio |",
        "|---|---:|---:|---:|",
    ]
    for name, options in CASES.items():
        ours, theirs, ratio = measure(args.envs, args.threads, options, args.stretches, name)
        lines.append(f"| {name} | {ours:,.0f} | {theirs:,.0f} | {ratio:.2f} |")
        tqdm.write(lines[-1])
    about = (
        f"{args.envs} robots, {args.threads} threads, {args.stretches} stretches; "
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
