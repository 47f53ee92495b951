"""An environment and a bare `mujoco.batch` that makes the same physics steps, side by side.

The environment makes a stretch of control steps. The bare batch starts from the same states, on the
same model for each row (they are randomised), and makes the same physics steps with the same
controls and the same friction, and nothing else.
"""

from __future__ import annotations

import time

import numpy as np
from mujoco.batch import MODEL_FIELDS, Batch

from benchmarks.walk import Walk

Note = dict[str, np.ndarray]


class Pair:
    """A walk and its physics alone."""

    def __init__(self, walk: Walk) -> None:
        """Put a bare batch beside a walk."""
        self.walk = walk
        self.bare = Batch(walk.cores[0].model, walk.robots, walk.threads)

    def rehearse(self) -> None:
        """Rehearse a stretch, note what the motors tell the physics, and put both at its start."""
        notes: list[list[Note]] = [[] for _ in self.walk.cores]
        for core, log in zip(self.walk.cores, notes, strict=True):

            def spy(batch=core.batch, log=log) -> None:
                log.append(_note(batch))
                Batch.step(batch)

            object.__setattr__(core.batch, "step", spy)
        try:
            before = self.walk.rehearse()
        finally:
            for core in self.walk.cores:
                object.__delattr__(core.batch, "step")
        self.notes = [
            {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            for parts in zip(*notes, strict=True)
        ]
        self._same_start(before)

    def physics(self) -> float:
        """Let the bare batch make the rehearsed stretch; return the time it took [s]."""
        live = {name: self._field(name) for name in self.notes[0]}
        start = time.perf_counter()
        for note in self.notes:
            for name, values in note.items():
                live[name][:] = values
            self.bare.step()
        return time.perf_counter() - start

    def _same_start(self, before: dict[str, np.ndarray]) -> None:
        for name in sorted(MODEL_FIELDS):
            halves = [core.batch.expanded(name) for core in self.walk.cores]
            own = [half for half in halves if half is not None]
            if own:
                self.bare.expand(name)[:] = np.concatenate(own)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            halves = [before[key] for key in sorted(before) if key.endswith(f"physics.{name}")]
            self.bare.bind(name)[:] = np.concatenate(halves)

    def _field(self, name: str) -> np.ndarray:
        return self.bare.expand(name) if name in MODEL_FIELDS else self.bare.bind(name)


def _note(batch: Batch) -> Note:
    note = {"ctrl": batch.bind("ctrl").copy()}
    for name in ("dof_frictionloss", "dof_damping"):
        values = batch.expanded(name)
        if values is not None:
            note[name] = np.array(values)
    return note
