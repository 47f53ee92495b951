"""The environments' models come out of Scene as they came before it, and take edits."""

import itertools
import warnings

import mujoco
import numpy as np
import pytest

from servogym import actuators, robots
from servogym.robots.backlash import add_backlash
from servogym.scenes import world
from servogym.scenes.terrain import Terrain

DUCK = robots.get("microduck")
TRUNK = "/world/microduck/trunk_base"
KNEE = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/left_knee"
FOOT = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/ankle_left/{DUCK.feet[0].geom}"
GAP = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/passive_left_knee_backlash"


def by_hand(law, backlash, model, lean, timestep):
    """The same world from MjSpec alone: load, attach, gaps, motors, sensors, options, compile."""
    spec = DUCK.spec(model)
    spec.attach(Terrain().ground().spec(), prefix="ground/", frame=spec.worldbody.add_frame())
    spec.geom("ground/floor").name = "floor"
    world._light(spec)
    if backlash is not None:
        spec = add_backlash(spec, DUCK.joints, half_range=backlash)
    if law is not None:
        law.edit_spec(spec, DUCK.joints)
    if lean:
        world._strip(spec, {foot.geom for foot in DUCK.feet})
    world._watch(spec, DUCK)
    world._sense_feet(spec, DUCK)
    world._options(spec, timestep, elliptic=False)
    return spec.compile()


@pytest.mark.parametrize("name", [None, "bam", "pd"])
def test_the_world_built_through_scene_is_the_one_built_by_hand_to_the_last_bit(name, image):
    law = None if name is None else actuators.make(name, DUCK)
    gaps = (None, DUCK.backlash, {joint: 0.01 for joint in DUCK.joints})
    for gap, model, lean in itertools.product(gaps, ("walk", "ground"), (False, True)):
        step = 0.005 if lean else 0.002
        built = world.build(DUCK, actuator=law, backlash=gap, model=model, lean=lean, timestep=step)
        assert image(built) == image(by_hand(law, gap, model, lean, step))


def edited(*edits, law="bam", **options):
    return world.build(DUCK, actuator=actuators.make(law, DUCK), edits=edits, **options)


def test_edits_reach_the_model_and_nothing_else_changes(image):
    plain = edited(lean=True)
    model = edited(
        ("set_body_physics_properties", {"path": TRUNK, "mass": 0.25}),
        ("set_joints_physics_properties", {"paths": [KNEE], "armature": 0.004}),
        ("set_contact_physics_properties", {"geom_paths": ["/world/ground/floor"], "gap": 0.001}),
        ("set_scene_physics_properties", {"gravity": [0.0, 0.0, -1.62]}),
        lean=True,
    )
    assert model.body("trunk_base").mass == 0.25
    assert model.joint("left_knee").armature == 0.004
    assert model.geom("floor").gap == 0.001
    np.testing.assert_array_equal(model.opt.gravity, [0.0, 0.0, -1.62])
    knee, trunk = model.joint("left_knee").dofadr[0], model.body("trunk_base").id
    others = np.arange(model.nv) != knee
    assert np.array_equal(model.dof_armature[others], plain.dof_armature[others])
    others = np.arange(model.nbody) != trunk
    assert np.array_equal(model.body_mass[others], plain.body_mass[others])
    assert image(edited(lean=True)) == image(plain)


def test_a_gear_gap_has_a_path_like_any_joint():
    edit = ("set_joint_physics_properties", {"path": GAP, "armature": 5e-4, "limit_upper": 0.02})
    gap = edited(edit, backlash=DUCK.backlash).joint("passive_left_knee_backlash")
    assert gap.armature == 5e-4
    np.testing.assert_allclose(gap.range, [-DUCK.backlash, 0.02])


def test_a_lean_world_leaves_out_what_an_edit_took_out_of_contact_but_never_a_foot():
    paths = [FOOT, f"{TRUNK}/trunk_support_collision"]
    edit = ("set_contact_physics_properties", {"geom_paths": paths, "collision_enabled": False})
    full, lean = edited(edit), edited(edit, lean=True)
    foot = DUCK.feet[0].geom
    for model in (full, lean):
        assert model.geom(foot).contype == 0 and model.geom(foot).conaffinity == 0
    assert full.geom("trunk_support_collision").contype == 0
    assert "trunk_support_collision" not in [lean.geom(i).name for i in range(lean.ngeom)]


@pytest.mark.parametrize(
    "setter, arguments, words",
    [
        ("joint", {"friction": 0.1}, "'bam' writes it in every physics step"),
        ("joint", {"passive_damping": 0.0}, "'bam' writes it in every physics step"),
        ("joint", {"velocity_limit": 1.0}, "see the motor law"),
        ("joint", {"initial_position": 0.0}, "see the task's `spawn`"),
        ("joint", {"initial_velocity": 0.0}, "see the task's `spawn`"),
        ("actuator", {"stiffness": 3.0}, "'bam' drives this joint"),
        ("actuator", {"damping": 3.0}, "'bam' drives this joint"),
        ("actuator", {"effort_limit": 3.0}, "'bam' drives this joint"),
        ("actuator", {"target_position": 0.0}, "'bam' drives this joint"),
        ("actuator", {"mode": "velocity"}, "'bam' drives this joint"),
    ],
)
def test_what_the_motor_law_or_the_task_would_override_is_refused(setter, arguments, words):
    path = {"joint_path" if setter == "actuator" else "path": KNEE}
    with pytest.raises(ValueError, match=words) as error:
        edited((f"set_{setter}_physics_properties", {**path, **arguments}))
    assert KNEE in str(error.value)


