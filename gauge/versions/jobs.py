"""What the worker is given: a scene, a policy, starts, and what to do with them, as files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from servogym import actuators, robots
from servogym.actuators.pd import Pd
from servogym.actuators.per_joint import per_joint
from servogym.deploy.contract import Contract
from servogym.deploy.policy import Policy
from servogym.gauge.versions import plain
from servogym.robots import Robot
from servogym.scenes import world
from servogym.scenes.terrain import Terrain
from servogym.scenes.terrain.soles import soles

SCENE, POLICY = "scene.xml", "policy.onnx"
TWIST = "command"
"""Slot of the command."""
FALLEN = float(np.cos(np.radians(70.0)))
"""Cosine of the lean beyond which a robot has fallen, as in the clean room."""
DROP = 0.002
"""Height of the lowest sole above the ground at the start [m]."""
SPREAD = 0.01
"""Half width of what the starts differ by, each joint [rad]; the first is the default pose."""
NUDGE = 1e-10
"""What a nudged start differs by, in its first joint [rad]: little more than rounding."""
MOTOR = "pd"
"""The worker's motor law: the one that two lines say in full."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One policy on one ground; the same in every version."""

    policy: Path
    """ONNX file with its contract."""
    terrain: str = "flat"
    """Ground, as `Terrain.parse` reads it; better without walls."""
    contact: str = "native"
    """Contact setting, as `contact.parse` reads it."""
    margin: float | None = None
    """Distance at which every geom's contacts begin [m]; None: as the robot's file has it."""
    command: tuple[float, float, float] = (0.5, 0.0, 0.0)
    """What is asked all the time [m/s, m/s, rad/s]."""
    seconds: float = 8.0
    """How long [s]."""
    starts: int = 5
    """How many starts; each differs from the others by more than versions do."""

    def label(self, robot: str) -> str:
        """Name it in a way that can be a folder's."""
        margin = "" if self.margin is None else f"-margin_{self.margin:g}"
        return f"{robot}-{self.terrain}-{self.contact}{margin}".replace(":", "_").replace(",", "_")


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """A case whose scene and policy are written."""

    case: Case
    """Which."""
    folder: Path
    """Where they are."""
    job: dict[str, Any]
    """What every job of the case says."""
    robot: Robot
    """Who moves."""
    model: mujoco.MjModel
    """The scene as it was compiled here."""
    contract: Contract
    """What the policy was trained on."""
    sha256: str
    """Digest of the policy's file."""


def prepare(case: Case, root: Path) -> Prepared:
    """Write the scene and the policy of a case into a folder of their own under `root`.

    Raises:
        LookupError: the policy's robot has no `pd` motors here.
        OSError: the policy cannot be read or the folder not written.
        ValueError: the policy, terrain or contact is none, or the scene cannot be written plainly.
    """
    contract = Policy(case.policy).contract
    robot = robots.get(contract.robot)
    law = actuators.make(MOTOR, robot)
    if not isinstance(law, Pd) or contract.command != "position":
        raise ValueError(
            f"{case.policy}: {contract.command} commands to {type(law).__name__} motors; the worker"
            f" has {MOTOR!r} motors that take positions"
        )
    terrain = Terrain.parse(case.terrain)
    model = world.build(
        robot,
        actuator=law,
        timestep=contract.sim_dt,
        ground=terrain.ground(),
        contact=case.contact,
        lean=True,
    )
    if case.margin is not None:
        model.geom_margin[:] = case.margin
        model.pair_margin[:] = case.margin
    folder = root / case.label(robot.name)
    folder.mkdir(parents=True, exist_ok=True)
    scene = plain.write(model)
    (folder / SCENE).write_text(scene.xml)
    for name, content in scene.assets.items():
        (folder / name).write_bytes(content)
    policy = case.policy.read_bytes()
    (folder / POLICY).write_bytes(policy)
    joints = contract.joints
    asked = {name: [0.0] * len(width) for name, width in contract.command_ranges.items()}
    if len(asked.get(TWIST, ())) != len(case.command):
        raise ValueError(f"{case.policy}: commands {list(asked)}; {TWIST!r} of 3 is needed")
    asked[TWIST] = list(case.command)
    columns = [int(model.joint(name).qposadr[0]) for name in joints]
    job = {
        "scene": SCENE,
        "policy": POLICY,
        "joints": list(joints),
        "feet": [foot.geom for foot in robot.feet],
        "pose": list(contract.default_pose),
        "scale": contract.scales().tolist(),
        "clip": contract.action_clip,
        "kp": per_joint("kp", law.kp, joints).tolist(),
        "kd": per_joint("kd", law.kd, joints).tolist(),
        "limit": law.torque_limits(joints).tolist(),
        "decimation": contract.decimation,
        "slots": [asdict(slot) for slot in contract.slots],
        "commands": asked,
        "input_name": contract.input_name,
        "output_name": contract.output_name,
        "steps": round(case.seconds / contract.control_dt),
        "fallen": FALLEN,
        "qpos": _starts(case, terrain, robot, model, contract, columns).tolist(),
        "nudged": columns[0],
    }
    return Prepared(
        case=case,
        folder=folder,
        job=job,
        robot=robot,
        model=model,
        contract=contract,
        sha256=hashlib.sha256(policy).hexdigest(),
    )


def _starts(
    case: Case,
    terrain: Terrain,
    robot: Robot,
    model: mujoco.MjModel,
    contract: Contract,
    columns: list[int],
) -> np.ndarray:
    """Where the robots begin, (starts, nq): where a search on this terrain does, facing along x."""
    free = int(model.jnt_qposadr[np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0]])
    x, y = terrain.start()
    height, quat = terrain.ground().spawn_pose(x, y, 0.0, soles(robot))
    start = model.qpos0.copy()
    start[free : free + 3] = x, y, float(height) + DROP
    start[free + 3 : free + 7] = quat
    start[columns] = contract.default_pose
    starts = np.tile(start, (case.starts, 1))
    rng = np.random.default_rng(0)
    starts[1:, columns] += rng.uniform(-SPREAD, SPREAD, (case.starts - 1, len(columns)))
    return starts


def write(
    prepared: Prepared,
    name: str,
    *,
    loop: str,
    native: bool,
    multi: bool | None,
    tight: bool = False,
    nudge: bool = False,
    record: Path | None = None,
) -> Path:
    """Write one job file; give its path.

    Args:
        prepared: the case.
        name: of the file, without an ending.
        loop: `closed`, `open` or `step`.
        native: whether MuJoCo's own convex collision detector is on.
        multi: whether it looks for several contacts; None: as the version has it.
        tight: whether the solver goes on to the end.
        nudge: whether every start differs by `NUDGE`.
        record: what a closed run wrote, for the other two loops.
    """
    job, starts = prepared.job, np.array(prepared.job["qpos"])
    if nudge:
        starts[:, job["nudged"]] += NUDGE
    told = {
        **job,
        "loop": loop,
        "native": native,
        "multi": multi,
        "tight": tight,
        "qpos": starts.tolist(),
        "record": None if record is None else str(record.resolve()),
    }
    path = prepared.folder / f"{name}.json"
    path.write_text(json.dumps(told, allow_nan=False))
    return path
