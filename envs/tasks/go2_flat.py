"""Go2 follows a twist command on a flat floor and stands when told to stand."""

from servogym.envs.tasks import _go2

TASK = _go2.task("Flat", "Trot on a flat floor at a commanded velocity.")
