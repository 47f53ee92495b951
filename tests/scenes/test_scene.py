"""Putting a scene together and building it: places, changes, boxes, and when it is too late."""

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes.scene import Scene

BALL = (
    "<mujoco><option timestep='0.001'/><worldbody><body name='b' pos='0 0 1'><freejoint name='f'/>"
    "<geom name='g' size='0.1'/></body></worldbody>"
    "<keyframe><key name='UP' qpos='0 0 5 1 0 0 0'/></keyframe></mujoco>"
)
UPPER = "/world/left/base/upper"


def test_what_is_added_first_is_the_scene_to_the_last_bit(arm, image):
    scene = Scene()
    scene.add("anything", arm)
    assert image(scene.finalize()) == image(mujoco.MjSpec.from_string(arm).compile())


def test_the_first_things_options_hold_and_those_of_later_things_do_not():
    scene = Scene()
    scene.add("ball", BALL)
    scene.set_scene_physics_properties(gravity=[0, 0, -1.62])
    scene.add("block", "<mujoco><worldbody><geom name='x' size='1'/></worldbody></mujoco>")
    option = scene.finalize().opt
    assert option.timestep == 0.001
    np.testing.assert_array_equal(option.gravity, [0, 0, -1.62])


@pytest.mark.parametrize("others", [0, 1])
def test_pos_and_quat_place_the_first_thing_as_they_place_any_other(arm, others):
    turned = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
    scene = Scene()
    for number in range(others):
        scene.add(f"other{number}", "<mujoco/>")
    scene.add("arm", arm, pos=[1.0, 2.0, 3.0], quat=[1, 0, 0, 1])
    model = scene.finalize()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    prefix = "arm/" if others else ""
    np.testing.assert_allclose(data.body(prefix + "base").xpos, [1, 2, 3], atol=1e-12)
    np.testing.assert_allclose(data.body(prefix + "base").xquat, turned, atol=1e-12)
    np.testing.assert_allclose(data.geom(prefix + "plate").xpos, [1, 2, 2.99], atol=1e-12)
    assert scene.paths("geom")[0] == "/world/arm/plate"


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_a_quaternion_of_any_size_is_a_rotation(arm, size):
    scene = Scene()
    scene.add("arm", arm, quat=[size, 0.0, 0.0, size])
    model = scene.finalize()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.body("base").xquat, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


@pytest.mark.parametrize(
    "place, error",
    [
        ({"pos": [0, 0]}, ValueError),
        ({"pos": [0, 0, np.nan]}, ValueError),
        ({"pos": [0, 0, True]}, TypeError),
        ({"pos": "000"}, TypeError),
        ({"quat": [1, 0, 0]}, ValueError),
        ({"quat": [0, 0, 0, 0]}, ValueError),
        ({"quat": [1, 0, 0, np.inf]}, ValueError),
        ({"quat": 1.0}, TypeError),
    ],
)
def test_a_place_that_is_none_is_refused_before_anything_enters(scene, place, error):
    before = scene.xml()
    with pytest.raises(error):
        scene.add("ball", BALL, **place)
    with pytest.raises(error):
        scene.add_box("box", half_size=[1, 1, 1], **place)
    assert scene.xml() == before


@pytest.mark.parametrize(
    "name, error, words",
    [
        ("left", ValueError, "/world/left exists already; in use: left, right"),
        ("", ValueError, "accepted: letters"),
        ("a/b", ValueError, "accepted: letters"),
        ("a b", ValueError, "accepted: letters"),
        (3, TypeError, "a str is needed"),
    ],
)
def test_a_name_is_one_part_of_a_path_and_free(scene, name, error, words):
    with pytest.raises(error, match=words):
        scene.add(name, BALL)


