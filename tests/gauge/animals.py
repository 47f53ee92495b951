"""A four-legged robot and a sled, written here to try the gauge on robots it never saw."""

from pathlib import Path

import mujoco
import numpy as np

from servogym.robots.base import Foot, Robot

LEGS = {"fl": (0.2, 0.1), "fr": (0.2, -0.1), "rl": (-0.2, 0.1), "rr": (-0.2, -0.1)}
THIGH, CALF, FOOT = 0.2, 0.2, 0.02
STAND = {"hip": 0.0, "thigh": 0.7, "calf": -1.4}
HEIGHT = 2 * 0.2 * float(np.cos(0.7)) + FOOT
BALL = """<body name="ball" pos="3 3 1"><freejoint/><geom size=".1" mass="1"/></body>"""


def _leg(name, x, y, condim):
    return f"""
    <body name="{name}_hip" pos="{x} {y} 0">
      <joint name="{name}_hip" axis="1 0 0" range="-1 1" damping=".1" armature=".01"/>
      <geom size=".03" mass=".6"/>
      <body name="{name}_thigh">
        <joint name="{name}_thigh" axis="0 1 0" range="-1.5 3" damping=".1" armature=".01"/>
        <geom type="capsule" fromto="0 0 0 0 0 -{THIGH}" size=".015" mass=".8" contype="0"
          conaffinity="0"/>
        <body name="{name}_calf" pos="0 0 -{THIGH}">
          <joint name="{name}_calf" axis="0 1 0" range="-2.6 -.2" damping=".1" armature=".01"/>
          <geom type="capsule" fromto="0 0 0 0 0 -{CALF}" size=".01" mass=".2" contype="0"
            conaffinity="0"/>
          <geom name="{name}_foot" pos="0 0 -{CALF}" size="{FOOT}" mass=".05" condim="{condim}"
            friction=".8 .02 .01" priority="1"/>
          <site name="{name}_foot" pos="0 0 -{CALF + FOOT}"/>
        </body>
      </body>
    </body>"""


def dog(folder: Path, *, before: str = "", condim: int = 3) -> Robot:
    """Twelve joints, 12.1 kg, ball feet; `before` is what stands in its file before it."""
    legs = "".join(_leg(name, x, y, condim) for name, (x, y) in LEGS.items())
    joints = tuple(f"{leg}_{joint}" for leg in LEGS for joint in STAND)
    motors = "".join(f'<motor name="{name}" joint="{name}"/>' for name in joints)
    xml = f"""<mujoco><compiler angle="radian"/><worldbody>{before}
      <body name="trunk" pos="0 0 {HEIGHT}"><freejoint/><site name="imu"/>
        <geom name="trunk" type="box" size=".2 .08 .05" mass="5.5"/>{legs}</body></worldbody>
      <actuator>{motors}</actuator></mujoco>"""
    path = folder / "dog.xml"
    path.write_text(xml)
    return Robot(
        name="dog",
        title="Dog",
        models={"walk": str(path)},
        joints=joints,
        default_pose={name: STAND[name.split("_")[1]] for name in joints},
        base_body="trunk",
        imu_site="imu",
        feet=tuple(Foot(site=f"{leg}_foot", geom=f"{leg}_foot") for leg in LEGS),
        legs=joints,
        head=(),
        spawn_height=HEIGHT,
        mirror={name: (name, 1.0) for name in joints},
        backlash=0.01,
    )


def sled(folder: Path, *, condim: int = 3, pair: float | None = None) -> Robot:
    """A box on a sole with one idle joint; `pair` gives sole and floor a friction of their own."""
    own = f'geom1="sole" geom2="floor" friction="{pair} {pair} .02 .01 .01"'
    paired = f"<contact><pair {own}/></contact>"
    xml = f"""<mujoco><compiler angle="radian"/><worldbody>
      <body name="trunk" pos="0 0 .05"><freejoint/><site name="imu"/>
        <geom name="sole" type="box" size=".1 .1 .05" mass="2" condim="{condim}" priority="1"
          friction=".6 .02 .01"/><site name="sole" pos="0 0 -.05"/>
        <body><joint name="idle" axis="0 0 1" range="-1 1"/><geom size=".02" mass=".1"
          contype="0" conaffinity="0"/></body>
      </body></worldbody>{paired if pair is not None else ""}
      <actuator><motor name="idle" joint="idle"/></actuator></mujoco>"""
    path = folder / "sled.xml"
    path.write_text(xml)
    return Robot(
        name="sled",
        title="Sled",
        models={"walk": str(path)},
        joints=("idle",),
        default_pose={"idle": 0.0},
        base_body="trunk",
        imu_site="imu",
        feet=(Foot(site="sole", geom="sole"),),
        legs=(),
        head=(),
        spawn_height=0.05,
        mirror={"idle": ("idle", 1.0)},
        backlash=0.01,
    )


def place(model: mujoco.MjModel, robot: Robot, at) -> mujoco.MjData:
    """Put a robot down in its default pose, just touching."""
    data = mujoco.MjData(model)
    data.qpos[at.base_qpos] = [0.0, 0.0, robot.spawn_height - 1e-4, 1.0, 0.0, 0.0, 0.0]
    data.qpos[at.servo_qpos] = robot.pose()
    return data


def trot(robot: Robot, time: float) -> np.ndarray:
    """Joint angles of an open-loop trot in contract order: diagonal pairs lift in turn at 2 Hz."""
    pose = robot.pose()
    for k, name in enumerate(robot.joints):
        leg, joint = name.split("_")
        phase = 2 * np.pi * 2.0 * time + (0.0 if leg in ("fl", "rr") else np.pi)
        lift = 0.25 * max(0.0, np.sin(phase)) ** 2
        pose[k] += {"hip": 0.0, "thigh": lift + 0.04 * np.cos(phase), "calf": -2 * lift}[joint]
    return pose


def push(data: mujoco.MjData, at, target: np.ndarray, kp: float = 80.0, kd: float = 2.0) -> None:
    """Let every joint's motor pull towards its target."""
    data.ctrl[at.motor] = kp * (target - data.qpos[at.servo_qpos]) - kd * data.qvel[at.servo_dof]
