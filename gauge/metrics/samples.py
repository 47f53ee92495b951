"""What was seen of robots at even moments: one row a moment, one column a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

_TAILS = {
    "alive": (),
    "settled": (),
    "position": (3,),
    "quat": (4,),
    "lin_vel": (3,),
    "ang_vel": (3,),
    "joint_pos": ("joint",),
    "joint_vel": ("joint",),
    "torque": ("joint",),
    "action": ("joint",),
    "command": (3,),
    "foot_pos": ("foot", 3),
    "foot_vel": ("foot", 3),
    "loaded": ("foot",),
}
_FLAGS = ("alive", "settled", "loaded")
NAMES = tuple(_TAILS)
"""Names of the arrays of `Samples`."""


@dataclass(frozen=True, kw_only=True)
class Samples:
    """t moments of n robots with j joints and f feet, from one reset to the next.

    What a robot does after its fall is noise; the metrics look at it, `scored` does not.
    """

    dt: float
    """Time between two moments; the first is one `dt` after the reset [s]."""
    alive: np.ndarray
    """Whether the episode still runs: False from the moment of the fall on, (t, n) bool."""
    settled: np.ndarray
    """False while the robot may still come to rest after its reset, (t, n) bool."""
    position: np.ndarray
    """Base origin in the world [m], (t, n, 3)."""
    quat: np.ndarray
    """Orientation of the base in the world (w, x, y, z), (t, n, 4)."""
    lin_vel: np.ndarray
    """Velocity of the base origin in base axes [m/s], (t, n, 3)."""
    ang_vel: np.ndarray
    """Angular velocity in base axes, what an ideal gyro reads [rad/s], (t, n, 3)."""
    joint_pos: np.ndarray
    """Angles of the links in contract order, play included [rad], (t, n, j)."""
    joint_vel: np.ndarray
    """Velocities of the servo side, without play [rad/s], (t, n, j)."""
    torque: np.ndarray
    """Motor torques at the joints in the last physics step [N·m], (t, n, j)."""
    action: np.ndarray
    """What the policy asked for [units of action], (t, n, j)."""
    command: np.ndarray
    """Asked forward and sideways speed and yaw rate [m/s, m/s, rad/s], (t, n, 3)."""
    foot_pos: np.ndarray
    """Foot sites in the world [m], (t, n, f, 3)."""
    foot_vel: np.ndarray
    """Velocities of the foot sites in the world [m/s], (t, n, f, 3)."""
    loaded: np.ndarray
    """Whether a foot carries weight, (t, n, f) bool."""

    def __post_init__(self) -> None:
        """Check that all arrays speak of the same moments, robots, joints and feet.

        Raises:
            ValueError: naming the array that does not fit, or a `dt` that is not positive.
        """
        if not (np.isfinite(self.dt) and self.dt > 0):
            raise ValueError(f"dt is {self.dt}; needs a finite time above 0 [s]")
        sizes = {"joint": self.joint_pos.shape[-1], "foot": self.loaded.shape[-1]}
        for name, tail in _TAILS.items():
            array = getattr(self, name)
            wanted = (*self.alive.shape, *(sizes.get(size, size) for size in tail))
            if array.shape != wanted or len(wanted) != 2 + len(tail):
                raise ValueError(f"{name} has shape {array.shape}; needs {wanted}")
            kind = np.bool_ if name in _FLAGS else np.float64
            if array.dtype != kind:
                raise ValueError(f"{name} holds {array.dtype}; needs {kind.__name__}")

    def __len__(self) -> int:
        """Return how many moments there are."""
        return len(self.alive)

    @property
    def robots(self) -> int:
        """How many robots there are."""
        return self.alive.shape[1]

    def at(self, moments: np.ndarray | slice) -> Samples:
        """Return some of the moments; `dt` stays, so they should lie side by side."""
        return replace(self, **{name: getattr(self, name)[moments] for name in _TAILS})

    def only(self, robots: np.ndarray) -> Samples:
        """Return the columns of some robots."""
        return replace(self, **{name: getattr(self, name)[:, robots] for name in _TAILS})

    def steps(self, seconds: float) -> int:
        """Return how many moments a time is long.

        Raises:
            ValueError: when it is not a whole number of them, to 1e-6, or none.
        """
        count = round(seconds / self.dt)
        if count < 1 or abs(count * self.dt - seconds) > 1e-6 * seconds:
            raise ValueError(f"{seconds:g} s is no whole number of samples of {self.dt:g} s")
        return count


def beside(parts: Sequence[Samples]) -> Samples:
    """Put the robots of several samples of the same moments side by side.

    Raises:
        ValueError: without samples, or for another number of moments or another `dt`.
    """
    alike = {(part.dt, len(part)) for part in parts}
    if len(alike) != 1:
        raise ValueError(f"samples of (dt, moments) {sorted(alike)}; needs one")
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts], axis=1) for name in _TAILS
    }
    return Samples(dt=parts[0].dt, **arrays)


def stack(moments: list[dict[str, np.ndarray]], dt: float) -> Samples:
    """Make samples of moments, each a dictionary of (n, ...) arrays named as the fields.

    Raises:
        ValueError: without a moment, or when a moment misses a field.
    """
    if not moments:
        raise ValueError("samples of 0 moments; needs 1 or more")
    if missing := [name for name in _TAILS if name not in moments[0]]:
        raise ValueError(f"a moment misses {missing}")
    arrays = {
        name: np.array([moment[name] for moment in moments], bool if name in _FLAGS else np.float64)
        for name in _TAILS
    }
    return Samples(dt=dt, **arrays)


assert set(_TAILS) == {f.name for f in fields(Samples)} - {"dt"}
