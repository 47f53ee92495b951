"""Gymnasium environments for robots whose motors are real.

`import servogym` registers the environments by string and loads neither MuJoCo nor PyTorch. In a
checkout the rooms (robots, actuators, scenes, envs, learning, deploy) and the scripts lie beside
this folder; in an installed copy they lie inside it.
"""

from importlib.util import find_spec as _find_spec
from pathlib import Path as _Path

_checkout = _Path(__file__).resolve().parent.parent
if __name__ == "servogym" and (_checkout / "pyproject.toml").is_file():
    __path__.append(str(_checkout))

__version__ = "0.1.0"

if _find_spec("gymnasium"):  # a robot's computer runs policies without it
    from servogym.envs.registration import register_all as _register_all

    _register_all()
