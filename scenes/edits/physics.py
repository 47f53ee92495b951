"""Plans an edit of what holds for the whole scene: gravity and the timestep."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

from servogym.scenes.edits import checks
from servogym.scenes.edits.write import Write


def plan(
    spec: mujoco.MjSpec,
    *,
    gravity: Sequence[float] | None = None,
    timestep: float | None = None,
) -> list[Write]:
    """Checks an edit of the scene's physics and says what it would change; changes nothing.

    Args:
        spec: The scene.
        gravity: Acceleration of free fall, world axes, (3,) [m/s^2].
        timestep: Physics step [s], > 0.

    Returns:
        The changes, for `commit`.

    Raises:
        TypeError: A value is of the wrong kind.
        ValueError: A value is out of range, or the file has turned gravity off altogether.
    """
    changes: list[Write] = []
    if gravity is not None:
        vector = checks.vector(gravity, "scene", "gravity")
        if vector.any() and spec.option.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY):
            raise ValueError(
                f"scene: gravity is {gravity!r}, but the file has <flag gravity='disable'/>, under "
                "which no gravity acts; accepted: (0, 0, 0), or take the flag out of the file"
            )
        changes.append(Write(spec.option, "gravity", vector))
    if timestep is not None:
        step = checks.number(timestep, "scene", "timestep", above=0.0)
        changes.append(Write(spec.option, "timestep", step))
    return changes
