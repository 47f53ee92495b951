"""Addresses find a robot's parts by exact name, whatever else is in the model."""

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.robots.backlash import add_backlash, passive_name
from servogym.scenes.addresses import Addresses
from servogym.scenes.world import build

DUCK = robots.get("microduck")


def with_foot_sensors(spec, prefix=""):
    for foot in DUCK.feet:
        for name in (f"foot_force_{foot.site}", f"foot_velocity_{foot.site}"):
            spec.add_sensor(
                name=prefix + name,
                type=mujoco.mjtSensor.mjSENS_FRAMELINVEL,
                objtype=mujoco.mjtObj.mjOBJ_SITE,
                objname=prefix + foot.site,
            )
    return spec


def two_ducks(backlash=None):
    world = mujoco.MjSpec()
    world.option.timestep = 0.005
    for prefix, y in (("a/", 0.0), ("b/", 1.0)):
        frame = world.worldbody.add_frame(pos=[0.0, y, 0.0])
        world.attach(DUCK.spec(), prefix=prefix, frame=frame)
        with_foot_sensors(world, prefix)
    if backlash is not None:
        world = add_backlash(world, half_range=backlash)
    return world.compile()


@pytest.mark.parametrize("backlash", [None, 0.0174])
def test_each_address_bears_the_name_it_should(backlash):
    model = build(DUCK, backlash=backlash)
    where = Addresses.of(model, DUCK)
    assert (where.play_qpos is None) == (backlash is None)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.arange(model.nq), np.arange(model.nv)
    for i, joint in enumerate(DUCK.joints):
        assert data.joint(joint).qpos[0] == data.qpos[where.servo_qpos[i]]
        assert data.joint(joint).qvel[0] == data.qvel[where.servo_dof[i]]
        assert model.actuator(joint).id == where.motor[i]
        if where.play_qpos is not None and where.play_dof is not None:
            gap = data.joint(passive_name(joint))
            assert gap.qpos[0] == data.qpos[where.play_qpos[i]]
            assert gap.qvel[0] == data.qvel[where.play_dof[i]]
    free = data.joint("trunk_base_freejoint")
    np.testing.assert_array_equal(free.qpos, data.qpos[where.base_qpos])
    np.testing.assert_array_equal(free.qvel, data.qvel[where.base_dof])
    assert model.body(where.base_body).name == "trunk_base"
    assert model.site(where.imu_site).name == "imu"
    assert [model.site(i).name for i in where.foot_site] == ["left_foot", "right_foot"]
    assert [model.geom(i).name for i in where.foot_geom] == [foot.geom for foot in DUCK.feet]
    assert where.foot_velocity.shape == (2, 3)


def test_without_backlash_there_are_no_play_addresses():
    where = Addresses.of(build(DUCK), DUCK)
    assert where.play_qpos is None
    assert where.play_dof is None


def test_missing_names_are_all_listed():
    spec = with_foot_sensors(DUCK.spec())
    spec.actuator("left_knee").name = "left_patella"
    spec.geom("left_foot_collision").name = "left_slipper"
    with pytest.raises(LookupError, match="geom left_foot_collision") as error:
        Addresses.of(spec.compile(), DUCK)
    assert "actuator left_knee" in str(error.value)
    assert "right_knee" not in str(error.value)


def test_a_robot_with_gaps_on_some_servos_only_is_refused():
    spec = with_foot_sensors(add_backlash(DUCK.spec(), ["left_knee"], half_range=0.01))
    with pytest.raises(LookupError, match="joint passive_right_knee_backlash"):
        Addresses.of(spec.compile(), DUCK)


@pytest.mark.parametrize("backlash", [None, 0.0174])
def test_two_prefixed_ducks_each_resolve_their_own_fourteen_servos(backlash):
    model = two_ducks(backlash)
    assert model.nu == 28
    for prefix in ("a/", "b/"):
        where = Addresses.of(model, DUCK, prefix)
        assert [model.actuator(i).name for i in where.motor] == [prefix + j for j in DUCK.joints]
        joints = [int(model.actuator_trnid[i, 0]) for i in where.motor]
        np.testing.assert_array_equal(model.jnt_qposadr[joints], where.servo_qpos)
    with pytest.raises(LookupError, match="joint left_knee"):
        Addresses.of(model, DUCK)


def test_commanding_the_knee_of_one_duck_moves_only_that_duck():
    model = two_ducks(0.0174)
    moved, still = mujoco.MjData(model), mujoco.MjData(model)
    a, b = (Addresses.of(model, DUCK, prefix) for prefix in ("a/", "b/"))
    knee = DUCK.joints.index("left_knee")
    moved.ctrl[a.motor[knee]] = 0.5
    for _ in range(20):
        mujoco.mj_step(model, moved)
        mujoco.mj_step(model, still)
    assert moved.qpos[a.servo_qpos[knee]] > still.qpos[a.servo_qpos[knee]] + 0.05
    # The solver stops at a tolerance for both together; that couples them by 1e-11 rad.
    for columns in (b.servo_qpos, b.base_qpos):
        np.testing.assert_allclose(moved.qpos[columns], still.qpos[columns], atol=1e-9)


def test_rollers_called_passive_are_neither_servos_nor_gaps():
    spec = DUCK.spec()
    for side in ("left", "right"):
        for end in ("front", "rear"):
            wheel = spec.body(f"ankle_{side}").add_body(name=f"{side}_{end}_wheel")
            wheel.add_joint(name=f"passive_{side}_{end}_wheel", axis=[1, 0, 0])
            wheel.add_geom(size=[0.005, 0, 0], mass=0.002)
    model = with_foot_sensors(add_backlash(spec, half_range=0.0174)).compile()
    where = Addresses.of(model, DUCK)

    def named(columns):
        owner = {int(adr): model.joint(j).name for j, adr in enumerate(model.jnt_qposadr)}
        return [owner[int(column)] for column in columns]

    assert named(where.servo_qpos) == list(DUCK.joints)
    assert named(where.play_qpos) == [passive_name(joint) for joint in DUCK.joints]
    rest = {model.joint(j).name for j in range(model.njnt)}
    rest -= {"trunk_base_freejoint", *named(where.servo_qpos), *named(where.play_qpos)}
    assert rest == {
        f"passive_{side}_{end}_wheel" for side in ("left", "right") for end in ("front", "rear")
    }


def test_the_order_of_the_body_tree_does_not_matter():
    # The right leg written before the left one, motors listed backwards.
    import xml.etree.ElementTree as ET

    root = ET.fromstring(with_foot_sensors(DUCK.spec()).to_xml())
    trunk = root.find("worldbody/body")
    actuators = root.find("actuator")
    assert trunk is not None
    assert actuators is not None
    legs = trunk.findall("body")
    for leg in legs:
        trunk.remove(leg)
    trunk.extend(reversed(legs))
    actuators[:] = list(reversed(actuators))
    for keyframe in root.findall("keyframe"):
        root.remove(keyframe)
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    assert model.joint(1).name == "right_hip_yaw"
    where = Addresses.of(model, DUCK)
    data = mujoco.MjData(model)
    data.qpos[where.servo_qpos] = DUCK.pose()
    data.ctrl[where.motor] = DUCK.pose()
    for joint in DUCK.joints:
        assert data.joint(joint).qpos[0] == data.actuator(joint).ctrl[0] == DUCK.default_pose[joint]
