"""The setters of a scene, row by row of the specification, from the call to the compiled model."""

import inspect

import mujoco
import numpy as np
import pytest

from servogym.scenes.scene import Scene

LEFT, RIGHT = "/world/left/base/upper", "/world/right/base/upper"
SHOULDERS = [f"{LEFT}/shoulder", f"{RIGHT}/shoulder"]
ELBOWS = [f"{LEFT}/lower/elbow", f"{RIGHT}/lower/elbow"]
PUSH = f"{LEFT}/lower/tip/push"

CONTACT = (
    "body_paths geom_paths sliding_friction torsional_friction rolling_friction "
    "collision_enabled collision_group margin gap"
)
BODY = "mass center_of_mass inertia gravcomp starts_asleep"
JOINT = (
    "limit_lower limit_upper velocity_limit passive_damping friction armature initial_position "
    "initial_velocity"
)
ACTUATOR = "mode stiffness damping target_position target_velocity effort_limit"
SIGNATURES = {
    "set_contact_physics_properties": ("", CONTACT),
    "set_body_physics_properties": ("path", BODY),
    "set_bodies_physics_properties": ("paths", BODY),
    "set_joint_physics_properties": ("path", JOINT),
    "set_joints_physics_properties": ("paths", JOINT),
    "set_actuator_physics_properties": ("joint_path", ACTUATOR),
    "set_actuators_physics_properties": ("joint_paths", ACTUATOR),
    "set_scene_physics_properties": ("", "gravity timestep"),
}
URDF_LINK = (
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    "</inertial>"
)
URDF = (
    f"<robot name='r'><link name='a'>{URDF_LINK}</link><link name='b'>{URDF_LINK}"
    "<collision name='shell'><geometry><sphere radius='0.1'/></geometry></collision></link>"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='2'/></joint></robot>"
)


@pytest.mark.parametrize("setter", SIGNATURES)
def test_002_01_and_10_and_12_signatures_hold_exactly_these_keywords(setter):
    parameters = list(inspect.signature(getattr(Scene, setter)).parameters.values())[1:]
    path, keywords = SIGNATURES[setter]
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == path.split()
    assert [p.name for p in parameters if p.kind is p.KEYWORD_ONLY] == keywords.split()
    assert len(parameters) == len(path.split()) + len(keywords.split())
    assert all(p.default in (None, ()) for p in parameters if p.kind is p.KEYWORD_ONLY)
    assert all(p.default is p.empty for p in parameters if p.kind is not p.KEYWORD_ONLY)


def test_002_01_these_are_all_the_setters():
    assert {name for name in dir(Scene) if name.startswith("set_")} == set(SIGNATURES)


def test_002_01_every_setter_returns_none(scene):
    assert scene.set_contact_physics_properties(body_paths=[LEFT], margin=0.1) is None
    assert scene.set_body_physics_properties(LEFT, mass=1.0) is None
    assert scene.set_bodies_physics_properties([LEFT], mass=1.0) is None
    assert scene.set_joint_physics_properties(PUSH, armature=0.1) is None
    assert scene.set_joints_physics_properties([PUSH], armature=0.1) is None
    assert scene.set_actuator_physics_properties(SHOULDERS[0], stiffness=1.0) is None
    assert scene.set_actuators_physics_properties(SHOULDERS, stiffness=1.0) is None
    assert scene.set_scene_physics_properties(timestep=0.001) is None


@pytest.mark.parametrize(
    "chosen, words",
    [
        ({}, "not neither"),
        ({"body_paths": [], "geom_paths": ()}, "not neither"),
        ({"body_paths": [LEFT], "geom_paths": [f"{LEFT}/upper_link"]}, "not body_paths and geom"),
    ],
)
def test_002_02_either_bodies_or_geoms(scene, chosen, words):
    before = scene.xml()
    with pytest.raises(ValueError, match=words):
        scene.set_contact_physics_properties(**chosen, margin=0.1)
    assert scene.xml() == before


@pytest.mark.parametrize("argument", ["body_paths", "geom_paths"])
def test_002_26_a_bare_str_is_no_selection_of_shapes(scene, argument):
    with pytest.raises(TypeError, match=f"{argument} is"):
        scene.set_contact_physics_properties(**{argument: LEFT}, margin=0.1)
    with pytest.raises(TypeError, match=f"{argument} is ''"):
        scene.set_contact_physics_properties(**{argument: ""}, margin=0.1)


