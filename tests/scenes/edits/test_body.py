"""Edits of bodies, judged by what MuJoCo compiles."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servogym.scenes.edits import body as bodies
from servogym.scenes.edits.target import BodyTarget
from servogym.scenes.edits.write import commit

TREE = """<mujoco><compiler {compiler}/><worldbody>
<geom name="floor" type="plane" size="1 1 .1"/>
<body name="written" pos="0 0 5"><freejoint/>
  <inertial mass="2" pos="0.1 0 0" quat="0.9 0.1 0.3 0.2" diaginertia="0.03 0.02 0.04"/>
  <geom size=".1"/>
</body>
<body name="full" pos="2 0 5"><freejoint/>
  <inertial mass="2" pos="0 0 0.2" fullinertia="0.03 0.02 0.04 0.001 0.002 0.003"/>
</body>
<body name="shapes" pos="4 0 5"><freejoint/>
  <geom type="box" size=".1 .2 .3" euler="10 20 30"/>
  <geom size=".1" pos=".2 0 0" mass="3"/>
  <geom size=".5" group="3" mass="0"/>
  <body name="child"><joint/><geom size=".1"/></body>
</body>
<body name="plain" pos="6 0 0"><body name="leaf" pos="0 0 1"><joint/><geom size=".1"/></body></body>
<body name="frame" pos="8 0 0"/>
</worldbody></mujoco>"""

KINDS = ("written", "full", "shapes")
BOX = np.diag([0.013, 0.010, 0.005])
TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def tree(compiler=""):
    return mujoco.MjSpec.from_string(TREE.format(compiler=compiler))


def target(spec, name):
    return BodyTarget(path=f"/world/{name}", element=spec.body(name))


def edit(spec, *names, **values):
    commit(bodies.plan(spec, [target(spec, name) for name in names], **values))


def inertial(spec, name):
    """Mass, centre, and inertia in the axes of the body, as compiled."""
    copy = spec.copy()
    copy.compiler.fusestatic = False
    model = copy.compile()
    body = model.body(name)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, body.iquat)
    turn = turn.reshape(3, 3)
    return body.mass[0], body.ipos.copy(), turn @ np.diag(body.inertia) @ turn.T


def assert_is(found, mass, center, tensor):
    assert found[0] == pytest.approx(mass, rel=1e-12)
    assert np.allclose(found[1], center, rtol=0, atol=1e-12)
    assert np.abs(found[2] - tensor).max() <= 1e-12 * np.abs(tensor).max()


def refused(spec, held, error, words, *names, **values):
    before = held(spec)
    with pytest.raises(error, match=words):
        bodies.plan(spec, [target(spec, name) for name in names], **values)
    assert held(spec) == before


@pytest.mark.parametrize("name", KINDS)
def test_002_12_a_mass_alone_scales_the_inertia_and_leaves_the_centre(name):
    """Pain 42: a body of another mass and the old inertia is another body."""
    spec = tree()
    mass, center, tensor = inertial(spec, name)
    edit(spec, name, mass=7.0)
    assert_is(inertial(spec, name), 7.0, center, tensor * 7.0 / mass)


@pytest.mark.parametrize("name", KINDS)
def test_002_12_mass_and_inertia_together_are_taken_as_they_are(name):
    spec = tree()
    center = inertial(spec, name)[1]
    edit(spec, name, mass=7.0, inertia=BOX)
    assert_is(inertial(spec, name), 7.0, center, BOX)


@pytest.mark.parametrize("name", KINDS)
def test_002_12_a_centre_of_mass_takes_the_inertia_along(name):
    spec = tree()
    mass, _, tensor = inertial(spec, name)
    edit(spec, name, center_of_mass=(0.0, 0.02, -0.03))
    assert_is(inertial(spec, name), mass, [0.0, 0.02, -0.03], tensor)


@pytest.mark.parametrize("name", KINDS)
def test_002_12_an_inertia_alone_leaves_mass_and_centre(name):
    spec = tree()
    mass, center, _ = inertial(spec, name)
    edit(spec, name, inertia=(TURN @ BOX @ TURN.T).tolist())
    assert_is(inertial(spec, name), mass, center, TURN @ BOX @ TURN.T)


@pytest.mark.parametrize("name", KINDS)
def test_002_12_mass_with_centre_scales_the_inertia_too(name):
    spec = tree()
    mass, _, tensor = inertial(spec, name)
    edit(spec, name, mass=0.5, center_of_mass=[0, 0, 0])
    assert_is(inertial(spec, name), 0.5, [0, 0, 0], tensor * 0.5 / mass)


@pytest.mark.parametrize("name", KINDS)
def test_002_12_edits_one_after_the_other_are_one_edit(name):
    together, apart = tree(), tree()
    values = {"mass": 3.0, "center_of_mass": [0.01, 0.02, 0.03], "inertia": BOX}
    edit(together, name, **values)
    for key, value in values.items():
        edit(apart, name, **{key: value})
    assert_is(inertial(apart, name), *inertial(together, name))


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(KINDS),
    st.tuples(*[st.floats(-1, 1)] * 4),
    st.tuples(*[st.floats(0.01, 1)] * 3),
    st.floats(-8, 3),
)
def test_002_13_the_compiled_inertia_is_the_one_asked_for(name, quat, spread, decade):
    """From a gram's insect to a car, thin plates and rods among them, whatever the axes."""
    x, y, z = spread
    turn = np.zeros(9)
    quat = np.array(quat) + np.array([1.5, 0, 0, 0])
    mujoco.mju_quat2Mat(turn, quat / np.linalg.norm(quat))
    turn = turn.reshape(3, 3)
    moments = np.diag([y + z, x + z, x + y]) * 10.0**decade
    tensor = turn @ moments @ turn.T
    spec = tree()
    edit(spec, name, inertia=tensor)
    found = inertial(spec, name)[2]
    assert np.abs(found - tensor).max() <= 1e-9 * np.abs(tensor).max()


