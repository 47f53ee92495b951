"""What is asked of the policies of a task, and what they must reach: found by the task's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from servogym.gauge.walking import Twist, Walk

if TYPE_CHECKING:
    from servogym.gauge.criterion import Criterion

STAND: Twist = (0.0, 0.0, 0.0)
SECONDS = 20.0
"""Length of the episodes that every bar is for [s]."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The bar of one task."""

    commands: tuple[Twist, ...]
    """What is asked, with pushes [m/s, m/s, rad/s]."""
    straight: Twist
    """What is asked once more with head commands, of a robot with a head [m/s, m/s, rad/s]."""
    judge: Callable[[Sequence[Walk]], list[Criterion]]
    """Holds these walks, the straight one with head commands and a stand without pushes, against
    its limits."""


def of(task: str) -> Bar | None:
    """Return the bar of a task, by the name of its file; None when it has none."""
    module = f"servogym.gauge.bars.{task}"
    return import_module(module).BAR if find_spec(module) else None


def grid(twist: Twist) -> tuple[Twist, ...]:
    """Return commands for a task without a bar: a stand, then every axis both ways, half and full.

    Args:
        twist: largest command of each axis [m/s, m/s, rad/s].
    """
    asked: list[Twist] = [STAND]
    for axis, largest in enumerate(twist):
        for share in (0.5, -0.5, 1.0, -1.0) if largest else ():
            asked.append(tuple(share * largest * (axis == k) for k in range(3)))  # type: ignore[arg-type]
    return tuple(asked)
