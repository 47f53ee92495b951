"""Scripted motions that no policy made: standing, stepping in place, walking.

They ask a reward what a policy will ask it: how well is each way of spending the time paid?
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servogym.envs.stride import Stride
from servogym.gauge.legs import Legs
from servogym.robots import Robot


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How a scripted robot steps.

    The defaults are near what policies make of MicroDuck at 0.3 m/s. Steps that are higher or
    quicker ask its servos for more than they have.
    """

    swing: float = 0.2
    """From lift-off to touch-down of a foot [s]."""
    both: float = 0.02
    """With both feet on the floor between two swings [s]."""
    lift: float = 0.015
    """Height of the arch, lift * sin^2, that a swinging sole follows [m]."""
    crouch: float = 0.01
    """How much lower than in the default pose the trunk travels, so that the legs reach [m]."""

    @classmethod
    def of(cls, stride: Stride) -> Steps:
        """Steps a little lower and quicker than those a task pays most for."""
        return cls(swing=0.8 * stride.period, lift=0.6 * stride.height, crouch=0.4 * stride.height)


@dataclass(frozen=True, kw_only=True)
class Motion:
    """One period of a motion, sampled at physics steps; the first sample follows the last.

    The trunk stays upright at one height and goes straight on at one speed.
    """

    name: str
    """What it is called."""
    speed: float
    """Of the trunk, forward [m/s]."""
    height: float
    """Of the trunk's origin over the floor [m]."""
    joint_pos: np.ndarray
    """Servo angles in contract order, (p, j) [rad]."""
    joint_vel: np.ndarray
    """Servo velocities, (p, j) [rad/s]."""
    joint_acc: np.ndarray
    """Servo accelerations, (p, j) [rad/s^2]."""
    loaded: np.ndarray
    """Which feet are on the floor, (p, f) bool."""


def stand(robot: Robot, legs: Legs, reach: float) -> Motion:
    """Stand still, with one group of feet ahead of the default pose and the other behind.

    Feet that are far enough apart in the default pose, as a dog's, stay there.

    Args:
        robot: Who stands.
        legs: Finds the joint angles.
        reach: How far ahead and behind [m]; 0 keeps the default pose.

    Raises:
        ValueError: A foot cannot get there.
    """
    apart, crouch = np.ptp(legs.home[:, 0]) >= 2 * reach, 0.4 * reach
    if apart:
        pose, crouch = robot.pose(), 0.0
    else:
        first, _ = robot.swing_columns()
        feet = legs.home + np.array([-reach, 0.0, crouch])
        feet[first, 0] += 2 * reach
        pose = legs.reach(feet)
    return Motion(
        name="stand",
        speed=0.0,
        height=robot.spawn_height - crouch,
        joint_pos=pose[None],
        joint_vel=0.0 * pose[None],
        joint_acc=0.0 * pose[None],
        loaded=np.ones((1, len(robot.feet)), bool),
    )


def walk(
    name: str, robot: Robot, legs: Legs, speed: float, steps: Steps, *, dt: float, every: int
) -> Motion:
    """Step with the two groups of feet in turn while the trunk glides forward.

    Args:
        name: What to call it.
        robot: Who walks.
        legs: Finds the joint angles.
        speed: Of the trunk, forward [m/s]; 0 steps in place.
        steps: How.
        dt: Physics step [s].
        every: Physics steps a control step; feet lift off and touch down on control steps.

    Raises:
        ValueError: A foot cannot get where the steps want it.
    """
    second = np.zeros(len(legs.home), bool)
    second[robot.swing_columns()[1]] = True
    feet, loaded = paths(legs.home, second, speed, steps, dt=dt, every=every)
    feet[:, :, 2] += steps.crouch
    try:
        angles = np.array([legs.reach(places) for places in feet])
    except ValueError as error:
        raise ValueError(f"{name} at {speed:g} m/s: {error}") from None
    before, after = np.roll(angles, 1, axis=0), np.roll(angles, -1, axis=0)
    return Motion(
        name=name,
        speed=speed,
        height=robot.spawn_height - steps.crouch,
        joint_pos=angles,
        joint_vel=(after - before) / (2 * dt),
        joint_acc=(after - 2 * angles + before) / dt**2,
        loaded=loaded,
    )


def paths(
    home: np.ndarray, second: np.ndarray, speed: float, steps: Steps, *, dt: float, every: int
) -> tuple[np.ndarray, np.ndarray]:
    """Say where the feet are during two steps, and which of them are on the floor.

    A foot on the floor stays there while the trunk goes on, and is under its place in the default
    pose in the middle of its stance. A foot in the air starts and ends at rest over the floor.

    Args:
        home: Feet in the default pose, from the trunk's origin [m], (f, 3).
        second: Which feet swing half a period after the others, (f,) bool.
        speed: Of the trunk, forward [m/s].
        steps: How to step; `crouch` is left to the caller.
        dt: Physics step [s].
        every: Physics steps a control step.

    Returns:
        Feet from the trunk's origin (p, f, 3) [m], and whether each is loaded (p, f).
    """
    swing, both = (every * round(t / (dt * every)) for t in (steps.swing, steps.both))
    half = swing + both
    since = (np.arange(2 * half)[:, None] - half * second) % (2 * half)
    share = np.minimum(since / swing, 1.0)
    eased = 0.5 - 0.5 * np.cos(np.pi * share)
    ahead = 2 * half * (eased - 1.0) + 0.5 * (swing + 2 * half) - since
    feet = np.tile(home, (2 * half, 1, 1))
    feet[:, :, 0] += speed * dt * ahead
    feet[:, :, 2] += steps.lift * np.sin(np.pi * share) ** 2
    return feet, (share == 0.0) | (share == 1.0)
