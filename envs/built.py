"""The robot of an environment before there are many of it: motor law, gap, edits and the scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from servogym import actuators, robots
from servogym.actuators.base import Actuator
from servogym.envs.edits import read
from servogym.envs.overridden import overridden
from servogym.envs.servos import tuned
from servogym.envs.task import Task
from servogym.robots.base import Robot
from servogym.scenes import world
from servogym.scenes.scene import Scene
from servogym.scenes.terrain import Ground
from servogym.scenes.world import Edit


@dataclass(frozen=True, kw_only=True)
class Built:
    """What the models of an environment are made of."""

    robot: Robot
    """Its record."""
    motor: Actuator
    """The motor law as it was asked for."""
    actuator: Actuator
    """The same with the edits of its servos; the one that acts."""
    gap: float
    """Half range of the gear gaps, 0 for none [rad]."""
    edits: tuple[Edit, ...]
    """What is changed of the physics."""
    scene: Callable[..., Scene]
    """Makes a scene of the robot on its ground; takes the arguments of `world.build`."""

    @classmethod
    def of(
        cls,
        task: Task,
        ground: Ground | None,
        *,
        robot: Robot | None = None,
        actuator: str | Actuator | None,
        backlash: bool,
        edits: Any,
    ) -> Built:
        """Put them together.

        Args:
            task: the task.
            ground: what the robot stands on; None: an endless floor.
            robot: another robot than the task's; None: the task's.
            actuator: name of a motor or of a law, or a law (copied); None: the robot's.
            backlash: whether the gears have play.
            edits: calls of `Scene`'s setters, see `servogym.envs.edits.read`.

        Raises:
            LookupError: no such robot, motor or law; or a path leads nowhere.
            TypeError: an edit's value is of the wrong kind.
            ValueError: an edit cannot be made, or randomisation leaves nothing of it.
        """
        robot = robots.get(task.robot) if robot is None else robot
        motor, changes = actuators.make(actuator, robot), read(edits)
        gap = robot.backlash if backlash else 0.0
        scene = partial(world.assemble, robot, backlash=gap or None, ground=ground)
        law, rest = tuned(motor, robot.joints, changes, scene()) if changes else (motor, ())
        scene = partial(
            scene, actuator=law, timestep=task.timestep, contact=task.contact, edits=rest
        )
        built = cls(robot=robot, motor=motor, actuator=law, gap=gap, edits=changes, scene=scene)
        for _, why in built.overridden(task) if changes else ():
            raise ValueError(why)
        return built

    @property
    def name(self) -> str:
        """Name of the motor that the edits start from."""
        return actuators.name_of(self.motor, self.robot)

    def overridden(self, task: Task) -> list[tuple[str, str]]:
        """Give the quantities whose draws leave nothing of an edit, each with a sentence."""
        return list(overridden(self.edits, task.randomization, self.scene(), self.robot))
