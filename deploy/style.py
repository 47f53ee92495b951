"""How a robot's own software alters commands and targets around a policy, as one record.

A policy is trained without any of it. The runner can do the same to it that the robot will, and an
evaluation can measure what that costs.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from servogym.deploy.contract import Contract


@dataclass(frozen=True, kw_only=True)
class RuntimeStyle:
    """Differences between training and a robot's software; the default is none."""

    action_scale: float = 1.0
    """Factor on the contract's action scale."""
    target_weights: Mapping[str, float] = field(default_factory=dict)
    """Joint -> weight of the newest target in its low-pass, 0 to 1; a joint left out has none."""
    command_weight: float = 1.0
    """Weight of the newest command in the low-pass of every command, 0 to 1; 1: none."""

    def __post_init__(self) -> None:
        """Refuse a factor or a weight that is impossible."""
        if not (math.isfinite(self.action_scale) and self.action_scale > 0):
            raise ValueError(
                f"action_scale {self.action_scale!r}: a finite number above 0 is needed"
            )
        weights = {"command_weight": self.command_weight}
        weights |= {f"target_weights[{name!r}]": w for name, w in self.target_weights.items()}
        for what, weight in weights.items():
            if not 0 < weight <= 1:
                raise ValueError(f"{what} {weight!r}: above 0, at most 1 is needed")

    def weights(self, contract: Contract) -> np.ndarray:
        """Give the weight of the newest target of every joint, `(j,)`.

        Raises:
            ValueError: A joint is not the contract's.
        """
        if unknown := sorted(set(self.target_weights) - set(contract.joints)):
            raise ValueError(f"target_weights: {', '.join(unknown)} is none of {contract.joints}")
        return np.array([self.target_weights.get(joint, 1.0) for joint in contract.joints])


PLAIN = RuntimeStyle()
"""As in training."""


def microduck(contract: Contract) -> RuntimeStyle:
    """Give what a Microduck's software does while it walks.

    Actions times 0.9; targets through a low-pass with weight 0.7 for legs and 0.5 for neck and
    head; commands through one with weight 0.2 (pollen-robotics/microduck, deploy/robotd.toml).
    """
    head = ("neck_", "head_")
    return RuntimeStyle(
        action_scale=0.9,
        target_weights={joint: 0.5 if joint.startswith(head) else 0.7 for joint in contract.joints},
        command_weight=0.2,
    )


class LowPass:
    """Exponential low-pass: `value += weight * (newest - value)`."""

    def __init__(self, weight: np.ndarray | float, value: np.ndarray | None = None) -> None:
        """Make one.

        Args:
            weight: Weight of the newest value, 0 to 1; one, or one a column.
            value: Where it begins, any shape the weight broadcasts to; None: at the first value.
        """
        self.weight, self.value = weight, value

    def __call__(self, newest: np.ndarray) -> np.ndarray:
        """Take the newest value and give the smoothed one, a fresh array of the same shape."""
        value = newest if self.value is None else self.value
        self.value = value + self.weight * (newest - value)
        return self.value
