"""Draws the ground around a robot in a viser scene: a floor, boxes, stairs, height fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import trimesh

from servogym.scenes.terrain.solids import Box, Hills, Plane
from servogym.scenes.terrain.stairs import Stairs

if TYPE_CHECKING:
    import viser

    from servogym.scenes.terrain import Ground

ROOT = "/ground"
"""Scene node under which boxes and hills hang."""
CELL, SECTION = 0.1, 0.5
"""Distance of the thin and of the thick lines of the floor [m]."""
REACH = 5.0
"""How far hills are drawn to each side of where they were last drawn around [m]."""
STAIRS = "stairs"
"""Name of the node of all the stairs of a field."""
ROAM = 2.0
"""How far the robot may go from there before they are drawn again [m]."""
COLOR = (176, 192, 198)
"""Of boxes, stairs and hills."""


def patch(hills: Hills, x: float, y: float) -> tuple[np.ndarray, np.ndarray]:
    """Give the triangles of a height field near a place: vertices (v, 3) [m] and faces (f, 3)."""
    rows, columns = hills.z.shape
    (west, south), (dx, dy) = hills.corner, hills.cell
    left, right = _span((x - west) / dx, REACH / dx, columns)
    low, high = _span((y - south) / dy, REACH / dy, rows)
    xs, ys = west + dx * np.arange(left, right), south + dy * np.arange(low, high)
    z = hills.z[low:high, left:right]
    vertices = np.stack((*np.broadcast_arrays(xs[None, :], ys[:, None]), z), axis=-1)
    number = np.arange(z.size).reshape(z.shape)
    here, east, north = number[:-1, :-1], number[:-1, 1:], number[1:, :-1]
    across = number[1:, 1:]  # MuJoCo splits a cell from `here` to `across`
    faces = np.stack(((here, east, across), (here, across, north)), axis=-1)
    return vertices.reshape(-1, 3), np.moveaxis(faces, 0, -1).reshape(-1, 3)


class Surroundings:
    """The ground of a scene whose robot stays in the middle: all of it moves the other way."""

    def __init__(self, scene: viser.SceneApi, ground: Ground | None) -> None:
        """Draw it; what was drawn before is replaced.

        Args:
            scene: Where to draw.
            ground: What to draw; None: an endless floor.
        """
        solids = () if ground is None else ground.solids
        self._scene = scene
        self._floor = scene.add_grid(
            "/floor",
            width=4.0,
            height=4.0,
            cell_size=CELL,
            section_size=SECTION,
            cell_color=(208, 214, 217),
            section_color=(168, 178, 184),
            plane_color=(238, 242, 244),
            plane_opacity=1.0,
            shadow_opacity=0.25,
            fade_distance=3.0,
            fade_from="origin",
            visible=ground is None or any(isinstance(solid, Plane) for solid in solids),
        )
        self._root = scene.add_frame(ROOT, show_axes=False)
        self._hills = [solid for solid in solids if isinstance(solid, Hills)]
        self._drawn: tuple[float, float] | None = None
        for solid in solids:
            if isinstance(solid, Box) and solid.shown:
                drawn = trimesh.creation.box(2 * np.array(solid.half))
                self._add(solid.name, drawn.vertices, drawn.faces, solid.centre, solid.rise)
            if isinstance(solid, Stairs):  # hundreds of boxes: one mesh is lighter for a page
                self._add(STAIRS, *_mesh(solid))

    def show(self, here: np.ndarray) -> None:
        """Move the ground so that a place of the world is the middle of the scene.

        Args:
            here: The place, (3,) [m].
        """
        self._floor.position = np.array((*-np.mod(here[:2], SECTION), -here[2]))
        self._root.position = -here
        x, y = float(here[0]), float(here[1])
        if self._drawn is None or np.hypot(x - self._drawn[0], y - self._drawn[1]) > ROAM:
            self._drawn = x, y
            for hills in self._hills:
                self._add(hills.name, *patch(hills, x, y))

    def _add(
        self,
        name: str,
        vertices: np.ndarray,
        faces: np.ndarray,
        position: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rise: float = 0.0,
    ) -> None:
        self._scene.add_mesh_simple(
            f"{ROOT}/{name}",
            vertices.astype(np.float32),
            faces.astype(np.uint32),
            color=COLOR,
            flat_shading=True,
            position=position,
            wxyz=(np.cos(rise / 2), 0.0, -np.sin(rise / 2), 0.0),
        )


def _mesh(stairs: Stairs) -> tuple[np.ndarray, np.ndarray]:
    """All boxes as one mesh: vertices (v, 3) [m] and faces (f, 3)."""
    cube = trimesh.creation.box((2.0, 2.0, 2.0))
    boxes = list(stairs.boxes())
    half, centre = (np.array([getattr(box, name) for box in boxes]) for name in ("half", "centre"))
    vertices = centre[:, None] + half[:, None] * np.array(cube.vertices)
    first = len(cube.vertices) * np.arange(len(boxes))
    faces = first[:, None, None] + np.array(cube.faces)
    return vertices.reshape(-1, 3), faces.reshape(-1, 3)


def _span(middle: float, reach: float, count: int) -> tuple[int, int]:
    """First and one past the last of `count` lines within reach of one; two of them at least."""
    first = int(np.clip(np.floor(middle - reach), 0, count - 2))
    return first, int(np.clip(np.ceil(middle + reach) + 1, first + 2, count))
