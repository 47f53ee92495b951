"""Hobby servo firmware: the position error sets the duty cycle of the supply voltage."""

from __future__ import annotations

import numpy as np


class VoltageServo:
    """Dynamixel MX, XL and Feetech STS: a P loop on voltage, back-EMF as its only damping.

    duty = error_gain * kp_fw * (target - measured)
    duty clipped to (kt*w -+ R*current_limit)/supply, if there is a current limit
    duty clipped to -+max_pwm, always last, so that a current limit may be out of reach at speed
    torque = kt*supply*duty/R - kt^2*w/R

    No firmware D or I gain and no inductance. Above the no-load speed the motor brakes.
    Source: Rhoban/bam bam/actuator.py, bam/dynamixel/actuator.py.
    """

    def __init__(
        self,
        *,
        kt: float,
        resistance: float,
        error_gain: float,
        max_pwm: float,
        current_limit: np.ndarray | None,
        n: int,
        joints: int,
    ) -> None:
        """Allocate for n robots.

        Args:
            kt: torque constant on the joint side [N*m/A].
            resistance: winding resistance [ohm].
            error_gain: duty per position error and firmware gain [1/rad].
            max_pwm: largest duty cycle [-].
            current_limit: per joint, (j,) [A]; None: none.
            n: number of robots.
            joints: number of joints.
        """
        self._kt, self._per_volt, self._back_emf = kt, kt / resistance, kt * kt / resistance
        self._error_gain, self._max_pwm = error_gain, max_pwm
        self._drop = None if current_limit is None else resistance * current_limit
        self._duty, self._torque, self._a, self._b, self._current = np.zeros((5, n, joints))

    def torque(
        self, error: np.ndarray, velocity: np.ndarray, kp: np.ndarray, supply: np.ndarray | float
    ) -> np.ndarray:
        """Return the motor torque, (n, j) [N*m]; valid until the next call.

        Args:
            error: target - measured, (n, j) [rad].
            velocity: motor side velocity, (n, j) [rad/s].
            kp: firmware P gain, (n, j) [-].
            supply: voltage at the motors, (n, 1) or a number [V].
        """
        duty, torque = self._duty, self._torque
        np.multiply(error, kp, out=duty)
        duty *= self._error_gain
        if self._drop is not None:
            emf = np.multiply(velocity, self._kt, out=self._a)
            low = np.subtract(emf, self._drop, out=self._b)
            low /= supply
            np.maximum(duty, low, out=duty)
            emf += self._drop
            emf /= supply
            np.minimum(duty, emf, out=duty)
        np.clip(duty, -self._max_pwm, self._max_pwm, out=duty)
        np.multiply(duty, supply, out=torque)
        torque *= self._per_volt
        torque -= np.multiply(velocity, self._back_emf, out=self._a)
        return torque

    def bus_current(self, velocity: np.ndarray, supply: np.ndarray | float) -> np.ndarray:
        """Return duty * motor current of the last torque, (n, j) [A]."""
        np.multiply(self._duty, self._torque, out=self._current)
        self._current /= self._kt
        return self._current
