"""Backlash is structure: one unactuated, limited hinge in series with each servo, nothing else."""

import math

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.robots.backlash import add_backlash, passive_name

DUCK = robots.get("microduck")
GAPS = [passive_name(joint) for joint in DUCK.joints]


@pytest.fixture(params=sorted(DUCK.models))
def pair(request):
    """A shipped model and its twin: every shipped model has one, generated and not kept."""
    plain = DUCK.spec(request.param)
    return plain.compile(), add_backlash(plain, half_range=DUCK.backlash).compile()


def test_each_servo_is_followed_by_its_gap_on_the_same_body_and_axis(pair):
    _, twin = pair
    for joint, gap in zip(DUCK.joints, GAPS, strict=True):
        servo, play = twin.joint(joint), twin.joint(gap)
        assert play.id == servo.id + 1
        assert play.bodyid == servo.bodyid
        np.testing.assert_array_equal(play.axis, servo.axis)
        np.testing.assert_array_equal(play.pos, servo.pos)


def test_the_gap_is_one_degree_each_way_and_has_the_vendors_figures(pair):
    _, twin = pair
    for gap in GAPS:
        joint = twin.joint(gap)
        assert twin.jnt_limited[joint.id]
        np.testing.assert_allclose(joint.range, [-0.0174533, 0.0174533], atol=1e-7)
        assert (joint.damping[0], joint.armature[0], joint.frictionloss[0]) == (0.01, 0.001, 0.0)
        assert joint.stiffness[0] == 0.0
        np.testing.assert_array_equal(twin.jnt_solref[joint.id], [0.01, 1.0])
        np.testing.assert_array_equal(twin.jnt_solimp[joint.id], [0.95, 0.999, 1e-4, 0.5, 2.0])


def test_no_gap_has_a_motor_and_the_actions_stay_fourteen(pair):
    plain, twin = pair
    assert plain.nu == twin.nu == 14
    driven = {twin.joint(int(j)).name for j in twin.actuator_trnid[:, 0]}
    assert driven == set(DUCK.joints)


def test_fourteen_degrees_of_freedom_are_added_and_nothing_else_changes(pair):
    plain, twin = pair
    assert (plain.nv, twin.nv) == (20, 34)
    for field in dir(plain):
        same = field.startswith(("body_mass", "body_inertia", "body_ipos", "body_iquat", "geom_"))
        same |= field.startswith(("site_", "sensor_type", "sensor_adr", "actuator_gain"))
        same |= field.startswith(("actuator_bias", "actuator_force", "mat_", "body_pos"))
        if same and isinstance(getattr(plain, field), np.ndarray):
            np.testing.assert_array_equal(getattr(plain, field), getattr(twin, field), field)


def test_keyframes_keep_every_named_angle_and_each_gap_is_at_zero(pair):
    plain, twin = pair
    assert plain.nkey == twin.nkey == 3
    for k in range(plain.nkey):
        before, after = mujoco.MjData(plain), mujoco.MjData(twin)
        mujoco.mj_resetDataKeyframe(plain, before, k)
        mujoco.mj_resetDataKeyframe(twin, after, k)
        for joint in ("trunk_base_freejoint", *DUCK.joints):
            np.testing.assert_array_equal(after.joint(joint).qpos, before.joint(joint).qpos)
        for gap in GAPS:
            assert after.joint(gap).qpos[0] == 0.0
        np.testing.assert_array_equal(plain.key_ctrl[k], twin.key_ctrl[k])
        assert plain.key(k).name == twin.key(k).name


def test_a_keyframes_velocities_are_carried_by_joint_too():
    spec = DUCK.spec()
    spec.key("HOME").qvel = np.arange(20.0)
    twin = add_backlash(spec, half_range=DUCK.backlash).compile()
    data = mujoco.MjData(twin)
    mujoco.mj_resetDataKeyframe(twin, data, 0)
    found = np.concatenate([data.joint(j).qvel for j in ("trunk_base_freejoint", *DUCK.joints)])
    np.testing.assert_array_equal(found, np.arange(20.0))
    assert all(data.joint(gap).qvel[0] == 0.0 for gap in GAPS)