def test_a_name_of_the_first_things_own_that_looks_like_a_prefix_is_refused():
    first = "<mujoco><worldbody><body name='two/b'><geom size='1'/></body></worldbody></mujoco>"
    scene = Scene()
    scene.add("one", first)
    before = scene.xml()
    with pytest.raises(ValueError, match="'two' cannot be attached"):
        scene.add("two", BALL)
    assert scene.xml() == before and scene.paths("joint") == ()


def test_a_file_of_keyframes_keeps_them_whatever_is_added_later():
    duck = robots.get("microduck")
    scene = Scene()
    scene.add("duck", duck)
    scene.add("ball", BALL)
    scene.add_box("crate", half_size=[0.1, 0.1, 0.1], mass=1.0, pos=[0, 0, 2])
    home = scene.finalize().key("HOME").qpos
    alone = duck.spec().compile().key("HOME").qpos
    np.testing.assert_array_equal(home[: len(alone)], alone)


def test_002_35_a_box_is_what_it_was_made_as():
    scene = Scene()
    scene.add_box("floor", half_size=[1, 1, 0.1], pos=[0, 0, -0.1], friction=[0.4, 0.01, 0.002])
    scene.add_box("crate", half_size=[0.1, 0.2, 0.3], pos=[0, 0, 0.3], mass=2.5)
    model = scene.finalize()
    assert model.body("crate/body").mass == 2.5 and model.njnt == 1
    np.testing.assert_array_equal(model.geom("crate/shape").size, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(model.geom("shape").friction, [0.4, 0.01, 0.002])
    sim = scene.simulation()
    sim.step(200)
    assert sim.mj_data.body("crate/body").xpos[2] == pytest.approx(0.3, abs=0.01)


def test_002_35_setters_refuse_what_was_made_in_code(scene):
    scene.add_box("crate", half_size=[0.1, 0.1, 0.1], mass=1.0)
    before = scene.xml()
    for path in ("/world/crate", "/world/crate/body", "/world/crate/anything"):
        with pytest.raises(ValueError, match="'crate' was made in code"):
            scene.set_body_physics_properties(path, mass=2.0)
        with pytest.raises(ValueError, match="'crate' was made in code"):
            scene.set_contact_physics_properties(body_paths=[UPPER, path], margin=0.1)
    assert scene.xml() == before


@pytest.mark.parametrize(
    "values, error",
    [
        ({"half_size": [1, 1, 0]}, ValueError),
        ({"half_size": [1, 1]}, ValueError),
        ({"half_size": [1, 1, 1], "mass": 0.0}, ValueError),
        ({"half_size": [1, 1, 1], "mass": True}, TypeError),
        ({"half_size": [1, 1, 1], "friction": [1, -1, 0]}, ValueError),
    ],
)
def test_a_box_that_cannot_be_is_refused(values, error):
    with pytest.raises(error):
        Scene().add_box("crate", **values)


def test_a_change_of_the_spec_is_all_or_nothing(scene):
    def half(spec):
        spec.body("base").mass = 99.0
        spec.delete(spec.body("right/base"))
        raise KeyError("stop")

    before = scene.xml()
    with pytest.raises(KeyError):
        scene.apply(half)
    assert scene.xml() == before


def test_changes_come_in_the_order_of_the_calls(scene):
    def heavy(spec):
        spec.option.gravity = [0, 0, -20]

    scene.set_scene_physics_properties(gravity=[0, 0, -1])
    scene.apply(heavy)
    assert "-20" in scene.xml()
    scene.set_scene_physics_properties(gravity=[0, 0, -2])
    assert scene.finalize().opt.gravity[2] == -2


def test_what_was_set_of_a_joint_survives_a_change_that_replaces_the_spec(scene):
    path = f"{UPPER}/shoulder"
    scene.set_joint_physics_properties(path, initial_position=0.5, velocity_limit=2.0)
    scene.apply(lambda spec: mujoco.MjSpec.from_string(scene_text(spec)))
    with pytest.raises(ValueError, match=r"initial_position, from an earlier edit, is 0\.5"):
        scene.set_joint_physics_properties(path, limit_upper=0.4)
    model = scene.finalize()
    assert model.key("initial").qpos[0] == 0.5
    assert model.numeric("velocity_limit:shoulder").data == 2.0


def scene_text(spec):
    spec.compile()
    return spec.to_xml()


def test_a_joint_taken_away_after_it_was_edited_is_missed_when_building(scene):
    scene.set_joint_physics_properties(f"{UPPER}/lower/tip/push", initial_position=0.0)

    def cut(spec):
        spec.delete(spec.actuator("shove"))
        spec.delete(spec.joint("push"))

    scene.apply(cut)
    with pytest.raises(LookupError, match="/world/left/base/upper/lower/tip/push"):
        scene.finalize()


def test_a_servo_taken_away_after_its_target_was_set_is_missed_when_building(scene):
    scene.set_actuator_physics_properties(f"{UPPER}/shoulder", target_position=0.1)
    scene.apply(lambda spec: spec.delete(spec.actuator("turn")))
    with pytest.raises(LookupError, match=r"no position servo on \['shoulder'\]"):
        scene.finalize()


def test_nameless_shapes_that_became_more_are_refused_rather_than_mixed_up(scene):
    scene.set_contact_physics_properties(body_paths=[UPPER], collision_enabled=False)
    scene.apply(lambda spec: void(spec.body("upper").add_geom(size=[0.1, 0, 0])))
    with pytest.raises(RuntimeError, match="had 1 geoms without a name"):
        scene.set_contact_physics_properties(body_paths=[UPPER], collision_enabled=True)


def void(_):
    return None


def test_the_initial_keyframe_of_a_file_keeps_what_is_not_set(arm):
    key = "<keyframe><key name='initial' qpos='0.1 0.2 0 1 0 0 0' ctrl='0.1 0 0'/></keyframe>"
    scene = Scene()
    scene.add("left", arm.replace("</mujoco>", key + "</mujoco>"))
    scene.set_joint_physics_properties(f"{UPPER}/lower/elbow", initial_position=-0.3)
    model = scene.finalize()
    assert model.nkey == 1
    np.testing.assert_allclose(model.key("initial").qpos[:3], [0.1, -0.3, 0.0])
    np.testing.assert_allclose(model.key("initial").ctrl, [0.1, 0.0, 0.0])


def test_the_xml_of_a_scene_holds_its_limits_its_beginning_and_its_targets(arm):
    shoulder, elbow = f"{UPPER}/shoulder", f"{UPPER}/lower/elbow"
    scene = Scene()
    scene.add("left", arm)
    scene.set_joint_physics_properties(elbow, initial_position=0.25, velocity_limit=2.0)
    scene.set_actuator_physics_properties(shoulder, target_position=0.5)
    model = scene.finalize()
    again = Scene()
    again.add("left", scene.xml())
    assert again.xml() == scene.xml()
    for twin in (mujoco.MjModel.from_xml_string(scene.xml()), again.finalize()):
        assert twin.numeric("velocity_limit:elbow").data == 2.0 and twin.nnumeric == 1
        assert twin.nkey == 1
        for field in ("qpos", "qvel", "ctrl"):
            ours, theirs = (getattr(m.key("initial"), field) for m in (twin, model))
            np.testing.assert_array_equal(ours, theirs)


def setters(scene):
    """Every way to change a scene, as calls that would be right at any other time."""
    joint = f"{UPPER}/shoulder"
    return {
        "contact": lambda: scene.set_contact_physics_properties(body_paths=[UPPER], margin=0.1),
        "body": lambda: scene.set_body_physics_properties(UPPER, mass=1.0),
        "bodies": lambda: scene.set_bodies_physics_properties([UPPER], mass=1.0),
        "joint": lambda: scene.set_joint_physics_properties(joint, armature=0.1),
        "joints": lambda: scene.set_joints_physics_properties([joint], armature=0.1),
        "actuator": lambda: scene.set_actuator_physics_properties(joint, stiffness=1.0),
        "actuators": lambda: scene.set_actuators_physics_properties([joint], stiffness=1.0),
        "scene": lambda: scene.set_scene_physics_properties(timestep=0.001),
        "add": lambda: scene.add("ball", BALL),
        "add_box": lambda: scene.add_box("box", half_size=[1, 1, 1]),
        "apply": lambda: scene.apply(void),
        "inject": lambda: scene.inject(mujoco.MjSpec.from_string(BALL).compile()),
        "reserve": lambda: scene.reserve("joint", ["friction"], "me", None),
        "finalize": scene.finalize,
    }


@pytest.mark.parametrize("name", list(setters(Scene())))
def test_002_33_after_finalize_nothing_can_be_changed_and_the_model_is_not_built_again(
    scene, image, name
):
    model = scene.finalize()
    before = image(model)
    with pytest.raises(RuntimeError, match="finalized"):
        setters(scene)[name]()
    assert image(model) == before and scene.simulation().model is model


def test_002_33_an_injected_model_has_no_source_to_edit(image):
    model = mujoco.MjSpec.from_string(BALL).compile()
    before = image(model)
    scene = Scene()
    scene.inject(model)
    for name, change in setters(scene).items():
        if name != "finalize":
            with pytest.raises(RuntimeError, match="injected"):
                change()
    with pytest.raises(RuntimeError, match="injected"):
        scene.xml()
    assert scene.finalize() is model and image(model) == before
    scene.simulation().step()


def test_a_model_is_injected_into_an_empty_scene_only(scene):
    with pytest.raises(RuntimeError, match=r"holds \['left', 'right'\]"):
        scene.inject(mujoco.MjSpec.from_string(BALL).compile())
    with pytest.raises(TypeError, match=r"str is no mujoco.MjModel; sources go to add\(\)"):
        Scene().inject("scene.xml")


def test_an_empty_scene_has_nothing_to_change_or_build():
    for change in (
        lambda scene: scene.finalize(),
        lambda scene: scene.apply(void),
        lambda scene: scene.set_scene_physics_properties(timestep=0.1),
        lambda scene: scene.simulation(),
    ):
        with pytest.raises(RuntimeError, match=r"empty|finalize\(\)"):
            change(Scene())


def test_a_scene_that_does_not_compile_can_still_be_mended(scene):
    scene.apply(lambda spec: void(spec.worldbody.add_body(name="ghost").add_joint(name="j")))
    with pytest.raises(ValueError, match="mass and inertia"):
        scene.finalize()
    scene.apply(lambda spec: spec.delete(spec.body("ghost")))
    assert scene.finalize().nbody == 1 + 2 * 6


def test_what_somebody_else_decides_is_refused_with_his_name(scene):
    scene.reserve("joint", ["friction"], "ask the motor", ["right/shoulder"])
    scene.reserve("body", ["mass"], "ask the scales", None)
    scene.reserve("scene", ["timestep"], "ask the clock", None)
    scene.reserve("shape", ["gap"], "ask the painter", ["upper_link"])
    right = "/world/right/base/upper/shoulder"
    before = scene.xml()
    for change, words in (
        (lambda: scene.set_joint_physics_properties(right, friction=0.0), "ask the motor"),
        (lambda: scene.set_body_physics_properties(UPPER, mass=1.0), "ask the scales"),
        (lambda: scene.set_scene_physics_properties(timestep=0.1), "ask the clock"),
        (
            lambda: scene.set_contact_physics_properties(body_paths=[UPPER], gap=0.1),
            "ask the painter",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            change()
    assert scene.xml() == before
    scene.set_joint_physics_properties(right, friction=None, armature=0.1)
    scene.set_joint_physics_properties(f"{UPPER}/shoulder", friction=0.1)
    scene.set_scene_physics_properties(gravity=[0, 0, 0])
    scene.set_contact_physics_properties(geom_paths=[f"{UPPER}/lower/lower_link"], gap=0.1)
