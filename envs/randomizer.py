"""Draws the physics of rows at the start of their episodes and writes it into the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from servogym.envs.parts import Parts
from servogym.envs.places import Place, Places
from servogym.envs.quantities import QUANTITIES, Quantity

if TYPE_CHECKING:
    from mujoco import MjModel
    from mujoco.batch import Batch

    from servogym.actuators.drive import Drive
    from servogym.envs.draw import Draw
    from servogym.envs.random import RowRandom
    from servogym.envs.randomize import Randomization
    from servogym.robots.base import Robot
    from servogym.scenes.addresses import Addresses

_ALWAYS_DRAWN = ("sliding_friction", "mass", "armature", "friction", "volts", "sag")
"""A row takes one number for each of them whether it is used or not."""


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """A draw that has an effect here."""

    label: str
    """Quantity and position among its draws, such as `center_of_mass/1`."""
    draw: Draw
    """What is drawn."""
    places: list[Place]
    """What it changes."""
    shape: tuple[int, int]
    """How many numbers a row draws: (parts or 1, axes or 1)."""

    @property
    def quantity(self) -> str:
        """Name of the quantity."""
        return self.label.partition("/")[0]

    @property
    def first(self) -> bool:
        """Whether it is the first draw of its quantity and takes a single number."""
        return self.label.endswith("/0") and self.shape == (1, 1)


class Randomizer:
    """Gives the rows that begin an episode their own physics, drawn from the nominal.

    Rows draw from their own streams: first one number for each of six quantities, used or not, then
    the centres of mass. Every other draw has a stream apart, so that to switch it on or off changes
    no other number of the episode.
    """

    def __init__(
        self,
        ranges: Randomization,
        batch: Batch,
        model: MjModel,
        at: Addresses,
        robot: Robot,
        drive: Drive,
        trained_steps: np.ndarray,
    ) -> None:
        """Find everything that will be drawn; expand the model fields that will differ.

        Args:
            ranges: what to draw.
            batch: the robots.
            model: their compiled model.
            at: where the robot lies in the model.
            robot: its record.
            drive: its motors, bound.
            trained_steps: live array of shape (), for what ramps.

        Raises:
            ValueError: for a part that does not exist, a quantity that the robot or its motors
                lack, or a range that leaves what is physical.
        """
        self._batch, self._trained_steps = batch, trained_steps
        self._fields: dict[str, np.ndarray] = {}
        self._plans: list[_Plan] = []
        places = Places(model, Parts(model, at, robot), drive, self._field)
        drawn: dict[str, set[str]] = {}
        for name, position, draw in ranges.draws():
            try:
                names, found = places.find(QUANTITIES[name], draw)
                _check(QUANTITIES[name], draw, names, found, model.opt.timestep)
                if twice := sorted(drawn.setdefault(name, set()) & set(names)):
                    raise ValueError(f"{', '.join(twice)} has a draw already")
            except ValueError as error:
                raise ValueError(f"randomization: {name} ({draw}): {error}") from None
            drawn[name] |= set(names)
            if names:
                axes = found[0].columns.shape[1] if draw.way == "offset" else 1
                shape = (len(names) if draw.each else 1, axes)
                label = f"{name}/{position}"
                self._plans.append(_Plan(label=label, draw=draw, places=found, shape=shape))

    def reset(self, rows: np.ndarray, rng: RowRandom) -> None:
        """Draw the physics of rows for an episode; their motors are nominal already.

        Args:
            rows: the robots that begin an episode, integers.
            rng: the rows' random streams.
        """
        single = rng.uniform(0.0, 1.0, len(_ALWAYS_DRAWN), rows)
        steps = float(self._trained_steps)
        for plan in self._plans:
            width = plan.shape[0] * plan.shape[1]
            if plan.first and plan.quantity in _ALWAYS_DRAWN:
                u = single[:, _ALWAYS_DRAWN.index(plan.quantity)]
            elif plan.quantity == "center_of_mass":
                u = rng.uniform(0.0, 1.0, width, rows)
            else:
                u = rng.apart(plan.label, width, rows)
            low, high = plan.draw.range(steps)
            _apply(plan, rows, low + (high - low) * u.reshape(len(rows), *plan.shape))
        if self._fields:
            self._batch.set_const(rows)

    def restore(self) -> None:
        """Recompute what follows from fields that were just overwritten."""
        if self._fields:
            self._batch.set_const()

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array by name."""
        return dict(self._fields)

    def _field(self, name: str) -> np.ndarray:
        if name not in self._fields:
            self._fields[name] = self._batch.expand(name)
        return self._fields[name]


def _apply(plan: _Plan, rows: np.ndarray, numbers: np.ndarray) -> None:
    """Write what rows (r,) have drawn, (r, parts or 1, axes or 1)."""
    draw, first = plan.draw, plan.places[0]
    for place in plan.places:
        number = numbers[:, place.part] if draw.each else numbers
        if not place.follows:
            place.write(rows, draw.change(place.nominal, number))
        elif draw.way == "scale":
            place.write(rows, place.nominal * number)
        else:
            changed = draw.change(first.nominal, number)
            place.write(rows, place.nominal * (changed / first.nominal))


def _check(q: Quantity, draw: Draw, names: list[str], places: list[Place], step: float) -> None:
    """Refuse a draw that may leave what is physical."""
    for place in places:
        owners = [names[part] for part in place.part]
        for owner, nominal in zip(owners, place.nominal, strict=True):
            if draw.way != "value" and not np.isfinite(nominal).all():
                raise ValueError(f"{q.unit} of {owner} is {nominal[0]}; needs value")
            if q.least == "two steps" and nominal[0] <= 0:
                raise ValueError(
                    f"solref of {owner} is in the direct form, without a time constant"
                )
            low = float(np.min(draw.change(nominal, draw.range()[0])))
            above, strictly = {
                "any": (-np.inf, False),
                "zero": (0.0, False),
                "above zero": (0.0, True),
                "two steps": (2.0 * step, False),
            }[q.least]
            if place.follows or low > above or (low == above and not strictly):
                continue
            raise ValueError(
                f"{owner} may get {low:g} {q.unit}; needs {'more than' if strictly else 'at least'}"
                f" {above:g}"
            )
