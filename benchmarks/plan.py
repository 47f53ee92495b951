"""How much is measured; the defaults take about eight minutes on two cores."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


def _cpus() -> tuple[int, ...]:
    return tuple(sorted(os.sched_getaffinity(0)))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Sizes of a run of the benchmark; results of different plans are not comparable."""

    cpus: tuple[int, ...] = field(default_factory=_cpus)
    """CPUs to use, by number."""
    robots: int = 512
    """Robots in a batch."""
    stretches: int = 15
    """Turns beside bare physics, and on one core and two."""
    many: int = 2048
    """Robots in a batch that shows how the ratio rises with their number; main cases only."""
    many_stretches: int = 5
    """Turns of that batch beside bare physics."""
    turns: int = 5
    """Turns beside other environments."""
    seconds: float = 1.5
    """Length of such a turn [s]."""
    train_steps: int = 600_000
    """Environment steps of a training."""
    replay_every: int = 3
    """PPO iterations from one that is made again by the environment alone to the next."""

    @property
    def threads(self) -> int:
        """Physics threads: one a CPU."""
        return len(self.cpus)

    @property
    def workers(self) -> list[int]:
        """Process counts for environments with one robot a process: 2, 4, … and every CPU."""
        top = max(2, self.threads)
        return sorted({2**k for k in range(1, top.bit_length()) if 2**k < top} | {top})
