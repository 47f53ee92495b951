"""Unitree Go2: a 15.206 kg quadruped with twelve GO-M8010-6 motors.

Figures come from the vendor's published models (unitree_mujoco; MuJoCo Menagerie, unitree_go2) and
its walking examples (unitree_rl_gym, unitree_rl_lab); the geometry is our own. `docs/robots.md`
tells which is which.
"""

from servogym.robots.base import Foot, Robot

_LEGS = ("FL", "FR", "RL", "RR")
_PARTS = ("hip", "thigh", "calf")
_JOINTS = tuple(f"{leg}_{part}_joint" for leg in _LEGS for part in _PARTS)


def _each(hip: float, thigh: float, calf: float) -> dict[str, float]:
    """The same three figures for each leg."""
    return dict(zip(_JOINTS, (hip, thigh, calf) * 4, strict=True))


# Continuous torque at the joint [N·m]: the vendor's URDF and Menagerie.
_EFFORT = _each(23.7, 23.7, 45.43)

# Gains of unitree_rl_gym and RoboGauge: stiffness [N·m/rad], damping [N·m·s/rad].
_GAINS = {"kp": 20.0, "kd": 0.5}

# Passive joint figures of unitree_mujoco.
_PASSIVE = {"damping": 0.1, "frictionloss": 0.2, "armature": 0.01}

ROBOT = Robot(
    name="go2",
    title="Go2",
    models={"walk": "go2/walk.xml"},
    joints=_JOINTS,
    default_pose={
        f"{leg}_{part}_joint": angle
        for leg in _LEGS
        for part, angle in zip(
            _PARTS,
            (0.1 if leg[1] == "L" else -0.1, 0.8 if leg[0] == "F" else 1.0, -1.5),
            strict=True,
        )
    },
    base_body="base",
    imu_site="imu",
    feet=tuple(Foot(site=leg, geom=f"{leg}_foot") for leg in _LEGS),
    swing_groups=(("FL", "RR"), ("FR", "RL")),
    loaded_force=1.0,
    typical_torque=10.0,
    legs=_JOINTS,
    head=(),
    spawn_height=0.3235026,
    mirror={
        f"{leg}_{part}_joint": (
            f"{leg[0]}{'R' if leg[1] == 'L' else 'L'}_{part}_joint",
            -1.0 if part == "hip" else 1.0,
        )
        for leg in _LEGS
        for part in _PARTS
    },
    actuator="pd",
    motors={
        "pd": {**_GAINS, "effort_limit": _EFFORT, **_PASSIVE},
        "ideal": {"effort_limit": _EFFORT, **_PASSIVE},
    },
    backlash=0.005,
    wire_orders={
        "mujoco": _JOINTS,
        "sdk": tuple(f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in _PARTS),
        "isaac": tuple(f"{leg}_{part}_joint" for part in _PARTS for leg in _LEGS),
    },
)
