"""What MuJoCo makes of a solver reference: too short a time constant is lengthened in silence.

A positive solref is (time constant [s], damping ratio [-]). Unless the flag `refsafe` is disabled,
MuJoCo raises the time constant to two timesteps, so that everything stiffer acts alike. A negative
solref is (-stiffness, -damping) and is used as it stands.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

STEPS = 2.0
"""Shortest time constant that `refsafe` lets through [timesteps]."""

DEFAULT = (0.02, 1.0)
"""MuJoCo's own solref [s, -]; it takes the place of one whose signs do not match."""


_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Softened:
    """One solver reference that does not act as it is written."""

    name: str
    """What it belongs to, e.g. `geom 'left_foot'`."""
    field: str
    """Which of its references, as the model spells it, e.g. `geom_solref`."""
    requested: tuple[float, float]
    """What is written [s, -]."""
    effective: tuple[float, float]
    """What MuJoCo uses [s, -]."""

    def __str__(self) -> str:
        """Say it in a sentence."""
        return (
            f"{self.name}: {self.field} {_shown(self.requested)} acts as {_shown(self.effective)}"
        )


def effective(
    solref: Sequence[float], timestep: float, *, refsafe: bool = True
) -> tuple[float, float]:
    """What MuJoCo uses in the place of a solver reference.

    Args:
        solref: (time constant [s], damping ratio [-]), or (-stiffness, -damping).
        timestep: Physics step [s].
        refsafe: Whether the flag `refsafe` is on, as it is unless a model disables it.

    Returns:
        The reference that acts, in the form it was given in; MuJoCo's default for one with a
        positive and a non-positive number.
    """
    first, second = (float(number) for number in solref)
    if (first > 0.0) != (second > 0.0):
        first, second = DEFAULT
    if first > 0.0 and refsafe:
        first = max(first, STEPS * timestep)
    return first, second


def aliases(
    settings: Mapping[str, Sequence[float]], timestep: float, *, refsafe: bool = True
) -> dict[tuple[float, float], list[str]]:
    """Which of several settings are one and the same to MuJoCo.

    Args:
        settings: Name -> solref.
        timestep: Physics step [s].
        refsafe: Whether the flag `refsafe` is on.

    Returns:
        What acts -> the names of all settings that come to it, in the order given. Each name
        stands in one group.
    """
    groups: dict[tuple[float, float], list[str]] = {}
    for name, solref in settings.items():
        groups.setdefault(effective(solref, timestep, refsafe=refsafe), []).append(name)
    return groups


def distinct(
    settings: Mapping[str, Sequence[float]], timestep: float, *, refsafe: bool = True
) -> dict[str, Sequence[float]]:
    """The settings worth running: the first of each group of `aliases`.

    Warns:
        UserWarning: Once for each group of two or more, naming them and what acts.
    """
    kept: dict[str, Sequence[float]] = {}
    for acts, names in aliases(settings, timestep, refsafe=refsafe).items():
        kept[names[0]] = settings[names[0]]
        if len(names) > 1:
            warnings.warn(
                f"{', '.join(names)} are the same setting at a timestep of {timestep:g} s: "
                f"each acts as {_shown(acts)}",
                stacklevel=2,
            )
    return kept


def is_refsafe(model: mujoco.MjModel) -> bool:
    """Whether a model lets MuJoCo lengthen time constants that are too short."""
    return not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_REFSAFE)


def softened(model: mujoco.MjModel) -> list[Softened]:
    """Every solver reference of a compiled model that does not act as it is written.

    Geoms that cannot collide, joints without limits or friction, and tendons likewise are left
    out. Of two geoms in contact MuJoCo first mixes the references, then lengthens the mixture.
    """
    found = []
    for field, kind, rows in _references(model):
        values = getattr(model, field)
        for row in rows:
            requested = (float(values[row, 0]), float(values[row, 1]))
            if requested == (0.0, 0.0):
                continue  # a pair's solreffriction: the pair's solref holds
            acts = effective(requested, model.opt.timestep, refsafe=is_refsafe(model))
            if acts != requested:
                name = f"{kind} {_name(model, kind, row)}"
                found.append(Softened(name=name, field=field, requested=requested, effective=acts))
    return found


def check(model: mujoco.MjModel) -> list[Softened]:
    """Warns of every solver reference of a compiled model that does not act as it is written.

    Returns:
        What was warned of, as `softened` finds it.

    Warns:
        UserWarning: Once for each setting, however many have it; names the elements, what is
            written, and what acts instead.
    """
    found = softened(model)
    alike: dict[tuple[str, tuple[float, float]], list[Softened]] = {}
    for finding in found:
        alike.setdefault((finding.field, finding.requested), []).append(finding)
    reason = f"; the timestep is {model.opt.timestep:g} s and refsafe is on"
    for findings in alike.values():
        names = [finding.name for finding in findings]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = replace(findings[0], name=", ".join(names[:_SHOWN]) + more)
        warnings.warn(f"{shown}{reason if is_refsafe(model) else ''}", stacklevel=2)
    return found


def _references(model: mujoco.MjModel) -> Iterable[tuple[str, str, np.ndarray]]:
    """Field of the model, kind of element, and the rows in use."""
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    rubs = model.dof_frictionloss > 0.0
    yield "geom_solref", "geom", np.flatnonzero(collides)
    yield "pair_solref", "pair", np.arange(model.npair)
    yield "pair_solreffriction", "pair", np.arange(model.npair)
    yield "jnt_solref", "joint", np.flatnonzero(model.jnt_limited)
    yield "dof_solref", "dof", np.flatnonzero(rubs)
    yield "eq_solref", "equality", np.arange(model.neq)
    yield "tendon_solref_lim", "tendon", np.flatnonzero(model.tendon_limited)
    yield "tendon_solref_fri", "tendon", np.flatnonzero(model.tendon_frictionloss > 0.0)


def _name(model: mujoco.MjModel, kind: str, row: int) -> str:
    """How an element is called; a pair without a name by its geoms, others by their number."""
    if kind == "dof":
        return f"of joint {_name(model, 'joint', int(model.dof_jntid[row]))}"
    name = getattr(model, kind)(row).name
    if name:
        return repr(name)
    if kind == "pair":
        ends = (int(model.pair_geom1[row]), int(model.pair_geom2[row]))
        return " and ".join(_name(model, "geom", geom) for geom in ends)
    if kind == "geom":
        return f"{row} of body {model.body(model.geom_bodyid[row]).name!r}"
    return str(row)


def _shown(solref: tuple[float, float]) -> str:
    """A reference as a model file spells it."""
    return f"({solref[0]:g}, {solref[1]:g})"
