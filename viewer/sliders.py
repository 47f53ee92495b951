"""Sliders for everything an operator can ask of a robot."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from servogym import robots

if TYPE_CHECKING:
    import viser

    from servogym.deploy.contract import Contract

GROUPS = {
    "command": ("Walk", ("forward [m/s]", "left [m/s]", "turn left [rad/s]")),
    "head_command": ("Head [rad]", ()),
    "body_command": (
        "Body",
        ("forward [m]", "left [m]", "up [m]", "roll [rad]", "pitch [rad]", "yaw [rad]"),
    ),
}
"""Command slot -> title of its folder and labels of its columns; the head's are its joints."""
STOPS = 20
"""A slider has at least so many stops from its middle to its end."""


class Sliders:
    """One slider a command, as far as the policy met it in training."""

    def __init__(self, contract: Contract) -> None:
        """Start without sliders.

        Args:
            contract: Of the policy that is to be commanded.
        """
        self._contract = contract
        self._sliders: dict[str, list[viser.GuiSliderHandle[float]]] = {}

    def add(self, gui: viser.GuiApi, slot: str) -> None:
        """Add the sliders of a command slot, in a folder of their own."""
        title, names = GROUPS.get(slot, (slot, ()))
        if slot == "head_command":
            names = robots.get(self._contract.robot).head
        ranges = self._contract.command_ranges[slot]
        if len(names) != len(ranges):
            names = tuple(str(column) for column in range(len(ranges)))
        with gui.add_folder(title, expand_by_default=slot != "body_command"):
            self._sliders[slot] = [
                gui.add_slider(
                    name, min=-largest, max=largest, step=_step(largest), initial_value=0.0
                )
                for name, largest in zip(names, ranges, strict=True)
            ]

    def values(self) -> dict[str, np.ndarray]:
        """Give what is asked: command slot -> its columns [slot unit]."""
        return {
            slot: np.array([slider.value for slider in sliders])
            for slot, sliders in self._sliders.items()
        }

    def zero(self) -> None:
        """Ask for nothing: stand, head and body at rest."""
        for sliders in self._sliders.values():
            for slider in sliders:
                slider.value = 0.0

    def fit(self, contract: Contract) -> None:
        """Narrow or widen them to what another policy met in training."""
        for slot, sliders in self._sliders.items():
            ranges = contract.command_ranges.get(slot, (0.0,) * len(sliders))
            for slider, largest in zip(sliders, ranges, strict=True):
                slider.value = float(np.clip(slider.value, -largest, largest))
                slider.min, slider.max, slider.step = -largest, largest, _step(largest)


def _step(largest: float) -> float:
    """Give a round step, a power of ten."""
    return 10.0 ** floor(log10(largest / STOPS)) if largest else 1.0
