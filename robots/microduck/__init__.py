"""MicroDuck: a 25 cm, 0.74 kg biped with fourteen XL330 servos.

Figures come from the public "alpha" walking model and its training code
(pollen-robotics/microduck_rl, robot_walk.xml and microduck_constants.py); the geometry is our
own. `docs/robots.md` tells which is which.
"""

from math import radians

from servogym.robots.base import Foot, Robot

_LEG = ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle")
_LEFT = tuple(f"left_{joint}" for joint in _LEG)
_RIGHT = tuple(f"right_{joint}" for joint in _LEG)
_HEAD = ("neck_pitch", "head_pitch", "head_yaw", "head_roll")

# Left leg at the default pose [rad]; the right leg is its negative. microduck_constants.py, HOME.
_LEFT_POSE = (0.0, -0.08726646259971647, -0.457924, -0.00494, 0.452984)

# XL330 at 7.4 V, output side, as BAM identified it: kt [N·m/A], resistance [ohm].
_KT = 0.36601349688984386
_RESISTANCE = 2.8113923539223227
_VOLTAGE = 7.4

# Fully charged battery [V]; its stall torque is the vendor's limit. microduck_constants.py.
_FULL_VOLTAGE = 8.2

# What firmware gain 200 amounts to near the target: stiffness [N·m/rad], damping [N·m·s/rad] and
# stall torque [N·m] of the vendor's PD fallback. microduck_rl robot_walk.xml, chosen_actuator.
_KP = 0.55
_KD = 0.053
_EFFORT = 0.96

ROBOT = Robot(
    name="microduck",
    title="MicroDuck",
    models={"walk": "microduck/walk.xml", "ground": "microduck/ground.xml"},
    joints=(*_LEFT, *_HEAD, *_RIGHT),
    default_pose={
        **dict(zip(_LEFT, _LEFT_POSE, strict=True)),
        "neck_pitch": radians(20.0),
        "head_pitch": radians(20.0),
        "head_yaw": 0.0,
        "head_roll": 0.0,
        **{joint: 0.0 - angle for joint, angle in zip(_RIGHT, _LEFT_POSE, strict=True)},
    },
    base_body="trunk_base",
    imu_site="imu",
    feet=(
        Foot(site="left_foot", geom="left_foot_collision"),
        Foot(site="right_foot", geom="right_foot_collision"),
    ),
    legs=(*_LEFT, *_RIGHT),
    head=_HEAD,
    spawn_height=0.1171285,
    mirror={
        **{left: (right, -1.0) for left, right in zip(_LEFT, _RIGHT, strict=True)},
        **{right: (left, -1.0) for left, right in zip(_LEFT, _RIGHT, strict=True)},
        "neck_pitch": ("neck_pitch", 1.0),
        "head_pitch": ("head_pitch", 1.0),
        "head_yaw": ("head_yaw", -1.0),
        "head_roll": ("head_roll", -1.0),
    },
    motors={
        "bam": {
            "servo": "xl330",
            "model": "m6",
            "kp_fw": 200,
            "torque_limit": _FULL_VOLTAGE * _KT / _RESISTANCE,
        },
        "pd": {"kp": _KP, "kd": _KD, "effort_limit": _EFFORT},
        "ideal": {"effort_limit": _EFFORT},
        "dc": {
            "voltage": _VOLTAGE,
            "resistance": _RESISTANCE,
            "kt": _KT,
            "ke": _KT,
            "gear": 1.0,
            "torque_limit": _EFFORT,
            "current_limit": _VOLTAGE / _RESISTANCE,
            "kp": _KP,
            "kd": _KD,
        },
    },
    backlash=radians(1.0),
)
