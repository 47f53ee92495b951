"""The friction models m1 to m6 of BAM: how much torque a gearbox can eat right now."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

_SMALLEST_RATIO, _LARGEST_RATIO = 1e-300, 1e30


class FrictionBudget:
    """Largest friction torque of each joint, without its viscous part [N*m].

    tm is the motor's torque, te the external one (gravity, contacts, motion), w the velocity,
    S = exp(-|w/dtheta_stribeck|^alpha) the Stribeck factor, 1 at rest:

    - m1 Coulomb: Kc
    - m2 Stribeck: Kc + S*Kcs
    - m3 load: Kc + Kl*|te - tm|
    - m4 both: Kc + Kl*|te - tm| + S*(Kcs + Kls*|te - tm|)
    - m5 directional: Kc + |Ke*te - Km*tm| + S*(Kcs + |Kes*te - Kms*tm|)
    - m6 quadratic: m5 + S*Q, Q = Keq*te^2 where |tm| > |te|, Kmq*tm^2 where |tm| < |te|

    Two variants of Q exist. `quadratic="opposed"` counts it only where te and tm oppose each other
    (and not at all where they are equal in size): BAM's NumPy reference, bam/model.py.
    `quadratic="always"` counts it whatever the signs, with Kmq at equality: BAM's torch version,
    bam/mjlab.py, with which Microduck's policies were trained.

    Source: Duclusaud et al., arXiv 2410.08650; Rhoban/bam bam/model.py.
    """

    def __init__(
        self, model: str, parameters: Mapping[str, float], quadratic: str, n: int, joints: int
    ) -> None:
        """Allocate for n robots.

        Args:
            model: "m1" to "m6".
            parameters: the identified numbers, BAM's names.
            quadratic: "opposed" or "always", see above.
            n: number of robots.
            joints: number of joints.
        """
        p = parameters
        self._coulomb = p["friction_base"]
        self._stribeck = model in ("m2", "m4", "m5", "m6")
        if self._stribeck:
            self._static = p["friction_stribeck"]
            self._slowness, self._alpha = 1.0 / p["dtheta_stribeck"], p["alpha"]
        self._load, self._directional = model in ("m3", "m4"), model in ("m5", "m6")
        if self._load:
            self._moving_load = p["load_friction_base"]
            self._static_load = p.get("load_friction_stribeck", 0.0)
        if self._directional:
            self._motor, self._external = p["load_friction_motor"], p["load_friction_external"]
            self._static_motor = p["load_friction_motor_stribeck"]
            self._static_external = p["load_friction_external_stribeck"]
        self._has_quadratic = model == "m6"
        if self._has_quadratic:
            self._motor_quad = p["load_friction_motor_quad"]
            self._external_quad = p["load_friction_external_quad"]
        self._opposed = quadratic == "opposed"
        self._budget, self._bump, self._factor, self._a, self._b = np.zeros((5, n, joints))
        self._mask, self._other = np.zeros((2, n, joints), bool)

    def compute(self, motor: np.ndarray, external: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Return the budget, (n, j) [N*m]; valid until the next call.

        Args:
            motor: motor torque, (n, j) [N*m].
            external: external torque, (n, j) [N*m].
            velocity: joint velocity, (n, j) [rad/s].
        """
        budget, bump = self._budget, self._bump
        budget.fill(self._coulomb)
        if self._stribeck:
            bump.fill(self._static)
        if self._load:
            self._add_load(motor, external)
        if self._directional:
            budget += self._difference(motor, self._motor, external, self._external)
            bump += self._difference(motor, self._static_motor, external, self._static_external)
        if self._has_quadratic:
            bump += self._quadratic(motor, external)
        if self._stribeck:
            bump *= self._stribeck_factor(velocity)
            budget += bump
        return budget

    def _stribeck_factor(self, velocity: np.ndarray) -> np.ndarray:
        """exp(-|w/ws|^alpha), the power as exp(alpha*log) with both ends kept finite."""
        s = np.abs(velocity, out=self._factor)
        s *= self._slowness
        np.clip(s, _SMALLEST_RATIO, _LARGEST_RATIO, out=s)
        np.log(s, out=s)
        s *= self._alpha
        np.exp(s, out=s)
        np.negative(s, out=s)
        return np.exp(s, out=s)

    def _add_load(self, motor: np.ndarray, external: np.ndarray) -> None:
        load = np.subtract(external, motor, out=self._a)
        np.abs(load, out=load)
        self._budget += np.multiply(load, self._moving_load, out=self._b)
        if self._stribeck:
            self._bump += np.multiply(load, self._static_load, out=self._b)

    def _difference(
        self, motor: np.ndarray, by_motor: float, external: np.ndarray, by_external: float
    ) -> np.ndarray:
        d = np.multiply(external, by_external, out=self._a)
        d -= np.multiply(motor, by_motor, out=self._b)
        return np.abs(d, out=d)

    def _quadratic(self, motor: np.ndarray, external: np.ndarray) -> np.ndarray:
        size_m, size_e = np.abs(motor, out=self._a), np.abs(external, out=self._b)
        driving = np.greater(size_m, size_e, out=self._mask)
        driven = (np.less if self._opposed else np.less_equal)(size_m, size_e, out=self._other)
        q = np.minimum(size_m, size_e, out=self._factor)
        q *= q
        share = np.multiply(driving, self._external_quad, out=self._a)
        share += np.multiply(driven, self._motor_quad, out=self._b)
        q *= share
        if self._opposed:
            toward = np.signbit(external, out=self._mask)
            q *= np.not_equal(toward, np.signbit(motor, out=self._other), out=self._mask)
        return q