@pytest.mark.parametrize("name", KINDS)
def test_002_13_a_plate_at_the_bound_compiles(name):
    spec = tree()
    plate = np.diag([0.1, 0.2, 0.1 + 0.2])
    for turn in (np.eye(3), TURN):
        edit(spec, name, inertia=turn @ plate @ turn.T * (1 + 5e-10))
        found = inertial(spec, name)[2]
        assert np.allclose(found, turn @ plate @ turn.T, rtol=0, atol=1e-9)


def test_a_diagonal_inertia_stays_to_the_last_digit():
    spec = tree()
    edit(spec, "full", inertia=np.diag([0.3, 0.1, 0.2]))
    model = spec.compile()
    assert model.body("full").inertia.tolist() == [0.3, 0.1, 0.2]
    assert model.body("full").iquat.tolist() == [1, 0, 0, 0]


def test_an_inertia_replaces_one_that_the_file_turned_by_angles():
    spec = mujoco.MjSpec.from_string(
        "<mujoco><worldbody><body name='a'><freejoint/><inertial mass='1' pos='0 0 0' "
        "euler='10 20 30' diaginertia='1 2 2.5'/></body></worldbody></mujoco>"
    )
    edit(spec, "a", inertia=BOX)
    assert_is(inertial(spec, "a"), 1.0, [0, 0, 0], BOX)


def test_where_geoms_are_never_weighed_what_is_given_counts():
    spec = tree('inertiafromgeom="false"')
    for name in ("shapes", "child", "leaf"):
        edit(spec, name, mass=1.0, inertia=BOX)
    assert_is(inertial(spec, "shapes"), 1.0, [0, 0, 0], BOX)


def test_002_03_a_heavier_body_leaves_its_child_alone():
    spec = tree()
    before = inertial(spec, "child")
    edit(spec, "shapes", mass=100.0)
    edit(spec, "shapes", center_of_mass=[0, 0, 0])
    assert_is(inertial(spec, "child"), *before)


