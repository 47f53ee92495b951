"""The scored moments of a run under one set of rules: every metric, and the quality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servogym.gauge.metrics import friction, limits, posture, power, smoothness, velocity, zmp
from servogym.gauge.metrics.footing import Footing
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import DEFAULT, Rules, Scales
from servogym.gauge.metrics.samples import Samples
from servogym.gauge.quality import quality, summary


@dataclass(frozen=True, kw_only=True)
class Scored:
    """What one stretch between two resets scores; NaN where nothing is scored."""

    rules: Rules
    """The rules it was scored by."""
    metrics: dict[str, np.ndarray]
    """Metric -> values in [0, 1], (t, n) each."""
    quality: np.ndarray
    """Weighted geometric mean of them, (t, n)."""

    def only(self, robots: np.ndarray) -> Scored:
        """Return the columns of some robots."""
        metrics = {name: values[:, robots] for name, values in self.metrics.items()}
        return Scored(rules=self.rules, metrics=metrics, quality=self.quality[:, robots])


def scored(
    samples: Samples,
    physique: Physique,
    scales: Scales,
    *,
    footing: Footing | None = None,
    planned: float | None = None,
    rules: Rules = DEFAULT,
) -> Scored:
    """Score every `sample_dt` of a stretch.

    What the rules leave out (settling, time after a fall in RoboGauge's) is NaN. With
    `fall_scores_zero` a fallen robot has 0 in every metric from its fall to the planned end, also
    where the recording stops short of it. That begins with the fall, settled or not. A state that
    is not finite scores 0; friction and ZMP margin may be NaN and then do not count.

    Args:
        samples: what the robots did.
        physique: who they are.
        scales: what errors are divided by.
        footing: contacts at the scored moments; without it friction and ZMP margin are not scored,
            and their weights do not count.
        planned: length the stretch should have [s]; None is that of the samples.
        rules: what counts.

    Raises:
        ValueError: when `sample_dt` or `planned` is no whole number of samples, `planned` is
            shorter than the samples, a robot that did not fall has no samples until then, or the
            footing is not of the scored moments.
    """
    every = samples.steps(rules.sample_dt)
    moments = np.arange(every - 1, len(samples), every)
    found = {
        "follow": velocity.follow(samples, scales),
        "lin_vel_err": velocity.lin_vel_err(samples, scales),
        "ang_vel_err": velocity.ang_vel_err(samples, scales, rules),
        "dof_limits": limits.dof_limits(samples, physique, rules),
        "dof_power": power.dof_power(samples, scales),
        "orientation_stability": posture.orientation_stability(samples, rules),
        "torque_smoothness": smoothness.torque_smoothness(samples, scales, rules),
    }
    found = {
        name: v[moments] if name == "follow" else np.nan_to_num(v[moments], nan=0.0)
        for name, v in found.items()
    }
    if footing is not None:
        if not np.array_equal(footing.moments(), moments):
            raise ValueError(
                f"the footing is of samples {footing.first}, +{footing.every}, ... "
                f"({len(footing)} of them); scored are {every - 1}, +{every}, ... ({len(moments)})"
            )
        found["friction_margin"] = friction.friction_margin(footing, physique, rules)
        found["zmp_margin"] = zmp.zmp_margin(footing, physique, rules)
    found = {name: values for name, values in found.items() if name in rules.weights}
    alive, settled = samples.alive[moments], samples.settled[moments]
    missing = _missing(samples, planned, every, len(moments))
    if missing:
        tail = np.zeros((missing, samples.robots), bool)
        alive, settled = np.concatenate((alive, tail)), np.concatenate((settled, ~tail))
        blank = np.full(tail.shape, np.nan)
        found = {name: np.concatenate((v, blank)) for name, v in found.items()}
    counts = alive & (settled | rules.score_settling)
    lost = 0.0 if rules.fall_scores_zero else np.nan
    found = {name: np.where(counts, v, np.where(alive, np.nan, lost)) for name, v in found.items()}
    total = quality(found, rules.weights)
    total = np.where(alive, total, lost)
    return Scored(rules=rules, metrics=found, quality=total)


def summaries(stretches: list[Scored]) -> dict[str, dict[str, float]]:
    """Mean, mean@50, mean@25 and zeros of the quality and each metric, over all moments and robots.

    Raises:
        ValueError: without a stretch, or with stretches by different rules or of other metrics.
    """
    if not stretches:
        raise ValueError("a summary of 0 stretches; needs 1 or more")
    first = stretches[0]
    if any(s.rules != first.rules or s.metrics.keys() != first.metrics.keys() for s in stretches):
        raise ValueError("the stretches were scored by different rules or metrics")
    parts = {"quality": [s.quality for s in stretches]}
    parts |= {name: [s.metrics[name] for s in stretches] for name in first.metrics}
    return {name: summary(np.concatenate([v.ravel() for v in vs])) for name, vs in parts.items()}


def _missing(samples: Samples, planned: float | None, every: int, have: int) -> int:
    """Return how many scored moments lie between the end of the samples and the planned end."""
    if planned is None:
        return 0
    steps = samples.steps(planned)
    if steps < len(samples):
        raise ValueError(
            f"planned are {planned:g} s, the samples are {len(samples) * samples.dt:g} s long"
        )
    if steps > len(samples) and samples.alive[-1].any():
        standing = np.flatnonzero(samples.alive[-1]).tolist()
        raise ValueError(
            f"samples end at {len(samples) * samples.dt:g} of {planned:g} s although robots "
            f"{standing} did not fall"
        )
    return steps // every - have
