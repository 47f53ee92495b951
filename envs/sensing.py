"""What stands between the robot's state and the observation: noise, latency, mounting, bias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servogym.envs import rotation
from servogym.envs.lag import Lag
from servogym.envs.state import State


@dataclass(frozen=True, kw_only=True)
class Sensing:
    """How the sensors err. Zero switches a fault off.

    The values are Microduck's training values (pollen-robotics/microduck_rl, velocity task; the
    order compute, noise, delay is mjlab 1.3's).
    """

    lin_vel_noise: float | None = None
    """Half width of the uniform noise on base_lin_vel, each step [m/s]; None, as on robots that do
    not measure it: there is no such slot."""
    gyro_noise: float = 0.03
    """Half width of the uniform noise on base_ang_vel, each step [rad/s]."""
    gravity_noise: float = 0.01
    """Half width of the uniform noise on projected_gravity, each step [1]."""
    joint_pos_noise: float = 0.001
    """Half width of the uniform noise on joint_pos, each step [rad]."""
    joint_vel_noise: float = 0.25
    """Half width of the uniform noise on joint_vel, each step [rad/s]."""
    imu_lag: tuple[int, int] = (0, 1)
    """Latency of gyro and gravity, drawn between these two [control steps]."""
    imu_lag_period: int = 64
    """Control steps between two draws of the IMU's latency."""
    joint_vel_lag: int = 1
    """Latency of joint_vel [control steps]."""
    imu_mounting: float = 0.10471975511965977
    """Largest mounting error of the IMU, about a random axis, once an episode [rad]."""
    encoder_bias: float = 0.015
    """Half width of each joint's constant encoder error, once an episode [rad]."""

    @classmethod
    def off(cls) -> Sensing:
        """Perfect sensors without latency."""
        return cls(
            gyro_noise=0.0,
            gravity_noise=0.0,
            joint_pos_noise=0.0,
            joint_vel_noise=0.0,
            imu_lag=(0, 0),
            joint_vel_lag=0,
            imu_mounting=0.0,
            encoder_bias=0.0,
        )


class Sensors:
    """The sensors of n robots: state in, readings with their faults out.

    Readings are fresh arrays in the layout trunk velocity 3 where it is seen, gyro 3, gravity 3,
    joint angles j, joint velocities j.
    """

    def __init__(self, faults: Sensing, n: int, joints: int, encoder: str = "output") -> None:
        """Allocate mounting errors and buffers.

        Args:
            faults: how the sensors err.
            n: how many robots.
            joints: how many joints each.
            encoder: the side of the play on which velocities are measured, "output" or "motor".
        """
        self.faults = faults
        self._through_play = encoder == "output"
        self._joints = joints
        self._mounting = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
        self._imu = Lag(n, 6, *faults.imu_lag, faults.imu_lag_period)
        self._velocity = Lag(n, joints, faults.joint_vel_lag, faults.joint_vel_lag)
        self._ahead = 0 if faults.lin_vel_noise is None else 3
        half = np.repeat(
            [
                faults.lin_vel_noise or 0.0,
                faults.gyro_noise,
                faults.gravity_noise,
                faults.joint_pos_noise,
                faults.joint_vel_noise,
            ],
            [self._ahead, 3, 3, joints, joints],
        )
        self._noise = half if half.any() else None

    def reset(self, rows: np.ndarray, state: State, reading: np.ndarray, rng) -> np.ndarray:
        """Draw the faults of rows for an episode and return their first readings.

        Args:
            rows: the robots that begin an episode, integers.
            state: all robots.
            reading: what the encoders of rows read before noise, with their bias [rad], (rows, j).
            rng: the rows' random streams.

        Returns:
            What the sensors of rows say, (rows, columns).
        """
        if self.faults.imu_mounting:
            draw = rng.uniform(-1.0, 1.0, 3, rows)
            azimuth, angle = np.pi * draw[:, 0], 0.5 * (draw[:, 2] + 1) * self.faults.imu_mounting
            flat = np.sqrt(1 - draw[:, 1] ** 2)  # uniform height on the sphere, Archimedes
            axis = np.stack((flat * np.cos(azimuth), flat * np.sin(azimuth), draw[:, 1]), axis=1)
            self._mounting[rows] = rotation.about_axis(axis, angle)
        sample = self._sample(state, reading, rng, rows)
        self._imu.reset(rows, sample[:, self._ahead : self._ahead + 6], rng)
        self._velocity.reset(rows, sample[:, -self._joints :], rng)
        return sample

    def read(self, state: State, reading: np.ndarray, rng) -> np.ndarray:
        """Return what the sensors of all robots say after a step, (n, columns)."""
        sample, imu = self._sample(state, reading, rng), slice(self._ahead, self._ahead + 6)
        sample[:, imu] = self._imu.push(sample[:, imu], rng)
        sample[:, -self._joints :] = self._velocity.push(sample[:, -self._joints :], rng)
        return sample

    def _sample(self, state: State, reading: np.ndarray, rng, rows=None) -> np.ndarray:
        """Return readings before latency; rows None means all."""
        which, j = slice(None) if rows is None else rows, self._joints
        whole = np.empty((len(reading), self._ahead + 6 + 2 * j))
        if self._ahead:
            whole[:, :3] = state.base_lin_vel[which]
        out = whole[:, self._ahead :]
        gyro, gravity = state.base_ang_vel[which], state.projected_gravity[which]
        if self.faults.imu_mounting:
            gyro = rotation.to_body(self._mounting[which], gyro)
            gravity = rotation.to_body(self._mounting[which], gravity)
        out[:, :3], out[:, 3:6] = gyro, gravity
        out[:, 6 : 6 + j] = reading
        velocity = state.joint_vel if self._through_play else state.servo_vel
        out[:, 6 + j :] = velocity[which]
        if self._noise is not None:
            whole += rng.uniform(-self._noise, self._noise, len(self._noise), rows)
        return whole

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return {
            "mounting": self._mounting,
            **{f"imu_{k}": v for k, v in self._imu.state().items()},
            **{f"velocity_{k}": v for k, v in self._velocity.state().items()},
        }
