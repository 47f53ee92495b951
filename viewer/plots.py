"""Plots of one joint: what it was told, what its encoder reads, what its motor gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from viser import uplot

if TYPE_CHECKING:
    import viser

    from servogym.deploy.contract import Contract
    from servogym.viewer.history import History

BLUE, ORANGE, GREY = "#2673f2", "#e8730c", "#7a858c"
HEIGHT = 170
"""Height of a plot [pixels]."""


class Plots:
    """Two plots of a joint that is chosen from a menu."""

    def __init__(self, gui: viser.GuiApi, contract: Contract, history: History) -> None:
        """Add the menu and the plots.

        Args:
            gui: Where to add them.
            contract: Names the joints and says whether targets are angles or torques.
            history: What is plotted.
        """
        self._history, self._joints = history, contract.joints
        torques = contract.command == "torque"
        first = next((joint for joint in contract.joints if "knee" in joint), contract.joints[0])
        self.joint = gui.add_dropdown("joint", contract.joints, initial_value=first)
        target = _line("target", BLUE)
        reading, torque = _line("encoder", ORANGE), _line("torque", GREY)
        self._angle_names = ("reading",) if torques else ("target", "reading")
        self._torque_names = ("target", "torque") if torques else ("torque",)
        self.angles = self._add(gui, "angle [rad]", (reading,) if torques else (target, reading))
        self.torques = self._add(gui, "torque [N·m]", (target, torque) if torques else (torque,))

    def show(self) -> None:
        """Draw what the history holds now."""
        self.angles.data = self._data(self._angle_names)
        self.torques.data = self._data(self._torque_names)

    def _data(self, names: tuple[str, ...]) -> tuple[np.ndarray, ...]:
        joint = self._joints.index(self.joint.value)
        lines = (getattr(self._history, name)[:, joint] for name in names)
        return (self._history.age, *(np.array(line) for line in lines))

    def _add(
        self, gui: viser.GuiApi, title: str, lines: tuple[uplot.Series, ...]
    ) -> viser.GuiUplotHandle:
        nothing = np.full_like(self._history.age, np.nan)
        plain: dict[str, Any] = {"grid": {"stroke": "#e4e8ea", "width": 1}, "stroke": "#5c666c"}
        return gui.add_uplot(
            (self._history.age, *(nothing for _ in lines)),
            (uplot.Series(label="time [s]"), *lines),
            title=title,
            scales={"x": uplot.Scale(time=False), "y": uplot.Scale(auto=True)},
            axes=(uplot.Axis(**plain), uplot.Axis(**plain, size=46)),
            legend=uplot.Legend(show=True, live=False),
            padding=(12, 24, 0, 0),
            height=HEIGHT,
        )


def _line(label: str, color: str) -> uplot.Series:
    return uplot.Series(label=label, stroke=color, width=1.5)
