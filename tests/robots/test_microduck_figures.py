"""MicroDuck's MJCF carries the published figures to the last digit, in both its models."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym import robots

FIGURES = json.loads((Path(__file__).parent / "microduck_figures.json").read_text())
DUCK = robots.get("microduck")


@pytest.fixture(params=["walk", "ground"])
def model(request):
    return DUCK.spec(request.param).compile()


def _unit(quat):
    return np.array(quat) / np.linalg.norm(quat)


def test_the_robot_weighs_0_73724318_kg(model):
    assert model.body_mass.sum() == pytest.approx(FIGURES["total_mass"], abs=1e-12)


def test_there_is_no_body_joint_or_site_beyond_the_published_ones(model):
    def names(count, get):
        return {get(i).name for i in range(count)}

    assert names(model.nbody, model.body) == {"world", *FIGURES["bodies"]}
    assert names(model.njnt, model.joint) == {"trunk_base_freejoint", *FIGURES["joints"]}
    assert names(model.nsite, model.site) == set(FIGURES["sites"])


@pytest.mark.parametrize("name", FIGURES["bodies"])
def test_body_frame_mass_and_inertia(model, name):
    figures, body = FIGURES["bodies"][name], model.body(name)
    assert model.body(body.parentid[0]).name == figures["parent"]
    if name != "trunk_base":  # its height is the spawn height
        np.testing.assert_array_equal(body.pos, figures["pos"])
    np.testing.assert_allclose(body.quat, _unit(figures["quat_wxyz"]), atol=1e-15)
    assert body.mass[0] == figures["mass"]
    np.testing.assert_array_equal(body.ipos, figures["ipos"])
    np.testing.assert_allclose(body.inertia, figures["compiled_diaginertia"], rtol=1e-12)
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, body.iquat)
    rotation = rotation.reshape(3, 3)
    full = rotation @ np.diag(body.inertia) @ rotation.T
    np.testing.assert_allclose(
        full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], figures["fullinertia"], rtol=0, atol=1e-13
    )


@pytest.mark.parametrize("name", FIGURES["joints"])
def test_joint_body_axis_and_range(model, name):
    figures, joint = FIGURES["joints"][name], model.joint(name)
    assert joint.type[0] == mujoco.mjtJoint.mjJNT_HINGE.value
    assert model.body(joint.bodyid[0]).name == figures["body"]
    np.testing.assert_array_equal(joint.axis, figures["axis"])
    np.testing.assert_array_equal(joint.pos, figures["pos"])
    np.testing.assert_array_equal(joint.range, figures["range"])
    assert model.jnt_limited[joint.id]
    assert (joint.damping[0], joint.frictionloss[0], joint.armature[0]) == (0.053, 0.0048, 0.0018)


@pytest.mark.parametrize("name", FIGURES["joints"])
def test_positive_rotation_at_the_zero_pose_turns_about_the_published_world_axis(model, name):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    axis = data.xaxis[model.joint(name).id]
    np.testing.assert_allclose(axis, FIGURES["joints"][name]["world_axis"], atol=1e-6)


@pytest.mark.parametrize("name", FIGURES["joints"])
def test_the_soft_limit_leaves_nine_tenths_of_the_range(model, name):
    low, high = model.joint(name).range
    middle, half = (low + high) / 2, (high - low) / 2 * DUCK.soft_limit
    np.testing.assert_allclose(
        [middle - half, middle + half], FIGURES["joints"][name]["soft_range"], atol=1e-5
    )


@pytest.mark.parametrize("name", FIGURES["sites"])
def test_site_pose(model, name):
    figures, site = FIGURES["sites"][name], model.site(name)
    assert model.body(site.bodyid[0]).name == figures["body"]
    np.testing.assert_array_equal(site.pos, figures["pos"])
    np.testing.assert_allclose(site.quat, _unit(figures["quat"]), atol=1e-15)


@pytest.mark.parametrize("name", FIGURES["sensors"])
def test_sensor_kind_and_place(model, name):
    figures, sensor = FIGURES["sensors"][name], model.sensor(name)
    kind = mujoco.mjtSensor(int(sensor.type[0])).name.removeprefix("mjSENS_").lower()
    place = model.body if kind == "subtreeangmom" else model.site
    assert (kind, place(int(sensor.objid[0])).name) == (figures["type"], figures["of"])


def test_servo_joints_and_motors_come_in_contract_order(model):
    assert [model.joint(i).name for i in range(1, model.njnt)] == list(DUCK.joints)
    assert [model.actuator(i).name for i in range(model.nu)] == list(DUCK.joints)


def test_the_files_own_motors_are_the_vendors_position_servos(model):
    np.testing.assert_array_equal(model.actuator_gainprm[:, 0], 0.55)
    np.testing.assert_array_equal(model.actuator_biasprm[:, :3], [[0.0, -0.55, 0.0]] * 14)
    np.testing.assert_array_equal(model.actuator_forcerange, [[-0.96, 0.96]] * 14)
    assert not model.actuator_ctrllimited.any()


@pytest.mark.parametrize("side", ["left", "right"])
def test_sole_boxes(model, side):
    geom, figures = model.geom(f"{side}_foot_collision"), FIGURES["soles"][side]
    np.testing.assert_array_equal(geom.size, FIGURES["sole_half_size"])
    np.testing.assert_array_equal(geom.pos, figures["pos"])
    np.testing.assert_allclose(geom.quat, _unit(figures["quat_wxyz"]), atol=1e-12)
    assert (geom.condim[0], geom.priority[0], geom.friction[0]) == (3, 1, 1.0)


def test_every_shape_is_a_primitive_and_weighs_nothing(model):
    assert model.nmesh == 0
    shapes = ("SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX")
    kinds = {mujoco.mjtGeom(int(kind)).name.removeprefix("mjGEOM_") for kind in model.geom_type}
    assert kinds <= set(shapes)
    spec = DUCK.spec()
    assert all(body.explicitinertial for body in spec.bodies if body.name != "world")
    assert all(geom.mass == 0 for geom in spec.geoms)


def _touching(model):
    """Names of collision geoms by contact bits."""
    bits = {}
    for i in range(model.ngeom):
        if model.geom_contype[i] or model.geom_conaffinity[i]:
            pair = (int(model.geom_contype[i]), int(model.geom_conaffinity[i]))
            bits.setdefault(pair, set()).add(model.geom(i).name)
    return bits


SOLES = {"left_foot_collision", "right_foot_collision"}
LEGS = {"left_leg_collision", "right_leg_collision"}
SHELLS = {
    "battery_collision",
    "left_hip_collision",
    "right_hip_collision",
    "head_top_collision",
    "head_bottom_collision",
    "jaw_collision",
}


def test_walking_only_the_soles_touch_the_floor_and_legs_and_trunk_touch_each_other():
    bits = _touching(DUCK.spec("walk").compile())
    assert bits == {(1, 1): SOLES, (2, 2): LEGS | {"trunk_support_collision"}}


def test_on_the_ground_battery_hips_legs_soles_and_head_touch_the_floor():
    bits = _touching(DUCK.spec("ground").compile())
    assert bits == {(1, 1): SOLES | LEGS | SHELLS, (2, 2): {"trunk_support_collision"}}


def test_the_two_models_differ_in_contact_bits_alone():
    walk, ground = (DUCK.spec(name).compile() for name in ("walk", "ground"))
    differing = {
        field
        for field in dir(walk)
        if isinstance(getattr(walk, field), np.ndarray)
        and not np.array_equal(getattr(walk, field), getattr(ground, field))
        and not field.startswith("_")
        and "bvh" not in field  # the trees that speed up contact search follow from the bits
    }
    bits = {"geom_contype", "geom_conaffinity", "body_contype", "body_conaffinity"}
    assert differing == bits


def test_the_two_models_survive_mujocos_own_xml_round_trip(model):
    again = mujoco.MjSpec.from_string(DUCK.spec("walk").to_xml()).compile()
    assert again.names == model.names
    np.testing.assert_allclose(again.body_mass, model.body_mass, rtol=1e-5)
    np.testing.assert_allclose(again.key_qpos, model.key_qpos, atol=1e-6)