def test_inserting_the_joints_without_carrying_the_keyframes_would_scramble_home(monkeypatch):
    from servogym.robots import backlash

    monkeypatch.setattr(backlash, "carry_keyframes", lambda spec, before, added: None)
    twin = add_backlash(DUCK.spec(), half_range=DUCK.backlash).compile()
    data = mujoco.MjData(twin)
    mujoco.mj_resetDataKeyframe(twin, data, 0)
    pose = np.array([data.joint(joint).qpos[0] for joint in DUCK.joints])
    assert np.abs(pose - DUCK.pose()).max() > 0.1


@pytest.mark.parametrize("joint", DUCK.joints)
def test_every_gap_starts_inside_its_range(joint):
    twin = add_backlash(DUCK.spec(), half_range=DUCK.backlash).compile()
    gap = twin.joint(passive_name(joint))
    low, high = gap.range
    for key in range(twin.nkey):
        assert low < twin.key_qpos[key][gap.qposadr[0]] < high


def test_half_range_may_differ_from_joint_to_joint():
    table = {joint: math.radians(0.5 + 0.1 * i) for i, joint in enumerate(DUCK.joints)}
    twin = add_backlash(DUCK.spec(), half_range=table).compile()
    for joint, half in table.items():
        np.testing.assert_allclose(twin.joint(passive_name(joint)).range, [-half, half], rtol=1e-14)


def test_only_the_named_joints_get_a_gap():
    twin = add_backlash(DUCK.spec(), ["left_knee", "right_knee"], half_range=0.01).compile()
    assert twin.njnt == 17
    assert twin.joint("passive_left_knee_backlash").id == twin.joint("left_knee").id + 1


def test_the_callers_spec_is_not_touched():
    spec = DUCK.spec()
    before = spec.to_xml()
    add_backlash(spec, half_range=0.01)
    assert spec.to_xml() == before
    with pytest.raises(ValueError):
        add_backlash(spec, ["left_knee", "left_wing"], half_range=0.01)
    assert spec.to_xml() == before


def test_the_twin_survives_mujocos_own_xml_round_trip(pair):
    _, twin = pair
    spec = add_backlash(DUCK.spec(), half_range=DUCK.backlash)
    spec.compile()
    again = mujoco.MjSpec.from_string(spec.to_xml()).compile()
    assert again.names == twin.names
    np.testing.assert_allclose(again.jnt_range, twin.jnt_range, rtol=1e-5)
    np.testing.assert_allclose(again.dof_damping, twin.dof_damping, rtol=1e-5)
    np.testing.assert_allclose(again.key_qpos, twin.key_qpos, atol=1e-6)


def test_a_prefix_from_an_attach_stays_in_front():
    assert passive_name("left_knee") == "passive_left_knee_backlash"
    assert passive_name("a/left_knee") == "a/passive_left_knee_backlash"
    assert passive_name("a/b/left_knee") == "a/b/passive_left_knee_backlash"


def test_two_attached_ducks_keep_their_keyframes_and_get_their_own_gaps():
    world = mujoco.MjSpec()
    for prefix, x in (("a/", 0.0), ("b/", 1.0)):
        frame = world.worldbody.add_frame(pos=[x, 0.0, 0.0])
        world.attach(DUCK.spec(), prefix=prefix, frame=frame)
    plain = world.compile()
    twin = add_backlash(world, half_range=DUCK.backlash).compile()
    assert (plain.nv, twin.nv, twin.nu) == (40, 68, 28)
    for k in range(plain.nkey):
        before, after = mujoco.MjData(plain), mujoco.MjData(twin)
        mujoco.mj_resetDataKeyframe(plain, before, k)
        mujoco.mj_resetDataKeyframe(twin, after, k)
        for prefix in ("a/", "b/"):
            for joint in ("trunk_base_freejoint", *DUCK.joints):
                name = prefix + joint
                np.testing.assert_array_equal(after.joint(name).qpos, before.joint(name).qpos)
            for joint in DUCK.joints:
                gap = after.joint(passive_name(prefix + joint))
                assert gap.qpos[0] == 0.0
                np.testing.assert_allclose(
                    twin.joint(gap.id).range, [-0.0174533, 0.0174533], atol=1e-7
                )
