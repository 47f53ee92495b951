"""Harder ground after success, easier ground after failure, robot by robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from servogym.scenes.terrain import Field

FAR_ENOUGH, TOO_LITTLE = 0.7, 0.4
"""Shares of the way asked for from which an episode is a success, and below which a failure."""
SOMEWHERE = 2.0
"""An episode whose commands ask for less way than this says nothing [m]."""
MEMORY = 1.5
"""Time over which a robot's pace is averaged [s]."""
NOWHERE = 0.1
"""A pace below which a robot is stuck, over the speed that is asked for [1]."""


class Curriculum:
    """The tile of a field on which each of n robots begins.

    A robot that made most of the way its commands asked for goes up a level, one that fell or made
    little goes down; beyond the last level it draws any. The way counts along the command, so
    running somewhere else earns nothing. In training an episode is over where the tile ends: who is
    on stairs to learn stairs stays there, and goes up a level as soon as it has crossed one. In
    training a robot keeps its kind of ground for good:
    what it climbs on slopes would only take it to stairs it has no chance on. And whose pace sinks
    below a tenth is stuck: a policy without memory that stands still against a step sees the same
    thing for ever. Where nobody trains every level is as likely, and kinds are drawn by the field's
    shares.

    After the terrain curriculum of legged_gym (Rudin et al. 2021), whose robots have one command an
    episode and are judged by their distance from the start.
    """

    def __init__(self, field: Field, n: int, dt: float, level: int | None = None) -> None:
        """Put n robots on the easiest tiles.

        Args:
            field: the tiles.
            n: how many robots.
            dt: control step [s].
            level: a level for all, from 1; None: as the robots do.

        Raises:
            ValueError: the field has no such level.
        """
        if level is not None and not 1 <= level <= field.levels:
            raise ValueError(f"level {level}: the field has levels 1 to {field.levels}")
        self._field, self._dt, self._fixed = field, dt, level
        parts = np.cumsum(field.shares or np.ones(len(field.kinds)))
        self._edges = parts[:-1] / parts[-1]
        self.level = np.zeros(n, np.int64)
        """Levels passed, 0 to the field's number of levels - 1; the tile's level is one more."""
        self.column = np.full(n, -1)
        """Kinds of their tiles, index into the field's; -1 before the first episode."""
        self.asked = np.zeros(n)
        """Way the commands asked for in this episode [m]."""
        self.made = np.zeros(n)
        """Way along those commands that was made [m]."""
        self.fell = np.zeros(n, bool)
        self.middle = np.zeros((n, 2))
        """Middles of their tiles [m]."""
        self.pace = np.ones(n)
        """Way made over way asked for of late; 1 for who is not asked to go anywhere [1]."""

    def advance(self, velocity: np.ndarray, twist: np.ndarray, fell: np.ndarray) -> None:
        """Let one control step pass.

        Args:
            velocity: of the trunk in yaw-aligned axes, (n, 2 or more) [m/s].
            twist: what was asked for, (n, 3).
            fell: whose episode ends in failure, (n,) bool.
        """
        speed = np.sqrt(twist[:, 0] ** 2 + twist[:, 1] ** 2)
        along = (velocity[:, :2] * twist[:, :2]).sum(axis=1)
        along = np.divide(along, speed, out=np.zeros_like(along), where=speed > 0)
        self.asked += self._dt * speed
        along = np.clip(along, -speed, speed)
        self.made += self._dt * along
        self.fell |= fell
        share = np.divide(along, speed, out=np.ones_like(along), where=speed > 0)
        self.pace += self._dt / (self._dt + MEMORY) * (np.maximum(share, 0.0) - self.pace)

    @property
    def stuck(self) -> np.ndarray:
        """Who got nowhere for 3 s or more, though asked to, (n,) bool."""
        return self.pace < NOWHERE

    def crossed(self, place: np.ndarray) -> np.ndarray:
        """Who left its tile, (n,) bool, by where the trunks are, (n, 2 or more) [m]."""
        return np.abs(place[:, :2] - self.middle).max(axis=1) > 0.5 * self._field.side

    def begin(self, rows: np.ndarray, training: bool, rng) -> np.ndarray:
        """Judge the episodes that ended in rows; return where the next begin, (rows, 2) [m]."""
        u = rng.uniform(0.0, 1.0, 2, rows)
        last = self._field.levels - 1
        any_level = np.minimum((u[:, 0] * (last + 1)).astype(np.int64), last)
        if self._fixed is not None:
            self.level[rows] = self._fixed - 1
        elif not training:
            self.level[rows] = any_level
        else:
            asked, made, fell = self.asked[rows], self.made[rows], self.fell[rows]
            far = asked >= SOMEWHERE
            up = ~fell & far & (made >= FAR_ENOUGH * asked)
            down = fell | (far & (made < TOO_LITTLE * asked))
            level = self.level[rows] + up - down
            self.level[rows] = np.where(level > last, any_level, np.maximum(level, 0))
        any_kind = np.searchsorted(self._edges, u[:, 1], side="right")
        keep = training & (self.column[rows] >= 0)
        self.column[rows] = np.where(keep, self.column[rows], any_kind)
        self.asked[rows], self.made[rows], self.fell[rows] = 0.0, 0.0, False
        self.pace[rows] = 1.0
        self.middle[rows] = self._field.origin(self.level[rows] + 1, self.column[rows])
        return self.middle[rows]

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {
            "level": self.level,
            "column": self.column,
            "asked": self.asked,
            "made": self.made,
            "fell": self.fell,
            "middle": self.middle,
            "pace": self.pace,
        }
