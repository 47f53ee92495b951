"""Traces and walks whose every number is known, because it was put there."""

from dataclasses import replace

import numpy as np

from servogym.gauge.bars import microduck_flat as bar
from servogym.gauge.statistics import STATISTICS, measure
from servogym.gauge.trace import Trace
from servogym.gauge.walking import Walk

DT = 0.02
STEPS = 1000
FIRST = 100
FLOOR = 0.003


def standing(steps=STEPS, robots=1):
    """Robots that stand at the origin, foot sites 3 mm above the floor."""
    shape = (steps, robots)
    return Trace(
        dt=DT,
        position=np.zeros((*shape, 2)),
        heading=np.zeros(shape),
        velocity=np.zeros((*shape, 3)),
        loaded=np.ones((*shape, 2), bool),
        height=np.full((*shape, 2), FLOOR),
        power=np.zeros(shape),
        torque=np.zeros(shape),
        action=np.zeros(shape),
        excess=np.zeros(shape),
        head=np.zeros(shape),
    )


def stepping(left=8, right=8, peak=(0.012, 0.012), cycle=25, steps=STEPS):
    """A robot whose feet swing once a cycle, for so many steps and so many metres high."""
    trace = standing(steps)
    for foot, (length, begin) in enumerate(((left, 2), (right, 2 + cycle // 2))):
        phase = (np.arange(steps) - begin) % cycle
        up = phase < length
        arc = np.sin(np.pi * (phase + 1) / (length + 1))
        top = arc[up].max() if up.any() else 1.0
        trace.loaded[:, 0, foot] = ~up
        trace.height[:, 0, foot] += np.where(up, peak[foot] * arc / top, 0.0)
    return trace


def flipped(trace):
    """The same walk seen in a mirror."""
    return replace(trace, loaded=trace.loaded[:, :, ::-1], height=trace.height[:, :, ::-1])


def numbers(trace, command=(0.0, 0.0, 0.0)):
    """The statistics of the first robot of a trace."""
    return {name: values[0] for name, values in measure(trace, command, FIRST).items()}


def walk(command, *, episodes=7, falls=0, looking=False, pushed=True, **known):
    """Robots that follow a command exactly, all numbers 0 but the known ones."""
    known = dict(zip(("vx", "vy", "wz"), command, strict=True)) | known
    up = episodes - falls
    robots = {name: (float(known.get(name, 0.0)),) * up for name in STATISTICS}
    return Walk(
        command=command,
        looking=looking,
        pushed=pushed,
        episodes=episodes,
        falls=falls,
        robots=robots,
    )


def walks(change=None, **gait):
    """What the bar asks for, reached; `change` gives the walks that differ by (command, kind)."""
    good = {"strides": 3.0, "swing": 0.17, "clearance": 0.012, "power": 3.0} | gait
    asked = [(command, "grid") for command in bar.COMMANDS]
    asked += [(bar.STRAIGHT, "head"), (bar.STAND, "quiet")]
    found = []
    for command, kind in asked:
        known = dict(good) if any(command) else {}
        known |= (change or {}).get((command, kind), {})
        found.append(walk(command, looking=kind == "head", pushed=kind != "quiet", **known))
    return found
