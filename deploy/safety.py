"""What a robot is told to do once something went wrong: three safe actions to choose from."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What is known while a fault lasts; arrays are `(j,)` in contract order."""

    start: np.ndarray
    """Targets the servos were last given, before the fault. [rad]"""
    measured: np.ndarray
    """Newest finite reading of each joint. [rad]"""
    default_pose: np.ndarray
    """Joint angles that action 0 asks for. [rad]"""
    elapsed: float
    """Time until the next call, counted from the fault: one period in the call that faults. [s]"""


class SafeAction(Protocol):
    """Gives the targets of a robot that does not trust its policy."""

    def targets(self, moment: Moment) -> np.ndarray:
        """Give the targets of this moment, `(j,)` [rad]."""
        ...


@dataclass(frozen=True, kw_only=True)
class DefaultPose:
    """Moves every joint to the default pose at a limited speed, and stays there.

    The default pose is one the robot stands in, and moving to it needs no reading at all.
    """

    speed: float = 1.0
    """Largest speed of a target. [rad/s]"""

    def __post_init__(self) -> None:
        """Refuse a speed that is no speed."""
        if not (math.isfinite(self.speed) and self.speed > 0):
            raise ValueError(f"speed {self.speed!r}: a finite number above 0 is needed [rad/s]")

    def targets(self, moment: Moment) -> np.ndarray:
        """Give the start, moved towards the default pose by as much as the time allows."""
        reach = self.speed * moment.elapsed
        return moment.start + np.clip(moment.default_pose - moment.start, -reach, reach)


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Keeps the targets the servos were last given: no servo feels a change."""

    def targets(self, moment: Moment) -> np.ndarray:
        """Give the start."""
        return moment.start


@dataclass(frozen=True, kw_only=True)
class Limp:
    """Asks every servo for the angle it is at, so that its position loop pushes nowhere.

    The only safe action of a policy that commands torques: there it is no torque.
    """

    def targets(self, moment: Moment) -> np.ndarray:
        """Give the measured angles."""
        return moment.measured
