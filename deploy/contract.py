"""The contract between a policy and whatever runs it: slots, joints, action map, rates, motors.

The environment builds it, training stores it, the export writes it into the policy file and the
runner reads it back, so the meaning of every input and output column is written down once.
Imports only NumPy: a robot's computer can read it without the training stack.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from servogym.deploy.record import rebuild

SCHEMA = 2
"""Version of the JSON text."""
LATER: Mapping[str, Any] = {"contact": "", "edits": []}
"""Fields that came after the first files of this schema, and what a file without them means. Only
another value is written, so that files of before stay what they are; a copy of servogym that does
not know a field refuses it by name."""
WIDEST = 65536
"""Most columns of a slot: a stranger's file cannot fill the memory."""


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
    scale: float | tuple[float, ...] = 1.0
    """Factor on a reading, after clipping, on its way into the network; one, or one a column."""
    delay: int = 0
    """Control steps by which the reading is older than the action it leads to."""

    def __post_init__(self) -> None:
        """Refuse a size, bounds, factors or a delay that are impossible."""
        if not 1 <= self.size <= WIDEST:
            raise ValueError(f"slot {self.name!r}: size {self.size}, 1 to {WIDEST} is accepted")
        if self.delay < 0:
            raise ValueError(f"slot {self.name!r}: delay {self.delay}, 0 or more is needed")
        scales = self.scale if isinstance(self.scale, tuple) else (self.scale,) * self.size
        if len(scales) != self.size or not all(math.isfinite(x) and x != 0 for x in scales):
            raise ValueError(
                f"slot {self.name!r}: scale {self.scale}; one finite number that is not 0, or"
                f" {self.size}, are needed"
            )
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"slot {self.name!r}: bounds [{self.low}, {self.high}] must be finite, low < high"
            )


@dataclass(frozen=True, kw_only=True)
class Skill:
    """What a policy is for, as a robot's catalogue of policies needs to know it."""

    kind: Literal["perpetual", "episodic"]
    """Whether it goes on until it is told otherwise, or ends by itself."""
    slot: str
    """Place in the robot's catalogue, e.g. `walk`; empty when there is none."""
    duration_s: float | None
    """How long an episodic skill takes [s]; None for a perpetual one."""
    description: str
    """One sentence for people."""

    def __post_init__(self) -> None:
        """Refuse a duration that does not fit the kind."""
        if self.kind not in ("perpetual", "episodic"):
            raise ValueError(f"skill kind {self.kind!r}: 'perpetual' or 'episodic' is accepted")
        if (self.kind == "episodic") != (self.duration_s is not None and self.duration_s > 0):
            raise ValueError(
                f"skill duration_s {self.duration_s!r}: an episodic skill needs one above 0, a"
                " perpetual one has none"
            )