def test_002_03_a_body_means_its_own_collision_shapes_named_or_not_and_no_childs(scene):
    scene.set_contact_physics_properties(body_paths=[RIGHT], sliding_friction=0.11)
    model = scene.finalize()
    touched = [i for i in range(model.ngeom) if model.geom_friction[i, 0] == 0.11]
    body = model.body("right/upper")
    assert touched == list(range(body.geomadr[0], body.geomadr[0] + 2))
    assert model.geom("right/upper_link").id in touched


def test_002_03_visual_geoms_of_the_body_stay_as_they_are(scene):
    scene.set_contact_physics_properties(body_paths=["/world/left/base"], sliding_friction=0.11)
    model = scene.finalize()
    assert model.geom("pedestal").friction[0] == 0.11
    assert model.geom("skin").friction[0] == 1.0
    assert model.geom("plate").friction[0] == 1.0


def test_002_04_a_body_without_a_collision_shape_is_refused(scene):
    before = scene.xml()
    with pytest.raises(LookupError, match="'/world/left/base/eye' has no collision shape"):
        scene.set_contact_physics_properties(body_paths=[LEFT, "/world/left/base/eye"], margin=0.1)
    assert scene.xml() == before


def test_002_05_neither_a_visual_geom_nor_a_whole_thing_is_a_target(scene):
    with pytest.raises(TypeError, match="visual"):
        scene.set_contact_physics_properties(geom_paths=["/world/left/base/skin"], margin=0.1)
    for selection in ("body_paths", "geom_paths"):
        with pytest.raises(LookupError, match="whole thing"):
            scene.set_contact_physics_properties(**{selection: ["/world/left"]}, margin=0.1)


def test_002_06_urdf_shapes_need_three_frictions_first_and_then_one_keeps_the_rest():
    scene = Scene()
    scene.add("r", URDF)
    shape = "/world/r/a/b/shell"
    with pytest.raises(ValueError, match="torsional_friction, rolling_friction"):
        scene.set_contact_physics_properties(geom_paths=[shape], sliding_friction=0.5)
    scene.set_contact_physics_properties(
        geom_paths=[shape], sliding_friction=0.5, torsional_friction=0.02, rolling_friction=0.003
    )
    scene.set_contact_physics_properties(body_paths=["/world/r/a/b"], sliding_friction=0.0)
    np.testing.assert_array_equal(scene.finalize().geom("shell").friction, [0.0, 0.02, 0.003])


@pytest.mark.parametrize("flag, mask", [(False, 1), (True, 1 << 5)])
def test_002_08_a_group_becomes_a_mask_with_the_flag_only(arm, flag, mask):
    scene = Scene(collision_filter_from_group=flag)
    scene.add("left", arm)
    scene.set_contact_physics_properties(body_paths=[LEFT], collision_group=5)
    geom = scene.finalize().geom("upper_link")
    assert (geom.contype[0], geom.conaffinity[0], geom.group[0]) == (mask, mask, 0)


def test_002_08_group_40_is_a_label_and_no_mask(arm):
    plain, filtering = Scene(), Scene(collision_filter_from_group=True)
    for scene in (plain, filtering):
        scene.add("left", arm)
    plain.set_contact_physics_properties(body_paths=[LEFT], collision_group=40)
    with pytest.raises(ValueError, match="collision_group is 40"):
        filtering.set_contact_physics_properties(body_paths=[LEFT], collision_group=40)


def test_002_08_the_flag_is_a_bool():
    with pytest.raises(TypeError, match="collision_filter_from_group is 1"):
        Scene(collision_filter_from_group=1)


def test_002_11_the_friction_of_one_side_is_not_that_of_the_contact(scene):
    ball = (
        "<mujoco><worldbody><body name='b'><freejoint/><geom name='g' size='0.1'/></body>"
        "</worldbody></mujoco>"
    )
    scene.add("ball", ball, pos=[3.0, 0.0, 0.099])
    scene.add_box("floor", half_size=[5, 5, 0.5], pos=[0, 0, -0.5], friction=[0.6, 0.01, 0.001])
    scene.set_contact_physics_properties(geom_paths=["/world/ball/b/g"], sliding_friction=0.2)
    model = scene.finalize()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ball = model.geom("ball/g").id
    (contact,) = [c for c in data.contact if ball in c.geom]
    assert contact.friction[0] == 0.6


