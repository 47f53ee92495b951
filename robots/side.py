"""One of two robots that are compared, compiled and measured, and what a difference is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from servogym.robots.base import Robot
from servogym.robots.links import Link, at_zero, links

RELATIVE, ABSOLUTE = 1e-5, 1e-9
"""Numbers closer than this are equal: files are often written with six digits."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One number, or one vector, that is not the same in both files."""

    where: str
    """Joint, foot, keyframe, or `base`, `imu`, `options`, `robot`."""
    what: str
    """Which number of it."""
    unit: str
    """Its unit; `-` for none."""
    theirs: str
    """Its value in the file that was compared."""
    ours: str
    """Its value in the file it was compared with."""


class Side:
    """A robot with its compiled model and what was measured of it."""

    def __init__(self, robot: Robot, model: str) -> None:
        """Compile and measure one of the robot's models."""
        self.robot = robot
        self.model = robot.spec(model).compile()
        self.data = at_zero(self.model, robot.base_body)
        self.links = links(self.model, robot, self.data)
        self.feet = [self.model.geom(foot.geom).id for foot in robot.feet]

    def motors(self) -> dict[str, list[int]]:
        """Joint -> the actuators that drive it, in the order of the file."""
        found: dict[str, list[int]] = {}
        for number in range(self.model.nu):
            if mujoco.mjtTrn(self.model.actuator_trntype[number]) == mujoco.mjtTrn.mjTRN_JOINT:
                joint = self.model.joint(int(self.model.actuator_trnid[number, 0])).name
                found.setdefault(joint, []).append(number)
        return found

    def link_of(self, geom: int) -> Link:
        """The link a shape belongs to."""
        body = int(self.model.geom_bodyid[geom])
        return next(link for link in self.links.values() if body in link.bodies)

    def kind(self, geom: int) -> str:
        """What kind of shape it is, e.g. `sphere`."""
        return kind_of(self.model, geom)


def kind_of(model: mujoco.MjModel, geom: int) -> str:
    """What kind of shape a geom is, e.g. `sphere`."""
    return mujoco.mjtGeom(int(model.geom_type[geom])).name.removeprefix("mjGEOM_").lower()


def differ(
    where: str, what: str, unit: str, theirs: Any, ours: Any, *, together: bool = False
) -> Iterator[Difference]:
    """Yield the difference of two values, if there is one.

    Args:
        where: As in `Difference`.
        what: As in `Difference`.
        unit: As in `Difference`.
        theirs: Text, a number or an array.
        ours: The same of the other robot.
        together: Whether the parts of an array are of one size, as in a place: then one part is
            equal when it is so beside the largest, else each counts alone.
    """
    if not _equal(theirs, ours, together):
        yield Difference(where=where, what=what, unit=unit, theirs=_text(theirs), ours=_text(ours))


def _equal(a: Any, b: Any, together: bool) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    a, b = np.atleast_1d(a).astype(float), np.atleast_1d(b).astype(float)
    if a.shape != b.shape:
        return False
    size = np.maximum(np.abs(a), np.abs(b))
    size = size.max(initial=0.0) if together else size
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        near = np.abs(a - b) <= np.maximum(RELATIVE * size, ABSOLUTE)
    return bool((near | (a == b)).all())


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return " ".join(f"{number:.6g}" for number in np.atleast_1d(value).ravel())


def lowest_foot(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> float:
    """Height of the lowest point of the lowest foot [m]; its site where the foot is no sphere."""
    heights = []
    for foot in robot.feet:
        geom = model.geom(foot.geom)
        round_ = kind_of(model, geom.id) == "sphere"
        low = data.geom_xpos[geom.id, 2] - geom.size[0] if round_ else data.site(foot.site).xpos[2]
        heights.append(float(low))
    return min(heights)
