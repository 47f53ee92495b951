"""Go2 follows a twist command on a field of stairs, harder tile by tile."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Field

TASK = _go2.task("Stairs", "Trot up and down stairs.", Field(kinds=("stairs_up", "stairs_down")))
