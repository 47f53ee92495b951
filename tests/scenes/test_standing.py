"""MicroDuck under its default motors stands, tips and sits as the published one does."""

import mujoco
import numpy as np
import pytest

from servogym import actuators, robots
from servogym.actuators.base import Signals
from servogym.scenes.addresses import Addresses
from servogym.scenes.world import build

DUCK = robots.get("microduck")


def held(key, seconds, model="walk", backlash=None):
    """Trunk height [m] and tilt [deg] of a duck whose servos are told to hold a keyframe."""
    law = actuators.make("bam", DUCK)
    world = build(DUCK, actuator=law, model=model, backlash=backlash)
    law.bind(DUCK.joints, 1, world.opt.timestep)
    where, data = Addresses.of(world, DUCK), mujoco.MjData(world)
    mujoco.mj_resetDataKeyframe(world, data, world.key(key).id)
    target = data.qpos[where.servo_qpos][None]
    path = []
    while data.time < seconds:
        servo, speed = data.qpos[where.servo_qpos], data.qvel[where.servo_dof][None]
        play = 0.0 if where.play_qpos is None else data.qpos[where.play_qpos]
        friction_rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF.value
        own = np.zeros(world.nv)
        own[data.efc_id[friction_rows]] = data.efc_force[friction_rows]
        external = (data.qfrc_constraint - data.qfrc_bias - own)[where.servo_dof][None]
        motor = data.qfrc_actuator[where.servo_dof][None].copy()
        signals = Signals(dt=world.opt.timestep, external_torque=external, motor_torque=motor)
        data.ctrl[where.motor] = law.compute(target, (servo + play)[None], speed, signals)[0]
        friction = law.friction(speed, signals)
        if friction is not None:
            world.dof_frictionloss[where.servo_dof] = friction[0][0]
            world.dof_damping[where.servo_dof] = friction[1][0]
        mujoco.mj_step(world, data)
        tilt = np.degrees(np.arccos(np.clip(data.body("trunk_base").xmat[8], -1.0, 1.0)))
        path.append((data.qpos[2], tilt))
    return np.array(path)


@pytest.mark.parametrize("backlash", [None, DUCK.backlash])
def test_standing_the_trunk_sags_to_0_115_m_and_the_duck_tips_in_one_and_a_half_seconds(backlash):
    path = held("HOME", 2.0, backlash=backlash)
    assert path[99, 0] == pytest.approx(0.115, abs=0.001)  # STAND_Z, microduck_rl
    falls = 0.005 * np.argmax(path[:, 1] > 70.0)
    assert falls == pytest.approx(1.5, abs=0.2)


@pytest.mark.parametrize("backlash", [None, DUCK.backlash])
def test_the_seat_holds_on_the_ground_model(backlash):
    path = held("SIT", 5.0, model="ground", backlash=backlash)
    assert path[:, 1].max() < 20.0
    assert np.ptp(path[-400:, 1]) < 1.0
