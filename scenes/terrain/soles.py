"""Where a robot's soles are in its default pose, as points in the frame of its base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import mujoco

    from servogym.robots.base import Robot

_ROUND = 800  # points on a sphere: 4 degrees from any place on it or less
_EDGE = 15  # points along each edge of a box


def soles(robot: Robot, model: str = "walk") -> np.ndarray:
    """Points on the undersides of all feet, (p, 3) [m], base upright, default pose.

    They are dense enough that a sphere's lowest point is missed by less than a hundredth of its
    radius, on any slope.

    Args:
        robot: whose; every foot's geom must be a sphere, capsule, cylinder, ellipsoid, box or mesh.
        model: which of the robot's models.

    Raises:
        ValueError: a foot is of another shape.
    """
    import mujoco

    world = robot.spec(model).compile()
    data = mujoco.MjData(world)
    for joint, angle in robot.default_pose.items():
        data.joint(joint).qpos[0] = angle
    mujoco.mj_kinematics(world, data)
    base = data.body(robot.base_body)
    to_base = base.xmat.reshape(3, 3)
    clouds = []
    for foot in robot.feet:
        geom = world.geom(foot.geom)
        where, turn = data.geom(foot.geom).xpos, data.geom(foot.geom).xmat.reshape(3, 3)
        cloud = where + _shell(world, geom) @ turn.T
        cloud = (cloud - base.xpos) @ to_base
        centre = (where - base.xpos) @ to_base
        clouds.append(cloud[cloud[:, 2] <= centre[2] + 1e-9])
    return np.concatenate(clouds)


def shells(model: mujoco.MjModel, robot: Robot) -> list[np.ndarray]:
    """Points on the surface of each foot's geom in that geom's own frame, (p, 3) [m] a foot.

    Raises:
        ValueError: a foot is of a shape that `soles` refuses.
    """
    return [_shell(model, model.geom(foot.geom)) for foot in robot.feet]


def _shell(world: mujoco.MjModel, geom) -> np.ndarray:
    """Points on the surface of a geom in its own frame, (p, 3) [m]."""
    import mujoco

    kind, size = mujoco.mjtGeom(int(geom.type[0])), np.asarray(geom.size)
    shape = mujoco.mjtGeom
    if kind == shape.mjGEOM_SPHERE:
        return size[0] * _ball()
    if kind == shape.mjGEOM_ELLIPSOID:
        return size * _ball()
    if kind == shape.mjGEOM_BOX:
        return size * _cube()
    if kind in (shape.mjGEOM_CAPSULE, shape.mjGEOM_CYLINDER):
        return _tube(size[0], size[1], round_ends=kind == shape.mjGEOM_CAPSULE)
    if kind == shape.mjGEOM_MESH:
        mesh = world.mesh(int(geom.dataid[0]))
        first, count = int(mesh.vertadr[0]), int(mesh.vertnum[0])
        return world.mesh_vert[first : first + count].astype(float)
    raise ValueError(f"foot {geom.name!r} is a {kind.name}; soles are of simpler shape")


def _ball() -> np.ndarray:
    """Points spread evenly over the unit sphere."""
    i = np.arange(_ROUND) + 0.5
    z, turn = 1 - 2 * i / _ROUND, np.pi * (1 + np.sqrt(5)) * i
    ring = np.sqrt(1 - z * z)
    return np.stack((ring * np.cos(turn), ring * np.sin(turn), z), axis=1)


def _cube() -> np.ndarray:
    """Points on the faces of the cube from -1 to 1."""
    line = np.linspace(-1.0, 1.0, _EDGE)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    return grid[np.abs(grid).max(axis=1) == 1.0]


def _tube(radius: float, half: float, *, round_ends: bool) -> np.ndarray:
    """Points on a cylinder about z, its ends flat or half spheres."""
    turn = np.linspace(0.0, 2 * np.pi, 60, endpoint=False)
    circle = radius * np.stack((np.cos(turn), np.sin(turn), 0 * turn), axis=1)
    along = np.linspace(-half, half, _EDGE)
    side = (circle[None] + along[:, None, None] * [0.0, 0.0, 1.0]).reshape(-1, 3)
    if round_ends:
        ball = radius * _ball()
        ends = ball + half * np.sign(ball[:, 2:]) * [0.0, 0.0, 1.0]
    else:
        disc = np.concatenate([share * circle for share in np.linspace(0.0, 1.0, 8)])
        up = np.array([0.0, 0.0, half])
        ends = np.concatenate((disc + up, disc - up))
    return np.concatenate((side, ends))
