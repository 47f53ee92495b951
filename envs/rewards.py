"""Reward terms: plain functions of what the robots did, each returning (n,) before its weight.

Every function takes a `Moment` and returns one number a robot. Weights, signs and ramps belong to
the task. A term whose formula is somebody's says whose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from servogym.envs import rotation
from servogym.envs.commands import Commander
from servogym.envs.gait import Gait
from servogym.envs.state import State
from servogym.envs.stride import Stride

TURN = 0.3
"""The way that a turn by one radian counts as [m]."""


@dataclass(frozen=True)
class Moment:
    """What a term may look at, after a control step."""

    state: State
    """The robots."""
    gait: Gait
    """Their contact clocks."""
    command: Commander
    """The commands the policy saw when it chose the action."""
    stride: Stride = field(default_factory=Stride)
    """The step that is asked for."""

    @property
    def moving(self) -> np.ndarray:
        """Whether a robot is asked to go anywhere, (n,) bool."""
        c = self.command.twist
        return (c[:, 0] != 0) | (c[:, 1] != 0) | (c[:, 2] != 0)


def planar(vector: np.ndarray) -> np.ndarray:
    """Return x^2 + y^2 of vectors (..., 2 or more)."""
    return vector[..., 0] ** 2 + vector[..., 1] ** 2


def track_linear_velocity(m: Moment) -> np.ndarray:
    """exp(-|v_xy - c_xy|^2 / 0.05), instantaneous, in yaw-aligned axes."""
    return np.exp(planar(m.state.heading_vel - m.command.twist) / -0.05)


def follow_velocity(m: Moment) -> np.ndarray:
    """exp(-|v_xy - c_xy|^2 / 0.25), instantaneous, in yaw-aligned axes (unitree_rl_gym)."""
    return np.exp(planar(m.state.heading_vel - m.command.twist) / -0.25)


def keep_velocity(m: Moment) -> np.ndarray:
    """exp(-|v_xy - c_xy|^2 / 0.03): the last decimetre a second, which the wide one hardly sees."""
    return np.exp(planar(m.state.heading_vel - m.command.twist) / -0.03)


def progress(m: Moment) -> np.ndarray:
    """clip(v.c / |c|^2, -1, 1) for commands to go somewhere: standing earns nothing."""
    return np.minimum(np.maximum(_share(m), -1.0), 1.0)


def pace(m: Moment) -> np.ndarray:
    """clip(min(s, 2 - s), -1, 1), s = v.c / |c|^2: progress that sinks again beyond what is asked.

    A robot that sways earns by `progress` as much by a moment too fast as by one that is right, so
    it goes too fast.
    """
    share = _share(m)
    return np.maximum(np.minimum(share, 2.0 - share), -1.0)


def track_angular_velocity(m: Moment) -> np.ndarray:
    """exp(-|w - c_w| / 0.3) with w the yaw rate averaged over a third of a second.

    The kink at zero keeps a small bias worth correcting: it is what makes a straight walk straight.
    """
    return np.exp(np.abs(m.state.yaw_rate_mean - m.command.twist[:, 2]) / -0.3)


def yaw_error(m: Moment) -> np.ndarray:
    """(w - c_w)^2 with w the yaw rate of this moment [rad^2/s^2]."""
    return (m.state.yaw_rate - m.command.twist[:, 2]) ** 2


def heading(m: Moment) -> np.ndarray:
    """exp(-|e| / 0.1) with e the error of the yaw rate averaged over one and a half seconds.

    Several strides long, so that their swaying cancels and a small bias shows: a robot that turns
    by 0.03 rad/s unasked is off by 34 degrees after 20 s.
    """
    return np.exp(np.abs(m.state.turn_error_mean) / -0.1)


def gait(m: Moment) -> np.ndarray:
    """Alternating steps when asked to move.

    A fair swing that is not too long earns by its height, which should follow half a sine
    (`Stride`: 25 mm and 0.25 s for the duck) and stay below a ceiling, times the stillness of the
    feet that carry; all feet down earns half for a moment. Where `Stride.ahead` is set, a foot that
    is lower than the ground ahead of it earns less. Needs no clock in the observation.
    """
    g, stride = m.gait, m.stride
    t, height = g.of_swinging(g.air_time), g.of_swinging(m.state.foot_height)
    low = np.minimum(height - stride.height * np.sin(np.pi * t / stride.period), 0.0)
    high = np.maximum(height - stride.ceiling, 0.0)
    shape = 0.3 + 0.7 * np.exp(-(low**2 + high**2) / stride.width**2)
    still = 0.5 + 0.5 * np.exp(g.of_standing(planar(m.state.foot_vel)) / -0.02)
    swing = (g.fair & (t <= stride.longest)) * shape * still * g.share
    if stride.ahead:
        swing *= g.of_swinging(_clear(m))
    pause = 0.5 * _rest(m) * (g.double_time < stride.pause)
    return m.moving * np.where(g.single, swing, pause)


def underway(m: Moment) -> np.ndarray:
    """`gait` times the share of the commanded motion that is made, 0 to 1: steps that lead there.

    The share is (v.c + l^2 w c_w) / (|c|^2 + l^2 c_w^2) with l = `TURN`, v of this moment and the
    yaw rate w averaged over a third of a second.
    """
    c, s = m.command.twist, m.state
    size = planar(c) + TURN**2 * c[:, 2] ** 2
    made = (s.heading_vel[:, :2] * c[:, :2]).sum(axis=1) + TURN**2 * s.yaw_rate_mean * c[:, 2]
    share = np.divide(made, size, out=np.zeros_like(size), where=size > 0)
    return gait(m) * np.clip(share, 0.0, 1.0)


def lingering(m: Moment) -> np.ndarray:
    """1 where all feet have been down for longer than `Stride.pause` when asked to move."""
    return m.moving & (m.gait.double_time > m.stride.pause)


def stand(m: Moment) -> np.ndarray:
    """All feet on the floor and at rest when asked to stand, in a step's stance, balanced.

    exp(-d / `Stride.balance`), d from the centre of mass to the middle of the soles, both seen from
    above, times 0 to 1 as one sole comes to be `Stride.reach` ahead of the centre of mass and
    another as far behind: with feet side by side a push back tips a robot over its heels, in a
    step's stance it does not.
    """
    state, stride = m.state, m.stride
    ahead = _ahead(state)
    reach = np.minimum(ahead.max(axis=1), -ahead.min(axis=1))
    offset = state.com - state.sole_pos.mean(axis=1)
    balance = np.exp(np.sqrt(planar(offset)) / -stride.balance)
    return ~m.moving * _rest(m) * balance * np.clip(reach / stride.reach, 0.0, 1.0)


def pose(m: Moment) -> np.ndarray:
    """exp(-sum k (q - default)^2 / 0.5) over the legs; k is 0.15 where walking bends, else 1."""
    error = m.state.joint_pos - m.state.default_pose
    weights = _pose_weights(m.state.robot.joints, m.state.robot.legs)
    return np.exp(-(error**2 * weights).sum(axis=1) / 0.5)


def head_pose_tracking(m: Moment) -> np.ndarray:
    """Mean over head joints of exp(-|error| / 0.2 rad) against the head command."""
    s, columns = m.state, _columns(m.state.robot.joints, m.state.robot.head)
    error = s.joint_pos.take(columns, axis=1) - s.default_pose[columns] - m.command.head
    return np.exp(np.abs(error) / -0.2).mean(axis=1)


def tilt(m: Moment) -> np.ndarray:
    """g_x^2 + g_y^2 of the projected gravity."""
    return planar(m.state.projected_gravity)


def vertical_velocity(m: Moment) -> np.ndarray:
    """v_z^2 of the trunk [m^2/s^2]."""
    return m.state.heading_vel[:, 2] ** 2


def body_ang_vel(m: Moment) -> np.ndarray:
    """w_x^2 + w_y^2 of the trunk [rad^2/s^2]."""
    return planar(m.state.base_ang_vel)


def dof_pos_limits(m: Moment) -> np.ndarray:
    """Radians outside the soft limits, summed over joints (mjlab)."""
    low, high = m.state.soft_limits.T
    outside = np.abs(m.state.servo_pos - 0.5 * (low + high)) - 0.5 * (high - low)
    return np.maximum(outside, 0.0, out=outside).sum(axis=1)


def action_rate_l2(m: Moment) -> np.ndarray:
    """Sum of (a_t - a_{t-1})^2 (mjlab)."""
    return ((m.state.action - m.state.previous_action) ** 2).sum(axis=1)


def energy(m: Moment) -> np.ndarray:
    """Mechanical power, sum |torque x servo velocity| [W]."""
    return m.state.power


def cost_of_transport(m: Moment) -> np.ndarray:
    """Mechanical power over the speed that is asked for [W s/m]: energy per way, not per time.

    The speed is |c_xy| + `TURN` |c_yaw| + 0.15 m/s, so that turning and standing have one; a charge
    for power alone makes slow what is asked to be fast.
    """
    c = m.command.twist
    return m.state.power / (np.sqrt(planar(c)) + TURN * np.abs(c[:, 2]) + 0.15)


def landing(m: Moment) -> np.ndarray:
    """Squared vertical speed of feet just before they touch down [m^2/s^2], summed."""
    return m.gait.impact


def short_swing(m: Moment) -> np.ndarray:
    """Seconds by which landed swings stayed below `Stride.shortest`, summed, when asked to move."""
    after = m.gait.landed_after
    short = np.maximum(m.stride.shortest - after, 0.0) * (after > 0)
    return m.moving * short.sum(axis=1)


def restless(m: Moment) -> np.ndarray:
    """Sum of joint velocities squared when asked to stand [rad^2/s^2]."""
    return ~m.moving * (m.state.joint_vel**2).sum(axis=1)


def _share(m: Moment) -> np.ndarray:
    """v.c / |c|^2, the share of the commanded speed that is made; 0 without one, (n,)."""
    c, v = m.command.twist, m.state.heading_vel
    size, along = planar(c), v[:, 0] * c[:, 0] + v[:, 1] * c[:, 1]
    return np.divide(along, size, out=np.zeros_like(size), where=size > 0)


def _clear(m: Moment) -> np.ndarray:
    """1 for feet above the ground `Stride.ahead` of them, 0 from `Stride.below` on, (n, f) [1]."""
    s, c = m.state, m.command.twist
    speed = np.sqrt(planar(c))
    reach = np.divide(m.stride.ahead, speed, out=np.zeros_like(speed), where=speed > 0)
    cos, sin = rotation.heading(s.base_quat)
    way = np.stack((cos * c[:, 0] - sin * c[:, 1], sin * c[:, 0] + cos * c[:, 1]), axis=1)
    there = s.foot_pos[:, :, :2] + (reach[:, None] * way)[:, None]
    above = s.foot_pos[:, :, 2] - s.footing.height(there)
    return np.clip(1.0 + above / m.stride.below, 0.0, 1.0)


def _rest(m: Moment) -> np.ndarray:
    """exp(-mean squared horizontal speed of the feet / 0.02) with all feet loaded, else 0."""
    speed = planar(m.state.foot_vel)
    return m.gait.loaded.all(axis=1) * np.exp(speed.sum(axis=1) / (-0.02 * speed.shape[1]))


def _ahead(state: State) -> np.ndarray:
    """How far soles are ahead of the centre of mass along the heading, (n, f) [m]."""
    cos, sin = rotation.heading(state.base_quat)
    x, y = np.moveaxis(state.sole_pos[:, :, :2] - state.com[:, None, :2], -1, 0)
    return cos[:, None] * x + sin[:, None] * y


@cache
def _columns(joints: tuple[str, ...], wanted: tuple[str, ...]) -> np.ndarray:
    return np.array([joints.index(name) for name in wanted])


@cache
def _pose_weights(joints: tuple[str, ...], legs: tuple[str, ...]) -> np.ndarray:
    bend = ("hip_pitch", "knee", "ankle", "thigh", "calf")
    return np.array([0.0 if j not in legs else 0.15 if j.endswith(bend) else 1.0 for j in joints])
