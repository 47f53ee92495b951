"""Edits of collision shapes, judged by what MuJoCo compiles and by the contacts it makes."""

import inspect
import math
import warnings

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servogym.scenes.edits import contact
from servogym.scenes.edits.shapes import collision_shapes
from servogym.scenes.edits.target import ShapeNotes, ShapeTarget
from servogym.scenes.edits.write import commit

BALL = """<mujoco><option timestep="0.002"/><worldbody>
<geom name="floor" type="plane" size="1 1 .1" friction="0.5 0.02 0.003" condim="6" {floor}/>
<body name="ball" pos="0 0 .0999"><freejoint/>
  <geom name="skin" size=".1" condim="6" {skin}/>
  <geom name="paint" size=".05" contype="0" conaffinity="0"/>
  <body name="hat" pos="0 0 .2"><geom name="brim" size=".02" contype="2" conaffinity="0"/></body>
</body></worldbody>{rest}</mujoco>"""

URDF = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="c"><geometry><sphere radius=".1"/></geometry></collision></link></robot>"""


def ball(floor="", skin="", rest=""):
    return mujoco.MjSpec.from_string(BALL.format(floor=floor, skin=skin, rest=rest))


def urdf():
    spec = mujoco.MjSpec.from_string(URDF)
    spec.compiler.fusestatic = False
    return spec


def shape(spec, name="skin", **fields):
    return ShapeTarget(path=f"/world/ball/{name}", element=spec.geom(name), **fields)


def edit(spec, *targets, **values):
    commit(contact.plan(spec, targets or (shape(spec),), **values))


def touch(spec):
    """The contacts of the first step."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data.contact


def refused(spec, held, error, words, *targets, **values):
    before = held(spec)
    targets = targets or (shape(spec),)
    notes = [repr(target.notes) for target in targets]
    with pytest.raises(error, match=words):
        contact.plan(spec, targets, **values)
    assert held(spec) == before
    assert [repr(target.notes) for target in targets] == notes


def test_002_09_margin_and_gap_reach_the_model_in_metres():
    spec = ball()
    edit(spec, margin=0.01, gap=0.004)
    model = spec.compile()
    assert model.geom("skin").margin[0] == 0.01
    assert model.geom("skin").gap[0] == 0.004


def test_002_09_contact_is_detected_at_margin_plus_gap_and_pushes_at_margin():
    spec = ball()
    spec.body("ball").pos = [0, 0, 0.112]
    assert len(touch(spec)) == 0
    edit(spec, margin=0.01, gap=0.004)
    (found,) = touch(spec)
    assert found.dist == pytest.approx(0.012)
    assert found.efc_address == -1, "within the gap nothing pushes"
    edit(spec, margin=0.013, gap=0.0)
    (found,) = touch(spec)
    assert found.efc_address == 0


@pytest.mark.parametrize("name", ["margin", "gap"])
@pytest.mark.parametrize("value", [-1e-9, math.nan, math.inf, True, "0.1"])
def test_002_09_margin_and_gap_are_numbers_from_zero_on(held, name, value):
    refused(ball(), held, (TypeError, ValueError), f"skin'.*{name}", **{name: value})


def test_002_06_mjcf_always_has_three_frictions_so_one_may_be_set_alone():
    spec = ball()
    edit(spec, sliding_friction=2.0)
    assert spec.compile().geom("skin").friction.tolist() == [2.0, 0.005, 0.0001]
    edit(spec, rolling_friction=0.25)
    assert spec.compile().geom("skin").friction.tolist() == [2.0, 0.005, 0.25]


def test_002_06_urdf_gives_no_friction_so_the_first_edit_needs_all_three(held):
    spec = urdf()
    target = ShapeTarget(path="/world/r/base", element=spec.geoms[0], source="urdf")
    refused(
        spec, held, ValueError, "needs torsional_friction, rolling", target, sliding_friction=1.0
    )
    edit(spec, target, sliding_friction=1.0, torsional_friction=0.5, rolling_friction=0.25)
    edit(spec, target, sliding_friction=0.0)
    assert spec.compile().geom_friction[0].tolist() == [0.0, 0.5, 0.25]


def test_002_06_other_edits_of_a_urdf_shape_need_no_friction():
    spec = urdf()
    target = ShapeTarget(path="/world/r/base", element=spec.geoms[0], source="urdf")
    edit(spec, target, margin=0.01)
    assert not target.notes.friction_given
    assert spec.compile().geom_margin[0] == 0.01


def test_002_06_two_edits_that_give_three_frictions_between_them_are_not_enough(held):
    spec = urdf()
    target = ShapeTarget(path="/world/r/base", element=spec.geoms[0], source="urdf")
    two = {"sliding_friction": 1.0, "torsional_friction": 0.5}
    refused(spec, held, ValueError, "needs rolling_friction too", target, **two)


def test_002_07_friction_has_no_upper_bound_and_zero_is_a_value():
    spec = ball()
    edit(spec, sliding_friction=2.0, torsional_friction=1.005, rolling_friction=0.0001)
    assert spec.compile().geom("skin").friction.tolist() == [2.0, 1.005, 0.0001]
    edit(spec, sliding_friction=0.0)
    assert spec.compile().geom("skin").friction.tolist() == [0.0, 1.005, 0.0001]
    edit(spec, sliding_friction=1e6)
    assert spec.compile().geom("skin").friction[0] == 1e6


