"""Reads what a robot stands on from one MuJoCo simulation: contacts, and what its motion needs."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from servogym.gauge.metrics.footing import EMPTY, OTHER
from servogym.robots import Robot
from servogym.scenes.addresses import Addresses


@dataclass(frozen=True, kw_only=True)
class Contacts:
    """What `Footing` holds, for one robot at one moment, without empty slots."""

    foot: np.ndarray
    """(c,) int."""
    point: np.ndarray
    """[m], (c, 3)."""
    dist: np.ndarray
    """[m], (c,)."""
    dim: np.ndarray
    """(c,) int."""
    friction: np.ndarray
    """(c, 5)."""
    wrench: np.ndarray
    """[N, N·m], (c, 6)."""
    force: np.ndarray
    """[N], (c, 3)."""
    torque: np.ndarray
    """[N·m], (c, 3)."""
    centre: np.ndarray
    """[m], (3,)."""
    needed_force: np.ndarray
    """[N], (3,)."""
    needed_moment: np.ndarray
    """[N·m], (3,)."""


class Reader:
    """Knows which bodies and geoms are the robot's."""

    def __init__(self, model: mujoco.MjModel, robot: Robot, prefix: str = "") -> None:
        """Look the robot up.

        Args:
            model: What `servogym.scenes.world.build` compiled, or another model that names the
                same parts.
            robot: Whose contacts are wanted.
            prefix: What an attach put in front of the robot's names.

        Raises:
            LookupError: The robot is not in the model.
        """
        at = Addresses.of(model, robot, prefix)
        self._base = at.base_body
        self._mine = np.zeros(model.nbody, bool)
        for body in range(at.base_body, model.nbody):
            parent = model.body_parentid[body]
            self._mine[body] = body == at.base_body or self._mine[parent]
        # One more entry at the end: geom -1 stands for a flex, which is no part of a robot.
        self._of_robot = np.append(self._mine[model.geom_bodyid], False)
        self._foot = np.full(model.ngeom + 1, OTHER)
        self._foot[at.foot_geom] = np.arange(len(at.foot_geom))

    def read(self, model: mujoco.MjModel, data: mujoco.MjData) -> Contacts:
        """Read a simulation whose derived quantities are up to date (`mj_forward`).

        Contacts between parts of the robot are left out. Fills `data.cacc` and its like.
        """
        contact = data.contact
        mine = self._of_robot[contact.geom]
        chosen = np.flatnonzero(mine[:, 0] != mine[:, 1])
        wrench = np.zeros((len(chosen), 6))
        for row, number in enumerate(chosen):
            mujoco.mj_contactForce(model, data, number, wrench[row])
        frame = contact.frame[chosen].reshape(-1, 3, 3)
        # MuJoCo gives what the first geom does to the second.
        sense = np.where(mine[chosen, 1], 1.0, -1.0)[:, None]
        geom = np.where(mine[chosen, 1], contact.geom[chosen, 1], contact.geom[chosen, 0])
        force, moment = newton_euler(model, data, self._mine, data.subtree_com[self._base])
        return Contacts(
            foot=self._foot[geom],
            point=contact.pos[chosen],
            dist=contact.dist[chosen],
            dim=contact.dim[chosen],
            friction=contact.friction[chosen],
            wrench=wrench,
            force=sense * np.einsum("cij,ci->cj", frame, wrench[:, :3]),
            torque=sense * np.einsum("cij,ci->cj", frame, wrench[:, 3:]),
            centre=data.subtree_com[self._base].copy(),
            needed_force=force,
            needed_moment=moment,
        )


def newton_euler(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: np.ndarray, about: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the force and moment the surroundings must give for the motion that `data.qacc` is.

    F = sum m_i (a_i - g), M = sum (p_i - about) x m_i (a_i - g) + I_i alpha_i + w_i x I_i w_i, with
    a_i the acceleration of the centre of mass p_i of body i.

    Args:
        model: the model.
        data: its state, after `mj_forward`; `cacc` is filled.
        bodies: which bodies, (nbody,) bool.
        about: the point of the moment, in the world [m], (3,).

    Returns:
        Force [N] and moment [N·m] in world axes, (3,) each.
    """
    mujoco.mj_rnePostConstraint(model, data)
    place = data.xipos[bodies]
    arm = place - data.subtree_com[model.body_rootid[bodies]]
    alpha, spin = data.cacc[bodies, :3], data.cvel[bodies, :3]
    # MuJoCo keeps spatial vectors at the centre of the tree, with -g in the acceleration.
    velocity = data.cvel[bodies, 3:] + _cross(spin, arm)
    felt = data.cacc[bodies, 3:] + _cross(alpha, arm) + _cross(spin, velocity)
    force = model.body_mass[bodies, None] * felt
    axes = data.ximat[bodies].reshape(-1, 3, 3)
    inertia = np.einsum("bij,bj,bkj->bik", axes, model.body_inertia[bodies], axes)
    turning = np.einsum("bij,bj->bi", inertia, alpha)
    turning += _cross(spin, np.einsum("bij,bj->bi", inertia, spin))
    return force.sum(axis=0), (_cross(place - about, force) + turning).sum(axis=0)


def touchable(model: mujoco.MjModel, robot: Robot, prefix: str = "") -> tuple[str, ...]:
    """Name the robot's geoms that can touch something outside it; a card should say them.

    With the feet alone a fallen robot sinks through the ground. Counts the contact bits and the
    explicit pairs; a geom without a name goes by its body's.
    """
    reader = Reader(model, robot, prefix)
    mine, out = reader._of_robot[:-1], []
    others = np.flatnonzero(~mine)
    kind, affinity = model.geom_contype, model.geom_conaffinity
    paired = set()
    for one, two in zip(model.pair_geom1, model.pair_geom2, strict=True):
        paired |= {int(g) for g in (one, two)} if mine[one] != mine[two] else set()
    for geom in np.flatnonzero(mine):
        bits = (kind[geom] & affinity[others]) | (kind[others] & affinity[geom])
        if bits.any() or int(geom) in paired:
            body = model.body(model.geom_bodyid[geom]).name
            out.append(model.geom(geom).name or f"a geom of {body}")
    return tuple(out)


def pad(rows: list[Contacts | None]) -> dict[str, np.ndarray]:
    """Put the contacts of n robots side by side, (n, c, ...); None has none and needs nothing."""
    most = max((len(row.foot) for row in rows if row is not None), default=0)
    n = len(rows)
    tails = {"point": (3,), "dist": (), "friction": (5,), "wrench": (6,), "force": (3,)}
    out = {name: np.zeros((n, most, *tail)) for name, tail in (tails | {"torque": (3,)}).items()}
    out |= {"foot": np.full((n, most), EMPTY), "dim": np.zeros((n, most), int)}
    whole = {name: np.zeros((n, 3)) for name in ("centre", "needed_force", "needed_moment")}
    for k, row in enumerate(rows):
        if row is not None:
            for name, array in out.items():
                array[k, : len(row.foot)] = getattr(row, name)
            for name, array in whole.items():
                array[k] = getattr(row, name)
    return out | whole


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product of rows; several times as fast as NumPy's for few of them."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=1)
