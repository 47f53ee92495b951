"""What the worker is given: a scene, a policy, starts, and what to do with them, as files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from servogym import actuators, robots
from servogym.actuators.pd import Pd
from servogym.actuators.per_joint import per_joint
from servogym.deploy.policy import Policy
from servogym.gauge.versions import plain
from servogym.scenes import world
from servogym.scenes.terrain import Terrain
from servogym.scenes.terrain.soles import soles

SCENE, POLICY = "scene.xml", "policy.onnx"
FALLEN = float(np.cos(np.radians(70.0)))
"""Cosine of the lean beyond which a robot has fallen, as in the clean room."""
DROP = 0.005
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
    command: tuple[float, float, float] = (0.5, 0.0, 0.0)
    """What is asked all the time [m/s, m/s, rad/s]."""
    seconds: float = 8.0
    """How long [s]."""
    starts: int = 5
    """How many starts; each differs from the others by more than versions do."""

    def label(self, robot: str) -> str:
        """Name it in a way that can be a folder's."""
        return f"{robot}-{self.terrain}-{self.contact}".replace(":", "_").replace(",", "_")


def prepare(case: Case, folder: Path) -> dict[str, Any]:
    """Write the scene and the policy of a case into a folder; give the job but for its loop.

    Raises:
        LookupError: the policy's robot has no `pd` motors here.
        OSError: the policy cannot be read or the folder not written.
        ValueError: the policy, terrain or contact is none, or the scene cannot be written plainly.
    """
    contract = Policy(case.policy).contract
    robot = robots.get(contract.robot)
    law = actuators.make(MOTOR, robot)
    assert isinstance(law, Pd)
    ground = Terrain.parse(case.terrain).ground()
    model = world.build(
        robot,
        actuator=law,
        timestep=contract.sim_dt,
        ground=ground,
        contact=case.contact,
        lean=True,
    )
    if not np.isclose(contract.control_dt, contract.decimation * contract.sim_dt):
        raise ValueError(f"{case.policy}: control steps are no whole number of physics steps")
    folder.mkdir(parents=True, exist_ok=True)
    scene = plain.write(model)
    (folder / SCENE).write_text(scene.xml)
    for name, content in scene.assets.items():
        (folder / name).write_bytes(content)
    shutil.copyfile(case.policy, folder / POLICY)
    joints = contract.joints
    columns = [int(model.joint(name).qposadr[0]) for name in joints]
    free = int(model.jnt_qposadr[np.flatnonzero(model.jnt_type == 0)[0]])
    x, y = Terrain.parse(case.terrain).start()
    height, quat = ground.spawn_pose(x, y, 0.0, soles(robot))
    start = model.qpos0.copy()
    start[free : free + 3] = x, y, float(height) + DROP
    start[free + 3 : free + 7] = quat
    start[columns] = contract.default_pose
    starts = np.tile(start, (case.starts, 1))
    rng = np.random.default_rng(0)
    starts[1:, columns] += rng.uniform(-SPREAD, SPREAD, (case.starts - 1, len(joints)))
    asked = {name: [0.0] * len(width) for name, width in contract.command_ranges.items()}
    first = next(iter(asked))
    asked[first][:3] = case.command
    return {
        "robot": robot.name,
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
        "control_dt": contract.control_dt,
        "slots": [asdict(slot) for slot in contract.slots],
        "commands": asked,
        "input_name": contract.input_name,
        "output_name": contract.output_name,
        "steps": round(case.seconds / contract.control_dt),
        "fallen": FALLEN,
        "qpos": starts.tolist(),
        "nudged": columns[0],
    }


def write(
    job: dict[str, Any],
    folder: Path,
    name: str,
    *,
    loop: str,
    native: bool,
    multi: bool | None,
    nudge: bool = False,
    record: Path | None = None,
) -> Path:
    """Write one job file; give its path.

    Args:
        job: of `prepare`.
        folder: where the scene is.
        name: of the file, without an ending.
        loop: `closed`, `open` or `step`.
        native: whether MuJoCo's own convex collision detector is on.
        multi: whether it looks for several contacts; None: as the version has it.
        nudge: whether every start differs by `NUDGE`.
        record: what a closed run wrote, for the other two loops.
    """
    starts = np.array(job["qpos"])
    if nudge:
        starts[:, job["nudged"]] += NUDGE
    told = {
        **job,
        "loop": loop,
        "native": native,
        "multi": multi,
        "qpos": starts.tolist(),
        "record": None if record is None else str(record.resolve()),
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(told, allow_nan=False))
    return path


def names(cases: Sequence[Case], robots_of: Sequence[str]) -> list[str]:
    """Name cases; two of the same name would share a folder.

    Raises:
        ValueError: naming the cases that are given twice.
    """
    found = [case.label(robot) for case, robot in zip(cases, robots_of, strict=True)]
    if twice := sorted({name for name in found if found.count(name) > 1}):
        raise ValueError(f"cases {twice} are given twice")
    return found