@pytest.mark.parametrize("name", ["sliding_friction", "torsional_friction", "rolling_friction"])
@pytest.mark.parametrize("value", [-1, math.nan, math.inf, True, np.True_, np.array(1.0), "1"])
def test_002_07_friction_is_a_number_from_zero_on(held, name, value):
    refused(ball(), held, (TypeError, ValueError), f"skin'.*{name}", **{name: value})


def test_002_08_a_group_is_no_mask_and_no_visual_group():
    spec = ball()
    before = spec.compile()
    target = shape(spec)
    edit(spec, target, collision_group=40)
    after = spec.compile()
    assert target.notes.collision_group == 40
    for field in ("geom_group", "geom_contype", "geom_conaffinity", "body_mass"):
        assert np.array_equal(getattr(after, field), getattr(before, field)), field


def test_002_08_why_a_group_is_not_the_geoms_group():
    spec = ball()
    spec.geom("skin").group = 40
    assert spec.compile().body("ball").mass[0] < ball().compile().body("ball").mass[0] / 2


@pytest.mark.parametrize("group", [0, 3, 30, 31])
def test_002_08_with_the_filter_shapes_collide_with_their_own_group_only(group):
    spec = ball()
    floor = ShapeTarget(path="/world/floor", element=spec.geom("floor"))
    edit(spec, collision_group=group, filter_from_group=True)
    assert len(touch(spec)) == (1 if group == 0 else 0)
    edit(spec, floor, collision_group=group, filter_from_group=True)
    assert len(touch(spec)) == 1
    mask = np.uint32(1 << group).astype(np.int32)
    assert spec.compile().geom("floor").contype[0] == mask


def test_002_08_groups_end_at_31_with_the_filter_only(held):
    spec = ball()
    words = "from 0 to 31"
    for group in (32, 40):
        refused(spec, held, ValueError, words, collision_group=group, filter_from_group=True)
        edit(spec, collision_group=group)


@pytest.mark.parametrize("value", [-1, 1.0, True, np.True_, "3", math.nan, 2**31])
def test_002_08_a_group_is_an_integer_from_zero_on(held, value):
    refused(ball(), held, (TypeError, ValueError), "collision_group", collision_group=value)


def test_002_10_condim_is_not_set_here():
    assert not any("condim" in name for name in inspect.signature(contact.plan).parameters)


def test_002_11_the_contact_takes_the_larger_friction_of_its_two_sides():
    spec = ball()
    edit(spec, sliding_friction=0.1, torsional_friction=0.3, rolling_friction=0.0)
    (found,) = touch(spec)
    assert found.friction.tolist() == [0.5, 0.5, 0.3, 0.003, 0.003]


def test_002_11_the_contact_takes_the_friction_of_the_side_with_priority():
    spec = ball(skin='priority="1"')
    edit(spec, sliding_friction=0.1, torsional_friction=0.3, rolling_friction=0.0)
    (found,) = touch(spec)
    assert np.allclose(found.friction, [0.1, 0.1, 0.3, 0, 0], atol=2e-5)


def test_002_11_friction_decides_whether_the_ball_slides():
    """On a slope of 45 degrees a shape that may not roll slips below a friction of 1."""
    distance = {}
    for friction in (0.2, 2.0):
        spec = mujoco.MjSpec.from_string(
            '<mujoco><option gravity="6.94 0 -6.94"/><worldbody><geom type="plane" size="9 9 1" '
            'friction="0"/><body pos="0 0 .1"><joint type="slide" axis="1 0 0"/><joint type="slide"'
            ' axis="0 0 1"/><geom name="skin" type="box" size=".1 .1 .1"/></body></worldbody>'
            "</mujoco>"
        )
        edit(spec, sliding_friction=friction)
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 250)
        distance[friction] = data.qpos[0]
    assert distance[0.2] > 0.5
    assert distance[2.0] < 0.05


def test_002_11_an_explicit_pair_decides_alone_and_the_edit_says_so():
    spec = ball(rest='<contact><pair geom1="floor" geom2="skin" friction="9 9 9 9 9"/></contact>')
    with pytest.warns(UserWarning, match="skin'.*'floor'.*explicit pair.*friction, margin"):
        edit(spec, sliding_friction=0.1, margin=0.01)
    (found,) = touch(spec)
    assert found.friction.tolist() == [9, 9, 9, 9, 9]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        edit(spec, collision_group=4)


def test_collisions_go_off_and_come_back_as_they_were():
    spec = ball(skin='contype="5" conaffinity="3"')
    target = shape(spec)
    edit(spec, target, collision_enabled=False)
    assert len(touch(spec)) == 0
    edit(spec, target, collision_enabled=False)
    edit(spec, target, sliding_friction=0.25)
    edit(spec, target, collision_enabled=True)
    model = spec.compile()
    assert (model.geom("skin").contype[0], model.geom("skin").conaffinity[0]) == (5, 3)
    assert target.notes.resting_masks is None
    assert len(touch(spec)) == 1
    assert model.geom("skin").friction[0] == 0.25


