"""Where a robot's parts lie in the arrays of a compiled model, found by exact name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from servogym.robots.backlash import passive_name

if TYPE_CHECKING:
    from servogym.robots import Robot


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Integer arrays that select one robot's parts; joints are in contract order."""

    servo_qpos: np.ndarray
    """Columns of qpos of the servo joints, (j,)."""
    servo_dof: np.ndarray
    """Columns of qvel of the servo joints, (j,)."""
    motor: np.ndarray
    """Actuator that bears each servo's name, (j,)."""
    play_qpos: np.ndarray | None
    """Columns of qpos of the gear gaps, (j,); None without backlash."""
    play_dof: np.ndarray | None
    """Columns of qvel of the gear gaps, (j,); None without backlash."""
    base_qpos: np.ndarray
    """Columns of qpos of the free joint: position (3), quaternion w x y z (4)."""
    base_dof: np.ndarray
    """Columns of qvel of the free joint: linear in world axes (3), angular in body axes (3)."""
    base_body: int
    """Base body."""
    imu_site: int
    """IMU site."""
    foot_site: np.ndarray
    """Sole sites, (f,)."""
    foot_geom: np.ndarray
    """Sole collision geoms, (f,)."""
    foot_force: np.ndarray
    """Columns of sensordata of the upward ground force on each foot [N], (f,)."""
    foot_force_vector: np.ndarray
    """Columns of sensordata of the ground force on each foot in world axes [N], (f, 3)."""
    foot_velocity: np.ndarray
    """Columns of sensordata of each foot's velocity in world axes [m/s], (f, 3)."""

    @classmethod
    def of(cls, model: mujoco.MjModel, robot: Robot, prefix: str = "") -> Addresses:
        """Looks a robot up in a model that `servogym.scenes.world.build` compiled.

        Args:
            model: The compiled model.
            robot: Whose names to look for.
            prefix: What an attach put in front of the robot's names, e.g. `a/`.

        Raises:
            LookupError: Names are missing from the model; the message lists them all.
        """
        find = _Finder(model, prefix)
        servos = find.all("joint", robot.joints)
        plays = [passive_name(joint) for joint in robot.joints]
        has_play = any(find.has("joint", name) for name in plays)
        play = find.all("joint", plays) if has_play else None
        body = find.all("body", [robot.base_body])
        feet = [foot.site for foot in robot.feet]
        force = find.columns([f"foot_force_{site}" for site in feet])
        found = {
            "motor": find.all("actuator", robot.joints),
            "imu_site": find.all("site", [robot.imu_site]),
            "foot_site": find.all("site", feet),
            "foot_geom": find.all("geom", [foot.geom for foot in robot.feet]),
            "foot_velocity": find.columns([f"foot_velocity_{site}" for site in feet]),
        }
        free = model.body_jntadr[body[0]]
        if free < 0 or mujoco.mjtJoint(model.jnt_type[free]) != mujoco.mjtJoint.mjJNT_FREE:
            find.missing.append(f"free joint on body {prefix}{robot.base_body}")
        if find.missing:
            raise LookupError(f"{robot.name} is not in this model as asked: no {find.missing}")
        return cls(
            servo_qpos=model.jnt_qposadr[servos],
            servo_dof=model.jnt_dofadr[servos],
            play_qpos=None if play is None else model.jnt_qposadr[play],
            play_dof=None if play is None else model.jnt_dofadr[play],
            base_qpos=model.jnt_qposadr[free] + np.arange(7),
            base_dof=model.jnt_dofadr[free] + np.arange(6),
            base_body=int(body[0]),
            imu_site=int(found.pop("imu_site")[0]),
            foot_force=force[:, 2],
            foot_force_vector=force,
            **found,
        )


class _Finder:
    """Looks names up and remembers the ones it did not find."""

    def __init__(self, model: mujoco.MjModel, prefix: str) -> None:
        self.model = model
        self.prefix = prefix
        self.missing: list[str] = []

    def has(self, kind: str, name: str) -> bool:
        """Whether the model has this element."""
        return self._id(kind, name) >= 0

    def all(self, kind: str, names) -> np.ndarray:
        """Ids of the elements, 0 where missing."""
        ids = [self._id(kind, name) for name in names]
        self.missing += [
            f"{kind} {self.prefix}{name}"
            for name, found in zip(names, ids, strict=True)
            if found < 0
        ]
        return np.maximum(np.array(ids, dtype=int), 0)

    def columns(self, sensors: list[str]) -> np.ndarray:
        """Sensordata columns of three-component sensors, (s, 3)."""
        ids = self.all("sensor", sensors)
        if self.missing:
            return np.zeros((len(ids), 3), dtype=int)
        return self.model.sensor_adr[ids][:, None] + np.arange(3)

    def _id(self, kind: str, name: str) -> int:
        code = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        return mujoco.mj_name2id(self.model, code, self.prefix + name)


def columns(index: np.ndarray) -> slice | np.ndarray:
    """Turn evenly spaced column numbers into a slice, which is several times faster to write."""
    steps = np.diff(index)
    if len(index) > 1 and steps[0] > 0 and (steps == steps[0]).all():
        return slice(int(index[0]), int(index[-1]) + 1, int(steps[0]))
    return index