def test_002_12_and_13_bodies_take_every_property_and_keep_the_rest(scene):
    inertia = [[0.02, 0.001, 0.0], [0.001, 0.03, 0.0], [0.0, 0.0, 0.04]]
    scene.set_body_physics_properties(
        RIGHT, mass=0.7, center_of_mass=(0.0, 0.01, 0.1), inertia=inertia, gravcomp=1.0
    )
    scene.set_bodies_physics_properties([RIGHT], gravcomp=0.0)
    model = scene.finalize()
    body = model.body("right/upper")
    assert body.mass == 0.7
    assert model.body_gravcomp[body.id] == 0.0
    np.testing.assert_allclose(body.ipos, [0.0, 0.01, 0.1])
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, body.iquat)
    turn = turn.reshape(3, 3)
    np.testing.assert_allclose(turn @ np.diag(body.inertia) @ turn.T, inertia, atol=1e-12)


def test_002_13_starts_asleep_is_a_body_that_sleeps_or_an_error():
    ball = (
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 .5'>"
        "<freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
    )
    scene = Scene()
    scene.add("ball", ball)
    scene.set_body_physics_properties("/world/ball/b", starts_asleep=True)
    scene.finalize()
    sim = scene.simulation()
    sim.step(100)
    assert sim.mj_data.qpos[2] == 0.5  # it hangs in the air, asleep


SLEEPERS = (
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 .5'><freejoint/>"
    "<geom size='0.1'/><body name='c'><joint name='j' axis='0 1 0'/><geom size='.1' pos='0 0 .2'/>"
    "</body></body><body name='d' pos='0 0 {}'><freejoint/><geom size='.1'/></body></worldbody>"
    "</mujoco>"
)


@pytest.mark.parametrize("beginning", ["initial_position", "initial_velocity"])
def test_002_13_a_body_that_mujoco_would_wake_at_once_does_not_start_asleep(beginning):
    scene = Scene()
    scene.add("it", SLEEPERS.format(2))
    scene.set_body_physics_properties("/world/it/b", starts_asleep=True)
    scene.set_joint_physics_properties("/world/it/b/c/j", **{beginning: 0.5})
    with pytest.raises(ValueError, match="body 'b' is to start asleep, but MuJoCo wakes"):
        scene.finalize()
    scene.set_body_physics_properties("/world/it/b", starts_asleep=False)
    scene.finalize()
    assert (scene.simulation().mj_data.tree_asleep < 0).all()


@pytest.mark.filterwarnings("ignore:.*could be slept")  # MuJoCo's own word on it
def test_002_13_a_body_that_touches_an_awake_one_does_not_start_asleep():
    for height, touches in ((0.55, True), (2, False)):
        scene = Scene()
        scene.add("it", SLEEPERS.format(height))
        scene.set_body_physics_properties("/world/it/b", starts_asleep=True)
        if touches:
            with pytest.raises(ValueError, match="body 'b' is to start asleep"):
                scene.finalize()
            scene.set_body_physics_properties("/world/it/d", starts_asleep=True)
        scene.finalize()
        sim = scene.simulation()
        assert list(sim.mj_data.tree_asleep >= 0) == [True, touches]


def test_002_14_a_free_or_ball_joint_has_no_such_properties_and_a_fixed_one_no_path(scene):
    with pytest.raises(TypeError, match="ball"):
        scene.set_joint_physics_properties("/world/left/base/wobble", armature=0.1)
    scene.add("r", URDF.replace("revolute", "fixed"))
    with pytest.raises(LookupError, match="no joint '/world/r/a/b/j'"):
        scene.set_joint_physics_properties("/world/r/a/b/j", armature=0.1)


def test_002_14_and_22_limits_are_radians_though_the_file_counts_in_degrees(scene):
    scene.set_joints_physics_properties(SHOULDERS, limit_lower=-1.25, limit_upper=0.5)
    model = scene.finalize()
    for name in ("shoulder", "right/shoulder"):
        np.testing.assert_allclose(model.joint(name).range, [-1.25, 0.5], atol=1e-15)


