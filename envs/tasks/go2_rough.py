"""Go2 follows a twist command on every kind of ground: slopes, stairs, waves, blocks, bumps."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Field

TASK = _go2.task(
    "Rough",
    "Trot over all kinds of ground, harder tile by tile.",
    Field(
        kinds=("slope_down", "slope_up", "stairs_down", "stairs_up", "wave", "obstacle", "rough"),
        shares=(1, 1, 1, 6, 1, 1, 1),  # six times as many on what is hardest
    ),
)
