"""Measures errands that were played: scored moments, numbers without a score, how they ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from servogym.gauge.goals.pushes import recovery_time
from servogym.gauge.goals.schedule import STAND
from servogym.gauge.metrics import drift, feet, outcome, posture, power, smoothness
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import Rules, Scales
from servogym.gauge.metrics.scored import scored
from servogym.gauge.metrics.tracking import mean_velocity
from servogym.gauge.metrics.velocity import made
from servogym.gauge.plan import Errand
from servogym.gauge.seen import Seen
from servogym.robots import Robot

CALM = 0.25
"""A robot has recovered when its velocity stays as near to what it was before the push, in shares
of the push, and by as much as it swayed before [1]."""
BEFORE = 2.0
"""Time before a push in which that is looked at [s]."""
HEAD_TURNS = 1.0
"""Time a head has to get where it is asked to be [s]."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """One errand, played and measured."""

    errand: Errand
    """Which."""
    metrics: dict[str, np.ndarray]
    """`quality` and each metric at every scored moment, (t,); NaN where nothing is scored."""
    fell: bool
    """Whether it fell."""
    diverged: bool
    """Whether because its physics blew up."""
    velocity: np.ndarray
    """Mean velocity as commands mean it, while the first piece of its schedule is held, (3,)."""
    success: bool | None
    """Whether it did what was to be done."""
    numbers: dict[str, float]
    """Numbers without a score; NaN where they say nothing."""
    depth: np.ndarray
    """Depths of all contacts of feet [m], (c,)."""
    deepest: float
    """Deepest contact of any part [m]."""


def measure(
    seen: Seen, physique: Physique, scales: Scales, rules: Rules, robot: Robot
) -> list[Played]:
    """Measure errands of one length.

    Args:
        seen: what they were like.
        physique: what they are like.
        scales: what errors are divided by.
        rules: what counts.
        robot: who they are.
    """
    samples, ground = seen.whole or (seen.samples, seen.footing)
    found = scored(samples, physique, scales, footing=ground, rules=rules)
    values = {"quality": found.quality, **found.metrics}
    counts = (seen.samples.settled & seen.samples.alive)[seen.footing.moments()]
    velocity, numbers = _velocity(seen), _numbers(seen, physique, rules, robot)
    out = []
    for n, errand in enumerate(seen.errands):
        touching = seen.footing.touching[:, n] & counts[:, n, None]
        depth = np.maximum(0.0, -seen.footing.dist[:, n])
        out.append(
            Played(
                errand=errand,
                metrics={name: value[:, n] for name, value in values.items()},
                fell=bool(seen.fell[n]),
                diverged=bool(seen.lost[n]),
                velocity=velocity[n],
                success=_success(errand, numbers, n),
                numbers={k: float(v[n]) for k, v in numbers.items()},
                depth=depth[touching & (seen.footing.foot[:, n] >= 0)],
                deepest=float(depth[touching].max(initial=0.0)),
            )
        )
    return out


def _velocity(seen: Seen) -> np.ndarray:
    """Mean velocity while the first piece of each errand is held, (n, 3)."""
    out = np.empty((len(seen.errands), 3))
    first = np.array(
        [e.schedule.pieces[0].seconds if e.schedule else e.seconds for e in seen.errands]
    )
    for seconds in np.unique(first):
        rows = np.flatnonzero(first == seconds)
        held = seen.samples.at(slice(0, seen.samples.steps(seconds)))
        out[rows] = mean_velocity(held.only(rows))
    return out


def _success(errand: Errand, numbers: Mapping[str, np.ndarray], n: int) -> bool | None:
    if errand.aim is not None:
        return bool(numbers["arrival_time"][n] < errand.seconds)
    return bool(np.isfinite(numbers["recovery_time"][n])) if errand.push else None


def _numbers(seen: Seen, physique: Physique, rules: Rules, robot: Robot) -> dict[str, np.ndarray]:
    """Measure everything that has no score, (n,) each; NaN for who fell."""
    s, n = seen.samples, seen.samples.robots
    out = {
        "power": power.mechanical_power(s).mean(axis=0),
        "cost_of_transport": power.cost_of_transport(s, physique),
        "action_rate": smoothness.action_rate(s).mean(axis=0),
        "slip_speed": feet.slip_speed(s),
        "slip_share": feet.slip_share(s),
        "clearance": feet.clearance(s),
        "step_frequency": feet.step_frequency(s),
        "swing_time": feet.swing_time(s),
        "flight": feet.flight(s),
        "tilt": posture.tilt(s).max(axis=0),
    }
    held = np.array([errand.twist is not None for errand in seen.errands])
    still = np.array([errand.twist == STAND for errand in seen.errands])
    pushed = np.array([errand.push is not None for errand in seen.errands])
    out["yaw_drift"] = np.where(held & ~pushed, drift.yaw_drift(s), np.nan)
    out["base_drift"] = np.where(still & ~pushed, drift.base_drift(s), np.nan)
    looks = np.array([bool(errand.head) for errand in seen.errands])
    if looks.any():
        wanted = np.zeros((n, len(robot.head)))
        for row in np.flatnonzero(looks):
            wanted[row] = seen.errands[row].head
        wanted += [robot.default_pose[name] for name in robot.head]
        error = drift.pose_error(s, robot.joints, robot.head, wanted)
        out["head_error"] = np.where(looks, error[s.steps(HEAD_TURNS) :].mean(axis=0), np.nan)
    out = {k: np.where(seen.fell | ~s.settled.all(axis=0), np.nan, v) for k, v in out.items()}
    if pushed.any():
        out["recovery_time"] = _recovery(seen)
    if np.isfinite(seen.target).any():
        goes = np.isfinite(seen.target[:, 0])
        place = np.where(goes[:, None], seen.target, 0.0)
        alive = replace(s, alive=s.alive & s.settled)
        out["arrival_time"] = np.where(goes, outcome.arrival_time(alive, place, rules), np.nan)
    return out


def _recovery(seen: Seen) -> np.ndarray:
    """Time from each push until the velocity is again what it was before [s], (n,).

    That is when it stays within `CALM` of the push, and as far as it swayed before, of its mean
    before; infinite for a robot that falls.
    """
    s = seen.samples
    out, velocity = np.full(s.robots, np.nan), made(s)[..., :2]
    for n, errand in enumerate(seen.errands):
        if errand.push:
            first = s.steps(errand.push.time)
            before = velocity[max(0, first - s.steps(BEFORE)) : first, n]
            away = np.linalg.norm(velocity[:, n] - before.mean(axis=0), axis=1)
            calm = away[first - len(before) : first].max()
            calm += CALM * float(np.hypot(*errand.push.change))
            since = np.where(s.alive[first:, n], away[first:], np.nan)
            out[n] = recovery_time(since[:, None], s.dt, 0.0, calm)[0]
    return out
