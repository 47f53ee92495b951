"""Whether what a geom says about friction counts in any contact it can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from servogym.scenes.contact import pairs_of

if TYPE_CHECKING:
    from mujoco import MjModel


def felt(model: MjModel, geom: int, condim: int) -> bool:
    """Whether some contact of a geom uses its friction and has at least so many dimensions.

    In MuJoCo the geom of higher priority decides friction, dimensions and solver settings; of equal
    ones the larger friction and dimensions count. An explicit pair decides for itself.

    Args:
        model: the compiled model.
        geom: the geom.
        condim: 1 normal force, 3 sliding, 4 torsional, 6 rolling friction.
    """
    (pairs,) = pairs_of(model, [geom])
    if bool((model.pair_dim[pairs] >= condim).any()):
        return True
    body, root = np.asarray(model.geom_bodyid), np.asarray(model.body_weldid)
    types, affinity = np.asarray(model.geom_contype), np.asarray(model.geom_conaffinity)
    meets = ((types & affinity[geom]) | (types[geom] & affinity)) > 0
    meets &= root[body] != root[body[geom]]
    rank, dims = np.asarray(model.geom_priority), np.asarray(model.geom_condim)
    dims = np.where(rank < rank[geom], dims[geom], np.maximum(dims, dims[geom]))
    return bool((meets & (rank <= rank[geom]) & (dims >= condim)).any())
