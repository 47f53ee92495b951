"""Go2 follows a twist command on a field of obstacles, harder tile by tile."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Field

TASK = _go2.task(
    "Obstacle", "Trot over blocks and the gaps between them.", Field(kinds=("obstacle",))
)