@dataclass(frozen=True, kw_only=True)
class Contract:
    """Everything needed to feed a policy and to obey it.

    A command is `offset() + scales() * clip(action, -action_clip, action_clip)`, in contract joint
    order.
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
    action_scale: float | Mapping[str, float]
    """Command per unit of action, one or a table by joint. [rad] for positions, [N·m] for
    torques."""
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
    """Name of the motor it was trained with: one of the robot's record, or a law."""
    actuator_hash: str = ""
    """`fingerprint` of `motor`; empty when it is unknown."""
    motor: Mapping[str, Any] = field(default_factory=dict)
    """That law, all its parameters and its firmware gains, as `Actuator.describe` gives them; empty
    in a contract written by hand for a policy from elsewhere."""
    encoder: Literal["output", "motor"] = "output"
    """Side of the gear gap on which the servos measure."""
    backlash: float = 0.0
    """Half range of the gear gap of every servo in training; 0: none. [rad]"""
    supply: Mapping[str, float | None] | None = None
    """Fields of the `Supply` shared by the servos; None: the law's own nominal voltage."""
    contact: str = ""
    """How soft feet and ground were in training, as `servogym.scenes.contact` reads it; empty in
    files from before it was written down, which a clean room takes for `native`."""
    edits: tuple[Mapping[str, Any], ...] = ()
    """What training changed of the physics, in order: each the name of a setter of `Scene` under
    `set`, and its arguments by name. They come on top of the file that `model_hash` is of. Edits of
    ground that an endless floor lacks are left out."""
    model_hash: str = ""
    """SHA-256 of the robot's MJCF file, before `edits`; empty when unknown."""
    wire_orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a vendor's joint order, e.g. `sdk` -> the joints in that order."""
    command_ranges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Command slot -> largest size of each column in training. [slot unit]"""
    skill: Skill | None = None
    """What it is for; None when unknown."""
    input_name: str = "obs"
    """Name of the file's input tensor."""
    output_name: str = "actions"
    """Name of the file's output tensor."""
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
        self._check_tables()
        for name in ("action_clip", "control_dt", "sim_dt"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} {value!r}: a finite number above 0 is needed")
        if not math.isclose(self.control_dt, self.sim_dt * self.decimation, rel_tol=1e-9):
            raise ValueError(
                f"control_dt {self.control_dt} is not sim_dt {self.sim_dt}"
                f" * decimation {self.decimation}"
            )

    def _check_tables(self) -> None:
        """Refuse tables that do not fit joints, slots or each other."""
        if isinstance(self.action_scale, Mapping):
            _each_joint("action_scale", self.action_scale, self.joints)
        for scale in self.scales().tolist():
            if not (math.isfinite(scale) and scale > 0):
                raise ValueError(f"action_scale {scale!r}: a finite number above 0 is needed")
        for name, order in self.wire_orders.items():
            if sorted(order) != sorted(self.joints):
                raise ValueError(
                    f"wire order {name!r} {list(order)}: each joint once is needed,"
                    f" {list(self.joints)}"
                )
        sizes = {slot.name: slot.size for slot in self.slots}
        for name, largest in self.command_ranges.items():
            if sizes.get(name) != len(largest):
                raise ValueError(
                    f"command_ranges: {name!r} has {len(largest)} columns; slots are {sizes}"
                )
        if self.encoder not in ("output", "motor"):
            raise ValueError(f"encoder {self.encoder!r}: 'output' or 'motor' is accepted")
        if not (math.isfinite(self.backlash) and self.backlash >= 0):
            raise ValueError(f"backlash {self.backlash!r}: a finite number, 0 or above, is needed")
        if self.motor and self.actuator_hash != fingerprint(self.motor):
            raise ValueError("actuator_hash is not that of motor: one of them was changed")
        for number, edit in enumerate(self.edits):
            if not isinstance(edit.get("set"), str):
                raise ValueError(f"edits[{number}]: 'set' needs the name of a setter")

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

    def scales(self) -> np.ndarray:
        """Give the command per unit of action, `(j,)` [rad] or [N·m]."""
        scale = self.action_scale
        if isinstance(scale, Mapping):
            return np.array([scale[joint] for joint in self.joints], np.float64)
        return np.full(self.action_size, float(scale))

    def wire(self, order: str) -> np.ndarray:
        """Give the index `(j,)` that brings a joint array into a vendor's order: `array[index]`.

        Raises:
            LookupError: No such order; the message lists the known ones.
        """
        if order not in self.wire_orders:
            raise LookupError(
                f"no wire order {order!r}; known: {', '.join(self.wire_orders) or 'none'}"
            )
        return np.array([self.joints.index(joint) for joint in self.wire_orders[order]])

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
        said = asdict(self) | {"edits": list(self.edits), "schema": SCHEMA}
        for name, usual in LATER.items():
            if said[name] == usual:
                del said[name]
        return json.dumps(said, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, *, by_hand: bool = False) -> "Contract":
        """Read what `to_json` wrote, or what a person wrote for a policy from elsewhere.

        Args:
            text: A JSON object with the fields of this record and `schema`.
            by_hand: Whether fields that have a default may be left out.

        Raises:
            ValueError: The text is no JSON object, or a field is missing, unknown or impossible;
                the message names the field.
        """
        try:
            data: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"contract: not JSON ({error})") from error
        if not isinstance(data, dict):
            raise ValueError("contract: a JSON object is needed")
        if (schema := data.pop("schema", None)) != SCHEMA:
            raise ValueError(f"contract: schema {schema!r}, only {SCHEMA} is understood")
        return rebuild(cls, {**LATER, **data}, "contract", complete=not by_hand)


def fingerprint(described: Mapping[str, Any]) -> str:
    """Give the SHA-256 of a motor law's description as canonical JSON.

    Raises:
        ValueError: A number in it is not finite, or it is nested too deep.
    """
    try:
        text = json.dumps(described, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"motor: no JSON of finite numbers ({error})") from error
    return hashlib.sha256(text.encode()).hexdigest()


def _each_joint(what: str, table: Mapping[str, float], joints: tuple[str, ...]) -> None:
    if set(table) != set(joints):
        raise ValueError(f"{what}: each joint once is needed, {list(joints)}; got {sorted(table)}")


def _unique(what: str, names: tuple[str, ...]) -> None:
    if not names or len(set(names)) != len(names):
        raise ValueError(f"{what}: distinct names are needed, got {list(names)}")
