"""Everything the policy network is built from, as plain numbers that survive JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from servogym.deploy.contract import Contract
from servogym.learning.mirror import mirror_joints, mirror_observation
from servogym.learning.preset import PpoPreset

if TYPE_CHECKING:
    from servogym.robots.base import Robot

_MAY_BE_ABSENT = {"head_command", "body_command"}
"""Slots that a robot without a head, or a task without such commands, does not have."""


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
    obs_index: list[int]
    """Column a mirrored observation takes its value from; empty: the robot has no mirror map."""
    obs_sign: list[float]
    """Sign of each mirrored observation column."""
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
        """Width of the first layer's input: the observation, and whether anything is asked."""
        return len(self.low) + bool(self.asked)

    @classmethod
    def of(cls, contract: Contract, preset: PpoPreset, robot: "Robot") -> "Network":
        """Lay the preset's numbers out over the contract's columns.

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
        obs_index, obs_sign, action_index, action_sign = np.zeros((4, 0))
        if robot.mirror:
            obs_index, obs_sign = mirror_observation(contract, robot)
            action_index, action_sign = mirror_joints(robot)
        return cls(
            low=low.tolist(),
            high=high.tolist(),
            center=center.tolist(),
            scale=scale.tolist(),
            limit=preset.obs_limit,
            asked=list(range(asked.stop)[asked]),
            asked_gain=1 / preset.smallest_command,
            hidden=list(preset.hidden),
            actions=contract.action_size,
            output_gain=preset.output_gain,
            initial_std=preset.initial_std,
            obs_index=obs_index.tolist(),
            obs_sign=obs_sign.tolist(),
            action_index=action_index.tolist(),
            action_sign=action_sign.tolist(),
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
