"""Turns what a robot measures, joint by joint and by name, into the observation of a contract."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from servogym.deploy.contract import Contract
from servogym.deploy.record import hinted

Joints = (
    Mapping[str, tuple[float, float]]
    | tuple[Mapping[str, float | None], Mapping[str, float | None]]
)
"""Joint -> (position [rad], velocity [rad/s]), or a mapping of positions and one of velocities."""
Vector = Sequence[float] | np.ndarray
OPERATOR = "operator"
"""`Slot.sensor` of a command: zero unless somebody asks for something."""
LENGTH = {"orientation": 0.01, "gravity": 0.1}
"""How far the length of a quaternion and of a direction may be from 1."""


class Readings:
    """Knows where the readings of one robot go in the observation of one contract."""

    def __init__(self, contract: Contract) -> None:
        """Find a source for every slot.

        Raises:
            ValueError: A slot has a size its source does not have, or no source here; the message
                names the slot.
        """
        j = contract.action_size
        sizes = {
            "base_lin_vel": 3,
            "base_ang_vel": 3,
            "projected_gravity": 3,
            "joint_pos": j,
            "joint_vel": j,
            "actions": j,
        }
        for slot in contract.slots:
            if slot.sensor == OPERATOR:
                continue
            if slot.name not in sizes:
                raise ValueError(
                    f"slot {slot.name!r} (sensor {slot.sensor!r}): nothing here measures it; known"
                    f" are {', '.join(sizes)}, and whatever has the sensor {OPERATOR!r}"
                )
            if slot.size != sizes[slot.name]:
                raise ValueError(
                    f"slot {slot.name!r} has {slot.size} columns, its reading {sizes[slot.name]}"
                )
        self._contract = contract
        self._slices = contract.slices()
        self._pose = np.array(contract.default_pose)
        self._commands = {s.name: s.size for s in contract.slots if s.sensor == OPERATOR}

    def joints(self, joints: Joints) -> tuple[np.ndarray, np.ndarray]:
        """Give positions [rad] and velocities [rad/s] in contract order, each `(j,)`.

        A reading that is no number, such as None or a text, becomes NaN; None instead of a pair,
        both.

        Raises:
            ValueError: A joint is missing or unknown; the message names it.
        """
        names = self._contract.joints
        if isinstance(joints, tuple) and len(joints) == 2:
            positions, velocities = joints
            self._same_joints("positions", positions)
            self._same_joints("velocities", velocities)
            given = [(positions[name], velocities[name]) for name in names]
        else:
            self._same_joints("joints", joints)  # type: ignore[arg-type]
            given = [joints[name] for name in names]  # type: ignore[call-overload]
        pairs = _numbers([(None, None) if pair is None else pair for pair in given])
        if pairs.shape != (len(names), 2):
            shapes = [_numbers(pair).shape for pair in given]
            wrong = [name for name, shape in zip(names, shapes, strict=True) if shape != (2,)]
            raise ValueError(
                "joints: a pair (position [rad], velocity [rad/s]) a joint is needed, not so for"
                f" {', '.join(wrong)}"
            )
        return pairs[:, 0], pairs[:, 1]

    def imu(
        self,
        gyro: Vector | None,
        gravity: Vector | None,
        orientation: Vector | None,
        base_lin_vel: Vector | None,
    ) -> tuple[dict[str, np.ndarray], str]:
        """Give the body's slots by name, each `(3,)`, and what is wrong with their values.

        Raises:
            ValueError: A reading the contract needs is missing, one it has no slot for is given, or
                one has another shape.
        """
        if gravity is not None and orientation is not None:
            raise ValueError("gravity and orientation: only one of them is accepted")
        trouble = ""
        if orientation is not None:
            quat = _vector("orientation", orientation, 4)
            trouble = _length("orientation", quat)
            gravity = np.zeros(3) if trouble else _down(quat)
        elif gravity is not None:
            trouble = _length("gravity", _vector("gravity", gravity, 3))
        slots = {}
        for slot, what, reading in (
            ("base_ang_vel", "gyro", gyro),
            ("projected_gravity", "gravity or orientation", gravity),
            ("base_lin_vel", "base_lin_vel", base_lin_vel),
        ):
            if slot in self._slices:
                if reading is None:
                    raise ValueError(f"{what} is missing; the policy reads slot {slot!r}")
                slots[slot] = _vector(what, reading, 3)
            elif reading is not None:
                raise ValueError(f"{what} is given, but the policy has no slot {slot!r}")
        return slots, trouble

    def commands(self, commands: Mapping[str, Vector]) -> dict[str, np.ndarray]:
        """Give every command slot by name; zeros where nothing is asked.

        Raises:
            ValueError: There is no such command, or it has another length.
        """
        if not isinstance(commands, Mapping):
            raise ValueError(f"commands {commands!r}: a mapping of slot to values is needed")
        if unknown := sorted(str(name) for name in set(commands) - set(self._commands)):
            raise ValueError(
                f"commands not understood: {hinted(unknown, set(self._commands))}; accepted:"
                f" {', '.join(f'{name} ({size})' for name, size in self._commands.items())}"
            )
        return {
            name: _vector(f"command {name!r}", commands[name], size)
            if name in commands
            else np.zeros(size)
            for name, size in self._commands.items()
        }

    def observation(
        self,
        positions: np.ndarray,
        velocities: np.ndarray,
        previous: np.ndarray,
        others: Mapping[str, np.ndarray],
    ) -> np.ndarray:
        """Lay everything out, `(obs,)` float64, neither clipped nor scaled.

        Args:
            positions: Joint angles [rad], `(j,)`.
            velocities: Joint speeds [rad/s], `(j,)`.
            previous: The previous action, `(j,)`.
            others: The body's slots and the commands, by name.
        """
        obs = np.empty(self._contract.obs_size)
        filled = {
            "joint_pos": positions - self._pose,
            "joint_vel": velocities,
            "actions": previous,
            **others,
        }
        for name, columns in self._slices.items():
            obs[columns] = filled[name]
        return obs

    def trouble(self, obs: np.ndarray) -> str:
        """Say which column of an observation `(obs,)` is not finite; empty when all are."""
        if np.isfinite(obs).all():
            return ""
        column = int(np.flatnonzero(~np.isfinite(obs))[0])
        name, where = next((n, w) for n, w in self._slices.items() if column < w.stop)
        inside = column - where.start
        part = self._contract.joints[inside] if name in ("joint_pos", "joint_vel") else inside
        return f"reading {name}[{part}] is {obs[column]}; a finite number is needed"

    def _same_joints(self, what: str, given: Mapping[str, Any]) -> None:
        names = self._contract.joints
        if not isinstance(given, Mapping):
            raise ValueError(
                f"{what}: a mapping of joint to reading is needed, or a tuple of two (positions and"
                f" velocities), not {type(given).__name__}"
            )
        if given.keys() == set(names):
            return
        missing = [name for name in names if name not in given]
        unknown = sorted(str(name) for name in set(given) - set(names))
        texts = []
        if missing:
            texts.append(f"missing {', '.join(missing)}")
        if unknown:
            texts.append(f"not understood {hinted(unknown, set(names))}")
        raise ValueError(f"{what}: {'; '.join(texts)}")


def _vector(what: str, values: Vector, size: int) -> np.ndarray:
    vector = _numbers(values)
    if vector.shape != (size,):
        raise ValueError(f"{what}: shape {vector.shape}; ({size},) is needed")
    return vector


def _numbers(values: Any) -> np.ndarray:
    """Give an array of float64, in which whatever is no number is NaN."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        whole = np.array(values, object)
        return np.array([_number(value) for value in whole.flat]).reshape(whole.shape)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _length(what: str, vector: np.ndarray) -> str:
    """Say that a unit vector has another length; a NaN is left to `Readings.trouble`."""
    length = float(np.sqrt(vector @ vector))
    if abs(length - 1.0) > LENGTH[what]:
        return f"reading {what} has length {length:.3g}; 1 ± {LENGTH[what]:g} is accepted"
    return ""


def _down(quat: np.ndarray) -> np.ndarray:
    """Give R(q)^T (0, 0, -1) of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = quat / np.sqrt(quat @ quat)
    return np.array((2 * (w * y - x * z), -2 * (y * z + w * x), 2 * (x * x + y * y) - 1))
