"""Edits of joints, judged by what MuJoCo compiles; angles in radians whatever the file says."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servogym.scenes.edits import joint as joints
from servogym.scenes.edits.target import JointNotes, JointTarget
from servogym.scenes.edits.write import commit

CHAIN = """<mujoco><compiler angle="{angle}"/><worldbody>
<body name="a"><joint name="hinge" axis="0 1 0" range="{hinge}" damping="0.3" frictionloss="0.2"
  armature="0.01"/><geom size=".1"/>
<body name="b"><joint name="slide" type="slide" range="-0.5 0.25"/><geom size=".1"/>
<body name="c"><joint name="open"/><geom size=".1"/>
<body name="d"><joint name="ball" type="ball"/><geom size=".1"/>
</body></body></body></body>
<body name="e"><freejoint name="free"/><geom size=".1"/></body>
</worldbody></mujoco>"""

URDF = """<robot name="r"><link name="base"/><link name="l"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="7" velocity="3"/></joint></robot>"""


def chain(angle="degree"):
    hinge = "-90 45" if angle == "degree" else f"{-math.pi / 2!r} {math.pi / 4!r}"
    return mujoco.MjSpec.from_string(CHAIN.format(angle=angle, hinge=hinge))


def urdf():
    spec = mujoco.MjSpec.from_string(URDF)
    spec.compiler.fusestatic = False  # which else rebuilds the spec when it is written out
    return spec


def target(spec, name="hinge", **fields):
    return JointTarget(path=f"/world/{name}", element=spec.joint(name), **fields)


def edit(*targets, **values):
    commit(joints.plan(targets, **values))


def refused(spec, held, error, words, *targets, **values):
    before = held(spec)
    targets = targets or (target(spec),)
    notes = [repr(each.notes) for each in targets]
    with pytest.raises(error, match=words):
        joints.plan(targets, **values)
    assert held(spec) == before
    assert [repr(each.notes) for each in targets] == notes


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_002_22_limits_are_radians_whatever_the_file_counts_in(angle):
    spec = chain(angle)
    edit(target(spec), limit_lower=-0.3, limit_upper=0.7)
    assert np.allclose(spec.compile().joint("hinge").range, [-0.3, 0.7], rtol=1e-15, atol=0)


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_002_15_one_limit_alone_keeps_the_other_of_the_source(angle):
    spec = chain(angle)
    edit(target(spec), limit_lower=-0.3)
    assert np.allclose(spec.compile().joint("hinge").range, [-0.3, math.pi / 4], rtol=1e-15)
    edit(target(spec), limit_upper=0.0)
    assert np.allclose(spec.compile().joint("hinge").range, [-0.3, 0.0], rtol=1e-15)


def test_a_slide_has_metres_also_in_a_file_of_degrees():
    spec = chain("degree")
    edit(target(spec, "slide"), limit_lower=-0.125)
    assert spec.compile().joint("slide").range.tolist() == [-0.125, 0.25]


def test_angles_of_an_attached_file_follow_its_own_compiler():
    world = mujoco.MjSpec()
    world.compiler.degree = False
    frame = world.worldbody.add_frame()
    world.attach(chain("degree"), prefix="arm/", frame=frame)
    assert joints.limits_of(world.joint("arm/hinge")) == pytest.approx((-math.pi / 2, math.pi / 4))
    edit(target(world, "arm/hinge"), limit_lower=-0.3)
    found = world.compile().joint("arm/hinge").range
    assert np.allclose(found, [-0.3, math.pi / 4], rtol=1e-15)


def test_a_limit_set_on_a_joint_without_one_acts(held):
    spec = chain()
    refused(
        spec, held, ValueError, "limit_upper is needed too", target(spec, "open"), limit_lower=0
    )
    refused(
        spec, held, ValueError, "limit_lower is needed too", target(spec, "open"), limit_upper=0
    )
    edit(target(spec, "open"), limit_lower=-0.1, limit_upper=0.1)
    model = spec.compile()
    assert model.jnt_limited[model.joint("open").id]
    edit(target(spec, "open"), limit_lower=-0.2)


def test_002_15_a_range_that_is_switched_off_is_no_limit(held):
    spec = chain()
    spec.joint("hinge").limited = mujoco.mjtLimited.mjLIMITED_FALSE
    refused(spec, held, ValueError, "has no limits of its own", limit_lower=-0.1)
    edit(target(spec), limit_lower=-0.1, limit_upper=0.1)
    assert spec.compile().jnt_limited[0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"limit_lower": 1.0, "limit_upper": 0.5}, "the new lower limit 1 is not below the new"),
        ({"limit_lower": 1.0}, "the new lower limit 1 is not below the source's upper limit 0.785"),
        ({"limit_upper": -2.0}, "the source's lower limit -1.57.* is not below the new upper"),
        ({"limit_lower": 0.5, "limit_upper": 0.5}, "accepted: lower < upper"),
    ],
)
def test_002_15_limits_are_in_order_after_the_merge(held, values, words):
    refused(chain(), held, ValueError, words, **values)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit_lower", math.nan),
        ("limit_upper", math.inf),
        ("limit_lower", True),
        ("velocity_limit", -0.1),
        ("passive_damping", -0.1),
        ("friction", -0.1),
        ("armature", -1e-9),
        ("armature", np.True_),
        ("friction", np.array(0.1)),
        ("initial_position", "0"),
        ("initial_velocity", math.nan),
        ("velocity_limit", math.inf),
    ],
)
def test_002_14_every_value_is_a_number_in_its_bounds(held, name, value):
    refused(chain(), held, (TypeError, ValueError), f"'/world/hinge': {name}", **{name: value})


@pytest.mark.parametrize("name", ["ball", "free"])
def test_002_14_only_hinges_and_slides_can_be_edited(held, name):
    spec = chain()
    words = f"'/world/{name}' is of kind {name}; accepted: hinge, slide"
    refused(spec, held, TypeError, words, target(spec), target(spec, name), armature=0.1)
    with pytest.raises(TypeError):
        joints.plan([target(spec, name)])


def test_002_14_passive_forces_reach_the_model_and_zero_is_a_value():
    spec = chain()
    edit(target(spec), passive_damping=0.1, friction=0.05, armature=0.002)
    model = spec.compile()
    dof = model.joint("hinge").dofadr[0]
    assert model.dof_damping[dof] == 0.1
    assert model.dof_frictionloss[dof] == 0.05
    assert model.dof_armature[dof] == 0.002
    edit(target(spec), passive_damping=0, friction=0.0)
    model = spec.compile()
    assert model.dof_damping[dof] == model.dof_frictionloss[dof] == 0.0
    assert model.dof_armature[dof] == 0.002


def test_damping_that_is_set_is_all_the_damping():
    spec = mujoco.MjSpec.from_string(CHAIN.format(angle="radian", hinge="-1 1"))
    spec.joint("hinge").damping = [0.3, 0.2, 0.1]
    edit(target(spec), passive_damping=0.1)
    model = spec.compile()
    model.opt.gravity[:] = 0
    data = mujoco.MjData(model)
    dof = model.joint("hinge").dofadr[0]
    for speed in (1.0, 3.0):
        data.qvel[dof] = speed
        mujoco.mj_forward(model, data)
        assert data.qfrc_damper[dof] == pytest.approx(-0.1 * speed)


def test_damping_that_the_file_works_out_itself_is_refused(held):
    spec = chain()
    spec.joint("hinge").springdamper = [1.0, 1.0]
    refused(spec, held, ValueError, "springdamper", passive_damping=0.1)
    edit(target(spec), friction=0.1)


def test_002_14_what_mujoco_has_no_place_for_goes_to_the_notes():
    spec = chain()
    aimed = target(spec)
    edit(aimed, velocity_limit=0.05, initial_position=0.5, initial_velocity=0.0)
    assert aimed.notes == JointNotes(
        velocity_limit=0.05, initial_position=0.5, initial_velocity=0.0
    )
    edit(aimed, velocity_limit=0)
    assert aimed.notes.velocity_limit == 0.0
    assert aimed.notes.initial_position == 0.5


def test_002_16_an_initial_position_lies_within_the_limits(held):
    words = r"initial_position is 0.8; accepted: -1.57\d* to 0.785"
    refused(chain(), held, ValueError, words, initial_position=0.8)
    edit(target(chain()), initial_position=math.pi / 4)


def test_002_16_limits_of_the_same_call_count(held):
    spec = chain()
    edit(target(spec), initial_position=0.8, limit_upper=0.9)
    refused(
        spec, held, ValueError, "accepted: -1.57.* to 0.5", initial_position=0.8, limit_upper=0.5
    )


def test_002_16_new_limits_must_leave_room_for_an_earlier_initial_position(held):
    spec = chain()
    aimed = target(spec)
    edit(aimed, initial_position=0.5)
    words = "initial_position, from an earlier edit, is 0.5"
    refused(spec, held, ValueError, words, aimed, limit_upper=0.4)
    edit(aimed, limit_upper=0.4, initial_position=0.3)


def test_002_16_a_joint_without_limits_begins_anywhere():
    spec = chain()
    aimed = target(spec, "open")
    edit(aimed, initial_position=123.0)
    assert aimed.notes.initial_position == 123.0


def test_002_17_a_urdf_joint_needs_position_and_velocity(held):
    spec = urdf()
    aimed = target(spec, source="urdf")
    both = "initial_velocity is needed too"
    refused(spec, held, ValueError, both, aimed, initial_position=0.5)
    words = "initial_position is needed too"
    refused(spec, held, ValueError, words, aimed, initial_velocity=0.0)
    edit(aimed, initial_position=0.5, initial_velocity=0.0)
    edit(aimed, initial_velocity=0.25)
    assert (aimed.notes.initial_position, aimed.notes.initial_velocity) == (0.5, 0.25)


def test_002_17_other_edits_of_a_urdf_joint_need_neither():
    spec = urdf()
    edit(target(spec, source="urdf"), limit_lower=-0.5, friction=0.1)
    assert spec.compile().joint("hinge").range.tolist() == [-0.5, 2.0]


def test_002_17_an_mjcf_joint_needs_only_one():
    spec = chain()
    edit(target(spec), initial_velocity=1.0)
    edit(target(spec), initial_position=0.1)


def test_002_27_one_joint_named_twice_is_refused(held):
    spec = chain()
    alias = JointTarget(path="/world/alias", element=spec.joint("hinge"))
    refused(spec, held, ValueError, "are the same element", target(spec), alias, friction=0.1)


def test_002_28_what_is_left_out_stays_joint_by_joint():
    spec = chain()
    edit(target(spec), target(spec, "slide"), limit_upper=0.2)
    model = spec.compile()
    assert np.allclose(model.joint("hinge").range, [-math.pi / 2, 0.2], rtol=1e-15)
    assert model.joint("slide").range.tolist() == [-0.5, 0.2]


def test_002_29_the_first_target_that_fails_is_named_and_nothing_changes(held):
    spec = chain()
    targets = [target(spec, name) for name in ("hinge", "open", "ball")]
    refused(spec, held, ValueError, "'/world/open' has no limits", *targets, limit_upper=0.2)


SIGNED = st.one_of(st.none(), st.floats(-2, 2))
POSITIVE = st.one_of(st.none(), st.floats(0, 2))


@settings(deadline=None, max_examples=80)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "limit_lower": SIGNED,
                "limit_upper": SIGNED,
                "velocity_limit": POSITIVE,
                "passive_damping": POSITIVE,
                "friction": POSITIVE,
                "armature": POSITIVE,
                "initial_position": SIGNED,
                "initial_velocity": SIGNED,
            }
        ),
        max_size=4,
    )
)
def test_002_30_a_batch_is_as_many_single_edits_or_none(edits):
    """Where the batch fails some single edit fails too, and then the batch did nothing."""
    together, apart = chain(), chain()
    names = ("hinge", "slide", "open")
    batch = [target(together, name) for name in names]
    singles = [target(apart, name) for name in names]
    for values in edits:
        plans, failed = [], False
        for each in singles:
            try:
                plans.append(joints.plan([each], **values))
            except ValueError:
                failed = True
        before = together.to_xml(), repr(batch)
        try:
            edit(*batch, **values)
        except ValueError:
            assert failed
            assert (together.to_xml(), repr(batch)) == before
            continue
        assert not failed
        for plan in plans:
            commit(plan)
        assert together.to_xml() == apart.to_xml()
        assert [each.notes for each in batch] == [each.notes for each in singles]
