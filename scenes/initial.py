"""The keyframe `initial`: positions, velocities and targets in which a scene begins."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from servogym.scenes.edits.target import JointNotes
from servogym.scenes.servos import Servos, joint_id

INITIAL = "initial"
"""Name of the keyframe."""


def write_initial(spec: mujoco.MjSpec, notes: Mapping[str, JointNotes]) -> None:
    """Write what the notes say of the beginning into the keyframe `initial` of a spec.

    Whatever the notes leave open is as in the keyframe `initial` if the spec has one, and else the
    reference state with every control at 0. Without anything to write nothing is written.

    Args:
        spec: The finished spec; it compiles.
        notes: Joint -> what the scene remembers of it.

    Raises:
        LookupError: A joint is gone, or the servo whose target was set.
    """
    table = {
        field: {
            joint: value
            for joint, note in notes.items()
            if (value := getattr(note, field)) is not None
        }
        for field in ("initial_position", "initial_velocity", "target_position", "target_velocity")
    }
    if not any(table.values()):
        return
    model = spec.compile()
    key = next((key for key in spec.keys if key.name == INITIAL), None)
    state = _state(model, fresh=key is None)
    for joint, position in table["initial_position"].items():
        state["qpos"][model.jnt_qposadr[joint_id(model, joint)]] = position
    for joint, velocity in table["initial_velocity"].items():
        state["qvel"][model.jnt_dofadr[joint_id(model, joint)]] = velocity
    for field, position in (("target_position", True), ("target_velocity", False)):
        _aim(model, state["ctrl"], table[field], position=position)
    key = spec.add_key(name=INITIAL) if key is None else key
    key.qpos, key.qvel, key.ctrl = state["qpos"], state["qvel"], state["ctrl"]


def begin(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Bring a state to the keyframe `initial` if the model has one, else to its reference."""
    key = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY.value, INITIAL)
    if key < 0:
        mujoco.mj_resetData(model, data)
    else:
        mujoco.mj_resetDataKeyframe(model, data, key)
    mujoco.mj_forward(model, data)


def _state(model: mujoco.MjModel, *, fresh: bool) -> dict[str, np.ndarray]:
    """State to start from."""
    if fresh:
        return {"qpos": model.qpos0.copy(), "qvel": np.zeros(model.nv), "ctrl": np.zeros(model.nu)}
    key = model.key(INITIAL)
    return {"qpos": key.qpos.copy(), "qvel": key.qvel.copy(), "ctrl": key.ctrl.copy()}


def _aim(
    model: mujoco.MjModel, ctrl: np.ndarray, targets: Mapping[str, float], *, position: bool
) -> None:
    """Write the targets of one kind of servo into the controls."""
    servos = Servos(model, tuple(targets), position=position)
    kind = "position" if position else "velocity"
    if lost := [joint for joint, has in zip(targets, servos.driven, strict=True) if not has]:
        raise LookupError(f"no {kind} servo on {lost} any more, but targets were set for them")
    servos.write(ctrl, np.array(list(targets.values())))
