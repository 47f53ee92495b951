"""Scene paths: what they lead to, and what is said when they lead nowhere."""

import mujoco
import numpy as np
import pytest

from servogym.robots.backlash import add_backlash
from servogym.scenes.scene import Scene


def near(error: pytest.ExceptionInfo) -> str:
    return str(error.value).partition("near: ")[2]


def test_paths_of_both_arms_are_alike_although_the_model_prefixes_one(scene):
    left, right = (
        [p for p in scene.paths("joint") if p.startswith(f"/world/{side}/")]
        for side in ("left", "right")
    )
    assert left[:3] == [
        "/world/left/base/upper/shoulder",
        "/world/left/base/upper/lower/elbow",
        "/world/left/base/upper/lower/tip/push",
    ]
    assert [p.replace("/left/", "/right/") for p in left] == right
    model = scene.finalize()
    assert model.joint("shoulder").id != model.joint("right/shoulder").id


def test_002_31_a_joint_is_found_by_walking_and_never_by_its_bare_or_prefixed_name(scene):
    for path in ("/world/left/shoulder", "/world/right/right/base/upper/shoulder"):
        with pytest.raises(LookupError) as error:
            scene.set_joint_physics_properties(path, armature=0.1)
        side = path.split("/")[2]
        assert near(error).startswith(f"/world/{side}/base/upper/shoulder")


def test_what_lies_in_the_world_stands_directly_below_the_thing_that_brought_it(scene):
    geoms = scene.paths("geom")
    assert "/world/left/plate" in geoms and "/world/right/plate" in geoms
    scene.set_contact_physics_properties(geom_paths=["/world/right/plate"], sliding_friction=0.3)
    model = scene.finalize()
    assert model.geom("right/plate").friction[0] == 0.3
    assert model.geom("plate").friction[0] == 1.0


def test_a_thing_owns_what_a_change_renames_or_a_gap_inserts():
    scene = Scene()
    scene.add(
        "duck",
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='.1'/></body>"
        "</worldbody></mujoco>",
    )
    ground = mujoco.MjSpec()
    ground.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    scene.add("ground", ground)

    def rename(spec):
        spec.geom("ground/floor").name = "floor"

    scene.apply(rename)
    scene.apply(lambda spec: add_backlash(spec, ["j"], half_range=0.01))
    assert scene.paths("geom") == ("/world/ground/floor",)
    assert scene.paths("joint") == ("/world/duck/b/j", "/world/duck/b/passive_j_backlash")
    scene.set_joint_physics_properties("/world/duck/b/passive_j_backlash", armature=0.002)
    assert scene.finalize().joint("passive_j_backlash").armature == 0.002


def test_a_body_without_a_name_is_passed_over(scene):
    assert "/world/left/base/wobble" in scene.paths("joint")
    assert "/world/left/base/bob" in scene.paths("geom")
    scene.set_contact_physics_properties(geom_paths=["/world/left/base/bob"], margin=0.001)
    assert scene.finalize().geom("bob").margin == 0.001


def test_a_geom_without_a_name_has_no_path_and_the_error_lists_those_that_have(scene):
    with pytest.raises(LookupError, match="holds 1 geoms without a name") as error:
        scene.set_contact_physics_properties(
            geom_paths=["/world/left/base/upper/second"], margin=0.1
        )
    assert "those with a name: /world/left/base/upper/upper_link;" in str(error.value)


def test_002_31_near_paths_are_listed_best_first(scene):
    with pytest.raises(LookupError) as error:
        scene.set_joint_physics_properties("/world/right/base/upper/sholder", armature=0.1)
    first, second = near(error).split(", ")[:2]
    assert first == "/world/right/base/upper/shoulder"
    assert second == "/world/left/base/upper/shoulder"


@pytest.mark.parametrize(
    "path, words",
    [
        ("/world/left/base/upper", "is a body, not a joint; joints: /world/left/base/upper/sho"),
        ("/world/left/base/upper/upper_link", "is a geom, not a joint"),
        ("/world/left", "is a whole thing added to the scene, not a joint; joints: /world/left/b"),
        ("/world/middle/base/upper/shoulder", "no joint '/world/middle/base/upper/shoulder'; near"),
    ],
)
def test_002_31_a_path_to_another_kind_is_said_to_be_one(scene, path, words):
    before = scene.xml()
    with pytest.raises(LookupError) as error:
        scene.set_joint_physics_properties(path, armature=0.1)
    assert words in str(error.value)
    assert scene.xml() == before


@pytest.mark.parametrize(
    "path", ["left/base/upper", "/world", "/world/", "/world/left/", "/world//left", "/World/left"]
)
def test_002_26_a_path_is_full_and_in_one_spelling_only(scene, path):
    with pytest.raises(LookupError, match="a full path is needed"):
        scene.set_body_physics_properties(path, mass=1.0)
    with pytest.raises(LookupError, match="a full path is needed"):
        scene.set_bodies_physics_properties([path], mass=1.0)


