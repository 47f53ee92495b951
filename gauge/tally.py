"""Adds what was seen of many errands up to a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from servogym.gauge.goals.pushes import recovery_time
from servogym.gauge.goals.schedule import STAND
from servogym.gauge.metrics import drift, feet, outcome, penetration, posture, power, smoothness
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import Rules, Scales
from servogym.gauge.metrics.scored import scored
from servogym.gauge.metrics.tracking import mean_velocity
from servogym.gauge.metrics.velocity import made
from servogym.gauge.plan import Errand
from servogym.gauge.quality import summary
from servogym.gauge.rollout import Seen
from servogym.gauge.score import Bad, Episode, GoalScore, Number
from servogym.gauge.spread import bootstrap, wilson
from servogym.robots import Robot

UNITS = {
    "power": "W",
    "cost_of_transport": "1",
    "action_rate": "action²",
    "slip_speed": "m/s",
    "slip_share": "1",
    "clearance": "m",
    "step_frequency": "1/s",
    "swing_time": "s",
    "flight": "1",
    "tilt": "rad",
    "yaw_drift": "deg",
    "base_drift": "m",
    "head_error": "rad",
    "recovery_time": "s",
    "arrival_time": "s",
}
"""Numbers without a score, and their units."""
HIGHER = ("clearance", "swing_time")
"""Those of which more is better; the worst robot has the least."""
SMOOTH = 0.5
"""Velocities after a push are averaged over so long: about a stride [s]."""
CALM = 0.25
"""A robot has recovered when that velocity stays as near to what it was before the push, in shares
of the push [1]."""
BEFORE = 2.0
"""Time before a push whose mean velocity is the one to come back to [s]."""
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


def goal(played: Sequence[Played]) -> GoalScore:
    """Add up the errands of one goal."""
    falls = sum(one.fell for one in played)
    done = [one.success for one in played if one.success is not None]
    depth = np.concatenate([one.depth for one in played])
    return GoalScore(
        episodes=len(played),
        falls=falls,
        falls_interval=wilson(falls, len(played)),
        diverged=sum(one.diverged for one in played),
        metrics={
            name: summary(np.concatenate([one.metrics[name] for one in played]))
            for name in played[0].metrics
        },
        numbers={name: found for name in UNITS if (found := _number(name, played))},
        success=float(np.mean(done)) if done else None,
        penetration=penetration.statistics(depth),
        deepest=max(one.deepest for one in played),
    )


def overall(goals: Mapping[str, GoalScore]) -> dict[str, dict[str, float]]:
    """Mean over the goals of each summary, and the sum of the zeros."""
    scores = [one.metrics for one in goals.values()]
    out = {}
    for name in scores[0]:
        mean = {k: float(np.mean([s[name][k] for s in scores])) for k in scores[0][name]}
        out[name] = {**mean, "zeros": sum(int(s[name]["zeros"]) for s in scores)}
    return out


def bad(played: Sequence[Played], most: int = 12) -> tuple[Bad, ...]:
    """Give the worst moment of each of the worst episodes, worst first; at equality in order."""
    found = []
    for one in played:
        quality = one.metrics["quality"]
        if np.isnan(quality).all():
            continue
        at = int(np.nanargmin(quality))
        values = {name: float(v[at]) for name, v in one.metrics.items() if name != "quality"}
        values = {name: value for name, value in values.items() if not np.isnan(value)}
        name = (
            "fall" if one.fell and not any(values.values()) else min(values, key=values.__getitem__)
        )
        found.append(
            Bad(
                goal=one.errand.goal,
                part=one.errand.part,
                robot=one.errand.robot,
                time=round(0.1 * (at + 1), 1),
                quality=float(quality[at]),
                metric=name,
                value=values.get(name, 0.0),
                course=tuple(quality.tolist()),
            )
        )
    return tuple(sorted(found, key=lambda moment: moment.quality)[:most])


def episode(played: Played) -> Episode:
    """Shorten an errand to its means."""
    return Episode(
        goal=played.errand.goal,
        part=played.errand.part,
        robot=played.errand.robot,
        fell=played.fell,
        success=played.success,
        metrics={name: _mean(values) for name, values in played.metrics.items()},
    )


def _mean(values: np.ndarray) -> float:
    """Mean of what is not NaN; NaN without any."""
    some = values[~np.isnan(values)]
    return float(some.mean()) if len(some) else float("nan")


def _number(name: str, played: Sequence[Played]) -> Number | None:
    values = [v for one in played if not np.isnan(v := one.numbers.get(name, np.nan))]
    if not values:
        return None
    finite = [v for v in values if np.isfinite(v)]
    return Number(
        unit=UNITS[name],
        mean=float(np.mean(finite)) if finite else float("nan"),
        interval=bootstrap(finite) if finite else None,
        worst=min(values) if name in HIGHER else max(values),
        robots=len(finite),
    )


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
        goes = np.isfinite(seen.target).all(axis=1)
        place = np.where(goes[:, None], seen.target, 0.0)
        alive = replace(s, alive=s.alive & s.settled)
        out["arrival_time"] = np.where(goes, outcome.arrival_time(alive, place, rules), np.nan)
    return out


def _recovery(seen: Seen) -> np.ndarray:
    """Time from each push until the velocity is again what it was before [s], (n,); see `CALM`."""
    s = seen.samples
    width, calm = s.steps(SMOOTH), np.full(s.robots, np.nan)
    velocity = made(s)[..., :2]
    sums = np.cumsum(np.concatenate((np.zeros((1, s.robots, 2)), velocity)), axis=0)
    means = (sums[width:] - sums[:-width]) / width  # of the half second that begins there
    for n, errand in enumerate(seen.errands):
        if errand.push:
            first = s.steps(errand.push.time)
            usual = velocity[max(0, first - s.steps(BEFORE)) : first, n].mean(axis=0)
            off = np.linalg.norm(means[first:, n] - usual, axis=-1)
            off[~s.alive[first + width - 1 :, n]] = np.nan
            least = CALM * float(np.hypot(*errand.push.change))
            calm[n] = recovery_time(off[:, None], s.dt, 0.0, least)[0]
    return calm
