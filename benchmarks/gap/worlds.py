"""The worlds in which policies are judged: how wide the gap is, who sees it, which motor turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from math import radians
from typing import Any

import numpy as np

from benchmarks.gap.measures import GRID, STAND, STRAIGHT, TURNS
from servogym import robots
from servogym.envs import registration
from servogym.gauge.walking import Walk, measure

TASK = "microduck_flat"
SEED = 2_000_003
"""Seed of the first robot: none that trainings use, neither to learn nor to choose a checkpoint."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Where robots walk."""

    title: str
    """Name in tables and JSON."""
    short: str
    """Name under a picture."""
    half_range: float | None = None
    """Half range of the gap of every servo [deg]; None: the gears have no joint for it."""
    encoder: str = "output"
    """Side of the gap on which servo and policy read angles: output or motor."""
    actuator: str = "bam"
    """Motor law."""


NO_GAP = World(title="no gap", short="0")
WIDTHS = tuple(
    World(title=f"gap ±{width:g}°", short=f"{width:g}", half_range=width)
    for width in (0.25, 0.5, 1.0, 2.0)
)
GAP = WIDTHS[2]
"""The gap of `-Backlash-v0`."""
MOTOR_SIDE = World(
    title="gap ±1°, encoder on the motor side",
    short="1, motor\nside",
    half_range=1.0,
    encoder="motor",
)
WORLDS = (NO_GAP, *WIDTHS, MOTOR_SIDE)


def own_motor(actuator: str, words: str) -> World:
    """Return the world of policies that were trained with another motor law, called by words."""
    return World(title=f"no gap, {words} motors", short=f"0,\n{words}", actuator=actuator)


@contextmanager
def gears(half_range: float) -> Iterator[None]:
    """Let MicroDucks that are built meanwhile have another gap, half_range [deg].

    Environments take the gap's width from the robot's record alone.
    """
    home: Any = import_module(f"{robots.__name__}.{registration.find(TASK).robot}")
    shipped = home.ROBOT
    home.ROBOT = replace(shipped, backlash=radians(half_range))
    try:
        yield
    finally:
        home.ROBOT = shipped


def visit(
    act: Callable[[np.ndarray], np.ndarray], world: World, *, episodes: int, seconds: float
) -> list[Walk]:
    """Let a policy walk everything the experiment asks for in one world.

    The same robots with the same sensors, noise and pushes walk in every world and for every
    policy: who robot i is depends on its seed alone.

    Args:
        act: observations (n, obs) -> actions (n, j).
        world: where.
        episodes: robots a command.
        seconds: length of an episode [s].
    """
    how = {
        "episodes": episodes,
        "seconds": seconds,
        "seed": SEED,
        "backlash": world.half_range is not None,
        "encoder": world.encoder,
        "actuator": world.actuator,
    }
    with gears(1.0 if world.half_range is None else world.half_range):
        walks = measure(act, TASK, commands=(*GRID, *TURNS), looking=[STRAIGHT], **how)
        quiet = {"push": None}
        walks += measure(act, TASK, commands=[STAND], looking=[STAND], randomization=quiet, **how)
    return walks
