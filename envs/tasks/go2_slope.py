"""Go2 follows a twist command on a field of slopes, harder tile by tile."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Field

TASK = _go2.task("Slope", "Trot up and down slopes.", Field(kinds=("slope_up", "slope_down")))
