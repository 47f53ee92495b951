"""What an edit may not set because domain randomisation overrides it in every episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from servogym.scenes.world import Reservation

if TYPE_CHECKING:
    from servogym.envs.randomize import Randomization
    from servogym.robots.base import Robot


def by_draws(ranges: Randomization, robot: Robot) -> list[Reservation]:
    """Give the properties that are drawn by value, whatever the model says.

    Draws by factor or by offset start from the edited model: they and edits go together.
    """
    if ranges.foot_friction is None:
        return []
    why = (
        f"randomization draws it by value in every episode, foot_friction {ranges.foot_friction}:"
        " switch that off to edit it"
    )
    return [("shape", ["sliding_friction"], why, [foot.geom for foot in robot.feet])]
