"""Which geoms of a robot can touch the world: where the feet alone do, a fallen robot sinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from servogym.scenes.addresses import Addresses

if TYPE_CHECKING:
    from servogym.robots import Robot


def touchable(model: mujoco.MjModel, robot: Robot) -> tuple[str, ...]:
    """Name the robot's geoms that can touch something outside it.

    Counts the contact bits and the explicit pairs; a geom without a name goes by its body's.

    Args:
        model: compiled.
        robot: whose geoms.

    Raises:
        LookupError: the robot is not in the model.
    """
    base = Addresses.of(model, robot).base_body
    mine = model.body_rootid[model.geom_bodyid] == base
    others = np.flatnonzero(~mine)
    kind, affinity = model.geom_contype, model.geom_conaffinity
    pairs = np.stack((model.pair_geom1, model.pair_geom2), axis=1)
    paired = set(pairs[mine[pairs[:, 0]] != mine[pairs[:, 1]]].ravel().tolist())
    out = []
    for geom in np.flatnonzero(mine).tolist():
        bits = (kind[geom] & affinity[others]) | (kind[others] & affinity[geom])
        if bits.any() or geom in paired:
            body = model.body(model.geom_bodyid[geom]).name
            out.append(model.geom(geom).name or f"a geom of {body}")
    return tuple(out)