def test_a_body_made_of_shapes_stays_made_of_them_when_it_is_heavier():
    """Also where the file lets geoms alone decide, as Gym's old models do."""
    spec = tree('inertiafromgeom="true"')
    mass, center, tensor = inertial(spec, "written")
    edit(spec, "written", mass=3 * mass)
    assert_is(inertial(spec, "written"), 3 * mass, center, 3 * tensor)
    assert not tree().body("shapes").explicitinertial


@pytest.mark.parametrize("values", [{"center_of_mass": (0, 0, 0)}, {"inertia": BOX}])
def test_an_inertial_that_geoms_would_override_is_refused(held, values):
    spec = tree('inertiafromgeom="true"')
    refused(spec, held, ValueError, "geoms alone decide", "written", **values)
    commit(bodies.plan(spec, [target(spec, "full")], **values))


@pytest.mark.filterwarnings("ignore:.*settotalmass:UserWarning")
def test_a_file_that_rescales_every_mass_is_refused(held):
    spec = tree('settotalmass="30"')
    refused(spec, held, ValueError, "settotalmass=30", "written", mass=1.0)
    edit(spec, "written", gravcomp=0.5)


@pytest.mark.parametrize(
    ("bound", "values", "words"),
    [
        ('boundmass="0.5"', {"mass": 0.4}, "mass is 0.4; accepted: at least 0.5"),
        ('boundinertia="0.006"', {"inertia": BOX}, "0.005; accepted: at least 0.006"),
        ('boundinertia="0.006"', {"mass": 0.2}, "moment of inertia of 0.002"),
        ("", {"mass": 1e-16}, "1e-15"),
        ("", {"inertia": BOX * 1e-14}, "1e-15"),
    ],
)
def test_what_a_bound_would_replace_in_silence_is_refused(held, bound, values, words):
    refused(tree(bound), held, ValueError, words, "written", **values)


def test_a_body_that_the_bound_had_made_heavier_gets_the_mass_that_is_asked():
    spec = tree('boundmass="0.5" boundinertia="1e-9"')
    body = spec.worldbody.add_body(name="pea")
    body.add_freejoint()
    body.add_geom(size=[0.01, 0, 0])
    assert inertial(spec, "pea")[0] == 0.5
    edit(spec, "pea", mass=2.0)
    assert_is(inertial(spec, "pea"), 2.0, [0, 0, 0], np.eye(3) * 0.4 * 2.0 * 0.01**2)


def test_a_mass_that_leaves_a_body_of_geoms_too_little_inertia_is_refused(held):
    words = "leaves a principal moment of inertia of .* below the bound of 0.006"
    refused(tree('boundinertia="0.006"'), held, ValueError, words, "shapes", mass=0.01)


def test_a_frame_with_a_scale_would_multiply_what_is_written(held):
    spec = mujoco.MjSpec.from_string(
        "<mujoco><worldbody><frame name='big'><body name='arm'><joint/><geom size='.1'/>"
        "<body name='hand'><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>"
        "</body></frame></worldbody></mujoco>"
    )
    if not hasattr(spec.frame("big"), "scale"):
        pytest.skip("this MuJoCo has no scale")
    spec.frame("big").scale = [2, 2, 2]
    for name in ("arm", "hand"):
        refused(spec, held, ValueError, "frame with a scale", name, inertia=np.eye(3))
    edit(spec, "arm", mass=3.0)
    assert inertial(spec, "arm")[0] == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize("name", ["frame", "plain"])
def test_a_body_without_mass_needs_mass_and_inertia_together(held, name):
    spec = tree()
    refused(spec, held, ValueError, "give mass and inertia together", name, mass=1.0)
    edit(spec, name, mass=1.0, inertia=BOX)
    assert_is(inertial(spec, name), 1.0, [0, 0, 0], BOX)


