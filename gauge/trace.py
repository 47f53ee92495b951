"""What is written down while robots walk: one row a control step, one column a robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from servogym.envs import rotation
from servogym.envs.core import Core
from servogym.envs.fleet import Fleet


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Everything the statistics need, for t control steps of n robots with f feet."""

    dt: float
    """Control step [s]."""
    position: np.ndarray
    """Trunk origin on the floor [m], (t, n, 2)."""
    heading: np.ndarray
    """Direction of the trunk on the floor, within a turn [rad], (t, n)."""
    velocity: np.ndarray
    """Forward and sideways speed in yaw-aligned axes and yaw rate [m/s, m/s, rad/s], (t, n, 3)."""
    loaded: np.ndarray
    """Whether a foot carries weight, (t, n, f) bool."""
    height: np.ndarray
    """Height of the foot sites above the ground [m], (t, n, f)."""
    power: np.ndarray
    """Mechanical power, sum over joints of |torque x servo velocity| [W], (t, n)."""
    torque: np.ndarray
    """Mean over joints of the squared torque in the last physics step [(N·m)²], (t, n)."""
    action: np.ndarray
    """Mean over joints of the squared change of the action [rad²], (t, n)."""
    excess: np.ndarray
    """How far the joint that is furthest outside its soft limits is outside [rad], (t, n)."""
    head: np.ndarray
    """Mean over head joints of |angle - command| [rad], (t, n); 0 for a robot without a head."""

    def only(self, robots: np.ndarray) -> Trace:
        """Return the columns of some robots."""
        parts = {f.name: getattr(self, f.name)[:, robots] for f in fields(self) if f.name != "dt"}
        return Trace(dt=self.dt, **parts)


class Recorder:
    """Writes a trace, one look after each control step."""

    def __init__(self, robots: Core | Fleet) -> None:
        """Prepare an empty trace of robots."""
        self._cores = robots.cores if isinstance(robots, Fleet) else (robots,)
        self._dt = robots.task.control_dt
        self._pages: dict[str, list[np.ndarray]] = {name: [] for name in _LOOKS}

    def look(self) -> None:
        """Write down what the robots do now."""
        for name, read in _LOOKS.items():
            self._pages[name].append(np.concatenate([read(core) for core in self._cores]))

    def trace(self) -> Trace:
        """Return what was written so far."""
        return Trace(dt=self._dt, **{name: np.array(page) for name, page in self._pages.items()})


def _heading(core: Core) -> np.ndarray:
    cos, sin = rotation.heading(core.state.base_quat)
    return np.arctan2(sin, cos)


def _velocity(core: Core) -> np.ndarray:
    s = core.state
    return np.concatenate((s.heading_vel[:, :2], s.yaw_rate[:, None]), axis=1)


def _excess(core: Core) -> np.ndarray:
    angle, (low, high) = core.state.joint_pos, core.state.soft_limits.T
    return np.maximum(np.maximum(low - angle, angle - high).max(axis=1), 0.0)


def _head(core: Core) -> np.ndarray:
    if not core.robot.head:
        return np.zeros(core.n)
    columns = [core.robot.joints.index(name) for name in core.robot.head]
    reached = (core.state.joint_pos - core.state.default_pose)[:, columns]
    return np.abs(reached - core.commander.head).mean(axis=1)


_LOOKS: dict[str, Callable[[Core], np.ndarray]] = {
    "position": lambda core: core.state.base_pos[:, :2].copy(),
    "heading": _heading,
    "velocity": _velocity,
    "loaded": lambda core: core.gait.loaded.copy(),
    "height": lambda core: core.state.foot_height.copy(),
    "power": lambda core: core.state.power.copy(),
    "torque": lambda core: (core.state.torque**2).mean(axis=1),
    "action": lambda core: ((core.state.action - core.state.previous_action) ** 2).mean(axis=1),
    "excess": _excess,
    "head": _head,
}
