"""Ground to stand on: RoboGauge's five test terrains and a field of tiles to train on.

`Terrain(...)` and `Field(...)` say what is wanted; `.ground()` builds it; a `Ground` adds itself to
a robot's spec and knows its height anywhere, so robots begin on it and not in it.
"""

from servogym.scenes.terrain.course import Terrain
from servogym.scenes.terrain.field import Field
from servogym.scenes.terrain.ground import Ground
from servogym.scenes.terrain.soles import soles

__all__ = ["Field", "Ground", "Terrain", "soles"]