def test_a_scene_that_does_not_compile_is_named_when_its_geoms_must_be_weighed():
    spec = tree()
    spec.worldbody.add_body(name="ghost").add_joint()
    with pytest.raises(ValueError, match=r"(?s)'/world/shapes'.*does not compile.*ghost"):
        bodies.plan(spec, [target(spec, "shapes")], inertia=BOX)
    edit(spec, "written", mass=1.0)


def test_a_body_on_a_static_one_is_weighed_although_the_file_fuses_them():
    spec = tree('fusestatic="true"')
    edit(spec, "leaf", mass=3.0)
    assert spec.compile().body("leaf").mass[0] == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize("value", [0, 0.0, -1, math.nan, math.inf, True, "1", np.array(1.0)])
def test_002_13_a_mass_is_a_positive_number(held, value):
    refused(tree(), held, (TypeError, ValueError), "'/world/written': mass", "written", mass=value)


@pytest.mark.parametrize("value", [(0, 0), (0, 0, math.nan), 0.0, (0, 0, False), "000"])
def test_002_13_a_centre_is_a_vector(held, value):
    words = "'/world/written': center_of_mass"
    refused(tree(), held, (TypeError, ValueError), words, "written", center_of_mass=value)


@pytest.mark.parametrize(
    "value",
    [
        [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]],
        np.diag([1.0, 1.0, -1.0]),
        np.diag([1.0, 1.0, 3.0]),
        np.diag([1.0, 1.0, math.nan]),
        np.eye(2),
        1.0,
        np.eye(3, dtype=bool),
    ],
    ids=["asymmetric", "not positive", "triangle", "nan", "2 x 2", "number", "bool"],
)
def test_002_13_an_inertia_is_one_that_a_body_can_have(held, value):
    words = "'/world/written': inertia"
    refused(tree(), held, (TypeError, ValueError), words, "written", inertia=value)


@pytest.mark.parametrize("value", [0.0, 0.25, 1])
def test_002_13_gravcomp_holds_up_that_share_of_the_weight(value):
    spec = tree()
    edit(spec, "written", gravcomp=value)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    dof = model.joint(model.body("written").jntadr[0]).dofadr[0]
    assert data.qfrc_gravcomp[dof + 2] == pytest.approx(value * 2 * 9.81)


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, True, "1"])
def test_002_13_gravcomp_is_a_share(held, value):
    words = "gravcomp.*0 to 1"
    refused(tree(), held, (TypeError, ValueError), words, "written", gravcomp=value)


def test_the_world_is_no_target(held):
    spec = tree()
    world = BodyTarget(path="/world", element=spec.worldbody)
    with pytest.raises(ValueError, match="'/world' is the world"):
        bodies.plan(spec, [world], gravcomp=1.0)


def test_002_29_the_last_of_many_decides_for_all(held):
    words = "'/world/frame' has no mass"
    refused(tree(), held, ValueError, words, "written", "full", "shapes", "frame", mass=2.0)


def test_002_28_what_is_left_out_stays_body_by_body():
    spec = tree()
    before = {name: inertial(spec, name) for name in KINDS}
    edit(spec, *KINDS, mass=1.0)
    for name, (mass, center, tensor) in before.items():
        assert_is(inertial(spec, name), 1.0, center, tensor / mass)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "mass": st.floats(0.1, 9),
                "center_of_mass": st.tuples(*[st.floats(-1, 1)] * 3),
                "inertia": st.sampled_from([BOX, TURN @ BOX @ TURN.T, np.eye(3).tolist()]),
                "gravcomp": st.floats(0, 1),
            },
        ),
        min_size=1,
        max_size=3,
    )
)
def test_002_30_a_batch_is_as_many_single_edits(edits):
    together, apart = tree(), tree()
    for values in edits:
        edit(together, *KINDS, **values)
        for name in KINDS:
            edit(apart, name, **values)
    assert together.to_xml() == apart.to_xml()
