"""Finds where the drawn quantities of a robot are stored, and refuses what has no effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from servogym.envs.contacts import felt
from servogym.scenes.contact import pairs_of

if TYPE_CHECKING:
    from mujoco import MjModel

    from servogym.actuators.drive import Drive
    from servogym.envs.draw import Draw
    from servogym.envs.parts import Parts
    from servogym.envs.quantities import Quantity


@dataclass(frozen=True, kw_only=True)
class Place:
    """Numbers of each row that a draw changes."""

    array: np.ndarray
    """Live numbers, one flattened row a robot, (n, k)."""
    columns: np.ndarray
    """Which of them, (p, w): p parts, w axes."""
    nominal: np.ndarray
    """Their nominal values, the same for every robot, (p, w)."""
    part: np.ndarray
    """Which of the draw's parts each of them belongs to, (p,)."""
    follows: bool = False
    """Whether they only change by the factor by which the draw's first place does."""

    @classmethod
    def at(
        cls,
        array: np.ndarray,
        columns: np.ndarray,
        part: np.ndarray | None = None,
        follows: bool = False,
    ) -> Place:
        """Return the place of these columns (p, w) of an array (n, ...) that is nominal now."""
        flat = array.reshape(len(array), -1)
        assert np.shares_memory(flat, array), "a copy would be written to no avail"
        part = np.arange(len(columns)) if part is None else part
        nominal = flat[0, columns].copy()
        return cls(array=flat, columns=columns, nominal=nominal, part=part, follows=follows)

    def write(self, rows: np.ndarray, values: np.ndarray) -> None:
        """Give rows (r,) the values (r, p, w)."""
        self.array[rows[:, None, None], self.columns] = values


