"""Go2 follows a twist command on a flat floor and stands when told to stand."""

from servogym.envs.tasks import _go2
from servogym.scenes.terrain import Terrain

TASK = _go2.task("Flat", "Trot on a flat floor at a commanded velocity.", Terrain())
