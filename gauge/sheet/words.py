"""What people call the things that a card's JSON names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

METRICS: Mapping[str, tuple[str, str]] = {
    "quality": ("quality", "weighted geometric mean of the metrics below, moment by moment"),
    "follow": ("follows", "mean velocity over a second against the command; 0 for standing still"),
    "lin_vel_err": ("speed", "error of the velocity at every moment, swaying included"),
    "ang_vel_err": ("turning", "error of the angular velocity, rolling and pitching included"),
    "dof_limits": ("joint limits", "how far joints stay within their soft limits"),
    "dof_power": ("power", "mechanical power of the joints"),
    "orientation_stability": ("upright", "1 minus the sine of the tilt"),
    "torque_smoothness": ("smooth torque", "change of the torques within 0.1 s"),
    "friction_margin": ("friction left", "share of the friction that is not used up; 0 slips"),
    "zmp_margin": ("balance", "zero-moment point: 1 in the middle of the support, 0 at its edge"),
}
"""Metric -> what it is called, and a sentence."""

GOALS: Mapping[str, tuple[str, str]] = {
    "max_velocity": ("largest commands", "each largest command by itself, then a stop"),
    "diagonal_velocity": ("diagonals, reversed", "forward and sideways at once, then the reverse"),
    "target": ("target", "go to a place ahead, to the left, to the right or behind"),
    "command_grid": ("commands held", "standing, slow, fast, backward, sideways, turning, curves"),
    "straight_line": ("straight line", "straight ahead at half speed"),
    "push_recovery": ("pushes", "one push from each of eight sides, standing and walking"),
    "stand_still": ("standing", "nothing is asked for"),
    "head_poses": ("head", "each joint of the head at each of its ends, standing and walking"),
}
"""Goal -> what it is called, and a sentence."""

NUMBERS: Mapping[str, tuple[str, float, str, int]] = {
    "power": ("mechanical power", 1.0, "W", 1),
    "cost_of_transport": ("cost of transport", 1.0, "", 2),
    "action_rate": ("action rate", 1.0, "action²", 3),
    "slip_speed": ("slip of loaded feet", 1e3, "mm/s", 0),
    "slip_share": ("slip / way", 1.0, "", 2),
    "clearance": ("foot clearance", 1e3, "mm", 0),
    "step_frequency": ("steps of a foot", 1.0, "1/s", 2),
    "swing_time": ("swing", 1.0, "s", 2),
    "flight": ("no foot down", 1.0, "", 3),
    "tilt": ("largest tilt", 57.29577951308232, "°", 0),
    "yaw_drift": ("yaw drift", 1.0, "°", 1),
    "base_drift": ("drift in 10 s", 1e3, "mm", 0),
    "head_error": ("error of the head", 1e3, "mrad", 0),
    "recovery_time": ("recovers after", 1.0, "s", 2),
    "arrival_time": ("arrives after", 1.0, "s", 1),
}
"""Number -> what it is called, factor, unit shown, digits."""

RULES: Mapping[str, str] = {
    "servogym": "servogym rules (default)",
    "robogauge": "RoboGauge-compatible rules",
}
"""Rules -> what a card calls them."""


def metric(name: str) -> str:
    """Return what a metric is called."""
    return METRICS[name][0] if name in METRICS else name


def goal(name: str) -> str:
    """Return what a goal is called."""
    return GOALS[name][0] if name in GOALS else name


def number(value: float | None, digits: int = 3) -> str:
    """Write a number; a dash for one that could not be measured."""
    return "–" if value is None else f"{value:.{digits}f}"  # noqa: RUF001 (a dash)


def span(interval: list[float] | None, digits: int = 2) -> str:
    """Write an interval; nothing where there is none."""
    return "" if interval is None else " to ".join(number(end, digits) for end in interval)


def asked(command: Sequence[float]) -> str:
    """Say a command: its parts that are not 0."""
    names = ("forward", "sideways", "turning")
    parts = [f"{name} {v:+g}" for name, v in zip(names, command, strict=True) if v]
    return ", ".join(parts) or "stand"
