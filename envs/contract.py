"""Builds the contract of a task: what the policy of this robot, motor and task reads and emits."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict

import gymnasium
import mujoco
import numpy as np

import servogym
from servogym.deploy.contract import Contract, Skill, Slot, fingerprint
from servogym.envs.built import Built
from servogym.envs.edits import plain, portable
from servogym.envs.task import Task
from servogym.robots.base import Robot
from servogym.scenes.contact import written

GYRO_RANGE = float(np.radians(2000))
"""Full scale of common MEMS gyroscopes, 2000 deg/s [rad/s]."""


def slots(
    task: Task, robot: Robot, clip: float | None = None, unit: str = "rad"
) -> tuple[Slot, ...]:
    """Return the observation slots of a walking task, in order.

    Order, units and frames are Microduck's policy contract (pollen-robotics/microduck_rl,
    docs/export-contract.md); the bounds are ours and lie beyond what a healthy robot reads. What
    is never commanded has no slot.

    Args:
        task: the task.
        robot: the robot.
        clip: largest action; None: the task's.
        unit: unit of an action.

    Raises:
        ValueError: the task commands another number of head joints than the robot has.
    """
    j, head, body = len(robot.joints), len(task.commands.head), len(task.commands.body)
    if head != len(robot.head):
        raise ValueError(
            f"task {task.name}: commands.head has {head} ranges, robot {robot.name} has "
            f"{len(robot.head)} head joints; give commands=Commands(head=...) one range a joint, "
            "() for no head"
        )
    seen = task.sensing.lin_vel_noise is not None
    return (
        *((_slot("base_lin_vel", 3, "m/s", "trunk", "state estimator", 10.0),) if seen else ()),
        _slot("base_ang_vel", 3, "rad/s", "trunk", "gyro", GYRO_RANGE),
        _slot("projected_gravity", 3, "1", "trunk", "IMU orientation", 1.1),
        _slot("joint_pos", j, "rad", "joint, minus default", "servo encoders", 2 * np.pi),
        _slot(
            "joint_vel",
            j,
            "rad/s",
            "joint",
            "servo velocity registers",
            60.0,
            task.sensing.joint_vel_lag,
        ),
        _slot("actions", j, unit, "joint", "previous network output", clip or task.action_clip),
        _slot("command", 3, "m/s, m/s, rad/s", "trunk yaw", "operator", 3.0),
        *_commanded("head_command", head, "rad", "joint, minus default"),
        *_commanded("body_command", body, "m, rad", "trunk"),
    )


def build(env_id: str, task: Task, built: Built, encoder: str) -> Contract:
    """Return the contract of a task on a robot.

    Args:
        env_id: id of the environment.
        task: the task.
        built: the robot, its motor law and what was edited of them.
        encoder: side of the gap on which the servos measure, "output" or "motor".
    """
    robot, actuator = built.robot, built.actuator
    described, commands = actuator.describe(), task.commands
    clip, unit = _largest_action(task, built)
    ranges = {
        "command": commands.twist,
        "head_command": commands.head,
        "body_command": commands.body,
    }
    return Contract(
        task=env_id,
        robot=robot.name,
        joints=robot.joints,
        default_pose=tuple(float(q) for q in robot.pose()),
        slots=slots(task, robot, clip, unit),
        action_scale=1.0,
        action_clip=clip,
        command=actuator.command,
        control_dt=task.control_dt,
        sim_dt=task.timestep,
        decimation=task.decimation,
        firmware=described.get("firmware", {}),
        actuator=built.name,
        actuator_hash=fingerprint(described),
        motor=described,
        encoder="motor" if encoder == "motor" else "output",
        backlash=built.gap,
        supply=None if task.supply is None else asdict(task.supply),
        contact=written(task.contact),
        edits=plain(portable(built.edits)),
        model_hash=hashlib.sha256(robot.path().read_bytes()).hexdigest(),
        wire_orders=robot.wire_orders,
        command_ranges={name: largest for name, largest in ranges.items() if largest},
        skill=Skill(kind="perpetual", slot=task.slot, duration_s=None, description=task.summary),
        versions=_versions(),
    )


def _largest_action(task: Task, built: Built) -> tuple[float, str]:
    """Give the bound of actions and its unit: the task's, or twice the strongest motor's torque.

    Twice, so that a stronger motor, drawn or edited, still decides for itself.
    """
    if built.actuator.command == "position":
        return task.action_clip, "rad"
    most = float(built.actuator.torque_limits(built.robot.joints).max())
    return (max(task.action_clip, 2.0 * most) if np.isfinite(most) else task.action_clip), "N*m"


def _slot(
    name: str, size: int, unit: str, frame: str, sensor: str, bound: float, delay: int = 0
) -> Slot:
    return Slot(
        name=name,
        size=size,
        unit=unit,
        frame=frame,
        sensor=sensor,
        low=-bound,
        high=bound,
        delay=delay,
    )


def _commanded(name: str, size: int, unit: str, frame: str) -> tuple[Slot, ...]:
    return (_slot(name, size, unit, frame, "operator", np.pi),) if size else ()


def _versions() -> dict[str, str]:
    modules = (servogym, mujoco, np, gymnasium)
    found = {module.__name__: module.__version__ for module in modules}
    return found | {"python": platform.python_version()}
