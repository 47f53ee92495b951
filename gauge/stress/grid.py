"""The stress grid: terrains x frictions x masses x motors x gear gaps, all combinations."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from servogym.gauge import cell as cells
from servogym.gauge.cell import Cell
from servogym.gauge.levels import KINDS, ROBOTS, fixed
from servogym.gauge.stress.point import Point

FLAT = "flat"
TERRAINS = (FLAT, *KINDS)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """What differs from point to point, and what is played at each."""

    task: str
    """Environment id."""
    terrains: tuple[str, ...] = TERRAINS
    """Kinds of ground; on those with levels the highest level passed is searched first."""
    frictions: tuple[float, ...] = (0.4, 0.7, 1.0)
    """Sliding friction of the feet, the same for all robots of a point [1]."""
    masses: tuple[float, ...] = (1.0, 1.2)
    """Factors on mass and inertia of the base body [1]."""
    actuators: tuple[str | None, ...] = (None,)
    """Motors, by the robot's names; None: those the policy was trained on."""
    gaps: tuple[float, ...] = (0.0,)
    """Half ranges of the gear gap of every servo [rad]; 0: none."""
    contact: str | None = None
    """Contact setting; None: the task's."""
    goals: tuple[str, ...] = (cells.MAX, cells.DIAGONAL)
    """What is asked for where the robots are (RoboGauge's stress benchmark)."""
    rules: str = "servogym"
    """Rules of the score."""
    robots: int = 4
    """Episodes of each part of a goal."""
    climbers: int = ROBOTS
    """Robots a look of the search for a level."""
    seconds: float = 20.0
    """Time limit of a target on even ground, and of held commands [s]."""
    seed: int = 0
    """What random streams are made from."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further options of `Core`, as plain data."""

    def __post_init__(self) -> None:
        """Refuse axes that make no grid.

        Raises:
            LookupError: for an unknown terrain.
            ValueError: for an axis that is empty or names a value twice, friction or mass that is
                not positive, or a gap below 0.
        """
        for axis in ("terrains", "frictions", "masses", "actuators", "gaps"):
            values = getattr(self, axis)
            if not values or len(set(values)) != len(values):
                raise ValueError(f"{axis} {list(values)}; needs 1 or more, none twice")
        if unknown := [kind for kind in self.terrains if kind not in TERRAINS]:
            raise LookupError(f"unknown terrains {unknown}; known: {', '.join(TERRAINS)}")
        if min(self.frictions) <= 0 or min(self.masses) <= 0 or min(self.gaps) < 0:
            raise ValueError(
                f"frictions {list(self.frictions)}, masses {list(self.masses)}, gaps "
                f"{list(self.gaps)}; friction and mass need to be above 0, gaps 0 or more"
            )

    def points(self, trained: str) -> list[Point]:
        """Return all combinations, terrain by terrain.

        Args:
            trained: motors that None stands for.
        """
        axes = (self.terrains, self.frictions, self.masses, self.actuators, self.gaps)
        return [self._point(*values, trained=trained) for values in product(*axes)]

    def _point(
        self,
        terrain: str,
        friction: float,
        mass: float,
        actuator: str | None,
        gap: float,
        *,
        trained: str,
    ) -> Point:
        motors = actuator or trained
        options: dict[str, Any] = {**self.options, "actuator": motors, "backlash": gap > 0}
        if self.contact is not None:
            options["contact"] = self.contact
        if terrain == FLAT:
            options["terrain"] = FLAT
        drawn = options.get("randomization")
        held = fixed(friction, mass)
        if gap > 0:
            held["gap_half_range"] = {"of": "gaps", "value": [gap, gap]}
        options["randomization"] = {**(drawn if isinstance(drawn, dict) else {}), **held}
        name = f"{terrain} friction {friction:g} mass {mass:g} {motors} gap {gap:g}"
        return Point(
            name=name.replace(" ", "_"),
            cell=Cell(
                task=self.task,
                goals=self.goals,
                rules=self.rules,
                robots=self.robots,
                seconds=self.seconds,
                seed=self.seed,
                options=options,
            ),
            climb=None if terrain == FLAT else terrain,
            climbers=self.climbers,
        )
