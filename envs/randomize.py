"""Domain randomisation: which physical quantities differ from robot to robot, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from servogym.envs.draw import Draw, Range
from servogym.envs.ramp import Ramp

Draws = Draw | tuple[Draw, ...] | None
"""One draw, several that share no part, or None: the quantity stays nominal."""


@dataclass(frozen=True, kw_only=True)
class Randomization:
    """What is drawn once an episode, each row for itself, and how the robots are disturbed.

    Quantities are called as in the physics setters of a scene. Each takes a `Draw`, the same as
    plain data, `{"of": "base", "scale": (0.9, 1.1)}`, or a list of them. Everything starts from the
    compiled nominal, so nothing accumulates, and constants derived from it are recomputed. A group
    that this robot lacks (the gaps without backlash) is skipped; everything else that could have no
    effect is refused when the environment is made.

    The defaults are those of Microduck's velocity task (pollen-robotics/microduck_rl); it draws
    friction, mass and mounting once per run of many robots, we draw them every episode.
    """

    mass: Draws = Draw(of="base", scale=(0.95, 1.05))
    """Mass of bodies; their inertia follows, unless `inertia` is drawn for the same body [kg]."""
    center_of_mass: Draws = (
        Draw(of="base", offset=0.015),
        Draw(of="head", offset=0.010, each=True),
    )
    """Centre of mass of bodies in body axes; by offset only [m]."""
    inertia: Draws = None
    """Inertia of bodies about their centre of mass, whatever their mass; by scale [kg·m²]."""
    sliding_friction: Draws = Draw(of="feet", value=(0.7, 1.3))
    """Sliding friction of geoms and of the contact pairs they are in [1]."""
    torsional_friction: Draws = None
    """Torsional friction of geoms and of the contact pairs they are in [m]."""
    rolling_friction: Draws = None
    """Rolling friction of geoms and of the contact pairs they are in [m]."""
    contact_timeconst: Draws = None
    """Time constant (solref) of geoms and of the contact pairs they are in; not by offset [s]."""
    friction: Draws = Draw(of="servos", scale=(0.9, 1.1))
    """Dry friction of joints [N·m]; a law that computes its own takes a scale only."""
    passive_damping: Draws = None
    """Viscous friction of joints [N·m·s/rad]."""
    armature: Draws = Draw(of="all", scale=(0.9, 1.1))
    """Rotor inertia on the joint side, servos and gaps [kg·m²]."""
    gap_half_range: Draws = None
    """Half of the play of gear gaps [rad]."""
    stiffness: Draws = None
    """Position gain of the servos: `kp` of pd and dc [N·m/rad], `kp_fw` of bam [firmware]."""
    damping: Draws = None
    """Velocity gain of the servos: `kd` of pd and dc [N·m·s/rad]."""
    effort_limit: Draws = None
    """Largest torque of the servos [N·m]."""
    volts: Draws = None
    """Supply without load [V]; felt by laws with electrics."""
    sag: Draws = None
    """What the supply loses under load: [V/(N·m)] summed torque, or its resistance [ohm]."""
    gravity: Draws = None
    """Gravity, by scale or by offset on each world axis [m/s²]."""
    command_delay: tuple[int, int] | None = (3, 6)
    """Latency of the target on its way to the servos, drawn every physics step [physics steps]."""
    push: float | Ramp | None = 0.3
    """Largest change of the base's velocity by a push, along x and along y [m/s]."""
    push_interval: Range = (3.0, 6.0)
    """Seconds between two pushes."""
    training_push: float | Ramp | None = None
    """What counts instead of `push` while a policy trains; None (off): `push`."""
    training_push_interval: Range | None = None
    """What counts instead of `push_interval` while a policy trains; None (off): `push_interval`."""

    renamed: ClassVar[Mapping[str, str]] = {
        "foot_friction": "sliding_friction={'of': 'feet', 'value': (low, high)}",
        "base_mass": "mass={'of': 'base', 'scale': (low, high)}",
        "base_com": "center_of_mass={'of': 'base', 'offset': reach}",
        "head_com": "center_of_mass={'of': 'head', 'offset': reach, 'each': True}",
        "friction_scale": "friction={'of': 'servos', 'scale': (low, high)}",
    }
    """What settings of former versions are called now."""

    def __post_init__(self) -> None:
        """Make draws of plain data.

        Raises:
            ValueError: naming the setting, what it is and what it needs.
        """
        for name in self.quantities():
            object.__setattr__(self, name, _draws(name, getattr(self, name)))
        for name in ("command_delay", "push_interval", "training_push_interval"):
            ends = getattr(self, name)
            if ends is not None and ends[0] > ends[1]:
                raise ValueError(f"randomization: {name} is {ends}; needs the smaller number first")
            if ends is not None and ends[0] < 0:
                raise ValueError(f"randomization: {name} is {ends}; needs 0 or more")
        for name in ("push", "training_push"):
            push = getattr(self, name)
            sizes = (push.before, push.after) if isinstance(push, Ramp) else (push,)
            if any(isinstance(size, (int, float)) and size < 0 for size in sizes):
                raise ValueError(f"randomization: {name} is {push}; needs 0 or more, or None")

    @classmethod
    def quantities(cls) -> tuple[str, ...]:
        """Return the names of the fields that take draws, in the order of drawing."""
        return tuple(f.name for f in fields(cls) if f.type == "Draws")

    def draws(self) -> Iterator[tuple[str, int, Draw]]:
        """Go over all draws: quantity, position among the draws of that quantity, draw."""
        for name in self.quantities():
            given = getattr(self, name)
            several = given if isinstance(given, tuple) else () if given is None else (given,)
            for k, draw in enumerate(several):
                yield name, k, draw

    @classmethod
    def off(cls) -> Randomization:
        """The nominal robot, unpushed, obeying at once."""
        off = (*cls.quantities(), "command_delay", "push")
        nothing: dict[str, Any] = dict.fromkeys(off)
        return cls(**nothing)


def _draws(name: str, given: Any) -> Draws:
    try:
        if given is None or isinstance(given, (Draw, Mapping)):
            return None if given is None else Draw.read(given)
        if not isinstance(given, (list, tuple)):
            return Draw.read(given)
        return tuple(Draw.read(each) for each in given) or None
    except ValueError as error:
        raise ValueError(f"randomization: {name} is {given!r}; {error}") from None
