"""Position and velocity servos of a compiled model: which joints have one, and its target."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

_ON_JOINT = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
_DIRECT = tuple(
    kind.value
    for kind in (
        mujoco.mjtDyn.mjDYN_NONE,
        mujoco.mjtDyn.mjDYN_FILTER,
        mujoco.mjtDyn.mjDYN_FILTEREXACT,
    )
)


class Servos:
    """The position servos, or else the velocity servos, of some joints.

    A position servo is an actuator on a joint with force = kp·(control - length) - kv·velocity, a
    velocity servo one with force = kv·(control - velocity), kp and kv >= 0, its control perhaps
    filtered; one whose gains are all 0 counts as both. Length is gear times position, so targets at
    the joint are control / gear.
    """

    def __init__(self, model: mujoco.MjModel, joints: Sequence[str], *, position: bool) -> None:
        """Find them.

        Args:
            model: A compiled model.
            joints: Names of hinges and slides.
            position: Look for position servos; False looks for velocity servos.

        Raises:
            LookupError: The model has no such joint.
        """
        column = {joint_id(model, name): k for k, name in enumerate(joints)}
        found = [
            (column[model.actuator_trnid[a, 0]], a)
            for a in range(model.nu)
            if mujoco.mjtTrn(model.actuator_trntype[a]) in _ON_JOINT
            and model.actuator_trnid[a, 0] in column
            and _follows(model, a, position)
        ]
        self._count = len(joints)
        self._columns = np.array([k for k, _ in found], dtype=int)
        self._actuators = np.array([a for _, a in found], dtype=int)
        self._gear = model.actuator_gear[self._actuators, 0]
        self.driven = np.isin(np.arange(self._count), self._columns)
        """Whether a joint has such a servo, (j,)."""

    def targets(self, ctrl: np.ndarray) -> np.ndarray:
        """Targets at the joints that a control vector means, (j,); NaN where no servo is."""
        targets = np.full(self._count, np.nan)
        targets[self._columns] = ctrl[self._actuators] / self._gear
        return targets

    def write(self, ctrl: np.ndarray, targets: np.ndarray) -> None:
        """Write targets at the joints, (j,), into a control vector; NaN leaves a control alone."""
        wanted = targets[self._columns]
        given = ~np.isnan(wanted)
        ctrl[self._actuators[given]] = (wanted * self._gear)[given]


def joint_id(model: mujoco.MjModel, name: str) -> int:
    """Number of a joint.

    Raises:
        LookupError: The model has no such joint.
    """
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT.value, name)
    if number < 0:
        raise LookupError(f"the model has no joint {name!r}")
    return number


def _follows(model: mujoco.MjModel, actuator: int, position: bool) -> bool:
    """Whether an actuator follows a position, or else a velocity, with its control as target."""
    gain, bias = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    affine = model.actuator_biastype[actuator] == mujoco.mjtBias.mjBIAS_AFFINE.value
    fixed = model.actuator_gaintype[actuator] == mujoco.mjtGain.mjGAIN_FIXED.value
    direct = model.actuator_dyntype[actuator] in _DIRECT
    if not (affine and fixed and direct and model.actuator_gear[actuator, 0] and gain[0] >= 0.0):
        return False
    if bias[0] != 0.0:
        return False
    if position:
        return bias[1] == -gain[0]
    return bias[1] == 0.0 and bias[2] == -gain[0]
