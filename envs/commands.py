"""What the robots are asked to do: twist, head pose and body pose, drawn anew every few seconds."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from servogym.envs.ramp import Ramp, current


@dataclass(frozen=True, kw_only=True)
class Commands:
    """Ranges and shares of the commands of a walking task.

    Ranges and resampling times are those of Microduck's velocity task; the buckets and the dead
    band are ours, from what made short training runs stand, turn and walk backward.
    """

    twist: tuple[float, float, float] = (0.4, 0.3, 1.0)
    """Largest forward and sideways speed [m/s] and yaw rate [rad/s], both signs."""
    twist_interval: tuple[float, float] = (3.0, 8.0)
    """Seconds between two draws of the twist."""
    standing: float | Ramp = 0.2
    """Share of draws that ask for an exact stand."""
    forward: float = 0.22
    """Share of the other draws that only walk forward, at 0.1 m/s or more."""
    backward: float = 0.12
    """Share that only walks backward, at 0.1 m/s or more."""
    sideways: float = 0.16
    """Share that only walks sideways, at 0.1 m/s or more."""
    turning: float = 0.11
    """Share that turns in place, at 0.4 rad/s or more."""
    straight: float = 0.1
    """Share that walks in any direction without turning; the rest draws all three freely."""
    dead_band: tuple[float, float] = (0.06, 0.12)
    """Speeds [m/s] and yaw rates [rad/s] below these are asked for as exactly zero."""
    head: tuple[float, ...] = (0.39, 0.39, 0.49, 0.11)
    """Largest deviation of each head joint from the default pose [rad], in the robot's order."""
    head_share: float | Ramp = 1.0
    """Share of that range in use."""
    body: tuple[float, ...] = (0.005, 0.005, 0.005, 0.05, 0.05, 0.05)
    """Largest body offsets [m] and angles [rad]: dx, dy, dz, roll, pitch, yaw. Unrewarded here; a
    slot that never varied would be a dead input."""
    pose_interval: tuple[float, float] = (2.0, 5.0)
    """Seconds between two draws of head and body commands."""

    def __post_init__(self) -> None:
        """Refuse shares that do not fit into one."""
        shares = (self.forward, self.backward, self.sideways, self.turning, self.straight)
        standing = [current(self.standing, steps) for steps in (0, inf)]
        if min(*shares, *standing) < 0 or sum(shares) > 1 or max(standing) > 1:
            raise ValueError(
                f"command shares standing {self.standing}, forward {self.forward}, backward "
                f"{self.backward}, sideways {self.sideways}, turning {self.turning}, straight "
                f"{self.straight}; each must be at least 0, standing at most 1, the other five at "
                "most 1 together"
            )


