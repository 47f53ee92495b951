"""The force of MuJoCo's dry-friction constraint on each joint, where the solver hides it.

`mujoco.batch` can bind joint accelerations but no efc_* array. The friction row of a joint touches
that joint alone, so in MuJoCo's primal solvers (Newton, CG) its force follows from the acceleration
the solver returns, exactly. It does not hold for PGS, nor with noslip_iterations > 0, which change
the forces afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_MIN_VALUE, _MIN_IMPEDANCE, _MAX_IMPEDANCE = 1e-15, 1e-4, 0.9999  # mjMINVAL, mjMINIMP, mjMAXIMP


class FrictionRow:
    """Friction force f = clip(-D*(qacc + b*qvel), -frictionloss, +frictionloss).

    D = 1/R, R = max(mjMINVAL, (1 - d)/d * invweight0), with d the impedance at zero violation; b
    from solref: 2/(dmax*timeconst) in the standard form, timeconst no less than twice the time step
    (refsafe), and -solref[1]/dmax in the direct form.

    Source: MuJoCo documentation, computation, "Constraint model"; engine_core_constraint.c.
    """

    def __init__(self, stiffness: np.ndarray, damping: np.ndarray) -> None:
        """Hold D [kg*m^2], (j,) or (n, j), and b [1/s], (j,); see `of`."""
        self.stiffness, self.damping = stiffness, damping
        self._force: np.ndarray | None = None

    @staticmethod
    def of(
        solref: np.ndarray | Sequence[float],
        solimp: np.ndarray | Sequence[float],
        invweight0: np.ndarray,
        dt: float,
    ) -> FrictionRow:
        """Precompute D and b from the model.

        Args:
            solref: `dof_solref` of the joints, (2,) or (j, 2).
            solimp: `dof_solimp` of the joints, (5,) or (j, 5).
            invweight0: `dof_invweight0` of the joints, (j,) or (n, j) [1/(kg*m^2)].
            dt: physics step [s].

        Raises:
            ValueError: a solref mixes the standard and the direct form.
        """
        ref, imp = np.asarray(solref, float), np.asarray(solimp, float)
        time, ratio = ref[..., 0], ref[..., 1]
        if np.any((time > 0) != (ratio > 0)):
            raise ValueError(f"solref {ref.tolist()}: both numbers positive, or neither")
        least = np.clip(imp[..., 0], _MIN_IMPEDANCE, _MAX_IMPEDANCE)
        most = np.clip(imp[..., 1], _MIN_IMPEDANCE, _MAX_IMPEDANCE)
        at_zero = np.where(imp[..., 2] <= _MIN_VALUE, 0.5 * (least + most), least)
        standard = 2.0 / (most * np.maximum(time, 2.0 * dt))
        damping = np.where(time > 0, standard, -ratio / most)
        softness = np.maximum(_MIN_VALUE, (1.0 - at_zero) / at_zero * np.asarray(invweight0, float))
        return FrictionRow(1.0 / softness, damping)

    def force(self, qacc: np.ndarray, qvel: np.ndarray, frictionloss: np.ndarray) -> np.ndarray:
        """Return the friction forces of a solve, (n, j) [N*m]; valid until the next call.

        Args:
            qacc: the solver's accelerations, (n, j) [rad/s^2].
            qvel: velocities the solve started from, (n, j) [rad/s].
            frictionloss: the limits in that solve, (n, j) [N*m].
        """
        if self._force is None or self._force.shape != qacc.shape:
            self._force = np.empty_like(qacc)
        force = np.multiply(qvel, self.damping, out=self._force)
        force += qacc
        force *= self.stiffness
        np.negative(force, out=force)
        np.minimum(force, frictionloss, out=force)
        return np.maximum(force, np.negative(frictionloss), out=force)
