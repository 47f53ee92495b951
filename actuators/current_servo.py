"""Industrial servo drives: the position error sets a current, as far as the voltage allows."""

from __future__ import annotations

import numpy as np


class CurrentServo:
    """ZeroErr eRob: a PD loop on current.

    i = kp*(target - measured) - damping*sqrt(kp)*w, clipped to -+max_current
    torque = kt*i, clipped to -+kt*supply/R - kt^2*w/R, the voltage limit, which wins

    Source: Rhoban/bam bam/erob/actuator.py.
    """

    def __init__(
        self,
        *,
        kt: float,
        resistance: float,
        damping: float,
        max_current: np.ndarray | float,
        n: int,
        joints: int,
    ) -> None:
        """Allocate for n robots.

        Args:
            kt: torque constant on the joint side [N*m/A].
            resistance: winding resistance [ohm].
            damping: of the controller, times sqrt(kp) [A*s/rad per sqrt(A/rad)].
            max_current: a number or per joint, (j,) [A].
            n: number of robots.
            joints: number of joints.
        """
        self._kt, self._resistance = kt, resistance
        self._per_volt, self._back_emf = kt / resistance, kt * kt / resistance
        self._damping, self._max_current = damping, max_current
        self._torque, self._a, self._b, self._current = np.zeros((4, n, joints))

    def torque(
        self, error: np.ndarray, velocity: np.ndarray, kp: np.ndarray, supply: np.ndarray | float
    ) -> np.ndarray:
        """Return the motor torque, (n, j) [N*m]; valid until the next call.

        Args:
            error: target - measured, (n, j) [rad].
            velocity: motor side velocity, (n, j) [rad/s].
            kp: gain of the drive, (n, j) [A/rad].
            supply: voltage at the motors, (n, 1) or a number [V].
        """
        torque, brake = self._torque, self._a
        damping = np.sqrt(kp, out=self._a)
        damping *= self._damping
        damping *= velocity
        np.multiply(error, kp, out=torque)
        torque -= damping
        np.clip(torque, -self._max_current, self._max_current, out=torque)
        torque *= self._kt
        np.multiply(velocity, -self._back_emf, out=brake)
        reach = np.multiply(supply, self._per_volt)
        np.minimum(torque, np.add(brake, reach, out=self._b), out=torque)
        np.maximum(torque, np.subtract(brake, reach, out=self._b), out=torque)
        return torque

    def bus_current(self, velocity: np.ndarray, supply: np.ndarray | float) -> np.ndarray:
        """Return electrical power / supply of the last torque, (n, j) [A]."""
        current = np.divide(self._torque, self._kt, out=self._current)
        voltage = np.multiply(current, self._resistance, out=self._a)
        voltage += np.multiply(velocity, self._kt, out=self._b)
        current *= voltage
        current /= supply
        return current
