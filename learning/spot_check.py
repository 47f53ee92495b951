"""A short form of the evaluation: small enough for a test, kept beside the full one."""

from dataclasses import asdict, dataclass
from typing import Any

from servogym.gauge.judgement import Conditions, judge
from servogym.gauge.subject import Subject

EPISODES, SECONDS, SEED = 2, 5.0, 1_000_003
"""Robots a command, length of an episode [s], seed of the first robot."""
MARGIN = (0.02, 0.02, 0.05)
"""How far velocities may lie from kept ones [m/s, m/s, rad/s]. Processors round differently. Noise
of 1e-6 on every action, which is more, moved them by 0.0005, 0.0003 and 0.0016 at most, noise of
1e-4 by 0.0014, 0.0011 and 0.0094, and neither changed a fall (a policy of 5 million steps)."""


@dataclass(frozen=True, kw_only=True)
class Spot:
    """What one command gave."""

    command: tuple[float, float, float]
    """What was asked [m/s, m/s, rad/s]."""
    looking: bool
    """Whether head commands were held too."""
    pushed: bool
    """Whether the task's pushes were on."""
    falls: int
    """Robots that fell."""
    velocity: tuple[float, float, float] | None
    """Mean velocity of the others [m/s, m/s, rad/s]; None when all fell."""


def spot_check(subject: Subject) -> list[Spot]:
    """Let a policy walk every command of the full evaluation, briefly, under the same conditions.

    The first 2 s of an episode count for falls only, as there.
    """
    conditions = Conditions(
        task=subject.contract.task,
        actuator=subject.contract.actuator,
        episodes=EPISODES,
        seconds=SECONDS,
        seed=SEED,
        calm=False,
    )
    return [
        Spot(
            command=walk.command,
            looking=walk.looking,
            pushed=walk.pushed,
            falls=walk.falls,
            velocity=None if walk.falls == walk.episodes else walk.velocity,
        )
        for walk in judge(subject, conditions).walks
    ]


def record(spots: list[Spot]) -> dict[str, Any]:
    """Give it as JSON-able values, with its conditions."""
    conditions = {"episodes": EPISODES, "seconds": SECONDS, "seed": SEED}
    return {**conditions, "walks": [asdict(spot) for spot in spots]}
