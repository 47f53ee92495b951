"""What metrics must know of a robot that does not change while it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Physique:
    """Joints, weight and feet of one kind of robot."""

    joints: tuple[str, ...]
    """Names in contract order, j of them."""
    low: np.ndarray
    """Lower ends of the joint ranges [rad], (j,)."""
    high: np.ndarray
    """Upper ends [rad], (j,)."""
    soft_limit: float
    """Share of each range, about its middle, that a policy should stay within [1]."""
    effort: np.ndarray | None = None
    """Largest torque of each joint [N·m], (j,); None where nobody says."""
    mass: float
    """Of the whole robot [kg]."""
    gravity: float = 9.81
    """Size of the acceleration of free fall [m/s²]."""
    height: float
    """Of the base over the soles in the default pose [m]."""
    feet: np.ndarray
    """Foot sites on the floor in the default pose, from the base [m], (f, 2)."""

    def __post_init__(self) -> None:
        """Check the shapes and the signs.

        Raises:
            ValueError: naming what does not fit.
        """
        j = len(self.joints)
        for name in ("low", "high", "effort"):
            array = getattr(self, name)
            if array is not None and np.shape(array) != (j,):
                raise ValueError(f"{name} has shape {np.shape(array)}; {j} joints need {(j,)}")
        if not (self.high > self.low).all():
            bad = [n for n, ok in zip(self.joints, self.high > self.low, strict=True) if not ok]
            raise ValueError(f"{bad} have no range; a limited joint needs high > low")
        for name in ("soft_limit", "mass", "gravity", "height"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; needs more than 0")

    @property
    def weight(self) -> float:
        """Weight [N]."""
        return self.mass * self.gravity

    @property
    def spread(self) -> float:
        """Largest distance of two feet on the floor in the default pose [m]; 0 for one foot."""
        apart = self.feet[:, None] - self.feet[None]
        return float(np.linalg.norm(apart, axis=-1).max())
