"""One condition under which a policy is scored, as plain data: to be kept, sent and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any, Literal, get_args

from servogym.gauge.metrics.rules import RULES

MAX, DIAGONAL, TARGET, GRID = "max_velocity", "diagonal_velocity", "target", "command_grid"
STRAIGHT, PUSHES, STILL, HEAD = "straight_line", "push_recovery", "stand_still", "head_poses"
Name = Literal[
    "max_velocity",
    "diagonal_velocity",
    "target",
    "command_grid",
    "straight_line",
    "push_recovery",
    "stand_still",
    "head_poses",
]
GOALS: tuple[Name, ...] = get_args(Name)
"""Every goal there is; a robot without a head is not asked for the last."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What is played: which goals, how often, by which rules, on which physics."""

    task: str
    """Environment id, e.g. `MicroDuck-Flat-v0`."""
    goals: tuple[str, ...] = GOALS
    """Names from `GOALS`."""
    rules: str = "servogym"
    """Name of the rules that score it: `servogym` or `robogauge`."""
    robots: int = 8
    """Episodes of each part of a goal, by robots that differ."""
    seconds: float = 20.0
    """For how long a command is held, and the time limit of a target on even ground [s]."""
    seed: int = 0
    """What every robot's random stream is made from."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `Core` as plain data: actuator, backlash, encoder, terrain, level, contact,
    randomization, sensing, spawn. Pushes are off unless `randomization` says otherwise."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played.

        Raises:
            LookupError: for an unknown goal or set of rules.
            ValueError: for no goal, a goal twice, no robot, a time below 1 s or that is no multiple
                of 0.1 s, a seed below 0, or options that are no plain data.
        """
        object.__setattr__(self, "goals", tuple(self.goals))
        if unknown := [goal for goal in self.goals if goal not in GOALS]:
            raise LookupError(f"unknown goals {unknown}; known: {', '.join(GOALS)}")
        if not self.goals or len(set(self.goals)) != len(self.goals):
            raise ValueError(f"goals {list(self.goals)}; needs 1 or more, none twice")
        if self.rules not in RULES:
            raise LookupError(f"unknown rules {self.rules!r}; known: {', '.join(RULES)}")
        if self.robots < 1 or self.seed < 0:
            raise ValueError(
                f"robots {self.robots}, seed {self.seed}; need 1 or more and 0 or more"
            )
        tenths = 10.0 * self.seconds
        if not (9.5 < tenths < inf and abs(tenths - round(tenths)) < 1e-6):
            raise ValueError(f"seconds {self.seconds}; needs a multiple of 0.1, 1 or more")
        try:
            plain = json.loads(json.dumps(dict(self.options), allow_nan=False))
        except (TypeError, ValueError) as error:
            raise ValueError(f"options {self.options!r}: {error}; needs plain data") from None
        object.__setattr__(self, "options", plain)

    def record(self) -> dict[str, Any]:
        """Give it as JSON-able values; equal cells give equal records."""
        return {**asdict(self), "goals": list(self.goals)}

    @property
    def key(self) -> str:
        """One line of JSON that names it among others, e.g. in a grid that is to be resumed."""
        return json.dumps(self.record(), sort_keys=True, separators=(",", ":"))


def of(record: Mapping[str, Any]) -> Cell:
    """Make the cell of a record.

    Raises:
        LookupError: as for `Cell`.
        TypeError: for a field it does not have.
        ValueError: as for `Cell`.
    """
    return Cell(**{**record, "goals": tuple(record["goals"])})
