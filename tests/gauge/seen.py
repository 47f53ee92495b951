"""Samples and contacts whose every number is known, because it was put there."""

from dataclasses import replace

import numpy as np

from servogym.gauge.metrics.footing import EMPTY, Footing
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import GO2_FLAT
from servogym.gauge.metrics.samples import Samples

DT = 0.02
SCALES = GO2_FLAT

LEGS = ("FL", "FR", "RL", "RR")
GO2 = Physique(
    joints=tuple(f"{leg}_{joint}" for leg in LEGS for joint in ("hip", "thigh", "calf")),
    low=np.full(12, -1.0),
    high=np.full(12, 1.0),
    soft_limit=0.9,
    mass=15.0,
    gravity=10.0,
    height=0.3,
    feet=np.array([[0.2, 0.15], [0.2, -0.15], [-0.2, 0.15], [-0.2, -0.15]]),
)
"""Joints of Go2, round figures: weight 150 N, feet up to 0.5 m apart."""


def still(t=100, n=1, joints=12, feet=4, dt=DT):
    """Robots that stand upright at the origin, without a command, a torque or a fall."""
    shape = (t, n)
    quat = np.zeros((*shape, 4))
    quat[..., 0] = 1.0
    return Samples(
        dt=dt,
        alive=np.ones(shape, bool),
        settled=np.ones(shape, bool),
        position=np.zeros((*shape, 3)),
        quat=quat,
        lin_vel=np.zeros((*shape, 3)),
        ang_vel=np.zeros((*shape, 3)),
        joint_pos=np.zeros((*shape, joints)),
        joint_vel=np.zeros((*shape, joints)),
        torque=np.zeros((*shape, joints)),
        action=np.zeros((*shape, joints)),
        command=np.zeros((*shape, 3)),
        foot_pos=np.zeros((*shape, feet, 3)),
        foot_vel=np.zeros((*shape, feet, 3)),
        loaded=np.ones((*shape, feet), bool),
    )


def with_(samples, **values):
    """The same with other values, each broadcast to its array."""
    return replace(
        samples,
        **{
            name: np.broadcast_to(value, getattr(samples, name).shape).astype(
                getattr(samples, name).dtype
            )
            for name, value in values.items()
        },
    )


def turned(axis, degrees):
    """Quaternion (w, x, y, z) of a turn about a world axis."""
    half = np.radians(degrees) / 2
    return np.array([np.cos(half), *(np.sin(half) * np.array(axis, float))])


X, Y, Z = np.eye(3)


def touching(*contacts, moments=1, cone="elliptic", **whole):
    """A footing of one robot; contacts are dictionaries with foot, normal, and what is known."""
    c = max(len(contacts), 1)
    arrays = {
        "foot": np.full((moments, 1, c), EMPTY),
        "dim": np.full((moments, 1, c), 3),
        "dist": np.zeros((moments, 1, c)),
        "point": np.zeros((moments, 1, c, 3)),
        "friction": np.zeros((moments, 1, c, 5)),
        "wrench": np.zeros((moments, 1, c, 6)),
        "force": np.zeros((moments, 1, c, 3)),
        "torque": np.zeros((moments, 1, c, 3)),
    }
    for k, contact in enumerate(contacts):
        contact = dict(contact)
        normal = contact.pop("normal", 0.0)
        wrench = [normal, *contact.pop("tangent", (0.0, 0.0)), *contact.pop("moment", (0, 0, 0))]
        mu = contact.pop("mu", 0.8)
        arrays["wrench"][:, :, k] = wrench
        arrays["force"][:, :, k] = [*wrench[1:3], normal]
        arrays["friction"][:, :, k] = np.broadcast_to(mu, 5) if np.ndim(mu) == 0 else mu
        for name, value in contact.items():
            arrays[name][:, :, k] = value
    known = {"centre": np.zeros(3), "needed_force": np.array([0.0, 0.0, 150.0])}
    for name in ("centre", "needed_force", "needed_moment"):
        value = whole.pop(name, known.get(name, np.zeros(3)))
        arrays[name] = np.broadcast_to(np.asarray(value, float), (moments, 1, 3))
    return Footing(every=5, first=4, cone=cone, **arrays, **whole)
