"""Small models the backlash tests bend and measure."""

import math

import mujoco
import numpy as np

from servogym import robots
from servogym.robots.backlash import add_backlash

DEGREE = math.radians(1.0)
"""Half range of MicroDuck's gap [rad]."""

_ARM = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.005" integrator="implicitfast" gravity="0 0 0"/>
  <worldbody>
    <body name="link">
      <joint name="servo" axis="0 1 0" armature="0.0018" damping="0.053" frictionloss="0.0048"/>
      <inertial pos="0 0 -0.05" mass="0.05" diaginertia="1e-3 1e-3 1e-3"/>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="servo" kp="20"/></actuator>
</mujoco>
"""


class Arm:
    """One servo, its gap, and a load that dry friction keeps where it is."""

    def __init__(self, half_range=DEGREE, load_friction=0.02, **gap):
        spec = add_backlash(_ARM, half_range=half_range, **gap)
        load = spec.add_tendon(name="load", frictionloss=load_friction)
        load.wrap_joint("servo", 1.0)
        load.wrap_joint("passive_servo_backlash", 1.0)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def go(self, target, steps=1000):
        """Move the motor slowly to a target; returns (motor, link) angles along the way."""
        path = []
        for ctrl in np.linspace(self.data.qpos[0], target, steps):
            self.data.ctrl[0] = ctrl
            mujoco.mj_step(self.model, self.data)
            path.append((self.data.qpos[0], self.data.qpos.sum()))
        return np.array(path)


def hanging_duck(backlash=None):
    """MicroDuck with its trunk fixed in the air."""
    spec = robots.get("microduck").spec()
    spec.delete(spec.joint("trunk_base_freejoint"))
    for key in spec.keys:
        key.qpos = np.array(key.qpos)[-14:]
    spec.option.timestep = 0.005
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    if backlash is not None:
        spec = add_backlash(spec, half_range=backlash)
    return spec.compile()