class Places:
    """Where each quantity of one robot lies: the batch's model, the motors or the supply."""

    def __init__(
        self, model: MjModel, parts: Parts, drive: Drive, field: Callable[[str], np.ndarray]
    ) -> None:
        """Remember where to look.

        Args:
            model: the compiled model.
            parts: what the robot's parts are called.
            drive: its motors and their supply, nominal.
            field: gives a model field as a live array with a value for each robot, (n, ...).
        """
        self._model, self._parts, self._field = model, parts, field
        self._law, self._live = drive.law.name, drive.randomizable()
        zero = np.zeros_like(self._live["encoder_bias"])
        self._computes_friction = drive.friction(zero, zero, zero) is not None

    def find(self, q: Quantity, draw: Draw) -> tuple[list[str], list[Place]]:
        """Return the names of a draw's parts and where their numbers are.

        Both are empty for a group that this robot lacks.

        Raises:
            ValueError: an unknown part, or one on which the quantity has no effect.
        """
        if draw.way not in q.ways:
            raise ValueError(f"needs {' or '.join(q.ways)}, not {draw.way}")
        if q.kind in ("supply", "world"):
            return self._of_the_whole(q, draw)
        of = draw.of if draw.of != "all" else q.all
        ids = self._parts.find(q.element, of)
        places = getattr(self, f"_{q.kind}")(q, draw, ids) if ids else []
        return [self._parts.name(q.element, part) for part in ids], places

    def _of_the_whole(self, q: Quantity, draw: Draw) -> tuple[list[str], list[Place]]:
        if draw.of != "all" or draw.each:
            raise ValueError("there is one a robot; leave out of and each")
        array = self._motor_array(q) if q.kind == "supply" else self._field(q.field)
        return [q.kind], [Place.at(array, np.array([q.axes]))]

    def _body(self, q: Quantity, draw: Draw, ids: list[int]) -> list[Place]:
        for body in ids:
            if not self._model.body_mass[body] > 0:
                raise ValueError(f"{self._parts.name('body', body)} has no mass")
        places = [self._in_model(q.field, ids, q.axes)]
        if q.follower:
            places.append(self._in_model(q.follower, ids, (0, 1, 2), follows=True))
        return places

    def _geom(self, q: Quantity, draw: Draw, ids: list[int]) -> list[Place]:
        deaf = [self._parts.name("geom", g) for g in ids if not felt(self._model, g, q.condim)]
        if deaf:
            raise ValueError(
                f"{', '.join(deaf)} would not feel it: that takes contacts of condim {q.condim} or "
                "more, with geoms of no higher priority"
            )
        places = [self._in_model(q.field, ids, q.axes)]
        pairs = pairs_of(self._model, ids)
        pair = np.concatenate(pairs)
        if len(np.unique(pair)) < len(pair):
            raise ValueError("both geoms of a contact pair are named; name one of them")
        if len(pair):
            part = np.repeat(np.arange(len(ids)), [len(each) for each in pairs])
            places.append(self._in_model(q.pair, pair, q.pair_axes, part))
        return places

    def _joint(self, q: Quantity, draw: Draw, ids: list[int]) -> list[Place]:
        self._among(ids, [*self._parts.servos, *self._parts.gaps], "a servo joint or a gap")
        joints = np.array(ids)
        by_law = np.isin(joints, self._parts.servos)
        if not (by_law.any() and self._is_the_laws(q)):
            by_law[:] = False
        places = []
        if by_law.any():
            if q.live == ("friction_scale",) and draw.way != "scale":
                raise ValueError(
                    f"motor law {self._law!r} computes it for the servos; needs scale, not "
                    f"{draw.way}"
                )
            places.append(self._in_motors(q, draw, joints[by_law], np.flatnonzero(by_law)))
        if not by_law.all():
            part = np.flatnonzero(~by_law)
            places.append(self._in_model(q.field, self._model.jnt_dofadr[joints[part]], (0,), part))
        if q.field == "dof_armature" and self._parts.gaps:
            least = min(draw.change(place.nominal, draw.range()[0]).min() for place in places)
            if not least > 0.0:
                raise ValueError(
                    f"may get {least:g} {q.unit}; needs more than 0 where gears have gaps, because "
                    "a servo and its gap share one body"
                )
        return places

    def _gap(self, q: Quantity, draw: Draw, ids: list[int]) -> list[Place]:
        self._among(ids, self._parts.gaps, "a gap")
        upper = self._in_model(q.field, ids, (1,))
        return [upper, self._in_model(q.field, ids, (0,), follows=True)]

    def _servo(self, q: Quantity, draw: Draw, ids: list[int]) -> list[Place]:
        self._among(ids, self._parts.servos, "a servo joint")
        return [self._in_motors(q, draw, np.array(ids), np.arange(len(ids)))]

    def _among(self, ids: list[int], known: list[int], what: str) -> None:
        if other := [self._parts.name("joint", part) for part in ids if part not in known]:
            names = ", ".join(self._parts.name("joint", part) for part in known)
            raise ValueError(f"{', '.join(other)} is not {what}; those are {names or 'none'}")

    def _is_the_laws(self, q: Quantity) -> bool:
        """Whether the motor law holds this quantity of the servos, rather than the model.

        Raises:
            ValueError: the law overwrites it and gives no handle.
        """
        if not q.live or not self._computes_friction:
            return False
        if q.live[0] not in self._live:
            raise ValueError(
                f"motor law {self._law!r} sets it for the servos in every physics step, and its "
                f"randomizable() has no {q.live[0]!r}"
            )
        return True

    def _in_motors(self, q: Quantity, draw: Draw, ids: np.ndarray, part: np.ndarray) -> Place:
        array = self._motor_array(q)
        columns = np.array([self._parts.servos.index(joint) for joint in ids])
        if array.shape[1] == 1:
            if draw.each or len(columns) < len(self._parts.servos):
                raise ValueError(f"motor law {self._law!r} has one for all servos together")
            columns, part = columns[:1] * 0, part[:1]
        return Place.at(array, columns[:, None], part)

    def _motor_array(self, q: Quantity) -> np.ndarray:
        for name in q.live:
            if name in self._live:
                return self._live[name]
        if q.kind == "supply":
            raise ValueError("the task has no supply")
        raise ValueError(
            f"motor law {self._law!r} has no {' or '.join(q.live)}; it has {', '.join(self._live)}"
        )

    def _in_model(
        self,
        name: str,
        ids: list[int] | np.ndarray,
        axes: tuple[int, ...],
        part: np.ndarray | None = None,
        follows: bool = False,
    ) -> Place:
        array = self._field(name)
        size = int(np.prod(array.shape[2:], dtype=int))
        columns = np.asarray(ids)[:, None] * size + np.array(axes)
        return Place.at(array, columns, part, follows)
