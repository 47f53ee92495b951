"""The world around a robot: floor, sensors, options, and looks that cost nothing."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from servogym import actuators, robots
from servogym.scenes.addresses import Addresses
from servogym.scenes.world import CAMERA, FLOOR, build

DUCK = robots.get("microduck")


class Motors:
    """The least a motor law does to a spec."""

    def edit_spec(self, spec, joints):
        for joint in joints:
            spec.delete(spec.actuator(joint))
        for joint in joints:
            motor = spec.add_actuator(name=joint, target=joint)
            motor.trntype = mujoco.mjtTrn.mjTRN_JOINT


def settled(model, seconds=0.2):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    while data.time < seconds:
        mujoco.mj_step(model, data)
    return data


def test_the_solver_options_are_the_trainings_own():
    option = build(DUCK).opt
    assert option.timestep == 0.005
    assert option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST.value
    assert option.solver == mujoco.mjtSolver.mjSOL_NEWTON.value
    assert option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL.value
    assert option.jacobian == mujoco.mjtJacobian.mjJAC_DENSE.value
    assert (option.iterations, option.ls_iterations, option.tolerance) == (10, 20, 1e-8)
    assert option.disableflags == mujoco.mjtDisableBit.mjDSBL_ISLAND.value
    np.testing.assert_array_equal(option.gravity, [0.0, 0.0, -9.81])
    assert build(DUCK, timestep=0.002).opt.timestep == 0.002


def test_the_floor_is_called_floor_and_keeps_mujocos_contact_defaults():
    floor = build(DUCK).geom(FLOOR)
    assert floor.type[0] == mujoco.mjtGeom.mjGEOM_PLANE.value
    assert (floor.contype[0], floor.conaffinity[0], floor.condim[0]) == (1, 1, 3)
    np.testing.assert_array_equal(floor.friction, [1.0, 0.005, 0.0001])


def test_the_robot_keeps_its_keyframes_with_and_without_backlash():
    for backlash in (None, DUCK.backlash):
        model = build(DUCK, backlash=backlash)
        where = Addresses.of(model, DUCK)
        home = model.key("HOME").qpos
        np.testing.assert_allclose(home[where.servo_qpos], DUCK.pose(), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(home[where.base_qpos], [0, 0, DUCK.spawn_height, 1, 0, 0, 0])
        if where.play_qpos is not None:
            np.testing.assert_array_equal(home[where.play_qpos], 0.0)


def test_a_motor_law_edits_the_spec_and_the_gaps_stay_unactuated():
    model = build(DUCK, actuator=Motors(), backlash=DUCK.backlash)
    assert model.nu == 14
    assert not model.actuator_biasprm.any()
    assert [model.actuator(i).name for i in range(14)] == list(DUCK.joints)


def test_building_prints_no_warning_and_writes_no_log(capfd, tmp_path):
    build(DUCK, backlash=DUCK.backlash, model="ground")
    assert capfd.readouterr() == ("", "")
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_foot_force_is_the_ground_force_on_the_sole_to_the_last_bit_of_it():
    model = build(DUCK)
    data = settled(model)
    where = Addresses.of(model, DUCK)
    expected = np.zeros((2, 3))
    for index, contact in enumerate(data.contact):
        force = np.empty(6)
        mujoco.mj_contactForce(model, data, index, force)
        world = contact.frame.reshape(3, 3).T @ force[:3]
        for foot, geom in enumerate(where.foot_geom):
            if geom in contact.geom:
                expected[foot] += world if contact.geom[1] == geom else -world
    assert (expected[:, 2] > 1.0).all()
    np.testing.assert_allclose(data.sensordata[where.foot_force_vector], expected, atol=1e-12)
    np.testing.assert_array_equal(
        data.sensordata[where.foot_force], data.sensordata[where.foot_force_vector][:, 2]
    )


def test_a_standing_duck_weighs_its_weight_on_two_feet_and_nothing_in_the_air():
    model = build(DUCK)
    where = Addresses.of(model, DUCK)
    standing = [settled(model, t).sensordata[where.foot_force].sum() for t in (0.2, 0.25, 0.3)]
    weight = model.body_mass.sum() * 9.81
    assert np.mean(standing) == pytest.approx(weight, rel=0.05)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[2] += 0.1
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(data.sensordata[where.foot_force], 0.0)


def test_feet_that_touch_each_other_are_not_on_the_ground():
    model = build(DUCK)
    data = mujoco.MjData(model)
    data.qpos[2] = 1.0
    for side, sign in (("left", -1.0), ("right", 1.0)):
        data.joint(f"{side}_hip_roll").qpos[0] = sign * 0.9
        data.joint(f"{side}_hip_yaw").qpos[0] = -sign * 0.4
    mujoco.mj_forward(model, data)
    where = Addresses.of(model, DUCK)
    assert any(set(contact.geom) == set(where.foot_geom) for contact in data.contact)
    np.testing.assert_array_equal(data.sensordata[where.foot_force_vector], 0.0)


def test_foot_velocity_is_in_world_axes():
    model = build(DUCK)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[3:7] = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # turned to the left by 90 degrees
    data.qvel[:3] = [0.3, -0.2, 0.1]
    mujoco.mj_forward(model, data)
    where = Addresses.of(model, DUCK)
    velocity = data.sensordata[where.foot_velocity]
    np.testing.assert_allclose(velocity, [[0.3, -0.2, 0.1]] * 2, atol=1e-12)


def test_the_camera_looks_at_the_duck_from_six_tenths_of_a_metre_in_front():
    model = build(DUCK)
    data = settled(model, 0.005)
    offset = data.camera(CAMERA).xpos - data.body("trunk_base").xpos
    assert np.linalg.norm(offset) == pytest.approx(0.6, abs=0.05)
    assert offset[0] > 0.2
    looks = -data.camera(CAMERA).xmat.reshape(3, 3)[:, 2]
    assert looks @ (-offset / np.linalg.norm(offset)) > 0.99


def test_the_camera_travels_with_the_duck_but_does_not_turn_with_it():
    model = build(DUCK)
    data = settled(model, 0.005)
    before = data.camera(CAMERA).xpos - data.body("trunk_base").xpos
    axes = data.camera(CAMERA).xmat.copy()
    data.qpos[:2] += [3.0, -2.0]
    data.qpos[3:7] = [0.0, 0.0, 0.0, 1.0]
    mujoco.mj_forward(model, data)
    after = data.camera(CAMERA).xpos - data.body("trunk_base").xpos
    np.testing.assert_allclose(after, before, atol=1e-12)
    np.testing.assert_array_equal(data.camera(CAMERA).xmat, axes)


def test_bounding_volumes_are_not_computed_for_display():
    assert build(DUCK).vis.global_.bvactive == 0


PICTURE = """
import mujoco, numpy as np
from servogym import actuators, robots
from servogym.scenes.world import CAMERA, build
model = build(robots.get("microduck"))
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, 120, 160)
renderer.update_scene(data, CAMERA)
np.save("picture.npy", renderer.render())
"""


def test_a_picture_shows_a_yellow_duck_with_orange_feet(tmp_path):
    # MuJoCo chooses its GL library when it is imported, so the picture needs its own process.
    environment = {**os.environ, "MUJOCO_GL": os.environ.get("MUJOCO_GL", "egl")}
    command = [sys.executable, "-c", PICTURE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no offscreen GL device here: {done.stderr.splitlines()[-1:]}")
    red, green, blue = np.moveaxis(np.load(tmp_path / "picture.npy").astype(int), -1, 0)
    yellow = (red > 150) & (green > 110) & (blue < 0.5 * green)
    orange = (red > 150) & (green < 0.7 * red) & (blue < 0.4 * red)
    assert yellow.mean() > 0.02
    assert orange.mean() > 0.002


def test_a_lean_world_moves_the_same_to_the_last_bit():
    for gap in (None, DUCK.backlash):
        law = actuators.make("bam", DUCK)
        full, lean = (build(DUCK, actuator=law, backlash=gap, lean=lean) for lean in (False, True))
        assert lean.ngeom < full.ngeom / 5 and lean.nsensor < full.nsensor
        assert np.array_equal(lean.body_mass, full.body_mass)
        assert np.array_equal(lean.body_inertia, full.body_inertia)
        paths = []
        for model in (full, lean):
            data = mujoco.MjData(model)
            data.qpos[2] = 0.125
            for step in range(200):
                data.ctrl[:] = 0.2 * np.sin(0.1 * step + np.arange(model.nu))
                mujoco.mj_step(model, data)
            paths.append(np.concatenate((data.qpos, data.qvel)))
        assert np.array_equal(*paths)
