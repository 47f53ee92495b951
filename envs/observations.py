"""What the actor reads, slot by slot as the contract says, and what only a critic may read."""

from __future__ import annotations

import numpy as np

from servogym.deploy.contract import Contract
from servogym.envs import rotation
from servogym.envs.faults import Faults
from servogym.envs.rewards import Moment, planar
from servogym.envs.sensing import Sensors

_AHEAD = np.repeat([-0.4, -0.2, 0.0, 0.2, 0.4], 3)
_LEFT = np.tile([0.2, 0.0, -0.2], 5)
"""Where the critic sees the ground, from the trunk, in yaw-aligned axes [m]."""


class Observer:
    """Turns the moment into observations, float32, clipped to the contract's bounds."""

    def __init__(self, contract: Contract, moment: Moment, sensors: Sensors, faults: Faults):
        """Look through these sensors at this moment."""
        self._slices = contract.slices()
        self._low, self._high = contract.bounds()
        self._moment, self._sensors, self._faults = moment, sensors, faults

    def first(self, reading: np.ndarray, rows: np.ndarray, rng) -> np.ndarray:
        """Return the first observations of an episode in rows (integers), (rows, 61).

        Args:
            reading: what the encoders of all robots read, minus the default pose [rad], (n, j).
            rows: the robots that begin an episode.
            rng: the rows' random streams.
        """
        sensed = self._sensors.reset(rows, self._moment.state, reading[rows], rng)
        return self._lay_out(sensed, np.zeros(len(rows), bool), rows)

    def next(self, reading: np.ndarray, lost: np.ndarray, rng) -> np.ndarray:
        """Return the observations of all robots after a step, (n, 61); mark broken rows as lost."""
        sensed = self._sensors.read(self._moment.state, reading, rng)
        return self._lay_out(sensed, lost, slice(None))

    def privileged(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return the truth about rows, without sensor faults, each column about 1, (rows, k)."""
        columns = self._truth().values()
        values = np.concatenate([c[rows] for c in columns], axis=1, dtype=np.float32)
        return np.nan_to_num(values, copy=False, nan=0.0, posinf=0.0, neginf=0.0)

    @property
    def privileged_slots(self) -> dict[str, int]:
        """Name -> width of the privileged columns, in order."""
        return {name: values.shape[1] for name, values in self._truth().items()}

    def _truth(self) -> dict[str, np.ndarray]:
        s, g = self._moment.state, self._moment.gait
        return {
            "base_lin_vel": s.base_lin_vel,
            "base_ang_vel": s.base_ang_vel,
            "projected_gravity": s.projected_gravity * 10,
            "base_height": s.base_height[:, None] * 10,
            "joint_pos": s.joint_pos - s.default_pose,
            "joint_vel": s.joint_vel / 3,
            "torque": s.torque * (1.0 / s.robot.typical_torque),
            "foot_height": s.foot_height * 30,
            "foot_speed": np.sqrt(planar(s.foot_vel)),
            "foot_rise": s.foot_vel[:, :, 2],
            "foot_force": np.log1p(np.maximum(s.foot_force, 0.0)),
            "foot_loaded": g.loaded,
            "air_time": g.air_time * 4,
            "double_time": g.double_time[:, None] * 4,
            "fair_swing": g.fair[:, None],
            "yaw_rate_mean": s.yaw_rate_mean[:, None],
            "turn_error_mean": s.turn_error_mean[:, None] * 5,
            **({"ground_below": self._ground()} if s.footing.curriculum else {}),
        }

    def _ground(self) -> np.ndarray:
        """Ground under places around the trunk, relative to the ground under it, (n, 15)."""
        s = self._moment.state
        cos, sin = rotation.heading(s.base_quat)
        x = s.base_pos[:, :1] + cos[:, None] * _AHEAD - sin[:, None] * _LEFT
        y = s.base_pos[:, 1:2] + sin[:, None] * _AHEAD + cos[:, None] * _LEFT
        height = s.footing.height(np.stack((x, y), axis=2))
        with np.errstate(invalid="ignore"):  # who has just left the field sees none: NaN, then 0
            return 5 * (height - (s.base_pos[:, 2] - s.base_height)[:, None])

    def _lay_out(
        self, sensed: np.ndarray, lost: np.ndarray, rows: np.ndarray | slice
    ) -> np.ndarray:
        command, state = self._moment.command, self._moment.state
        whole = np.concatenate(
            (
                sensed,
                state.action[rows],
                command.twist[rows],
                command.head[rows],
                command.body[rows],
            ),
            axis=1,
            dtype=np.float32,
        )
        if not np.isfinite(whole).all():
            for name, columns in self._slices.items():
                whole[:, columns] = self._faults.clean(
                    f"observation {name}", whole[:, columns], lost
                )
        return np.clip(whole, self._low, self._high, out=whole)
