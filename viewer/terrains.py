"""Pictures of the grounds: Go2 on each test terrain and on the training field, and the field alone.

    python -m servogym.viewer.terrains docs/images

writes `terrains.jpg` and `field.jpg` into a folder, over those that are there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import tyro

from servogym.envs import opengl
from servogym.envs.core import Core

HEIGHT, WIDTH = 267, 400
"""Size of one of the six pictures of `terrains.jpg` [pixels]."""
QUALITY = 88
"""Of the JPEG files, of 100."""


@dataclass(frozen=True, kw_only=True)
class View:
    """A ground and where to look at it from."""

    task: str
    """A task of Go2."""
    terrain: str | None = None
    """Other ground than the task's."""
    level: int | None = None
    """Level of the tile to begin on."""
    distance: float = 2.8
    """Of the camera from the robot [m]."""
    elevation: float = -20.0
    """Of the line of sight [deg]."""
    azimuth: float = 50.0
    """Of the line of sight, 0 along x [deg]."""


VIEWS = (
    View(task="go2_flat", terrain="flat"),
    View(task="go2_flat", terrain="slope:6:middle"),
    View(task="go2_flat", terrain="wave:8:middle"),
    View(task="go2_flat", terrain="stairs:3:middle"),
    View(task="go2_flat", terrain="obstacle:5:middle"),
    View(task="go2_rough", level=5, distance=9.0),
)
"""The pictures of `terrains.jpg`, row by row."""
FIELD = View(task="go2_rough", level=5, distance=70.0, elevation=-32.0, azimuth=60.0)
"""The picture of `field.jpg`."""


def picture(view: View, height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Draw a robot that stands on some ground.

    Returns:
        Array (height, width, 3) uint8.

    Raises:
        NoDisplay: nothing here can draw.
    """
    core = Core(
        view.task, 1, terrain=view.terrain, level=view.level, randomization=False, spawn=False
    )
    core.seed(np.array([0]), np.array([0], np.uint64))
    core.reset(np.array([0]))
    model, data = core.looks, mujoco.MjData(core.looks)
    model.vis.map.zfar = 1e3 / model.stat.extent
    data.qpos[:] = core.batch.bind("qpos")[0]
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = data.qpos[:3]
    camera.distance, camera.elevation = view.distance, view.elevation
    camera.azimuth = view.azimuth
    renderer = opengl.offscreen(model, height, width)
    try:
        for _ in range(2):  # the floor is laid around where the camera was at the last update
            renderer.update_scene(data, camera)
        return renderer.render()
    finally:
        renderer.close()


def write(folder: Path) -> None:
    """Write both files.

    Raises:
        NoDisplay: nothing here can draw; no file has changed then.
    """
    import imageio.v3 as iio

    six = [picture(view) for view in VIEWS]
    terrains = np.vstack([np.hstack(six[:3]), np.hstack(six[3:])])
    field = picture(FIELD, 7 * HEIGHT // 4, 2 * WIDTH)
    folder.mkdir(parents=True, exist_ok=True)
    for name, pixels in (("terrains", terrains), ("field", field)):
        iio.imwrite(folder / f"{name}.jpg", pixels, quality=QUALITY)


@dataclass(frozen=True)
class Options:
    """Where the pictures go."""

    folder: tyro.conf.Positional[Path]
    """Gets `terrains.jpg` and `field.jpg`."""


def main(args: Sequence[str] | None = None) -> int:
    """Draw them as the command line says.

    Args:
        args: words of the command line; None: this process's.
    """
    options = tyro.cli(Options, prog="python -m servogym.viewer.terrains", args=args)
    try:
        write(options.folder)
    except opengl.NoDisplay as error:
        print(f"cannot draw: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
