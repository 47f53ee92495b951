"""Scripted motions put the feet where they say, and cost the motors what standing really costs."""

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.actuators.pd import Pd
from servogym.envs.core import Core
from servogym.gauge.effort import effort
from servogym.gauge.legs import Legs
from servogym.gauge.puppets import Puppets
from servogym.gauge.reference import Steps, paths, stand
from servogym.scenes import world
from servogym.scenes.addresses import Addresses

DUCK = robots.get("microduck")
STRONG = Pd(kp=8.0, kd=0.15, effort_limit=3.0)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "backlash"])
def puppets(request):
    return Puppets("microduck_flat", backlash=request.param)


def soles(puppets, motion):
    """Foot sites in the world over one period, by MuJoCo's own kinematics, (p, 2, 3)."""
    model, seen = puppets.model, []
    data, at = mujoco.MjData(model), puppets.at
    for sample, angles in enumerate(motion.joint_pos):
        ahead = motion.speed * sample * puppets.task.timestep
        data.qpos[at.base_qpos] = [ahead, 0.0, motion.height, 1.0, 0.0, 0.0, 0.0]
        data.qpos[at.servo_qpos] = angles
        mujoco.mj_kinematics(model, data)
        seen.append(data.site_xpos[at.foot_site].copy())
    return np.array(seen)


def test_the_feet_reach_their_paths_within_a_millimetre(puppets):
    home = Legs(puppets.model, puppets.robot).home
    for motion in puppets.motions[1:]:
        wanted, _ = paths(home, np.array([False, True]), motion.speed, Steps(), dt=0.005, every=4)
        ahead = motion.speed * 0.005 * np.arange(len(wanted))
        wanted[:, :, 0] += ahead[:, None]
        wanted[:, :, 2] += puppets.robot.spawn_height
        assert np.abs(soles(puppets, motion) - wanted).max() < 1e-3, motion.name


def test_a_foot_on_the_floor_stays_there_and_the_other_rises_as_high_as_asked(puppets):
    for motion in puppets.motions[1:]:
        feet = soles(puppets, motion)
        for foot in (0, 1):
            down = motion.loaded[:, foot]
            still = np.diff(feet[:, foot], axis=0)[down[:-1] & down[1:]]
            assert np.abs(still).max() < 1e-4, motion.name
            assert np.abs(feet[down, foot, 2]).max() < 1e-3
            assert feet[:, foot, 2].max() == pytest.approx(0.015, abs=1e-3)
        assert motion.loaded.any(axis=1).all() and not motion.loaded.all()


def test_a_step_of_the_walk_is_as_long_as_the_trunk_goes_meanwhile(puppets):
    walk = puppets.motions[2]
    feet, period = soles(puppets, walk), len(walk.joint_pos) * puppets.task.timestep
    down = walk.loaded[:, 1]  # the right foot starts on the floor and has landed again at the end
    assert down[0] and down[-1]
    assert feet[-1, 1, 0] - feet[0, 1, 0] == pytest.approx(puppets.speed * period, abs=1e-3)


def test_the_head_keeps_still_and_no_joint_leaves_its_range(puppets):
    head = [DUCK.joints.index(name) for name in DUCK.head]
    limits = puppets.model.jnt_range[puppets.model.dof_jntid[puppets.at.servo_dof]]
    for motion in puppets.motions:
        assert np.array_equal(
            motion.joint_pos[:, head],
            motion.joint_pos[:1, head].repeat(len(motion.joint_pos), axis=0),
        )
        assert (motion.joint_pos >= limits[:, 0]).all() and (motion.joint_pos <= limits[:, 1]).all()


def test_a_stand_has_a_foot_ahead_as_its_pay_wants_and_a_dog_has_that_anyway(puppets):
    (feet,) = soles(puppets, puppets.motions[0])
    reach = puppets.task.stride.reach
    assert feet[0, 0] - feet[1, 0] == pytest.approx(2 * 1.2 * reach, abs=1e-3)
    assert np.abs(feet[:, 2]).max() < 1e-3
    dog = Puppets("go2_flat")
    assert np.array_equal(dog.motions[0].joint_pos[0], dog.robot.pose())


def test_what_a_scripted_stand_costs_is_what_a_simulated_stand_costs():
    core = Core(
        "microduck_flat",
        1,
        actuator=STRONG,
        sensing=False,
        randomization=False,
        spawn=False,
        threads=1,
    )
    row = np.arange(1)
    core.seed(row, row.astype(np.uint64))
    core.reset(row)
    for _ in range(100):
        core.step(np.zeros((1, 14)))
    script = Puppets("microduck_flat", actuator=STRONG)
    pose = stand(DUCK, Legs(script.model, DUCK), 0.0)
    assert np.array_equal(pose.joint_pos[0], DUCK.pose())
    torque = effort(script, pose).torque[0]
    # How hard the feet push sideways against each other is the floor's choice: no rolls.
    columns = [k for k, name in enumerate(DUCK.joints) if not name.endswith("hip_roll")]
    assert np.abs(torque[columns]).max() > 0.05
    assert torque[columns] == pytest.approx(core.state.torque[0, columns], abs=0.01)


def test_targets_are_what_makes_the_law_give_the_torque():
    script = Puppets("microduck_flat", actuator=STRONG)
    for motion in script.motions:
        cost = effort(script, motion)
        given = 8.0 * (cost.target - motion.joint_pos) - 0.15 * motion.joint_vel
        assert np.clip(given, -3.0, 3.0) == pytest.approx(np.clip(cost.torque, -3.0, 3.0), abs=1e-6)


def test_a_torque_law_is_told_the_torque():
    script = Puppets("microduck_flat", actuator="ideal")
    cost = effort(script, script.motions[2])
    assert np.array_equal(cost.target, cost.torque)


def test_steps_too_long_for_the_legs_are_refused_with_the_foot_and_the_speed():
    with pytest.raises(ValueError, match=r"walk at 2 m/s: left_foot of microduck stays 0\.\d+ m"):
        Puppets("microduck_flat", speed=2.0)
    with pytest.raises(ValueError, match="speed is 0"):
        Puppets("microduck_flat", speed=0.0)


def test_feet_far_from_home_are_reached_with_level_soles():
    model = world.build(DUCK)
    legs, at = Legs(model, DUCK), Addresses.of(model, DUCK)
    feet = legs.home + np.array([[0.03, 0.0, 0.01], [-0.03, 0.0, 0.02]])
    data = mujoco.MjData(model)
    data.qpos[at.base_qpos] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    data.qpos[at.servo_qpos] = DUCK.pose()
    mujoco.mj_kinematics(model, data)
    level = data.site_xmat[at.foot_site].copy()
    data.qpos[at.servo_qpos] = legs.reach(feet)
    mujoco.mj_kinematics(model, data)
    assert np.abs(data.site_xpos[at.foot_site] - feet).max() < 1e-3
    cos = (level * data.site_xmat[at.foot_site]).sum(axis=1) / 2 - 0.5
    assert np.degrees(np.arccos(cos)).max() < 2.5
