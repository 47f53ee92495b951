"""Edits that would have no effect, because domain randomisation draws the same number by value.

Draws by factor and by offset start from the compiled model, that is, from the edited one: they and
edits go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from servogym.envs.parts import Parts
from servogym.envs.quantities import QUANTITIES
from servogym.envs.reach import reach
from servogym.scenes.addresses import Addresses

if TYPE_CHECKING:
    from servogym.envs.randomize import Randomization
    from servogym.robots.base import Robot
    from servogym.scenes.scene import Scene
    from servogym.scenes.world import Edit

_PROPERTIES = {"gap_half_range": ("limit_lower", "limit_upper")}
"""Quantity -> properties that it decides, where they are not called the same."""


def overridden(
    edits: Sequence[Edit], ranges: Randomization, scene: Scene, robot: Robot
) -> Iterator[tuple[str, str]]:
    """Give every quantity whose draw leaves nothing of an edit, and a sentence that says which.

    Args:
        edits: what was changed, as `servogym.envs.edits.read` gives it.
        ranges: what is drawn.
        scene: the scene of the edits, with nothing left out.
        robot: whose parts are drawn.
    """
    model = scene.finalize()
    parts = Parts(model, Addresses.of(model, robot), robot)
    found = list(reach(edits, scene, model))
    for name, _, draw in ranges.draws():
        quantity = QUANTITIES[name]
        if draw.way != "value" or quantity.kind in ("supply", "world"):
            continue
        drawn = parts.find(quantity.element, quantity.all if draw.of == "all" else draw.of)
        for one in found:
            if one.prop in _PROPERTIES.get(name, (name,)) and one.element in drawn:
                yield (
                    name,
                    f"edit {one.edit}: {one.prop} of {one.path!r} is drawn by value in every"
                    f" episode, randomization.{name} ({draw}), which leaves nothing of the edit;"
                    " switch that off, or draw by scale or offset, which start from the edit",
                )
