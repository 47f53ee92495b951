"""Trees that are to begin asleep, held against whether MuJoCo lets them."""

from __future__ import annotations

import mujoco
import numpy as np

from servogym.scenes.initial import begin


def check(model: mujoco.MjModel) -> None:
    """Refuse a model of which a tree that is to begin asleep begins awake.

    MuJoCo wakes a tree that the keyframe `initial` moves or speeds up, and one that touches an
    awake one; its word on that is a line on the standard error, if anything.

    Raises:
        ValueError: There is such a tree; names the body it begins with.
    """
    switch = getattr(mujoco.mjtEnableBit, "mjENBL_SLEEP", None)
    if switch is None or not model.opt.enableflags & int(switch):
        return
    asleep = mujoco.mjtSleepPolicy.mjSLEEP_INIT.value
    trees = np.flatnonzero(model.tree_sleep_policy == asleep)
    data = mujoco.MjData(model)
    begin(model, data)
    for tree in trees[data.tree_asleep[trees] < 0]:
        root = model.body(int(model.tree_bodyadr[tree])).name
        raise ValueError(
            f"body {root!r} is to start asleep, but MuJoCo wakes its tree at once: it has an "
            "initial position or velocity, or touches something awake; take that away, or set "
            "starts_asleep to False"
        )
