"""Lets many robots follow a policy file with noise on, in training and in the clean room.

The noise has the same size in both and comes from generators and code that have nothing in common,
so the two agree as two samples do: by intervals, not robot by robot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from servogym.deploy.cleanroom.noise import Noise
from servogym.deploy.cleanroom.room import CleanRoom
from servogym.deploy.style import RuntimeStyle
from servogym.deploy.trial.replay import training
from servogym.envs.core import Core
from servogym.envs.randomize import Randomization
from servogym.envs.terminations import fallen
from servogym.gauge.spread import wilson

SHARES = ((0.6, 0.0, 0.0), (0.0, 0.0, 0.6), (0.5, 0.0, -0.3))
"""What the robots are asked in turn, each for the whole time: shares of the largest command."""
ROBOTS = 12
"""Robots in each population."""
SECONDS = 20.0
"""How long they walk [s]."""
SETTLING = 2.0
"""Time at the start that does not count for the speed [s]."""
MARGIN = 0.05
"""Difference of achieved/commanded that would not matter [1]."""
WIDTH = 2.6
"""Half width of the interval of that difference, in standard errors; about 98 % at 18 degrees of
freedom."""


@dataclass(frozen=True, kw_only=True)
class Population:
    """What became of robots that were asked to walk."""

    fell: np.ndarray
    """Who fell, (n,) bool."""
    achieved: np.ndarray
    """Speed along the command over the commanded one, each part over its largest, (n,); NaN for
    those that fell [1]."""

    @property
    def speed(self) -> float:
        """Mean of achieved/commanded over those that did not fall; NaN when all did."""
        up = self.achieved[~self.fell]
        return float(up.mean()) if len(up) else float("nan")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two populations that should be samples of the same."""

    training: Population
    """In the training environment."""
    room: Population
    """In the clean room."""

    @property
    def falls_agree(self) -> bool:
        """Whether the 95 % Wilson intervals of the two shares of falls overlap."""
        low, high = zip(*(wilson(int(p.fell.sum()), len(p.fell)) for p in self._both), strict=True)
        return max(low) <= min(high)

    @property
    def difference(self) -> tuple[float, float] | None:
        """Difference of achieved/commanded (room - training) and the half width of its interval.

        Command by command, then averaged; None when no command left two robots of each standing.
        """
        means, variances = [], []
        for k in range(len(SHARES)):
            values = [p.achieved[k :: len(SHARES)] for p in self._both]
            up = [v[~np.isnan(v)] for v in values]
            if min(len(v) for v in up) >= 2:
                means.append(up[1].mean() - up[0].mean())
                variances.append(sum(v.var(ddof=1) / len(v) for v in up))
        if not means:
            return None
        return float(np.mean(means)), WIDTH * sqrt(sum(variances)) / len(means)

    @property
    def speeds_agree(self) -> bool:
        """Whether that interval reaches into plus and minus `MARGIN`; nothing to compare agrees."""
        if self.difference is None:
            return True
        middle, half = self.difference
        return abs(middle) - half <= MARGIN

    @property
    def passed(self) -> bool:
        """Whether both agree."""
        return self.falls_agree and self.speeds_agree

    @property
    def _both(self) -> tuple[Population, Population]:
        return self.training, self.room


def in_training(
    path: Path,
    n: int = ROBOTS,
    seconds: float = SECONDS,
    overrides: Mapping[str, Any] | None = None,
) -> Population:
    """Let n robots walk in the training environment: noise and latencies on, the nominal robot."""
    room = CleanRoom(path)
    core = training(room.contract, n, overrides, randomization=_ONLY_LATENCY)
    reach, rows = np.array(core.contract.command_ranges["command"]), np.arange(n)
    asked = _asked(reach, n)
    core.hold(rows, asked)
    obs = core.reset(rows)

    def step() -> tuple[np.ndarray, np.ndarray]:
        nonlocal obs
        obs, state = core.step(room.act(obs)).observation, core.state
        speeds = np.column_stack((state.heading_vel[:, :2], state.yaw_rate))
        return speeds, fallen(state) | core.diverged  # as in the clean room, whatever the task ends

    return _walk(step, asked, reach, seconds, core.contract.control_dt, "in training, noise on")


def in_the_room(
    path: Path,
    noise: Noise,
    ranges: Mapping[str, tuple[float, ...]],
    n: int = ROBOTS,
    seconds: float = SECONDS,
    style: RuntimeStyle | None = None,
) -> Population:
    """Let n robots walk in the clean room.

    Args:
        path: The policy file.
        noise: What sensors and wires do wrong.
        ranges: Largest commands by slot.
        n: How many.
        seconds: How long [s].
        style: What the robot's software changes; None: nothing.
    """
    room = CleanRoom(path, n, noise=noise, style=style, seed=1)
    reach = np.array(ranges["command"])
    asked = _asked(reach, n)
    room.command({"command": asked})

    def step() -> tuple[np.ndarray, np.ndarray]:
        room.step(room.act(room.observe()))
        return room.speeds(), room.fallen

    name = "clean room, noise on" if style is None else "clean room, the robot's software"
    return _walk(step, asked, reach, seconds, room.contract.control_dt, name)


def noise_of(core: Core) -> Noise:
    """Give the size of an environment's noise and latencies, as numbers."""
    s = core.task.sensing
    return Noise(
        width={
            "base_ang_vel": s.gyro_noise,
            "projected_gravity": s.gravity_noise,
            "joint_pos": s.joint_pos_noise,
            "joint_vel": s.joint_vel_noise,
        },
        mounting=s.imu_mounting,
        bias=s.encoder_bias,
        late=s.imu_lag,
        late_period=s.imu_lag_period,
        wire=core.task.randomization.command_delay or (0, 0),
    )


_ONLY_LATENCY: dict[str, Any] = {
    f.name: None for f in fields(Randomization) if f.name not in ("command_delay", "push_interval")
}


def _asked(reach: np.ndarray, n: int) -> np.ndarray:
    return np.resize(np.array(SHARES), (n, 3)) * reach


def _walk(
    step: Callable[[], tuple[np.ndarray, np.ndarray]],
    asked: np.ndarray,
    reach: np.ndarray,
    seconds: float,
    dt: float,
    name: str,
) -> Population:
    """Count falls and average speeds over one walk."""
    total, fell = np.zeros(asked.shape), np.zeros(len(asked), bool)
    steps, settling = round(seconds / dt), round(SETTLING / dt)
    for k in tqdm(range(steps), desc=name, unit="step", leave=False, disable=None):
        speeds, down = step()
        fell |= down
        if k >= settling:
            total += speeds
        if fell.all():
            break
    wanted = asked / reach
    mean = total / max(steps - settling, 1) / reach
    achieved = (mean * wanted).sum(axis=1) / (wanted**2).sum(axis=1)
    return Population(fell=fell, achieved=np.where(fell, np.nan, achieved))
