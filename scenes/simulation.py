"""A finished scene, running: targets by joint path, and the joint velocity limits kept."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from servogym.scenes.initial import begin
from servogym.scenes.servos import Servos, joint_id
from servogym.scenes.velocity_limits import VelocityLimits

_ONE_DOF = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
_DIVERGED = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
    mujoco.mjtWarning.mjWARN_BADCTRL,
)


class Simulation:
    """One model and its state.

    `data["control"]` holds `joint_target_pos` (j,) [rad or m] and `joint_target_vel` (j,) [rad/s or
    m/s]; a joint that no servo of that kind drives has NaN there. `data["state"]` holds `joint_pos`
    (j,) and `joint_vel` (j,) in the same units, renewed by `step` and `reset`. Columns are
    `joints`; `column(path)` gives the number of one. Writing a target does nothing until
    `upload()`, and never moves a joint by itself.
    """

    def __init__(self, model: mujoco.MjModel, joints: Mapping[str, str] | None = None) -> None:
        """Start in the keyframe `initial` if the model has one, else in its reference state.

        Args:
            model: A compiled model.
            joints: Path -> hinge or slide of the model; None takes every named one by its name.

        Raises:
            LookupError: The model has no such joint.
            ValueError: The model limits the speed of a joint that cannot have a limit.
        """
        self.model = model
        """The model being stepped."""
        self.mj_data = mujoco.MjData(model)
        """MuJoCo's own state of it."""
        names = _named_joints(model) if joints is None else dict(joints)
        self.joints = tuple(names)
        """Path of each column."""
        ids = [joint_id(model, name) for name in names.values()]
        self._qpos, self._qvel = model.jnt_qposadr[ids], model.jnt_dofadr[ids]
        self._servos = {
            "joint_target_pos": Servos(model, tuple(names.values()), position=True),
            "joint_target_vel": Servos(model, tuple(names.values()), position=False),
        }
        self._limits = VelocityLimits(model)
        self.data: dict[str, dict[str, np.ndarray]] = {"control": {}, "state": {}}
        """What to write before `upload`, and what to read after `step`."""
        self.reset()

    def column(self, path: str) -> int:
        """Number of a joint's column.

        Raises:
            LookupError: No joint has this path.
        """
        if path not in self.joints:
            raise LookupError(f"no joint {path!r}; joints: {', '.join(self.joints)}")
        return self.joints.index(path)

    def reset(self) -> None:
        """Go back to the initial state and to the targets that were set at build time."""
        begin(self.model, self.mj_data)
        for name, servos in self._servos.items():
            self.data["control"][name] = servos.targets(self.mj_data.ctrl)
        self._download()

    def upload(self) -> None:
        """Hand the targets to the servos; MuJoCo clips them to a servo's control range.

        Raises:
            ValueError: A target is not finite, is given for a joint without such a servo, or an
                array has another shape. Nothing is handed over then.
        """
        ctrl = self.mj_data.ctrl.copy()
        for name, servos in self._servos.items():
            targets = np.asarray(self.data["control"][name], dtype=float)
            self._check(name, targets, servos.driven)
            servos.write(ctrl, targets)
        self.mj_data.ctrl[:] = ctrl

    def step(self, steps: int = 1) -> None:
        """Advance by physics steps, keeping every joint within its velocity limit.

        Raises:
            FloatingPointError: MuJoCo met NaN, infinite or huge numbers, and would go on from the
                reference state, or without any control, without a word.
        """
        for _ in range(steps):
            mujoco.mj_step(self.model, self.mj_data)
            for warning in _DIVERGED:
                if self.mj_data.warning[warning.value].number:
                    raise FloatingPointError(
                        f"{warning.name} at {self.mj_data.time:g} s: the simulation diverged"
                    )
            self._limits.keep(self.mj_data)
        self._download()

    def _check(self, name: str, targets: np.ndarray, driven: np.ndarray) -> None:
        """Raises for targets that cannot be handed over."""
        if targets.shape != (len(self.joints),):
            raise ValueError(f"{name} has shape {targets.shape}; ({len(self.joints)},) is needed")
        for path, target, has_servo in zip(self.joints, targets, driven, strict=True):
            if has_servo and not np.isfinite(target):
                raise ValueError(f"{name} of {path!r} is {target}; a finite number is needed")
            if not has_servo and not np.isnan(target):
                raise ValueError(f"{name} of {path!r} is {target}, but no such servo drives it")

    def _download(self) -> None:
        """Renew what can be read of the state."""
        self.data["state"]["joint_pos"] = self.mj_data.qpos[self._qpos]
        self.data["state"]["joint_vel"] = self.mj_data.qvel[self._qvel]


def _named_joints(model: mujoco.MjModel) -> dict[str, str]:
    """Every hinge and slide that has a name."""
    joints = (model.joint(j) for j in range(model.njnt))
    return {j.name: j.name for j in joints if j.name and mujoco.mjtJoint(j.type[0]) in _ONE_DOF}