def test_002_31_names_that_end_in_a_slash_as_those_of_dm_control_are_reached():
    scene = Scene()
    scene.add(
        "it",
        "<mujoco><worldbody><body name='walker/'><joint name='walker/root'/><geom size='.1'/>"
        "<body name='walker/torso'><geom name='walker/torso' size='.1'/></body></body></worldbody>"
        "</mujoco>",
    )
    for path in scene.paths("body"):
        scene.set_body_physics_properties(path, mass=3.0)
    for path in scene.paths("joint"):
        scene.set_joint_physics_properties(path, armature=0.5)
    model = scene.finalize()
    np.testing.assert_allclose(model.body_mass, [0.0, 3.0, 3.0])
    assert model.joint("walker/root").armature == 0.5


UPPER = "/world/left/base/upper"


@pytest.mark.parametrize(
    "paths, error, words",
    [
        (UPPER, TypeError, r"write \['/world/left/base/upper'\]"),
        ({UPPER}, TypeError, "list or tuple"),
        (iter([UPPER]), TypeError, "list or tuple"),
        (np.array([UPPER]), TypeError, "list or tuple"),
        (None, TypeError, "list or tuple"),
        ([UPPER, 3], TypeError, r"paths\[1\] is 3"),
        ([], ValueError, "empty"),
        ((), ValueError, "empty"),
        ([UPPER, "/world/left/base", UPPER], ValueError, "2 times"),
    ],
)
def test_002_26_several_paths_are_a_list_or_tuple_without_repeats(scene, paths, error, words):
    before = scene.xml()
    with pytest.raises(error, match=words):
        scene.set_bodies_physics_properties(paths, mass=1.0)
    assert scene.xml() == before


def test_002_26_a_tuple_is_as_good_as_a_list(scene):
    scene.set_bodies_physics_properties((UPPER,), mass=1.0)
    scene.set_bodies_physics_properties([UPPER], gravcomp=0.5)


@pytest.mark.parametrize("paths", [[UPPER], (UPPER,), None, 7])
def test_002_26_the_call_for_one_path_takes_one_str(scene, paths):
    with pytest.raises(TypeError, match="one scene path as a str"):
        scene.set_body_physics_properties(paths, mass=1.0)


COPIES = """
<mujoco>
  <default><default class="soft"><geom friction="0.7 0.01 0.001"/></default></default>
  <worldbody>
    <replicate count="3" offset="0 0 1">
      <body name="ball"><geom name="skin" class="soft" size="0.1"/></body>
    </replicate>
    <body name="fourth" pos="1 0 0"><geom name="shell" class="soft" size="0.1"/></body>
  </worldbody>
</mujoco>
"""


def test_002_34_copies_of_a_replicate_and_members_of_a_class_are_edited_one_by_one():
    scene = Scene()
    scene.add("balls", COPIES)
    assert scene.paths("geom") == tuple(
        f"/world/balls/{name}"
        for name in ("ball0/skin0", "ball1/skin1", "ball2/skin2", "fourth/shell")
    )
    scene.set_contact_physics_properties(
        geom_paths=["/world/balls/ball1/skin1"], sliding_friction=0.2
    )
    model = scene.finalize()
    np.testing.assert_array_equal(model.geom_friction[:, 0], [0.7, 0.2, 0.7, 0.7])
    np.testing.assert_array_equal(model.geom_friction[:, 1], 0.01)


def test_002_34_the_body_that_a_replicate_copies_has_no_path_of_its_own():
    scene = Scene()
    scene.add("balls", COPIES)
    with pytest.raises(LookupError) as error:
        scene.set_body_physics_properties("/world/balls/ball", mass=1.0)
    assert {f"/world/balls/ball{i}" for i in range(3)} <= set(near(error).split(", "))


def test_002_27_every_element_has_one_path_so_two_paths_are_two_elements(scene):
    scene.add("balls", COPIES)
    spec = mujoco.MjSpec.from_string(scene.xml())
    for kind, elements in (("body", spec.bodies[1:]), ("joint", spec.joints), ("geom", spec.geoms)):
        named = [element for element in elements if element.name]
        assert len(scene.paths(kind)) == len(set(scene.paths(kind))) == len(named)


def test_002_27_two_elements_on_one_path_are_refused_rather_than_one_of_them_chosen(arm):
    scene = Scene()
    scene.add("first", "<mujoco/>")
    scene.add("arm", arm)

    def clash(spec):
        spec.geom("arm/upper_link").name = "lower_link"
        spec.geom("arm/lower_link").name = "other"
        spec.body("arm/lower").geoms[0].parent.add_geom(name="arm/tip", size=[0.1, 0, 0])
        spec.body("arm/lower").add_geom(name="tip", size=[0.1, 0, 0])

    scene.apply(clash)
    with pytest.raises(LookupError, match="means two geoms"):
        scene.set_contact_physics_properties(
            geom_paths=["/world/arm/base/upper/lower/tip"], margin=0.1
        )
