"""Domain randomisation: which physical quantities differ from robot to robot, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from servogym.envs.ramp import Ramp, current

if TYPE_CHECKING:
    from mujoco import MjModel
    from mujoco.batch import Batch

    from servogym.actuators.drive import Drive
    from servogym.robots.base import Robot
    from servogym.scenes.addresses import Addresses

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Randomization:
    """Ranges drawn once an episode, uniformly; None switches a quantity off.

    Everything is drawn from the compiled nominal, so nothing accumulates. The ranges are those of
    Microduck's velocity task (pollen-robotics/microduck_rl); it draws friction, mass, supply and
    mounting once per run of many robots, we draw them every episode.
    """

    foot_friction: Range | None = (0.7, 1.3)
    """Sliding friction of all feet, one draw, absolute [1]."""
    base_mass: Range | None = (0.95, 1.05)
    """Factor on mass and inertia of the base body [1]."""
    base_com: float | Ramp | None = 0.015
    """Largest offset of the base body's centre of mass, each axis [m]."""
    head_com: float | Ramp | None = 0.010
    """Largest offset of the centre of mass of each body that a head joint moves, each axis [m]."""
    armature: Range | None = (0.9, 1.1)
    """Factor on the armature of servo and passive joints, one draw a robot [1]."""
    friction_scale: Range | None = (0.9, 1.1)
    """Factor on the friction of motor laws that have one, one draw a robot [1]."""
    volts: Range | None = (6.5, 8.2)
    """Supply without load, for motor laws that have one [V]."""
    sag: Range | None = (0.0, 0.2)
    """Supply lost per torque summed over the servos [V/(N·m)]."""
    command_delay: tuple[int, int] | None = (3, 6)
    """Latency of the target on its way to the servos, drawn every physics step [physics steps]."""
    push: float | Ramp | None = 0.3
    """Largest change of the base's velocity by a push, along x and along y [m/s]."""
    push_interval: Range = (3.0, 6.0)
    """Seconds between two pushes."""

    def __post_init__(self) -> None:
        """Refuse a range whose ends are the wrong way round."""
        for setting in fields(self):
            ends = getattr(self, setting.name)
            if isinstance(ends, tuple) and len(ends) == 2 and ends[0] > ends[1]:
                raise ValueError(
                    f"randomization: {setting.name} is {ends}; needs the smaller number first"
                )

    @classmethod
    def off(cls) -> Randomization:
        """The nominal robot, unpushed, obeying at once."""
        nothing: dict[str, Any] = {f.name: None for f in fields(cls) if f.name != "push_interval"}
        return cls(**nothing)


class Randomizer:
    """Draws the physics of rows at the start of their episodes and writes it into the batch."""

    def __init__(
        self,
        ranges: Randomization,
        batch: Batch,
        model: MjModel,
        at: Addresses,
        robot: Robot,
        trained_steps: np.ndarray,
    ) -> None:
        """Expand the model fields that will differ between rows; remember nominal values."""
        self._ranges, self._batch, self._at = ranges, batch, at
        self._trained_steps = trained_steps
        self._head = np.array([model.joint(name).bodyid[0] for name in robot.head], int)
        joints = at.servo_dof
        if at.play_dof is not None:
            joints = np.concatenate((joints, at.play_dof))
        self._armature_dofs = joints
        self._feet = np.asarray(at.foot_geom)
        self._fields: dict[str, np.ndarray] = {}
        wanted = {
            "geom_friction": ranges.foot_friction,
            "body_mass": ranges.base_mass,
            "body_inertia": ranges.base_mass,
            "body_ipos": ranges.base_com or ranges.head_com,
            "dof_armature": ranges.armature,
        }
        for name, value in wanted.items():
            if value is not None:
                self._fields[name] = batch.expand(name)
        self._nominal = {name: np.array(getattr(model, name)) for name in self._fields}

    def reset(self, rows: np.ndarray, drive: Drive, rng) -> None:
        """Draw the physics of rows for an episode.

        Args:
            rows: the robots that begin an episode, integers.
            drive: the motors, already reset to nominal.
            rng: the rows' random streams.
        """
        r, base = self._ranges, self._at.base_body
        u = rng.uniform(0.0, 1.0, 6, rows)
        if r.foot_friction:
            sliding = _between(r.foot_friction, u[:, 0])
            self._fields["geom_friction"][rows[:, None], self._feet, 0] = sliding[:, None]
        if r.base_mass:
            factor = _between(r.base_mass, u[:, 1])
            self._fields["body_mass"][rows, base] = self._nominal["body_mass"][base] * factor
            inertia = self._nominal["body_inertia"][base]
            self._fields["body_inertia"][rows, base] = inertia * factor[:, None]
        for size, bodies in ((r.base_com, np.array([base])), (r.head_com, self._head)):
            if size:
                reach = current(size, float(self._trained_steps))
                offset = rng.uniform(-reach, reach, 3 * len(bodies), rows)
                moved = self._nominal["body_ipos"][bodies] + offset.reshape(len(rows), -1, 3)
                self._fields["body_ipos"][rows[:, None], bodies] = moved
        if r.armature:
            nominal = self._nominal["dof_armature"][self._armature_dofs]
            scaled = nominal * _between(r.armature, u[:, 2])[:, None]
            self._fields["dof_armature"][np.ix_(rows, self._armature_dofs)] = scaled
        live = drive.randomizable()
        for name, column in (("friction_scale", 3), ("volts", 4), ("sag", 5)):
            limits = getattr(r, name)
            if limits and name in live:
                live[name][rows] = _between(limits, u[:, column])[:, None]
        if self._fields:
            self._batch.set_const(rows)

    def restore(self) -> None:
        """Recompute what follows from fields that were just overwritten."""
        if self._fields:
            self._batch.set_const()

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return dict(self._fields)


def _between(limits: Range, u: np.ndarray) -> np.ndarray:
    return limits[0] + (limits[1] - limits[0]) * u
