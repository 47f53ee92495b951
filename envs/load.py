"""What the motors feel: torque from the rest of the robot, and the friction MuJoCo is to apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from servogym.actuators.friction_row import FrictionRow
from servogym.scenes.addresses import columns

if TYPE_CHECKING:
    from mujoco import MjModel
    from mujoco.batch import Batch

    from servogym.actuators.drive import Drive
    from servogym.scenes.addresses import Addresses


class Load:
    """Couples a `Drive` with load-dependent friction to a batch; laws without it pass through.

    The external torque of a joint is -qfrc_bias + qfrc_constraint minus the joint's own friction
    force (Rhoban/bam, bam/mujoco.py). A batch does not show that force, so it is computed from the
    solver's own formula (`FrictionRow`), which is exact. Weight that an edit holds up (`gravcomp`)
    is no load either.
    """

    def __init__(self, batch: Batch, model: MjModel, at: Addresses, drive: Drive, n: int) -> None:
        """Bind what is needed: nothing when the law's friction is constant."""
        dofs, shape = at.servo_dof, (n, len(at.servo_dof))
        self._drive, self._batch, self._dofs = drive, batch, dofs
        self.external, self.motor = np.zeros(shape), np.zeros(shape)
        zero = np.zeros(shape)
        self._loss = zero
        self._columns = columns(dofs)
        self._live = drive.friction(zero, zero, zero) is not None
        if not self._live:
            return
        self._frictionloss = batch.expand("dof_frictionloss")
        self._damping = batch.expand("dof_damping")
        self._bias = batch.bind("qfrc_bias")
        self._constraint = batch.bind("qfrc_constraint")
        self._qacc = batch.bind("qacc")
        self._held = batch.bind("qfrc_gravcomp") if model.ngravcomp else None
        self._solref, self._solimp = model.dof_solref[dofs], model.dof_solimp[dofs]
        self._dt = model.opt.timestep
        self._shared = model.dof_invweight0[dofs]
        self.restore()

    def reset(self, rows: np.ndarray) -> None:
        """Forget the loads of the rows' last episode; their joints may have become heavier."""
        self.external[rows] = 0.0
        self.motor[rows] = 0.0
        self.restore()

    def restore(self) -> None:
        """Take over the joints' inertia from the batch, after it was randomised or overwritten."""
        if self._live:
            expanded = self._batch.expanded("dof_invweight0")
            weight = self._shared if expanded is None else expanded[:, self._dofs]
            self._row = FrictionRow.of(self._solref, self._solimp, weight, self._dt)

    def drive(
        self,
        target: np.ndarray,
        servo_pos: np.ndarray,
        play_pos: np.ndarray | None,
        servo_vel: np.ndarray,
        rng,
    ) -> np.ndarray:
        """Return the torques of the coming physics step (n, j) [N·m]; set its friction."""
        torque = self._drive.substep(
            target, servo_pos, play_pos, servo_vel, self.external, self.motor, rng
        )
        if self._live:
            friction = self._drive.friction(servo_vel, self.external, self.motor)
            assert friction is not None
            self._loss = friction[0]
            self._frictionloss[:, self._columns], self._damping[:, self._columns] = friction
        return torque

    def feel(self, servo_vel: np.ndarray, torque: np.ndarray) -> None:
        """Read the loads of the physics step just made.

        Args:
            servo_vel: servo velocities before that step, (n, j) [rad/s].
            torque: motor torques in that step, (n, j) [N·m].
        """
        if self._live:
            own = self._row.force(self._qacc.take(self._dofs, axis=1), servo_vel, self._loss)
            np.subtract(self._constraint.take(self._dofs, axis=1), own, out=self.external)
            self.external -= self._bias.take(self._dofs, axis=1)
            if self._held is not None:
                self.external += self._held.take(self._dofs, axis=1)
            self.motor[:] = torque

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        arrays = {"external": self.external, "motor": self.motor}
        if self._live:
            arrays |= {"frictionloss": self._frictionloss, "damping": self._damping}
        return arrays