def test_the_timestep_and_sleep_belong_to_the_task():
    with pytest.raises(ValueError, match="see its `timestep`"):
        edited(("set_scene_physics_properties", {"timestep": 0.001}))
    with pytest.raises(ValueError, match="see the task's `spawn`"):
        edited(("set_body_physics_properties", {"path": TRUNK, "starts_asleep": True}))


@pytest.mark.parametrize("law", ["pd", "dc", "ideal"])
def test_the_constant_friction_of_other_laws_may_be_edited(law):
    values = {"path": KNEE, "friction": 0.02, "passive_damping": 0.03}
    knee = edited(("set_joint_physics_properties", values), law=law).joint("left_knee")
    assert (knee.frictionloss[0], knee.damping[0]) == (0.02, 0.03)


def test_without_a_law_the_servos_of_the_file_may_be_edited():
    edit = ("set_actuator_physics_properties", {"joint_path": KNEE, "stiffness": 2.0})
    assert world.build(DUCK, edits=[edit]).actuator("left_knee").gainprm[0] == 2.0


def test_the_caller_may_keep_more_for_himself():
    edit = ("set_contact_physics_properties", {"geom_paths": [FOOT], "sliding_friction": 0.2})
    foot = DUCK.feet[0].geom
    assert world.build(DUCK, edits=[edit]).geom(foot).friction[0] == 0.2
    mine = ("shape", ["sliding_friction"], "drawn anew at each reset", [foot])
    with pytest.raises(ValueError, match="sliding_friction cannot be set here; drawn anew"):
        world.build(DUCK, edits=[edit], reserved=[mine])


def test_an_edit_that_is_wrong_says_which_one_it_is():
    good = ("set_body_physics_properties", {"path": TRUNK, "mass": 0.2})
    with pytest.raises(LookupError, match=r"edit 1: no setter 'set_mass'; setters: set_actuator"):
        edited(good, ("set_mass", {"mass": 1.0}))
    with pytest.raises(ValueError) as error:
        edited(good, ("set_body_physics_properties", {"path": TRUNK, "mass": -1.0}))
    assert error.value.__notes__[0].startswith("in edit 1: set_body_physics_properties")
    with pytest.raises(TypeError, match="weight"):
        edited(("set_body_physics_properties", {"path": TRUNK, "weight": 1.0}))


FLOOR = ("set_contact_physics_properties", {"geom_paths": ["/world/ground/floor"]})


@pytest.mark.parametrize("scheme, told", [("B", True), ("native", False), ("C", False)])
def test_pairs_of_feet_with_the_ground_do_not_take_its_friction_and_it_is_said(scheme, told):
    edit = (FLOOR[0], FLOOR[1] | {"margin": 0.001, "sliding_friction": 0.1})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        edited(edit, contact=scheme)
    said = [str(w.message) for w in caught if "feet do not feel" in str(w.message)]
    assert len(said) == told
    assert not told or "edit 0, set_contact_physics_properties" in said[0]
    assert not told or "margin, sliding_friction of the ground" in said[0]


def test_a_floor_that_every_sole_outranks_is_told_so():
    with pytest.warns(UserWarning, match=r"floor': everything that it can touch has a higher"):
        edited((FLOOR[0], FLOOR[1] | {"sliding_friction": 0.1}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        edited((FLOOR[0], FLOOR[1] | {"gap": 0.001}))
        edited(("set_contact_physics_properties", {"geom_paths": [FOOT], "rolling_friction": 0.1}))


def test_pains_73_a_contact_that_is_too_stiff_is_announced_once_for_each_setting():
    with pytest.warns(UserWarning) as caught:
        world.build(DUCK, contact="C:0.004")
    (said,) = [str(w.message) for w in caught]
    assert "_foot_collision" in said
    assert "geom_solref (0.004, 1) acts as (0.01, 1)" in said
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scheme in ("A", "C", "C:0.01", "native"):
            world.build(DUCK, contact=scheme, backlash=DUCK.backlash)


def test_a_lighter_moon_is_a_slower_fall():
    # The edit is real physics, not a number in a table: free fall takes longer.
    def fall(*edits):
        model = edited(*edits)
        data = mujoco.MjData(model)
        data.qpos[2] = 1.0
        while data.qpos[2] > 0.5:
            mujoco.mj_step(model, data)
        return data.time

    moon = fall(("set_scene_physics_properties", {"gravity": (0, 0, -1.62)}))
    assert moon / fall() == pytest.approx(np.sqrt(9.81 / 1.62), rel=0.03)
