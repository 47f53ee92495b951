"""Left-right reflection of observations and actions, column by column.

A reflection through the robot's vertical plane keeps x and z of a polar vector and turns y; of
an axial vector (a rotation) it keeps y and turns x and z. Joints follow the robot's own map.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from servogym.robots.base import Robot

POLAR = (1.0, -1.0, 1.0)
AXIAL = (-1.0, 1.0, -1.0)
SIGNS: dict[str, tuple[float, ...]] = {
    "base_ang_vel": AXIAL,
    "projected_gravity": POLAR,
    "base_lin_vel": POLAR,
    "command": (1.0, -1.0, -1.0),
    "body_command": POLAR + AXIAL,
    "base_height": (1.0,),
    "double_time": (1.0,),
    "fair_swing": (1.0,),
    "yaw_rate_mean": (-1.0,),
    "turn_error_mean": (-1.0,),
}
"""Signs of the slots that are not about joints; twist is (vx, vy, yaw rate)."""
JOINT_SLOTS = ("joint_pos", "joint_vel", "actions", "torque")
"""Slots with one column a joint, in contract order."""
FOOT_SLOTS = ("foot_height", "foot_speed", "foot_rise", "foot_force", "foot_loaded", "air_time")
"""Slots with one column a foot, feet in pairs with the left one first; none about left or right."""

SCAN = "ground_below"
"""Slot of heights of the ground, each three columns left, middle and right."""


def mirror_joints(robot: "Robot") -> tuple[np.ndarray, np.ndarray]:
    """Give index `(j,)` and sign `(j,)`: a mirrored action is `sign * action[index]`."""
    index, sign = robot.mirror_index()
    return np.asarray(index, np.int64), np.asarray(sign, np.float64)


def mirror_columns(widths: Mapping[str, int], robot: "Robot") -> tuple[np.ndarray, np.ndarray]:
    """Give index `(k,)` and sign `(k,)`: mirrored columns are `sign * columns[index]`.

    Args:
        widths: Slot name -> number of columns, in order.
        robot: Its joints, head and mirror map.

    Raises:
        ValueError: A slot has no known reflection; the message lists those that have.
    """
    joint_index, joint_sign = mirror_joints(robot)
    start, indices, signs = 0, [np.zeros(0, np.int64)], [np.zeros(0)]
    for name, size in widths.items():
        if name in JOINT_SLOTS and size == len(joint_index):
            index, sign = joint_index, joint_sign
        elif name == "head_command" and size == len(robot.head):
            partners = [robot.mirror[joint] for joint in robot.head]
            index = np.array([robot.head.index(partner) for partner, _ in partners])
            sign = np.array([sign for _, sign in partners])
        elif name in FOOT_SLOTS and size == len(robot.feet) and size % 2 == 0:
            index, sign = np.arange(size) ^ 1, np.ones(size)
        elif name == SCAN and size % 3 == 0:
            index, sign = np.arange(size).reshape(-1, 3)[:, ::-1].ravel(), np.ones(size)
        elif name in SIGNS and size == len(SIGNS[name]):
            index, sign = np.arange(size), np.array(SIGNS[name])
        else:
            known = ", ".join((*JOINT_SLOTS, "head_command", *FOOT_SLOTS, *SIGNS))
            raise ValueError(f"slot {name!r} ({size} columns): no known mirror; known: {known}")
        indices.append(start + index)
        signs.append(sign)
        start += size
    return np.concatenate(indices), np.concatenate(signs)
