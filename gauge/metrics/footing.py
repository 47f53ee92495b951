"""What robots stood on: every contact with the world, and what their motion asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

OTHER, EMPTY = -1, -2
"""In place of a foot's number: another part of the robot; no contact at all."""
ELLIPTIC, PYRAMIDAL = "elliptic", "pyramidal"
_SLOTS = {
    "point": (3,),
    "dist": (),
    "dim": (),
    "friction": (5,),
    "wrench": (6,),
    "force": (3,),
    "torque": (3,),
}
_WHOLE = ("centre", "needed_force", "needed_moment")
ARRAYS = ("foot", *_SLOTS, *_WHOLE)
"""Names of the arrays of `Footing`."""


@dataclass(frozen=True, kw_only=True)
class Footing:
    """t moments of n robots with up to c contacts with what is no part of them.

    Contact k of a moment is a slot that may be empty; empty slots hold zeros. The moments are every
    `every`-th sample of the `Samples` beside it, beginning with sample `first`.
    """

    every: int
    """Samples from one moment to the next [1]."""
    first: int
    """Number of the sample that is the first moment [1]."""
    cone: str
    """Kind of friction cone the physics uses: `elliptic` or `pyramidal`."""
    foot: np.ndarray
    """Which foot touches, from 0; `OTHER` or `EMPTY` where none does, (t, n, c) int."""
    point: np.ndarray
    """Place of the contact in the world [m], (t, n, c, 3)."""
    dist: np.ndarray
    """Gap between the surfaces, negative in penetration, as MuJoCo says [m], (t, n, c)."""
    dim: np.ndarray
    """Dimensions of the contact: 1, 3, 4 or 6, (t, n, c) int."""
    friction: np.ndarray
    """Coefficients: two sliding [1], spinning [m], two rolling [m], (t, n, c, 5)."""
    wrench: np.ndarray
    """In contact axes: normal force, two sliding forces [N], spinning and two rolling moments
    [N·m], (t, n, c, 6)."""
    force: np.ndarray
    """Force on the robot in world axes [N], (t, n, c, 3)."""
    torque: np.ndarray
    """Moment on the robot about `point`, in world axes [N·m], (t, n, c, 3)."""
    centre: np.ndarray
    """Centre of mass of the robot [m], (t, n, 3)."""
    needed_force: np.ndarray
    """What the motion asks of the surroundings, sum of m_i (a_i - g) [N], (t, n, 3)."""
    needed_moment: np.ndarray
    """Its moment about `centre`, rotation of the bodies included [N·m], (t, n, 3)."""

    def __post_init__(self) -> None:
        """Check shapes and the name of the cone.

        Raises:
            ValueError: naming what does not fit.
        """
        if self.cone not in (ELLIPTIC, PYRAMIDAL):
            raise ValueError(f"cone is {self.cone!r}; needs {ELLIPTIC!r} or {PYRAMIDAL!r}")
        if self.every < 1 or self.first < 0:
            raise ValueError(
                f"every {self.every}, first {self.first}; need 1 or more and 0 or more"
            )
        wanted = {name: (*self.foot.shape, *tail) for name, tail in _SLOTS.items()}
        wanted |= {name: (*self.foot.shape[:2], 3) for name in _WHOLE}
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}; needs {shape}")

    def __len__(self) -> int:
        """Return how many moments there are."""
        return len(self.foot)

    @property
    def touching(self) -> np.ndarray:
        """Whether a slot holds a contact, (t, n, c) bool."""
        return self.foot != EMPTY

    @property
    def normal(self) -> np.ndarray:
        """Normal forces [N], (t, n, c)."""
        return self.wrench[..., 0]

    def moments(self) -> np.ndarray:
        """Return the numbers of the samples that are the moments, (t,) int."""
        return self.first + self.every * np.arange(len(self))


def beside(parts: Sequence[Footing]) -> Footing:
    """Put the robots of several footings of the same moments side by side.

    Raises:
        ValueError: without a footing, or for other moments or cones.
    """
    first = parts[0] if parts else None
    alike = {(p.every, p.first, p.cone, len(p)) for p in parts}
    if first is None or len(alike) != 1:
        raise ValueError(f"footings of (every, first, cone, moments) {sorted(alike)}; needs one")
    most = max(p.foot.shape[2] for p in parts)
    arrays = {
        name: np.concatenate([widen(name, getattr(p, name), most, axis=2) for p in parts], axis=1)
        for name in ARRAYS
    }
    return replace(first, **arrays)


def pick(footing: Footing, moments: np.ndarray, robots: np.ndarray) -> Footing:
    """Return other moments of each of some robots, as if they were the same.

    Args:
        footing: of t moments of n robots.
        moments: numbers of moments, (s, m) int.
        robots: numbers of robots, (m,) int.
    """
    return replace(footing, **{name: getattr(footing, name)[moments, robots] for name in ARRAYS})


def widen(name: str, array: np.ndarray, slots: int, axis: int = 1) -> np.ndarray:
    """Give an array of a footing more slots for contacts, empty ones, along an axis."""
    if name in _WHOLE:
        return array
    shape = list(array.shape)
    shape[axis] = slots - shape[axis]
    fill = np.full(shape, EMPTY if name == "foot" else 0, array.dtype)
    return np.concatenate((array, fill), axis=axis)
