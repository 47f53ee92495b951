"""Two robots that are nothing but a test bench: an arm on a post, and a ball on the floor."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from servogym import robots
from servogym.actuators.bam import Bam
from servogym.actuators.base import Actuator
from servogym.actuators.dc_motor import DcMotor
from servogym.actuators.ideal import IdealTorque
from servogym.actuators.pd import Pd
from servogym.actuators.supply import Supply
from servogym.envs import registration
from servogym.envs.commands import Commands
from servogym.envs.core import Core
from servogym.envs.randomize import Randomization
from servogym.envs.task import Task
from servogym.robots import Foot, Robot
from servogym.scenes.contact import FootPairs

ARM, MASS, INERTIA, ARMATURE = 0.1, 0.2, 3e-4, 2e-3
"""Lever [m], mass [kg], inertia about its centre [kg·m²] and rotor inertia [kg·m²] of the arm."""

POST = f"""<mujoco model="post"><compiler angle="radian"/><worldbody>
<body name="base" pos="0 0 2" gravcomp="1"><freejoint/>
  <inertial pos="0 0 0" mass="1e5" diaginertia="1e5 1e5 1e5"/>
  <site name="imu"/><site name="left"/><site name="right"/>
  <geom name="left" size=".01" pos="0 .2 0" priority="1"/>
  <geom name="right" size=".01" pos="0 -.2 0" priority="1"/>
  <body name="arm"><joint name="arm" axis="0 -1 0" range="-9 9"/>
    <inertial pos="{ARM} 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
  </body>
</body></worldbody></mujoco>"""
"""A base too heavy to move, weightless, with a horizontal arm whose weight turns it downwards."""

RADIUS, WEIGHT = 0.05, 0.5 * 9.81
"""Of the ball: radius [m], weight [N]."""

BALL = f"""<mujoco model="ball"><worldbody>
<body name="base" pos="0 0 {RADIUS}"><freejoint/>
  <inertial pos="0 0 0" mass="0.5" diaginertia="5e-4 5e-4 5e-4"/>
  <geom name="left" size="{RADIUS}" condim="6" priority="1" friction=".6 .02 .01"/>
  <geom name="right" size="{RADIUS}" condim="6" priority="1" friction=".6 .02 .01"/>
  <site name="imu"/><site name="left"/><site name="right"/>
  <body name="arm"><joint name="arm" axis="0 1 0" range="-9 9"/>
    <inertial pos="0 0 0" mass="1e-4" diaginertia="1e-8 1e-8 1e-8"/></body>
</body></worldbody></mujoco>"""
"""A ball of two equal shapes, with an arm of no weight."""

PAIRS = FootPairs(normal=None, tangential=None)
"""Contacts of the soles with the floor written out as explicit pairs, as soft as before."""

SUPPLY = 7.4


def law(name: str, *, limp: bool = False, friction: float = 0.0) -> Actuator:
    """Return a motor of each law, alike as far as the laws allow; limp ones do not steer."""
    kp, kd = (0.0, 0.0) if limp else (2.0, 0.05)
    joint = {"armature": ARMATURE, "damping": 0.01, "frictionloss": friction}
    if name == "ideal":
        return IdealTorque(effort_limit=0.5, **joint)
    if name == "pd":
        return Pd(kp=kp, kd=kd, effort_limit=0.5, **joint)
    if name == "dc":
        return DcMotor(
            voltage=SUPPLY, resistance=2.8, kt=0.36, kp=kp, kd=kd, torque_limit=0.5, **joint
        )
    kp_fw = 0.0 if limp else 400.0
    return Bam(servo="xl330", model="m1", kp_fw=kp_fw, torque_limit=0.5, armature=ARMATURE)


def robot(folder: Path, name: str, text: str) -> Robot:
    """Write a bench's model into a folder and return its record."""
    path = folder / f"{name}.xml"
    path.write_text(text, "utf-8")
    return Robot(
        name=name,
        title=name.title(),
        models={"walk": str(path)},
        joints=("arm",),
        default_pose={"arm": 0.0},
        base_body="base",
        imu_site="imu",
        feet=(Foot(site="left", geom="left"), Foot(site="right", geom="right")),
        legs=("arm",),
        head=(),
        spawn_height=2.0 if name == "post" else RADIUS,
        mirror={"arm": ("arm", 1.0)},
        actuator="ideal",
        motors={"ideal": {"effort_limit": 1.0}},
        backlash=0.02,
    )


class Benches:
    """Makes cores of bench robots as if they were in the catalogue."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        """Write models into a folder; the catalogue is patched for as long as the test runs."""
        self._folder, self._patch = folder, monkeypatch

    def __call__(
        self,
        actuator: Actuator | str,
        draws: Mapping | None = None,
        *,
        text: str = POST,
        n: int = 6,
        supply: bool = False,
        **options,
    ) -> Core:
        """Return n robots after a reset, with nothing random but the draws given."""
        made = robot(self._folder, "post" if "post" in text else "ball", text)
        task = Task(
            name="Bench",
            robot=made.name,
            summary="",
            rewards={},
            terminations={},
            commands=Commands(head=(), body=()),
            randomization=Randomization.off(),
            supply=Supply(volts=SUPPLY) if supply else None,
            timestep=0.002,
            decimation=1,
        )
        self._patch.setattr(robots, "get", lambda name: made)
        self._patch.setattr(registration, "find", lambda name: task)
        quiet = {"sensing": False, "spawn": False, "threads": 1}
        core = Core("bench", n, actuator=actuator, randomization=draws, **quiet | options)
        core.seed(np.arange(n), np.arange(n, dtype=np.uint64) + np.uint64(5))
        core.reset(np.arange(n))
        return core