def test_002_15_merged_limits_are_complete_and_in_order(scene):
    with pytest.raises(ValueError, match="limit_upper is needed too"):
        scene.set_joint_physics_properties(PUSH, limit_lower=0.0)
    scene.set_joint_physics_properties(SHOULDERS[0], limit_lower=1.0)  # the file says up to pi/2
    with pytest.raises(ValueError, match="lower < upper"):
        scene.set_joint_physics_properties(SHOULDERS[0], limit_upper=0.9)
    np.testing.assert_allclose(scene.finalize().joint("shoulder").range, [1.0, np.pi / 2])


def test_002_16_the_initial_position_lies_within_the_limits_of_the_same_call(scene):
    with pytest.raises(ValueError, match="initial_position is 2"):
        scene.set_joint_physics_properties(SHOULDERS[0], initial_position=2.0)
    scene.set_joint_physics_properties(SHOULDERS[0], initial_position=2.0, limit_upper=2.5)
    model = scene.finalize()
    assert model.key("initial").qpos[model.joint("shoulder").qposadr[0]] == 2.0


def test_002_14_the_initial_velocity_lies_within_the_velocity_limit(scene):
    joint = SHOULDERS[0]
    with pytest.raises(ValueError, match="initial_velocity is -3; accepted: -2 to 2"):
        scene.set_joint_physics_properties(joint, velocity_limit=2.0, initial_velocity=-3.0)
    scene.set_joint_physics_properties(joint, velocity_limit=3.0, initial_velocity=-3.0)
    before = scene.xml()
    with pytest.raises(ValueError, match="initial_velocity, from an earlier edit, is -3"):
        scene.set_joint_physics_properties(joint, velocity_limit=2.0)
    scene.set_joint_physics_properties(joint, armature=0.0)
    assert scene.xml() == before
    scene.finalize()
    sim = scene.simulation()
    assert sim.data["state"]["joint_vel"][sim.column(joint)] == -3.0


def test_002_17_a_urdf_joint_begins_with_both_or_neither(arm):
    scene = Scene()
    scene.add("arm", arm)
    scene.add("r", URDF)
    joint = "/world/r/a/b/j"
    with pytest.raises(ValueError, match="initial_velocity is needed too"):
        scene.set_joints_physics_properties(
            ["/world/arm/base/upper/shoulder", joint], initial_position=0.5
        )
    scene.set_joint_physics_properties(joint, initial_position=0.5, initial_velocity=0.25)
    scene.set_joint_physics_properties("/world/arm/base/upper/shoulder", initial_position=0.5)
    scene.finalize()
    sim = scene.simulation()
    assert sim.data["state"]["joint_pos"][sim.column(joint)] == 0.5
    assert sim.data["state"]["joint_vel"][sim.column(joint)] == 0.25


def test_002_18_an_actuator_goes_by_its_joint_and_not_by_its_own_name_or_link(scene):
    for path in (f"{LEFT}/turn", "/world/left/turn", LEFT):
        with pytest.raises(LookupError):
            scene.set_actuator_physics_properties(path, stiffness=5.0)
    scene.set_actuator_physics_properties(SHOULDERS[0], stiffness=5.0)
    assert scene.finalize().actuator("turn").gainprm[0] == 5.0


def test_002_19_the_mode_is_one_of_two_derived_where_it_can_be(scene):
    with pytest.raises(ValueError, match="mode is 'torque'"):
        scene.set_actuator_physics_properties(SHOULDERS[0], mode="torque")
    with pytest.raises(ValueError, match="no servo yet, so mode is needed"):
        scene.set_actuator_physics_properties(PUSH, stiffness=5.0, damping=1.0)
    scene.add("r", URDF)
    with pytest.raises(ValueError, match="URDF"):
        scene.set_actuator_physics_properties("/world/r/a/b/j", mode="velocity", damping=1.0)
    scene.set_actuator_physics_properties("/world/r/a/b/j", stiffness=7.0, damping=1.0)
    motor = scene.finalize().actuator("r/j")
    assert (motor.gainprm[0], motor.biasprm[1], motor.biasprm[2]) == (7.0, -7.0, -1.0)


