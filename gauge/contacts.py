"""Reads what robots stand on from MuJoCo: contacts, and what their motion needs of the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from servogym.gauge.metrics.footing import EMPTY, OTHER
from servogym.robots import Robot
from servogym.scenes.addresses import Addresses


@dataclass(frozen=True, kw_only=True)
class Look:
    """What MuJoCo knows of one robot at one moment, copied; c contacts with the world, b bodies."""

    geom: np.ndarray
    """The two geoms of each contact, (c, 2) int."""
    pos: np.ndarray
    """Places [m], (c, 3)."""
    frame: np.ndarray
    """Axes, normal first, by rows, (c, 3, 3)."""
    dist: np.ndarray
    """Gaps [m], (c,)."""
    dim: np.ndarray
    """Dimensions, (c,) int."""
    friction: np.ndarray
    """Coefficients, (c, 5)."""
    wrench: np.ndarray
    """What the first geom does to the second, in contact axes [N, N·m], (c, 6)."""
    mass: np.ndarray
    """Masses [kg], (b,)."""
    inertia: np.ndarray
    """Principal moments of inertia [kg·m²], (b, 3)."""
    place: np.ndarray
    """Centres of mass [m], (b, 3)."""
    axes: np.ndarray
    """Principal axes, by columns, (b, 3, 3)."""
    acceleration: np.ndarray
    """MuJoCo's cacc: angular and linear acceleration minus g, at `centre`, (b, 6)."""
    velocity: np.ndarray
    """MuJoCo's cvel: angular and linear velocity at `centre`, (b, 6)."""
    centre: np.ndarray
    """Centre of mass of the robot [m], (3,)."""


class Reader:
    """Knows which bodies and geoms are the robot's; its base must be a child of the world."""

    def __init__(self, model: mujoco.MjModel, robot: Robot) -> None:
        """Look the robot up.

        Args:
            model: What `servogym.scenes.world.build` compiled, or another model that names the
                same parts.
            robot: Whose contacts are wanted.

        Raises:
            LookupError: The robot is not in the model.
        """
        at = Addresses.of(model, robot)
        self._base = at.base_body
        self.bodies = np.flatnonzero(model.body_rootid == at.base_body)
        """The robot's bodies, (b,) int."""
        # One more entry at the end: geom -1 stands for a flex, which is no part of a robot.
        self.mine = np.append(np.isin(model.geom_bodyid, self.bodies), False)
        """Whether a geom is the robot's, (ngeom + 1,) bool."""
        self._foot = np.full(model.ngeom + 1, OTHER)
        self._foot[at.foot_geom] = np.arange(len(at.foot_geom))

    def look(self, model: mujoco.MjModel, data: mujoco.MjData) -> Look:
        """Copy what is known of a simulation right after `mj_forward`; fills its `cacc`.

        Contacts between parts of the robot are left out.
        """
        mujoco.mj_rnePostConstraint(model, data)
        contact, bodies = data.contact, self.bodies
        geom = contact.geom
        mine = self.mine[geom]
        chosen = np.flatnonzero(mine[:, 0] != mine[:, 1])
        wrench = np.zeros((len(chosen), 6))
        for row, number in enumerate(chosen):
            mujoco.mj_contactForce(model, data, number, wrench[row])
        return Look(
            geom=geom[chosen],
            pos=contact.pos[chosen],
            frame=contact.frame[chosen].reshape(-1, 3, 3),
            dist=contact.dist[chosen],
            dim=contact.dim[chosen],
            friction=contact.friction[chosen],
            wrench=wrench,
            mass=model.body_mass[bodies],
            inertia=model.body_inertia[bodies],
            place=data.xipos[bodies],
            axes=data.ximat[bodies].reshape(-1, 3, 3),
            acceleration=data.cacc[bodies],
            velocity=data.cvel[bodies],
            centre=data.subtree_com[self._base].copy(),
        )

    def join(self, looks: Sequence[Look | None]) -> dict[str, np.ndarray]:
        """Put n robots side by side as `Footing` wants them, (n, ...); None touches nothing."""
        seen = [(row, look) for row, look in enumerate(looks) if look is not None]
        n, most = len(looks), max((len(look.dist) for _, look in seen), default=0)
        names = {"pos": (3,), "frame": (3, 3), "dist": (), "friction": (5,), "wrench": (6,)}
        raw: dict[str, np.ndarray] = {
            name: np.zeros((n, most, *tail)) for name, tail in names.items()
        }
        raw |= {"geom": np.full((n, most, 2), -1), "dim": np.zeros((n, most), int)}
        there = np.zeros((n, most), bool)
        for row, look in seen:
            there[row, : len(look.dist)] = True
            for name, array in raw.items():
                array[row, : len(look.dist)] = getattr(look, name)
        second = self.mine[raw["geom"][..., 1]]
        geom = np.where(second, raw["geom"][..., 1], raw["geom"][..., 0])
        sense = np.where(second, 1.0, -1.0)[..., None]
        frame, wrench = raw.pop("frame"), raw["wrench"]
        force, moment, centre = np.zeros((3, n, 3))
        if seen:
            rows = [row for row, _ in seen]
            force[rows], moment[rows] = newton_euler([look for _, look in seen])
            centre[rows] = [look.centre for _, look in seen]
        return {
            "foot": np.where(there, self._foot[geom], EMPTY),
            "point": raw["pos"],
            "dist": raw["dist"],
            "dim": raw["dim"],
            "friction": raw["friction"],
            "wrench": wrench,
            "force": sense * np.einsum("ncij,nci->ncj", frame, wrench[..., :3]),
            "torque": sense * np.einsum("ncij,nci->ncj", frame, wrench[..., 3:]),
            "centre": centre,
            "needed_force": force,
            "needed_moment": moment,
        }


def newton_euler(looks: Sequence[Look]) -> tuple[np.ndarray, np.ndarray]:
    """Return the force [N] and moment [N·m] that the motion of robots needs, (n, 3) each.

    F = sum m_i (a_i - g), M = sum (p_i - centre) x m_i (a_i - g) + I_i alpha_i + w_i x I_i w_i,
    in world axes, with a_i the acceleration of the centre of mass p_i of body i.
    """
    mass, inertia, place, axes, acceleration, velocity, centre = (
        np.array([getattr(look, name) for look in looks])
        for name in ("mass", "inertia", "place", "axes", "acceleration", "velocity", "centre")
    )
    arm = place - centre[:, None]
    alpha, spin = acceleration[..., :3], velocity[..., :3]
    linear = velocity[..., 3:] + np.cross(spin, arm)
    felt = acceleration[..., 3:] + np.cross(alpha, arm) + np.cross(spin, linear)
    force = mass[..., None] * felt
    turning = _times(axes, inertia, alpha) + np.cross(spin, _times(axes, inertia, spin))
    return force.sum(axis=1), (np.cross(arm, force) + turning).sum(axis=1)


def _times(axes: np.ndarray, inertia: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Inertia in world axes times a vector, (n, b, 3)."""
    inner = np.einsum("nbji,nbj->nbi", axes, vector) * inertia
    return np.einsum("nbij,nbj->nbi", axes, inner)
