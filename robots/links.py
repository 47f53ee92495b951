"""A robot's links as MuJoCo compiled them, told so that two files of one robot can be compared.

Everything is measured with all joints at zero, in the axes of the base: however a file turns its
body frames, splits a link into bodies or orders its joints, equal machines give equal figures.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from servogym.robots.base import Robot

BASE = "base"
"""Name of the link that carries the free joint."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """What moves as one with a joint: its body and all bodies welded to it."""

    name: str
    """Its joint, or `base`."""
    above: str
    """Link it hangs on; empty for the base."""
    joint: int
    """Its joint in the model; -1 for the base."""
    bodies: tuple[int, ...]
    """Its bodies in the model."""
    anchor: np.ndarray
    """Place of the joint in the world, (3,) [m]; of the base's body frame for the base."""
    place: np.ndarray
    """The same seen from the anchor of the link above, (3,) [m]; zero for the base."""
    axis: np.ndarray
    """Axis of the joint, (3,); zero for the base."""
    mass: float
    """Mass [kg]."""
    com: np.ndarray
    """Centre of mass seen from the anchor, (3,) [m]."""
    inertia: np.ndarray
    """Inertia about the centre of mass: xx, yy, zz, xy, xz, yz, (6,) [kg·m²]."""


def at_zero(model: mujoco.MjModel, base_body: str) -> mujoco.MjData:
    """Put the robot at the world's origin, upright, with every joint reading zero."""
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    free = model.body(base_body).jntadr[0]
    for joint in range(model.njnt):
        if joint == free or mujoco.mjtJoint(model.jnt_type[joint]).name == "mjJNT_BALL":
            data.qpos[model.jnt_qposadr[joint] + (3 if joint == free else 0)] = 1.0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def links(model: mujoco.MjModel, robot: Robot, data: mujoco.MjData) -> dict[str, Link]:
    """Measure the links of a robot, base first, in the order of the file.

    Args:
        model: The compiled model.
        robot: Whose names to use; joints it does not know make links of their own.
        data: The model `at_zero`.
    """
    base = model.body(robot.base_body).id
    owner, joint_of = {base: BASE}, {BASE: -1}
    above, bodies = {BASE: ""}, {BASE: [base]}
    for body in range(base + 1, model.nbody):
        parent = int(model.body_parentid[body])
        if parent not in owner:
            continue
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        names = {model.joint(j).name: j for j in range(first, first + count)} if count else {}
        known = [name for name in names if name in robot.joints] or list(names)[:1]
        name = known[0] if known else owner[parent]
        if known:
            above[name], joint_of[name], bodies[name] = owner[parent], names[name], []
        owner[body] = name
        bodies[name].append(body)
    anchors = {
        name: data.xpos[base] if joint < 0 else data.xanchor[joint]
        for name, joint in joint_of.items()
    }
    found = {}
    for name, joint in joint_of.items():
        mass, com, inertia = _together(model, data, bodies[name])
        found[name] = Link(
            name=name,
            above=above[name],
            joint=joint,
            bodies=tuple(bodies[name]),
            anchor=anchors[name].copy(),
            place=anchors[name] - anchors[above[name] or name],
            axis=np.zeros(3) if joint < 0 else data.xaxis[joint].copy(),
            mass=mass,
            com=com - anchors[name],
            inertia=inertia,
        )
    return found


def _together(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: list[int]
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass in the world and inertia about it, of bodies welded together."""
    masses = model.body_mass[bodies]
    mass = float(masses.sum())
    com = masses @ data.xipos[bodies] / mass if mass else data.xipos[bodies[0]].copy()
    total = np.zeros((3, 3))
    for body in bodies:
        turn = data.ximat[body].reshape(3, 3)
        arm = data.xipos[body] - com
        total += turn @ np.diag(model.body_inertia[body]) @ turn.T
        total += model.body_mass[body] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, com, total[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