def test_a_group_given_while_collisions_are_off_holds_when_they_come_back():
    spec = ball()
    target = shape(spec)
    edit(spec, target, collision_enabled=False)
    edit(spec, target, collision_group=3, filter_from_group=True)
    assert spec.geom("skin").contype == 0
    edit(spec, target, collision_enabled=True)
    assert (spec.geom("skin").contype, spec.geom("skin").conaffinity) == (8, 8)


def test_a_shape_in_an_explicit_pair_cannot_be_turned_off(held):
    spec = ball(rest='<contact><pair geom1="floor" geom2="skin"/></contact>')
    refused(spec, held, ValueError, "explicit pair of 'floor' and 'skin'", collision_enabled=False)


@pytest.mark.parametrize("value", [0, 1, "yes", np.True_])
def test_collision_enabled_is_true_or_false(held, value):
    refused(ball(), held, TypeError, "collision_enabled", collision_enabled=value)


def test_002_03_a_body_means_its_own_collision_shapes():
    spec = ball()
    targets = [
        ShapeTarget(path=f"/world/ball/{geom.name}", element=geom)
        for geom in spec.body("ball").geoms
    ]
    found = collision_shapes(spec, "/world/ball", targets)
    assert [target.element.name for target in found] == ["skin"]
    edit(spec, *found, sliding_friction=7.0)
    model = spec.compile()
    assert [model.geom(n).friction[0] for n in ("skin", "paint", "brim")] == [7.0, 1.0, 1.0]


def test_002_04_a_body_without_a_collision_shape_is_refused():
    spec = ball()
    paint = [shape(spec, "paint")]
    with pytest.raises(LookupError, match=r"'/world/ball' has no collision shape.*1 geoms"):
        collision_shapes(spec, "/world/ball", paint)
    with pytest.raises(LookupError, match="no geoms"):
        collision_shapes(spec, "/world/ball", [])


def test_002_04_a_shape_that_was_turned_off_is_still_one():
    spec = ball()
    target = shape(spec)
    edit(spec, target, collision_enabled=False)
    assert collision_shapes(spec, "/world/ball", [target]) == [target]


def test_002_05_a_visual_geom_is_no_target(held):
    spec = ball()
    words = "/world/ball/paint' is visual"
    refused(spec, held, TypeError, words, shape(spec), shape(spec, "paint"), sliding_friction=1.0)
    assert spec.geom("skin").friction[0] == 1.0


def test_a_geom_that_only_pairs_name_collides_and_is_a_target():
    spec = ball(rest='<contact><pair geom1="floor" geom2="paint"/></contact>')
    edit(spec, shape(spec, "paint"), collision_group=4)


def test_002_27_one_shape_named_twice_is_refused(held):
    spec = ball()
    alias = ShapeTarget(path="/world/alias", element=spec.geom("skin"))
    words = "'/world/ball/skin' and '/world/alias' are the same"
    refused(spec, held, ValueError, words, shape(spec), alias, sliding_friction=1.0)


def test_002_28_what_is_left_out_stays_shape_by_shape():
    spec = ball(skin='friction="0.7 0.07 0.007" margin="0.001"')
    edit(spec, shape(spec), shape(spec, "brim"), torsional_friction=0.5)
    model = spec.compile()
    assert model.geom("skin").friction.tolist() == [0.7, 0.5, 0.007]
    assert model.geom("brim").friction.tolist() == [1.0, 0.5, 0.0001]
    assert model.geom("skin").margin[0] == 0.001


def test_an_edit_of_nothing_changes_nothing_but_checks_its_targets():
    spec = ball()
    assert contact.plan(spec, [shape(spec)]) == []
    with pytest.raises(TypeError, match="visual"):
        contact.plan(spec, [shape(spec, "paint")])


NUMBERS = st.one_of(st.none(), st.floats(0, 3))
VALUES = st.fixed_dictionaries(
    {
        "sliding_friction": NUMBERS,
        "torsional_friction": NUMBERS,
        "rolling_friction": NUMBERS,
        "collision_enabled": st.sampled_from([None, True, False]),
        "collision_group": st.one_of(st.none(), st.integers(0, 31)),
        "margin": NUMBERS,
        "gap": NUMBERS,
        "filter_from_group": st.booleans(),
    }
)


@settings(deadline=None, max_examples=50)
@given(st.lists(VALUES, max_size=4))
def test_002_30_a_batch_is_as_many_single_edits(edits):
    together, apart = ball(), ball()
    names = ("floor", "skin", "brim")
    notes = {spec: {name: ShapeNotes() for name in names} for spec in ("together", "apart")}
    batch = [shape(together, name, notes=notes["together"][name]) for name in names]
    singles = [shape(apart, name, notes=notes["apart"][name]) for name in names]
    for values in edits:
        edit(together, *batch, **values)
        for target in singles:
            edit(apart, target, **values)
    assert together.to_xml() == apart.to_xml()
    assert notes["together"] == notes["apart"]
