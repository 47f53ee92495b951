"""The ground under n robots: where they begin on it, how high they are above it, where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from servogym.envs.curriculum import Curriculum
from servogym.scenes.terrain import Field, Ground, Terrain
from servogym.scenes.terrain.soles import shells

if TYPE_CHECKING:
    from mujoco import MjModel
    from mujoco.batch import Batch

    from servogym.envs.commands import Commander
    from servogym.envs.state import State
    from servogym.robots.base import Robot
    from servogym.scenes.addresses import Addresses

FAR = 50.0
"""On an endless floor, robots further than this from the origin are out of bounds [m]."""


class Footing:
    """Puts robots onto a task's ground; without one they are on MuJoCo's endless floor at z = 0.

    On a field of tiles a curriculum chooses the tile of every episode; on a test terrain robots
    begin at its start.
    """

    ground: Ground | None
    """What they walk on; None: the floor."""
    curriculum: Curriculum | None
    """Chooses tiles; None without a field."""
    level: int | None
    """The only level of its tiles that is used; None: every one."""

    def __init__(
        self, terrain: Terrain | Field | None, n: int, dt: float, level: int | None = None
    ) -> None:
        """Build the ground.

        Args:
            terrain: what is wanted.
            n: how many robots.
            dt: control step [s].
            level: every episode on tiles of this level, 1 or more; None: as the curriculum says.

        Raises:
            ValueError: a level for ground that is no field, or one the field lacks.
        """
        self._terrain, self.level = terrain, level
        self.ground = None if terrain is None else terrain.ground()
        self.curriculum = None
        if isinstance(terrain, Field):
            self.curriculum = Curriculum(terrain, n, dt, level)
        elif level is not None:
            ground = "an endless floor" if terrain is None else f"the terrain {terrain.kind!r}"
            raise ValueError(
                f"level {level}: the task has no field of levels, but {ground}; a test terrain's "
                "level stands behind its kind, e.g. terrain='wave:3'"
            )

    def attach(self, batch: Batch, model: MjModel, robot: Robot, at: Addresses) -> None:
        """Get ready to look at the soles of a batch."""
        self._at = at
        if self.ground is not None:
            self._clouds = shells(model, robot)
            self._where, self._turn = batch.bind("geom_xpos"), batch.bind("geom_xmat")

    @property
    def room(self) -> float:
        """How far from its origin a robot may begin [m]; a test terrain's start is one place."""
        course = isinstance(self._terrain, Terrain) and self._terrain.kind != "flat"
        return 0.0 if course else np.inf

    def height(self, place: np.ndarray) -> np.ndarray | float:
        """Height of the ground under places (..., 2 or more) [m]."""
        return 0.0 if self.ground is None else self.ground.height(place[..., 0], place[..., 1])

    def outside(self, place: np.ndarray) -> np.ndarray:
        """Whether places (n, 2 or more) are where robots must not go."""
        far = (place[:, :2] ** 2).sum(axis=1) > FAR**2
        if self.ground is None:
            return far
        if np.isfinite(self.ground.bounds).all():
            return self.ground.outside(place[:, 0], place[:, 1])
        return far | self.ground.outside(place[:, 0], place[:, 1])

    def begin(self, rows: np.ndarray, training: bool, rng) -> np.ndarray:
        """Choose where rows begin, (rows, 2) [m]."""
        if self.curriculum is not None:
            return self.curriculum.begin(rows, training, rng)
        if isinstance(self._terrain, Terrain):
            return np.tile(self._terrain.start(), (len(rows), 1))
        return np.zeros((len(rows), 2))

    def settle(self, qpos: np.ndarray, rows: np.ndarray, drop: np.ndarray) -> None:
        """Lift or lower rows until their lowest sole is `drop` (rows,) above the ground [m].

        Call after a forward pass; `qpos` is the batch's live array.
        """
        assert self.ground is not None
        clearance = np.full(len(rows), np.inf)
        for geom, cloud in zip(self._at.foot_geom, self._clouds, strict=True):
            turn = self._turn[rows, geom].reshape(len(rows), 3, 3)
            points = self._where[rows, geom][:, None] + cloud @ turn.transpose(0, 2, 1)
            above = points[..., 2] - self.ground.height(points[..., 0], points[..., 1])
            clearance = np.minimum(clearance, above.min(axis=1))
        qpos[rows, self._at.base_qpos[2]] += drop - clearance

    def advance(
        self, state: State, command: Commander, fell: np.ndarray, training: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Let the curriculum see a control step, after which some fell (n,).

        Returns:
            Who got stuck in training, a failure (n,); who crossed its tile in training, none (n,).
        """
        nobody = np.zeros_like(fell)
        if self.curriculum is None:
            return nobody, nobody
        self.curriculum.advance(state.heading_vel, command.twist, fell)
        if not training:
            return nobody, nobody
        self.curriculum.fell |= self.curriculum.stuck
        return self.curriculum.stuck, self.curriculum.crossed(state.base_pos)

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {} if self.curriculum is None else self.curriculum.state()
