"""How feet and ground really touch under a setting, as MuJoCo itself tells it of a contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from servogym.envs.core import Core
from servogym.envs.options import keys
from servogym.scenes import solref

PRESSED = 0.002
"""How deep a robot is set into the ground to look at its contacts [m]."""
DIGITS = 9
"""Significant digits to which two settings must agree to be one and the same."""


def acting(options: Mapping[str, Any]) -> tuple[Any, ...]:
    """What decides the contacts of feet and ground, in a form in which equal physics is equal.

    A robot stands where an episode begins, pressed into the ground, and every contact of its feet
    is read: dimensions, friction, time constants as they act (two physics steps or more), damping
    ratios, impedance, margin; the friction cones and impratio are the scene's. A time constant of
    friction counts under elliptic cones alone. Whatever route led there (geoms, pairs, schemes),
    settings of equal results are the same physics.

    Args:
        options: those of `Core`, `task` among them.

    Raises:
        LookupError: as for `Core`.
        ValueError: as for `Core`; or no foot touches the ground.
    """
    calm = {"spawn": False, "sensing": False}
    core = Core(n=1, threads=1, **{**options, **calm})
    core.seed(np.arange(1), keys([0]))
    core.reset(np.arange(1))
    model, data = core.batch.get_model(0), mujoco.MjData(core.model)
    core.batch.get_data(0, data)
    data.qpos[core.at.base_qpos[2]] -= PRESSED
    mujoco.mj_forward(model, data)
    feet = {int(geom): name for geom, name in zip(core.at.foot_geom, core.robot.feet, strict=True)}
    elliptic = bool(model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC)
    seen = set()
    for contact in data.contact:
        foot = feet.get(int(contact.geom1)) or feet.get(int(contact.geom2))
        if foot is not None:
            seen.add((foot.geom, *_told(model, contact, elliptic)))
    if not seen:
        raise ValueError(f"no foot of {core.robot.name} touches the ground under {dict(options)}")
    return (elliptic, _short(model.opt.impratio), tuple(sorted(seen)))


def _told(model: mujoco.MjModel, contact: Any, elliptic: bool) -> tuple[Any, ...]:
    """The numbers of one contact that act."""
    safe, step = solref.is_refsafe(model), model.opt.timestep
    normal = solref.effective(contact.solref, step, refsafe=safe)
    along = normal
    if elliptic and np.any(contact.solreffriction):
        along = solref.effective(contact.solreffriction, step, refsafe=safe)
    dimensions = int(contact.dim)
    # Two tangential, one spinning, two rolling coefficients, of which so many act.
    friction = np.asarray(contact.friction)[: max(0, dimensions - 1)]
    return (
        dimensions,
        *(_short(v) for v in friction),
        *(_short(v) for v in (*normal, along[0])),
        *(_short(v) for v in contact.solimp),
        _short(contact.includemargin),
    )


def _short(value: float) -> float:
    return float(f"{float(value):.{DIGITS}g}")
