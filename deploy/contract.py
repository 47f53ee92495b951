"""The contract between a policy and whatever runs it: slots, joints, action map, rates.

The environment builds it, training stores it, the export writes it into the policy file and the
runner reads it back, so the meaning of every input and output column is written down once.
Imports only NumPy: a robot's computer can read it without the training stack.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A named run of neighbouring observation columns."""

    name: str
    """Name, e.g. `joint_pos`."""
    size: int
    """Number of columns."""
    unit: str
    """Unit of every column, e.g. `rad/s`; `1` when there is none."""
    frame: str
    """Frame the numbers are expressed in, e.g. `imu`, `joint`; `-` when there is none."""
    sensor: str
    """What measures it on the real robot, e.g. `gyro`, `servo encoder`, `operator`."""
    low: float
    """Smallest value a policy ever reads; smaller readings are clipped. [unit]"""
    high: float
    """Largest value a policy ever reads; larger readings are clipped. [unit]"""

    def __post_init__(self) -> None:
        """Refuse an empty slot and bounds that are not finite and ordered."""
        if self.size < 1:
            raise ValueError(f"slot {self.name!r}: size {self.size}, at least 1 is needed")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"slot {self.name!r}: bounds [{self.low}, {self.high}] must be finite, low < high"
            )


@dataclass(frozen=True, kw_only=True)
class Contract:
    """Everything needed to feed a policy and to obey it.

    A command is `offset() + action_scale * clip(action, -action_clip, action_clip)`, in contract
    joint order.
    """

    task: str
    """Id of the task it was trained on."""
    robot: str
    """Name of the robot, e.g. `microduck`."""
    joints: tuple[str, ...]
    """Servo joints; the order of every joint array."""
    default_pose: tuple[float, ...]
    """Joint angles that action 0 asks for, in joint order. [rad]"""
    slots: tuple[Slot, ...]
    """The actor's observation, first column first."""
    action_scale: float
    """Command per unit of action. [rad] for positions, [N·m] for torques."""
    action_clip: float
    """Bound of the raw action before scaling; [rad] when `action_scale` is 1."""
    command: Literal["position", "torque"]
    """What the command is: target angles of the servos, or joint torques."""
    control_dt: float
    """Time between two actions. [s]"""
    sim_dt: float
    """Physics step of the training simulation. [s]"""
    decimation: int
    """Physics steps per action."""
    firmware: Mapping[str, float | Mapping[str, float]] = field(default_factory=dict)
    """Servo firmware gains, e.g. `{"kp_fw": 200}`; a table by joint where they differ."""
    actuator: str
    """Name of the motor law it was trained with."""
    actuator_hash: str
    """SHA-256 of the canonical JSON of that law's parameters."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of the packages that made it, e.g. `{"mujoco": "4.0.0"}`."""

    def __post_init__(self) -> None:
        """Refuse a contract that contradicts itself, naming the field."""
        _unique("joints", self.joints)
        _unique("slots", tuple(slot.name for slot in self.slots))
        if len(self.default_pose) != len(self.joints):
            raise ValueError(
                f"default_pose: {len(self.default_pose)} angles for {len(self.joints)} joints"
            )
        if self.command not in ("position", "torque"):
            raise ValueError(f"command {self.command!r}: 'position' or 'torque' is accepted")
        for name in ("action_scale", "action_clip", "control_dt", "sim_dt"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} {value!r}: a finite number above 0 is needed")
        if not math.isclose(self.control_dt, self.sim_dt * self.decimation, rel_tol=1e-9):
            raise ValueError(
                f"control_dt {self.control_dt} is not sim_dt {self.sim_dt}"
                f" * decimation {self.decimation}"
            )

    @property
    def obs_size(self) -> int:
        """Number of observation columns."""
        return sum(slot.size for slot in self.slots)

    @property
    def action_size(self) -> int:
        """Number of action columns: one per joint."""
        return len(self.joints)

    def slices(self) -> dict[str, slice]:
        """Map each slot name to its observation columns."""
        slices, start = {}, 0
        for slot in self.slots:
            slices[slot.name] = slice(start, start + slot.size)
            start += slot.size
        return slices

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Give the lowest and highest observation, each `(obs_size,)` float32."""
        sizes = [slot.size for slot in self.slots]
        low = np.repeat(np.array([slot.low for slot in self.slots], np.float32), sizes)
        high = np.repeat(np.array([slot.high for slot in self.slots], np.float32), sizes)
        return low, high

    def offset(self) -> np.ndarray:
        """Give the command of action 0, `(j,)`: the default pose [rad], zeros for torques."""
        if self.command == "torque":
            return np.zeros(self.action_size)
        return np.array(self.default_pose, np.float64)

    def table(self) -> str:
        """Give the slot table as text, one slot a line: columns, name, unit, frame, sensor."""
        lines = []
        for name, columns in self.slices().items():
            slot = next(slot for slot in self.slots if slot.name == name)
            lines.append(
                f"  [{columns.start:3d}:{columns.stop:3d}]  {name:<20} {slot.unit:<8}"
                f" {slot.frame:<12} {slot.sensor}"
            )
        return "\n".join(lines)

    def to_json(self) -> str:
        """Write it as JSON text; every float keeps its full precision."""
        return json.dumps(asdict(self) | {"schema": 1}, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Contract":
        """Read what `to_json` wrote.

        Raises:
            ValueError: The text is no JSON object, or a field is missing, unknown or impossible;
                the message names the field.
        """
        try:
            data: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"contract: not JSON ({error})") from error
        if not isinstance(data, dict):
            raise ValueError("contract: a JSON object is needed")
        if (schema := data.pop("schema", None)) != 1:
            raise ValueError(f"contract: schema {schema!r}, only 1 is understood")
        _same_fields("contract", cls, data)
        for slot in data["slots"]:
            _same_fields("slot", Slot, slot)
        data["slots"] = tuple(Slot(**slot) for slot in data["slots"])
        data["joints"] = tuple(data["joints"])
        data["default_pose"] = tuple(data["default_pose"])
        return cls(**data)


def _unique(what: str, names: tuple[str, ...]) -> None:
    if not names or len(set(names)) != len(names):
        raise ValueError(f"{what}: distinct names are needed, got {list(names)}")


def _same_fields(what: str, kind: type, data: Mapping[str, Any]) -> None:
    known = {entry.name for entry in fields(kind)}
    if missing := sorted(known - set(data)):
        raise ValueError(f"{what}: field(s) missing: {', '.join(missing)}")
    if unknown := sorted(set(data) - known):
        raise ValueError(f"{what}: field(s) not understood: {', '.join(unknown)}")
