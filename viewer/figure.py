"""Draws a robot in a viser scene: the visual shapes of its compiled model, and arrows above it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import mujoco
import numpy as np
import trimesh

from servogym.envs import rotation
from servogym.scenes.world import FLOOR
from servogym.viewer.ground import Surroundings

if TYPE_CHECKING:
    import viser

    from servogym.envs.core import Core

ROOT = "/robot"
"""Scene node under which the robot hangs."""
ASKED, DONE = (38, 115, 242), (51, 190, 90)
"""Colours of the commanded and of the actual velocity."""

_COLLISION_GROUP = 3
"""Shapes of this group and above are there to touch, not to be seen (MuJoCo's own convention)."""
_LEAD = 0.4
"""A velocity's arrow is as long as the way made in this time [s]."""
_LAG = 0.8
"""Share of a change of the ground's height that a picture leaves for later ones [1]: no jerks."""
_SHAPE = mujoco.mjtGeom


def seen(model: mujoco.MjModel, ground: Collection[str] = (FLOOR,)) -> list[int]:
    """Give the geoms of a model that are there to be seen, the ground's left out by name."""
    return [
        geom
        for geom in range(model.ngeom)
        if model.geom_group[geom] < _COLLISION_GROUP
        and model.geom(geom).name not in ground
        and _rgba(model, geom)[3] > 0
    ]


def surface(model: mujoco.MjModel, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the surface of a geom in its own frame: vertices (v, 3) [m] and triangles (f, 3).

    Raises:
        ValueError: It has a kind of shape that is not drawn.
    """
    kind, size = _SHAPE(model.geom_type[geom]), model.geom_size[geom]
    if kind == _SHAPE.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first, face = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        points = slice(first, first + model.mesh_vertnum[mesh])
        faces = slice(face, face + model.mesh_facenum[mesh])
        return model.mesh_vert[points], model.mesh_face[faces]
    if kind == _SHAPE.mjGEOM_SPHERE:
        drawn = trimesh.creation.icosphere(subdivisions=3, radius=size[0])
    elif kind == _SHAPE.mjGEOM_ELLIPSOID:
        drawn = trimesh.creation.icosphere(subdivisions=3)
        drawn.apply_scale(size)
    elif kind == _SHAPE.mjGEOM_BOX:
        drawn = trimesh.creation.box(2 * size)
    elif kind == _SHAPE.mjGEOM_CYLINDER:
        drawn = trimesh.creation.cylinder(size[0], 2 * size[1], sections=32)
    elif kind == _SHAPE.mjGEOM_CAPSULE:
        drawn = trimesh.creation.capsule(2 * size[1], size[0], count=[24, 24])
        drawn.apply_translation((0.0, 0.0, -drawn.bounds.mean(axis=0)[2]))
    else:
        raise ValueError(f"geom {model.geom(geom).name or geom} is a {kind.name}; not drawn")
    return np.asarray(drawn.vertices), np.asarray(drawn.faces)


class Figure:
    """A robot that stays in the middle of the scene while the ground moves under it."""

    def __init__(self, scene: viser.SceneApi, core: Core) -> None:
        """Draw the robot of a core; one drawn before is replaced.

        Args:
            scene: Where to draw.
            core: The robot; the first of its batch is shown.
        """
        self._core, self._model = core, core.looks
        self._data = mujoco.MjData(self._model)
        self._size = core.robot.spawn_height
        ground = core.footing.ground
        self._around = Surroundings(scene, ground)
        self._level = np.nan  # height of the ground under the robot, eased [m]
        self._root = scene.add_frame(ROOT, show_axes=False)
        self._bodies = {}
        names = (FLOOR,) if ground is None else ground.geoms
        for geom in seen(self._model, names):
            self._draw(scene, geom)
        self._arrows = [
            [self._arrow(scene, f"{name}/{part}", color) for part in ("flat", "upright")]
            for name, color in (("asked", ASKED), ("done", DONE))
        ]
        self.show(np.zeros(3))

    def show(self, velocity: np.ndarray) -> None:
        """Put everything where the robot has it now.

        Args:
            velocity: What the green arrow shows: forward, left [m/s], yaw rate [rad/s].
        """
        core, data = self._core, self._data
        data.qpos[:] = core.batch.bind("qpos")[0]
        mujoco.mj_kinematics(self._model, data)
        trunk = data.xpos[core.at.base_body]
        height = float(core.footing.height(trunk))
        if np.isfinite(height):  # beside a field there is no ground, for one step
            before = self._level if np.isfinite(self._level) else height
            self._level = height + _LAG * (before - height)
        here = np.array((*trunk[:2], self._level))
        self._around.show(here)
        for body, node in self._bodies.items():
            node.position, node.wxyz = data.xpos[body] - here, data.xquat[body]
        above = trunk - here
        cos, sin = (v[0] for v in rotation.heading(data.qpos[None, core.at.base_qpos[3:]]))
        for arrows, (x, y, turn), lift in (
            (self._arrows[0], core.commander.twist[0], 1.8),
            (self._arrows[1], np.nan_to_num(velocity), 1.68),
        ):
            foot = above + np.array((0.0, 0.0, lift * self._size))
            flat = _LEAD * np.array((cos * x - sin * y, sin * x + cos * y, 0.0))
            upright = np.array((0.0, 0.0, 0.5 * _LEAD * self._size * turn))
            for arrow, way in zip(arrows, (flat, upright), strict=True):
                arrow.visible = bool(np.linalg.norm(way) > 0.1 * self._size)
                arrow.points = np.array([[foot, foot + way]], np.float32)

    def _draw(self, scene: viser.SceneApi, geom: int) -> None:
        """Hang a geom under its body's node."""
        model = self._model
        body = int(model.geom_bodyid[geom])
        place = f"{ROOT}/{model.body(body).name or body}"
        if body not in self._bodies:
            self._bodies[body] = scene.add_frame(place, show_axes=False)
        vertices, faces = surface(model, geom)
        edged = model.geom_type[geom] in (_SHAPE.mjGEOM_BOX, _SHAPE.mjGEOM_CYLINDER)
        scene.add_mesh_simple(
            f"{place}/{geom}",
            vertices.astype(np.float32),
            faces.astype(np.uint32),
            color=np.round(255 * _rgba(model, geom)[:3]).astype(np.uint8),
            flat_shading=bool(edged),
            position=model.geom_pos[geom],
            wxyz=model.geom_quat[geom],
        )

    def _arrow(self, scene: viser.SceneApi, name: str, color: tuple[int, int, int]):
        return scene.add_arrows(
            f"/arrows/{name}",
            np.zeros((1, 2, 3), np.float32),
            color,
            shaft_radius=0.03 * self._size,
            head_radius=0.07 * self._size,
            head_length=0.12 * self._size,
        )


def _rgba(model: mujoco.MjModel, geom: int) -> np.ndarray:
    material = model.geom_matid[geom]
    return model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
