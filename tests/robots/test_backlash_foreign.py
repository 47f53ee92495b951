"""`add_backlash` works on files nobody here wrote, whatever their units, defaults and habits."""

import math

import mujoco
import numpy as np
import pytest

from servogym.robots.backlash import add_backlash
from tests.robots.crane import UNITS, crane

HALF = math.radians(1.0)


def attached(text, parent_degree):
    world = mujoco.MjSpec()
    world.compiler.degree = parent_degree
    world.attach(mujoco.MjSpec.from_string(text), prefix="p/", frame=world.worldbody.add_frame())
    return world


WAYS = ["alone", "attached to degrees", "attached to radians"]


@pytest.fixture(params=[(unit, way) for unit in UNITS for way in WAYS], ids="-".join)
def foreign(request):
    """(plain model, twin, prefix) of the crane, in each unit, alone and attached."""
    unit, way = request.param
    text = crane(unit)
    if way == "alone":
        return (
            mujoco.MjModel.from_xml_string(text),
            add_backlash(text, half_range=HALF).compile(),
            "",
        )
    spec = attached(text, way.endswith("degrees"))
    return spec.copy().compile(), add_backlash(spec, half_range=HALF).compile(), "p/"


GAPS = ["passive_one_backlash", "passive_two_backlash", "passive_three_backlash"]


def test_exactly_the_actuated_hinges_get_a_gap(foreign):
    plain, twin, prefix = foreign
    assert twin.njnt == plain.njnt + 3
    for gap in GAPS:
        twin.joint(prefix + gap)


def test_the_gap_is_one_degree_whatever_the_files_unit(foreign):
    _, twin, prefix = foreign
    for gap in GAPS:
        np.testing.assert_allclose(twin.joint(prefix + gap).range, [-HALF, HALF], rtol=1e-12)


def test_nothing_of_the_files_defaults_reaches_the_gap(foreign):
    _, twin, prefix = foreign
    for gap in GAPS:
        joint = twin.joint(prefix + gap)
        assert (joint.damping[0], joint.armature[0], joint.frictionloss[0]) == (0.01, 0.001, 0.0)
        assert (joint.stiffness[0], twin.jnt_margin[joint.id]) == (0.0, 0.0)
        assert twin.qpos0[joint.qposadr[0]] == 0.0
        assert twin.qpos_spring[joint.qposadr[0]] == 0.0
        np.testing.assert_array_equal(twin.jnt_solref[joint.id], [0.01, 1.0])


def test_the_gap_follows_its_servo_even_where_a_body_carries_several_joints(foreign):
    _, twin, prefix = foreign
    for name in ("one", "two", "three"):
        servo, gap = twin.joint(prefix + name), twin.joint(f"{prefix}passive_{name}_backlash")
        assert gap.id == servo.id + 1
        assert gap.bodyid == servo.bodyid
        np.testing.assert_array_equal(gap.axis, servo.axis)
        np.testing.assert_array_equal(gap.pos, servo.pos)


def test_the_joints_that_were_there_keep_every_figure(foreign):
    plain, twin, prefix = foreign
    added = {prefix + gap for gap in GAPS}
    old = [j for j in range(twin.njnt) if twin.joint(j).name not in added]
    for field in ("type", "axis", "pos", "range", "limited", "solref", "margin", "group"):
        before, after = getattr(plain, f"jnt_{field}"), getattr(twin, f"jnt_{field}")[old]
        np.testing.assert_allclose(after, before, rtol=1e-14, atol=1e-16, err_msg=field)
    names = [plain.joint(j).name for j in range(plain.njnt)]
    assert [twin.joint(j).name for j in old] == names
    for name in filter(None, names):
        for field in ("damping", "armature", "frictionloss", "stiffness", "qpos0", "qpos_spring"):
            before, after = getattr(plain.joint(name), field), getattr(twin.joint(name), field)
            np.testing.assert_allclose(after, before, rtol=1e-14, err_msg=f"{name} {field}")


def test_keyframes_are_carried_by_joint_past_free_slide_ball_and_nameless_joints(foreign):
    plain, twin, prefix = foreign
    added = {prefix + gap for gap in GAPS}
    assert twin.nkey == plain.nkey == 2
    for k in range(2):
        before, after = mujoco.MjData(plain), mujoco.MjData(twin)
        mujoco.mj_resetDataKeyframe(plain, before, k)
        mujoco.mj_resetDataKeyframe(twin, after, k)
        found = [after.joint(j).qpos for j in range(twin.njnt) if twin.joint(j).name not in added]
        np.testing.assert_allclose(np.concatenate(found), before.qpos, rtol=0, atol=1e-12)
        assert all(after.joint(name).qpos[0] == 0.0 for name in added)
        np.testing.assert_array_equal(after.ctrl, before.ctrl)
        np.testing.assert_array_equal(after.act, before.act)
        assert after.time == before.time


def test_actuators_sensors_equalities_and_masses_stay_on_what_they_were_on(foreign):
    plain, twin, prefix = foreign
    np.testing.assert_array_equal(twin.body_mass, plain.body_mass)
    for i in range(plain.nu):
        a, b = plain.actuator(i), twin.actuator(i)
        assert (a.name, plain.joint(a.trnid[0]).name) == (b.name, twin.joint(b.trnid[0]).name)
    assert twin.joint(int(twin.sensor(prefix + "s1").objid[0])).name == prefix + "one"
    assert twin.joint(int(twin.eq_obj1id[0])).name == prefix + "one"
    assert twin.joint(int(twin.eq_obj2id[0])).name == prefix + "two"


def test_the_twin_at_its_middle_is_the_plain_body(foreign):
    plain, twin, prefix = foreign
    before, after = mujoco.MjData(plain), mujoco.MjData(twin)
    for name, angle in (("one", 0.3), ("two", -0.4), ("three", 0.2)):
        before.joint(prefix + name).qpos[0] = angle
        after.joint(prefix + name).qpos[0] = angle * 0.6
        after.joint(f"{prefix}passive_{name}_backlash").qpos[0] = angle * 0.4
    mujoco.mj_kinematics(plain, before)
    mujoco.mj_kinematics(twin, after)
    # `one` has a reference angle, the zero of its coordinate; the share in the gap has none.
    np.testing.assert_allclose(after.xpos, before.xpos, atol=1e-12)
    np.testing.assert_allclose(after.xmat, before.xmat, atol=1e-12)


def test_a_model_without_keyframes_is_fine():
    text = crane("degree")
    text = text[: text.index("<keyframe>")] + "</mujoco>"
    assert add_backlash(text, half_range=HALF).compile().nkey == 0


def test_meshes_and_assets_given_in_memory_come_along():
    cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    text = """<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><body>
    <joint name="j"/><geom type="mesh" mesh="m"/></body></worldbody>
    <actuator><motor joint="j"/></actuator></mujoco>"""
    spec = mujoco.MjSpec.from_string(text, assets={"m.obj": cube.encode()})
    assert add_backlash(spec, half_range=HALF).compile().nmesh == 1
