"""Carries keyframes over an edit that inserts joints: by joint, not by position."""

from __future__ import annotations

import mujoco
import numpy as np

_UNTOUCHED = ("key_time", "key_act", "key_ctrl", "key_mpos", "key_mquat")


def carry_keyframes(spec: mujoco.MjSpec, before: mujoco.MjModel, added: set[str]) -> mujoco.MjModel:
    """Gives each keyframe of an edited spec the state it had before the edit.

    Keyframe vectors are positional: a joint inserted in the middle shifts all that follow, and
    no error is raised. The joints that were there before keep their relative order, named or
    not; that is what the values are carried along.

    Args:
        spec: The edited spec; its keyframes are rewritten.
        before: The model as it was.
        added: Names of the joints that are new; each is a hinge and rests at 0.

    Returns:
        The edited model, compiled and checked.

    Raises:
        RuntimeError: MuJoCo compiled something else; the message names the keyframe.
    """
    model = spec.compile()
    old = [j for j in range(model.njnt) if model.joint(j).name not in added]
    qpos = _addresses(model, old, "qposadr", model.nq)
    qvel = _addresses(model, old, "dofadr", model.nv)
    wanted_qpos = np.zeros((before.nkey, model.nq))
    wanted_qvel = np.zeros((before.nkey, model.nv))
    wanted_qpos[:, qpos] = before.key_qpos
    wanted_qvel[:, qvel] = before.key_qvel
    for key, row in zip(spec.keys, range(before.nkey), strict=True):
        key.qpos = wanted_qpos[row]
        key.qvel = wanted_qvel[row]
    model = spec.compile()
    for row in range(before.nkey):
        same = (
            np.allclose(model.key_qpos[row], wanted_qpos[row], rtol=0, atol=1e-12)
            and np.allclose(model.key_qvel[row], wanted_qvel[row], rtol=0, atol=1e-12)
            and all(
                np.array_equal(getattr(model, f)[row], getattr(before, f)[row]) for f in _UNTOUCHED
            )
        )
        if not same:
            raise RuntimeError(
                f"keyframe {before.key(row).name!r} changed although it was carried over by joint "
                f"(MuJoCo {mujoco.__version__})"
            )
    return model


def _addresses(model: mujoco.MjModel, joints: list[int], field: str, size: int) -> np.ndarray:
    """Columns that the given joints occupy, in order."""
    starts = getattr(model, f"jnt_{field}")
    ends = np.append(starts[1:], size)
    columns = [np.arange(starts[j], ends[j]) for j in joints]
    return np.concatenate(columns) if columns else np.zeros(0, dtype=int)
