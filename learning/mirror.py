"""Left-right reflection of observations and actions, column by column.

A reflection through the robot's vertical plane keeps x and z of a polar vector and turns y; of
an axial vector (a rotation) it keeps y and turns x and z. Joints follow the robot's own map.
"""

from typing import TYPE_CHECKING

import numpy as np

from servogym.deploy.contract import Contract

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
}
"""Signs of the slots that are not about joints; twist is (vx, vy, yaw rate)."""
JOINT_SLOTS = ("joint_pos", "joint_vel", "actions")
"""Slots with one column a joint, in contract order."""


def mirror_joints(robot: "Robot") -> tuple[np.ndarray, np.ndarray]:
    """Give index `(j,)` and sign `(j,)`: a mirrored action is `sign * action[index]`."""
    index, sign = robot.mirror_index()
    return np.asarray(index, np.int64), np.asarray(sign, np.float64)


def mirror_observation(contract: Contract, robot: "Robot") -> tuple[np.ndarray, np.ndarray]:
    """Give index `(obs,)` and sign `(obs,)`: a mirrored observation is `sign * obs[index]`.

    Raises:
        ValueError: A slot has no known reflection; the message lists those that have.
    """
    joint_index, joint_sign = mirror_joints(robot)
    indices, signs = [], []
    for name, columns in contract.slices().items():
        size = columns.stop - columns.start
        if name in JOINT_SLOTS and size == len(joint_index):
            index, sign = joint_index, joint_sign
        elif name == "head_command" and size == len(robot.head):
            partners = [robot.mirror[joint] for joint in robot.head]
            index = np.array([robot.head.index(partner) for partner, _ in partners])
            sign = np.array([sign for _, sign in partners])
        elif name in SIGNS and size == len(SIGNS[name]):
            index, sign = np.arange(size), np.array(SIGNS[name])
        else:
            known = ", ".join((*JOINT_SLOTS, "head_command", *SIGNS))
            raise ValueError(f"slot {name!r} ({size} columns): no known mirror; known: {known}")
        indices.append(columns.start + index)
        signs.append(sign)
    return np.concatenate(indices), np.concatenate(signs)
