"""Per-joint tables: one number for all joints, or a mapping from joint name to number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np

PerJoint = float | Mapping[str, float]
"""One number for every joint, or a number for each joint by name."""


def per_joint(what: str, value: PerJoint, joints: Sequence[str]) -> np.ndarray:
    """Resolve a table to one number per joint, shape (j,), float64, in the order of `joints`.

    A joint of an attached robot, `a/left_knee`, is found under its full name or under its own name
    `left_knee`.

    Args:
        what: name of the quantity, for the error.
        value: a number, or a mapping that has exactly the names of `joints`.
        joints: the joint names in contract order.

    Raises:
        ValueError: the mapping misses a joint, has one that does not exist, or is no table at all;
            or a value is NaN, with which MuJoCo would switch all motors of the robot off.
    """
    if isinstance(value, Real):
        return np.full(len(joints), _number(what, value))
    if not isinstance(value, Mapping):
        raise ValueError(
            f"{what} is {value!r}: give a number or a mapping from joint name to number"
        )
    keys = [joint if joint in value else joint.rpartition("/")[2] for joint in joints]
    missing = [joint for joint, key in zip(joints, keys, strict=True) if key not in value]
    invented = sorted(set(value) - set(keys))
    if missing or invented:
        raise ValueError(
            f"{what}: missing joints {missing}, unknown joints {invented}; "
            f"the joints are {list(joints)}"
        )
    return np.array([_number(f"{what} of {key}", value[key]) for key in keys])


def _number(what: str, value: object) -> float:
    if not isinstance(value, Real) or math.isnan(value):
        raise ValueError(f"{what} is {value!r}: give a number")
    return float(value)
