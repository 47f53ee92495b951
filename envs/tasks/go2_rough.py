"""Go2 follows a twist command on every kind of ground: slopes, stairs, waves, blocks, bumps."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Field

TASK = _go2.task(
    "Rough",
    "Trot over all kinds of ground, harder tile by tile.",
    Field(
        kinds=(
            "slope_down",
            "slope_up",
            "stairs_down",
            "stairs_up",  # twice: what is hardest
            "stairs_up",
            "wave",
            "obstacle",
            "rough",
        ),
        cell=0.04,  # risers of 70 degrees and more from level 2 on
    ),
)