class Commander:
    """The commands of n robots: live arrays twist (n, 3), head (n, h), body (n, 6).

    A held row keeps what `hold` gave it until it is released; the clock of the others runs down and
    they draw anew.
    """

    def __init__(
        self, commands: Commands, n: int, dt: float, trained_steps: np.ndarray | float = inf
    ) -> None:
        """Allocate commands for n robots.

        Args:
            commands: what is asked.
            n: how many robots.
            dt: control step [s].
            trained_steps: live array of shape (), read at every draw.
        """
        self.commands = commands
        self._trained_steps = trained_steps
        self._dt = dt
        self.twist = np.zeros((n, 3))
        self.head = np.zeros((n, len(commands.head)))
        self.body = np.zeros((n, len(commands.body)))
        self.held = np.zeros(n, bool)
        self._twist_left = np.zeros(n, np.int64)
        self._pose_left = np.zeros(n, np.int64)

    def reset(self, rows: np.ndarray, rng) -> None:
        """Draw new commands for rows that are not held."""
        rows = rows[~self.held[rows]]
        if len(rows):
            self._draw_twist(rows, rng)
            self._draw_pose(rows, rng)

    def advance(self, rng) -> None:
        """Let one control step pass."""
        self._twist_left -= 1
        self._pose_left -= 1
        free = ~self.held
        due = np.flatnonzero((self._twist_left <= 0) & free)
        if len(due):
            self._draw_twist(due, rng)
        due = np.flatnonzero((self._pose_left <= 0) & free)
        if len(due):
            self._draw_pose(due, rng)

    def hold(
        self,
        rows: np.ndarray,
        twist: np.ndarray,
        head: np.ndarray | None = None,
        body: np.ndarray | None = None,
    ) -> None:
        """Fix the commands of rows; head and body default to zero.

        Raises:
            ValueError: when a command has the wrong size or is not finite.
        """
        parts = (("twist", self.twist, twist), ("head", self.head, head), ("body", self.body, body))
        values = []
        for name, array, value in parts:
            value = np.zeros(array.shape[1]) if value is None else np.asarray(value, float)
            if value.shape[-1:] != array.shape[1:] or not np.isfinite(value).all():
                raise ValueError(
                    f"{name} command {value.tolist()}; needs {array.shape[1]} finite numbers"
                )
            values.append((array, value))
        for array, value in values:
            array[rows] = value
        self.held[rows] = True

    def release(self, rows: np.ndarray) -> None:
        """Let rows draw their own commands again, from the next step on."""
        self.held[rows] = False
        self._twist_left[rows] = 0
        self._pose_left[rows] = 0

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {
            "twist": self.twist,
            "head": self.head,
            "body": self.body,
            "held": self.held,
            "twist_left": self._twist_left,
            "pose_left": self._pose_left,
        }

    def _draw_twist(self, rows: np.ndarray, rng) -> None:
        c = self.commands
        u = rng.uniform(0.0, 1.0, 6, rows)
        limit = np.array(c.twist)
        signed = 2 * u[:, :3] - 1
        free = signed * limit
        size = np.minimum(0.1, limit) + u[:, :3] * np.maximum(limit - 0.1, 0)
        turn = np.minimum(0.4, limit[2]) + u[:, 2] * max(limit[2] - 0.4, 0)
        zero = np.zeros(len(rows))
        edges = np.cumsum([c.forward, c.backward, c.sideways, c.turning, c.straight])
        bucket = np.searchsorted(edges, u[:, 3], side="right")
        choices = (
            np.stack((size[:, 0], zero, zero), axis=1),
            np.stack((-size[:, 0], zero, zero), axis=1),
            np.stack((zero, np.where(u[:, 0] < 0.5, -size[:, 1], size[:, 1]), zero), axis=1),
            np.stack((zero, zero, np.where(u[:, 0] < 0.5, -turn, turn)), axis=1),
            free * [1.0, 1.0, 0.0],
            free,
        )
        twist = np.choose(bucket[:, None], choices)
        slow = np.sqrt(twist[:, 0] ** 2 + twist[:, 1] ** 2) < c.dead_band[0]
        twist[slow, :2] = 0.0
        twist[np.abs(twist[:, 2]) < c.dead_band[1], 2] = 0.0
        twist[u[:, 4] < current(c.standing, float(self._trained_steps))] = 0.0
        self.twist[rows] = twist
        self._twist_left[rows] = self._steps(c.twist_interval, u[:, 5])

    def _draw_pose(self, rows: np.ndarray, rng) -> None:
        c = self.commands
        h, b = len(c.head), len(c.body)
        u = rng.uniform(-1.0, 1.0, h + b + 1, rows)
        share = current(c.head_share, float(self._trained_steps))
        self.head[rows] = u[:, :h] * c.head * share
        self.body[rows] = u[:, h : h + b] * c.body
        self._pose_left[rows] = self._steps(c.pose_interval, 0.5 * (u[:, -1] + 1))

    def _steps(self, interval: tuple[float, float], u: np.ndarray) -> np.ndarray:
        seconds = interval[0] + (interval[1] - interval[0]) * u
        return np.maximum(np.rint(seconds / self._dt), 1).astype(np.int64)
