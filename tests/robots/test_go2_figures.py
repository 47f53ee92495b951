"""Go2's MJCF carries the published figures, and what touches is what the file says."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes.world import build

FIGURES = json.loads((Path(__file__).parent / "go2_figures.json").read_text())
GO2 = robots.get("go2")
LEGS = ("FL", "FR", "RL", "RR")


@pytest.fixture(scope="module")
def model():
    return GO2.spec().compile()


def _inertia(diagonal, quat):
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, np.array(quat) / np.linalg.norm(quat))
    rotation = rotation.reshape(3, 3)
    return rotation @ np.diag(diagonal) @ rotation.T


def test_the_robot_weighs_15_206_kg(model):
    assert model.body_mass.sum() == pytest.approx(15.206, abs=1e-3)
    assert model.body_mass.sum() == pytest.approx(FIGURES["total_mass"], abs=1e-12)


def test_there_is_no_body_or_joint_beyond_the_published_ones(model):
    assert {model.body(i).name for i in range(1, model.nbody)} == set(FIGURES["bodies"])
    assert {model.joint(i).name for i in range(1, model.njnt)} == set(FIGURES["joints"])


@pytest.mark.parametrize("name", FIGURES["bodies"])
def test_body_place_mass_and_inertia(model, name):
    figures, body = FIGURES["bodies"][name], model.body(name)
    assert model.body(body.parentid[0]).name == figures["parent"]
    if name != "base":  # its height is the spawn height
        np.testing.assert_array_equal(body.pos, figures["pos"])
    np.testing.assert_array_equal(body.quat, [1, 0, 0, 0])
    assert body.mass[0] == figures["mass"]
    np.testing.assert_array_equal(body.ipos, figures["ipos"])
    np.testing.assert_allclose(
        _inertia(body.inertia, body.iquat),
        _inertia(figures["diaginertia"], figures["iquat"]),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("name", FIGURES["urdf"])
def test_inertias_agree_with_those_of_the_vendors_urdf(model, name):
    figures, body = FIGURES["urdf"][name], model.body(name)
    assert body.mass[0] == figures["mass"]
    np.testing.assert_allclose(body.ipos, figures["com"], atol=1e-9)
    ours = _inertia(body.inertia, body.iquat)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    theirs = [figures[entry] for entry in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=6e-4 * max(theirs))


@pytest.mark.parametrize("name", FIGURES["joints"])
def test_joint_body_axis_range_and_passive_figures(model, name):
    figures, joint = FIGURES["joints"][name], model.joint(name)
    assert joint.type[0] == mujoco.mjtJoint.mjJNT_HINGE.value
    assert model.body(joint.bodyid[0]).name == figures["body"]
    np.testing.assert_array_equal(joint.axis, figures["axis"])
    np.testing.assert_array_equal(joint.pos, 0.0)
    np.testing.assert_array_equal(joint.range, figures["range"])
    assert model.jnt_limited[joint.id]
    assert (joint.damping[0], joint.frictionloss[0], joint.armature[0]) == (0.1, 0.2, 0.01)


def test_the_imu_sits_where_it_is_published_and_looks_along_the_trunk(model):
    imu = model.site(GO2.imu_site)
    assert model.body(imu.bodyid[0]).name == "base"
    np.testing.assert_array_equal(imu.pos, FIGURES["imu"])
    np.testing.assert_array_equal(imu.quat, [1, 0, 0, 0])


@pytest.mark.parametrize("leg", LEGS)
def test_foot_sphere(model, leg):
    figures, foot = FIGURES["foot"], model.geom(f"{leg}_foot")
    assert foot.type[0] == mujoco.mjtGeom.mjGEOM_SPHERE.value
    assert model.body(foot.bodyid[0]).name == f"{leg}_calf"
    np.testing.assert_array_equal(foot.pos, figures["pos"])
    np.testing.assert_array_equal(foot.friction, figures["friction"])
    found = (foot.size[0], foot.condim[0], foot.priority[0], foot.margin[0])
    wanted = tuple(figures[field] for field in ("radius", "condim", "priority", "margin"))
    assert found == wanted


def test_joints_and_motors_come_in_contract_order(model):
    assert [model.joint(i).name for i in range(1, model.njnt)] == list(GO2.joints)
    assert [model.actuator(i).name for i in range(model.nu)] == list(GO2.joints)


def test_the_files_own_servos_are_limited_to_the_published_torques(model):
    limits = [23.7, 23.7, 45.43] * 4
    np.testing.assert_array_equal(model.actuator_forcerange, np.outer(limits, [-1, 1]))
    assert model.actuator_forcelimited.all()
    assert not model.actuator_ctrllimited.any()


def test_every_shape_is_a_primitive_and_weighs_nothing(model):
    assert model.nmesh == 0
    spec = GO2.spec()
    assert all(body.explicitinertial for body in spec.bodies if body.name != "world")
    assert all(geom.mass == 0 for geom in spec.geoms)


def test_every_link_collides_with_eighteen_shapes_in_all(model):
    touching = np.flatnonzero(model.geom_conaffinity)
    names = {model.geom(i).name for i in touching}
    legs = {f"{leg}_{part}" for leg in LEGS for part in ("foot",)}
    legs |= {f"{leg}_{part}_collision" for leg in LEGS for part in ("hip", "thigh", "calf")}
    assert names == {"trunk_collision", "head_collision", *legs}
    assert {model.body(model.geom_bodyid[i]).name for i in touching} == set(FIGURES["bodies"])


def test_what_touches_meets_the_floor_and_never_another_part_of_the_robot(model):
    world = build(GO2)
    data = mujoco.MjData(world)
    rng = np.random.default_rng(0)
    floor, met = world.geom("floor").id, set()
    for _ in range(300):
        mujoco.mj_resetData(world, data)
        data.qpos[2] = 0.1
        mujoco.mju_euler2Quat(data.qpos[3:7], rng.uniform(-np.pi, np.pi, 3), "xyz")
        for joint in GO2.joints:
            data.joint(joint).qpos[0] = rng.uniform(*model.joint(joint).range)
        mujoco.mj_forward(world, data)
        pairs = {tuple(contact.geom) for contact in data.contact}
        assert all(floor in pair for pair in pairs)
        met |= {world.geom(i).name for pair in pairs for i in pair}
    assert len(met) == 1 + 18


def test_the_file_survives_mujocos_own_xml_round_trip(model):
    again = mujoco.MjSpec.from_string(GO2.spec().to_xml()).compile()
    assert again.names == model.names
    np.testing.assert_allclose(again.body_mass, model.body_mass, rtol=1e-5)
    np.testing.assert_allclose(again.key_qpos, model.key_qpos, atol=1e-6)
