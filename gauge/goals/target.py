"""A place to go to: the commands that lead there, found from where the robots are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servogym.envs import rotation
from servogym.gauge.metrics.velocity import to_base

GAIN = 2.0
"""Yaw rate over yaw error [1/s] (RoboGauge)."""
TURN = np.pi / 4
"""With a larger yaw error a robot turns and steps sideways, and does not go ahead [rad]."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Leads robots to places, as RoboGauge v1.1.3's target_pos_velocity does.

    With d the way to the target in base axes and e = atan2(d_y, d_x): yaw rate
    sign(e) min(2 |e|, wz); forward vx when |e| < 45 degrees, else sideways
    sign(d_y) min(|d_y|, vy). Going backward: forward -vx when |e| > 135 degrees, yaw rate
    -sign(e) min(2 (180 deg - |e|), wz), the robot having been put with its back to the target.
    """

    place: tuple[float, float, float]
    """Where to [m]."""
    vx: float
    """Forward speed [m/s]."""
    vy: float = 1.0
    """Largest sideways speed [m/s]."""
    wz: float = 1.5
    """Largest yaw rate [rad/s]."""
    backward: bool = False
    """Whether to go there back first."""
    seconds: float = 20.0
    """Time limit [s]; RoboGauge gives 30 on stairs and obstacles."""
    level: bool = True
    """Whether the way is seen in yaw-aligned axes. RoboGauge sees it in the tilted base's, so that
    a slope changes the direction."""

    def __post_init__(self) -> None:
        """Refuse speeds and times that lead nowhere.

        Raises:
            ValueError: naming the number.
        """
        for name in ("vx", "vy", "wz", "seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} of a target is {getattr(self, name)}; needs more than 0")

    def command(self, position: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Return what robots are to be asked for now, (n, 3) [m/s, m/s, rad/s].

        Args:
            position: base origins in the world [m], (n, 3).
            quat: their orientations (w, x, y, z), (n, 4).
        """
        away = np.array(self.place) - position
        if self.level:
            cos, sin = rotation.heading(quat)
            x, y = cos * away[:, 0] + sin * away[:, 1], cos * away[:, 1] - sin * away[:, 0]
        else:
            x, y = to_base(quat, away)[:, :2].T
        error = np.arctan2(y, x)
        off = np.pi - np.abs(error) if self.backward else np.abs(error)
        sense = np.where((error < 0) ^ self.backward, -1.0, 1.0)  # straight ahead has a side too
        ahead = off < TURN
        return np.stack(
            (
                np.where(ahead, -self.vx if self.backward else self.vx, 0.0),
                np.where(ahead, 0.0, np.sign(y) * np.minimum(np.abs(y), self.vy)),
                sense * np.minimum(GAIN * off, self.wz),
            ),
            axis=1,
        )
