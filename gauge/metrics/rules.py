"""What counts and how: our rules, those of RoboGauge, and the sizes numbers are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from servogym.gauge.metrics.physique import Physique

WEIGHTS: Mapping[str, float] = {
    "lin_vel_err": 2.0,
    "ang_vel_err": 2.0,
    "dof_limits": 1.0,
    "dof_power": 1.0,
    "orientation_stability": 1.0,
    "torque_smoothness": 1.0,
    "friction_margin": 1.0,
    "zmp_margin": 1.0,
}
"""Exponents in the quality (RoboGauge's QUALITY_WEIGHTS with friction and ZMP; sum 10)."""
OURS: Mapping[str, float] = {"follow": 2.0, **WEIGHTS}
"""The same and, as much as either velocity error, whether the robot gets anywhere (sum 12)."""
SLOW = 0.25
"""Share of the largest command at which a robot that is to stand does not stand at all [1]."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How metrics become scores; two sets of rules differ in these fields and nowhere else.

    The defaults are ours. `ROBOGAUGE` follows wty-yy/RoboGauge v1.1.3 (commit 2aaa7ad) and its
    later friction and ZMP metrics, known mistakes included; the sentences say which those are.
    """

    name: str = "servogym"
    """What a score card calls these rules."""
    weights: Mapping[str, float] = field(default_factory=lambda: OURS)
    """Metric -> exponent in the quality [1]. RoboGauge has no `follow`: a robot that stands, calm
    and without effort, then has more quality than one that walks where it is told to."""
    sample_dt: float = 0.1
    """Time from one scored sample to the next, and that over which torques are compared [s]."""
    fall_scores_zero: bool = True
    """Whether a fallen robot scores 0 until the planned end; RoboGauge drops that time, so an
    early faller can outscore a survivor."""
    score_settling: bool = False
    """Whether coming to rest after a reset is scored; RoboGauge does, with a zero command."""
    rotate_rates_twice: bool = False
    """Whether the gyro's rates are turned into the base's axes although they are in them, as
    RoboGauge does: the error is wrong as soon as the base is tilted."""
    pitch_counts: bool = True
    """Whether `orientation_stability` sees pitch; RoboGauge's sees roll alone."""
    soft_limit: float | None = None
    """Share of the joint ranges to stay within [1]; None takes the robot's own."""
    limited: tuple[str, ...] = ()
    """Only joints whose names hold one of these words are held against their limits; () is all."""
    true_cone: bool = True
    """Whether the friction margin uses the cone of the physics with all its dimensions; RoboGauge
    knows the sliding part of an elliptic one."""
    flight: float | None = None
    """Friction and ZMP margin without support [1]; None does not count, RoboGauge gives 1."""
    least_load: float = 0.0
    """A foot below this normal force has no friction margin [N] ..."""
    least_load_share: float = 0.03
    """... plus this share of the weight [1]; RoboGauge's 5 N are 3.4 % of Go2's."""
    zmp_in_polygon: bool = True
    """Whether the ZMP is measured against the support polygon (0 at its edge); RoboGauge divides by
    the largest distance of two feet, which leaves about 0.5 at a corner."""
    support_gap: float = 1e-3
    """Contacts with a gap up to this support the robot [m] (RoboGauge's contact_threshold)."""
    success_in_base_axes: bool = False
    """Whether the distance to a target is measured on the floor of the base's own axes, as
    RoboGauge does: a fallen robot may then be near."""
    fall_tilt: float = float(np.radians(70.0))
    """A robot leaning further has fallen [rad]; RoboGauge's 2.5 rad miss one on its side."""
    bands_overlap: bool = False
    """Whether the score bands of terrain levels overlap: a perfect level then beats a poor one
    above it."""


DEFAULT = Rules()
ROBOGAUGE = Rules(
    name="robogauge",
    weights=WEIGHTS,
    fall_scores_zero=False,
    score_settling=True,
    rotate_rates_twice=True,
    pitch_counts=False,
    soft_limit=0.4,
    limited=("hip", "thigh"),
    true_cone=False,
    flight=1.0,
    least_load=5.0,
    least_load_share=0.0,
    zmp_in_polygon=False,
    success_in_base_axes=True,
    fall_tilt=2.5,
    bands_overlap=True,
)
RULES: Mapping[str, Rules] = {rules.name: rules for rules in (DEFAULT, ROBOGAUGE)}


@dataclass(frozen=True, kw_only=True)
class Scales:
    """What errors and efforts are divided by: at these a metric is 0."""

    lin_vel: float
    """Error of the velocity [m/s]."""
    ang_vel: float
    """Error of the angular velocity [rad/s]."""
    power: float
    """Root mean square power of a joint [W]."""
    torque: float
    """Root mean square change of a joint's torque in 0.1 s [N·m]."""
    slow_speed: float
    """Speed where none is asked for, in `follow` [m/s]."""
    slow_turn: float
    """Yaw rate where none is asked for, in `follow` [rad/s]."""

    def __post_init__(self) -> None:
        """Refuse what cannot be divided by.

        Raises:
            ValueError: naming the scale.
        """
        for name in ("lin_vel", "ang_vel", "power", "torque", "slow_speed", "slow_turn"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"scale {name} is {value}; needs a finite number above 0")

    @classmethod
    def of(cls, physique: Physique, top: tuple[float, float, float]) -> Scales:
        """Return the scales of any robot, as strict as RoboGauge's are for Go2.

        Velocities are divided by the largest command, as in RoboGauge. Torque is proportional to
        m g h and power to m g sqrt(g h), h the height of the base: robots that move in dynamically
        similar ways (equal Froude number) get equal scores. The factors make Go2's 30 N·m and
        100 W of its 15.206 kg and 0.2884 m. Angular velocities sway with every step, the more the
        shorter the legs, so theirs is at least what is similar to Go2's 1.5 rad/s, proportional to
        sqrt(g / h): MicroDuck's largest command alone, 1 rad/s, would give its walk 0 in half of
        all moments.

        Args:
            physique: whose scales.
            top: largest forward and sideways speed and yaw rate asked for [m/s, m/s, rad/s].
        """
        weight, h = physique.weight, physique.height
        return cls(
            lin_vel=float(np.hypot(top[0], top[1])),
            ang_vel=max(float(top[2]), _RATE * float(np.sqrt(physique.gravity / h))),
            power=_POWER * weight * float(np.sqrt(physique.gravity * h)),
            torque=_TORQUE * weight * h,
            slow_speed=SLOW * max(top[0], top[1]),
            slow_turn=SLOW * (top[2] or float(np.sqrt(physique.gravity / h))),
        )


_GO2 = 15.206 * 9.81
_RATE = 1.5 * float(np.sqrt(0.2884 / 9.81))
_POWER = 100.0 / (_GO2 * float(np.sqrt(9.81 * 0.2884)))
_TORQUE = 30.0 / (_GO2 * 0.2884)

GO2_FLAT = Scales(
    lin_vel=float(np.hypot(2.0, 1.0)),
    ang_vel=2.0,
    power=100.0,
    torque=30.0,
    slow_speed=0.5,
    slow_turn=0.5,
)
"""RoboGauge's for Go2 on the flat: commands up to 2 and 1 m/s, 2 rad/s."""
GO2_TERRAIN = Scales(
    lin_vel=float(np.hypot(1.0, 1.0)),
    ang_vel=1.5,
    power=100.0,
    torque=30.0,
    slow_speed=0.25,
    slow_turn=0.375,
)
"""RoboGauge's for Go2 on terrain: commands up to 1 and 1 m/s, 1.5 rad/s."""
