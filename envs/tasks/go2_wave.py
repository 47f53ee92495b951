"""Go2 follows a twist command on a field of waves, harder tile by tile."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Field

TASK = _go2.task("Wave", "Trot over waves.", Field(kinds=("wave",)))
