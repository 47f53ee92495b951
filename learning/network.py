"""Everything the policy network is built from, as plain numbers that survive JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from servogym.deploy.contract import Contract
from servogym.learning.mirror import mirror_columns, mirror_joints
from servogym.learning.preset import PpoPreset

if TYPE_CHECKING:
    from servogym.robots.base import Robot

Reflection = tuple[list[int], list[float]]
"""Index and sign of every column: the reflected vector is `sign * vector[index]`."""
_MAY_BE_ABSENT = {"base_lin_vel", "head_command", "body_command"}
"""Slots that robots without a head or an estimator, or tasks without such commands, lack."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """Input bounds and scales, mirror map and layer widths of one policy.

    Rebuilding a policy needs this record and its weights; nothing is unpickled.
    """

    low: list[float]
    """Smallest observation read, per column [slot unit]."""
    high: list[float]
    """Largest observation read, per column [slot unit]."""
    center: list[float]
    """Observation that becomes 0, per column [slot unit]."""
    scale: list[float]
    """Spread that becomes 1, per column [slot unit]."""
    limit: float
    """Scaled observations are clipped to plus and minus this."""
    asked: list[int]
    """Columns of the twist command, from which the network is also told whether it is zero."""
    asked_gain: float
    """Factor that makes the smallest command count as fully asked for [s/m, s/rad]."""
    rolling: list[int]
    """Columns of roll and pitch rate; empty: the robot has no gyro, or nothing is ever caught."""
    tipping: float
    """Rate above which a robot that is asked to stand is told to walk at `catch` [rad/s]."""
    catch: list[float]
    """Twist command it is told then, one number a column of `asked`."""
    obs_index: list[int]
    """Column a mirrored observation takes its value from; empty: the robot has no mirror map."""
    obs_sign: list[float]
    """Sign of each mirrored observation column."""
    privileged_index: list[int]
    """The same for the columns that only the critic reads."""
    privileged_sign: list[float]
    """Sign of each mirrored privileged column."""
    action_index: list[int]
    """Column a mirrored action takes its value from."""
    action_sign: list[float]
    """Sign of each mirrored action column."""
    hidden: list[int]
    """Widths of the hidden layers."""
    actions: int
    """Number of action columns."""
    output_gain: float
    """Factor on the actor's output."""
    initial_std: float
    """Exploration noise at the start, in units of action."""

    @property
    def inputs(self) -> int:
        """Width of the first layer's input: the observation, and what `Actor` appends."""
        return len(self.low) + bool(self.asked) * (1 + self.mirrored)

    @property
    def mirrored(self) -> bool:
        """Whether the robot has a mirror map."""
        return bool(self.obs_index)

    @property
    def action_reflection(self) -> Reflection:
        """Index and sign of every action column."""
        return self.action_index, self.action_sign

    def reflection(self, *, privileged: bool) -> Reflection:
        """Give index and sign of every column of the first layer's input, the critic's or not."""
        index, sign = list(self.obs_index), list(self.obs_sign)
        if self.asked:
            index, sign = [*index, len(index), len(index) + 1], [*sign, 1.0, -1.0]
        if privileged:
            index += [len(index) + i for i in self.privileged_index]
            sign += self.privileged_sign
        return index, sign

    @classmethod
    def of(
        cls,
        contract: Contract,
        preset: PpoPreset,
        robot: "Robot",
        privileged: Mapping[str, int] | None = None,
    ) -> "Network":
        """Lay the preset's numbers out over the contract's columns.

        Args:
            contract: The actor's columns.
            preset: Scales and widths.
            robot: Joints and their mirror map.
            privileged: Name -> width of what only the critic reads, in order.

        Raises:
            ValueError: The preset names a slot the contract lacks, leaves one without a scale, or
                gives the wrong number of columns; the message names the slot.
        """
        low, high = contract.bounds()
        center = _columns(contract, "obs_center", preset.obs_center, default=0.0)
        scale = _columns(contract, "obs_scale", preset.obs_scale, default=None)
        if not (np.isfinite(scale).all() and (scale > 0).all()):
            raise ValueError("obs_scale: every number must be finite and above 0")
        asked = contract.slices().get("command", slice(0))
        gyro = contract.slices().get("base_ang_vel", slice(0))
        rolling = list(range(gyro.start or 0, gyro.stop))[:2] if preset.tipping else []
        if rolling and asked.stop and len(preset.catch) != asked.stop - asked.start:
            raise ValueError(
                f"catch {preset.catch}: slot command has {asked.stop - asked.start} columns"
            )
        nothing = np.zeros((2, 0))
        observation = critic = action = nothing
        if robot.mirror:
            widths = {slot.name: slot.size for slot in contract.slots}
            observation = mirror_columns(widths, robot)
            critic = mirror_columns(privileged or {}, robot)
            action = mirror_joints(robot)
        return cls(
            low=low.tolist(),
            high=high.tolist(),
            center=center.tolist(),
            scale=scale.tolist(),
            limit=preset.obs_limit,
            asked=list(range(asked.stop)[asked]),
            asked_gain=1 / preset.smallest_command,
            rolling=rolling if asked.stop else [],
            tipping=preset.tipping,
            catch=list(preset.catch),
            hidden=list(preset.hidden),
            actions=contract.action_size,
            output_gain=preset.output_gain,
            initial_std=preset.initial_std,
            obs_index=observation[0].tolist(),
            obs_sign=observation[1].tolist(),
            privileged_index=critic[0].tolist(),
            privileged_sign=critic[1].tolist(),
            action_index=action[0].tolist(),
            action_sign=action[1].tolist(),
        )


def _columns(
    contract: Contract,
    what: str,
    values: Mapping[str, float | tuple[float, ...]],
    default: float | None,
) -> np.ndarray:
    slices = contract.slices()
    known = ", ".join(slices)
    if unknown := sorted(set(values) - set(slices) - _MAY_BE_ABSENT):
        raise ValueError(f"{what}: no slot named {', '.join(unknown)}; the slots are {known}")
    columns = np.empty(contract.obs_size)
    for name, where in slices.items():
        value = values.get(name, default)
        if value is None:
            raise ValueError(f"{what}: slot {name} has none; every slot needs one ({known})")
        value = np.asarray(value, np.float64)
        if value.shape not in ((), (where.stop - where.start,)):
            raise ValueError(
                f"{what}: slot {name} has {where.stop - where.start} columns, got {value.size}"
            )
        columns[where] = value
    return columns