def test_002_20_no_gain_is_invented(scene):
    with pytest.raises(ValueError, match="position mode needs damping"):
        scene.set_actuator_physics_properties(PUSH, mode="position", stiffness=5.0)
    with pytest.raises(ValueError, match="velocity mode needs damping"):
        scene.set_actuator_physics_properties(PUSH, mode="velocity")


def test_002_21_what_belongs_to_the_other_mode_is_refused(scene):
    for joint, name in (
        (SHOULDERS[0], "target_velocity"),
        (ELBOWS[0], "target_position"),
        (ELBOWS[0], "stiffness"),
    ):
        with pytest.raises(ValueError, match=f"{name} does not belong"):
            scene.set_actuator_physics_properties(joint, **{name: 0.5})


def test_002_23_the_two_dampings_are_two_numbers(scene):
    scene.set_joint_physics_properties(SHOULDERS[0], passive_damping=0.5)
    scene.set_actuator_physics_properties(SHOULDERS[1], damping=4.0)
    model = scene.finalize()
    assert model.joint("shoulder").damping[0] == 0.5 and model.actuator("turn").biasprm[2] == -2.0
    assert model.joint("right/shoulder").damping[0] == 0.0
    assert model.actuator("right/turn").biasprm[2] == -4.0


def test_002_25_gravity_and_timestep_of_the_scene(scene):
    for bad, error in ((0, ValueError), (-1, ValueError), (np.nan, ValueError), (True, TypeError)):
        with pytest.raises(error):
            scene.set_scene_physics_properties(timestep=bad)
    scene.set_scene_physics_properties(gravity=(0.0, 0.0, -1.62), timestep=0.004)
    option = scene.finalize().opt
    assert option.timestep == 0.004 and list(option.gravity) == [0.0, 0.0, -1.62]


def test_002_28_what_a_batch_leaves_out_stays_target_by_target(scene):
    scene.set_joint_physics_properties(SHOULDERS[0], friction=0.3, armature=0.02)
    scene.set_joint_physics_properties(SHOULDERS[1], friction=0.7)
    scene.set_joints_physics_properties(SHOULDERS, armature=0.05)
    model = scene.finalize()
    for name, friction in (("shoulder", 0.3), ("right/shoulder", 0.7)):
        assert model.joint(name).frictionloss == friction
        assert model.joint(name).armature == 0.05


@pytest.mark.parametrize("value", [True, np.True_, np.array(0.5), "0.5", [0.5], 1j])
def test_002_32_what_only_looks_like_a_number_is_a_type_error(scene, value):
    before = scene.xml()
    for change in (
        lambda: scene.set_contact_physics_properties(body_paths=[LEFT], margin=value),
        lambda: scene.set_body_physics_properties(LEFT, mass=value),
        lambda: scene.set_joint_physics_properties(PUSH, armature=value),
        lambda: scene.set_actuator_physics_properties(SHOULDERS[0], stiffness=value),
        lambda: scene.set_scene_physics_properties(timestep=value),
    ):
        with pytest.raises(TypeError):
            change()
    assert scene.xml() == before


def test_a_call_that_gives_nothing_changes_nothing_but_must_still_name_its_target(scene):
    before = scene.xml()
    scene.set_bodies_physics_properties([LEFT])
    scene.set_joint_physics_properties(PUSH)
    scene.set_actuators_physics_properties([*SHOULDERS, PUSH])
    scene.set_contact_physics_properties(body_paths=[LEFT])
    scene.set_scene_physics_properties()
    assert scene.xml() == before
    with pytest.raises(LookupError):
        scene.set_bodies_physics_properties(["/world/left/nothing"])


def test_zero_and_false_are_values(scene):
    scene.set_joint_physics_properties(SHOULDERS[0], armature=0.3, velocity_limit=0.0)
    scene.set_joint_physics_properties(SHOULDERS[0], armature=0.0)
    scene.set_contact_physics_properties(body_paths=[LEFT], collision_enabled=False)
    model = scene.finalize()
    assert model.joint("shoulder").armature == 0.0
    assert model.geom("upper_link").contype == 0
    assert model.numeric("velocity_limit:shoulder").data == 0.0
