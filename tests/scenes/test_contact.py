"""Which contacts a setting makes: the promises 000-01 to 000-13 and 000-18."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes import contact
from servogym.scenes.terrain import Field, Terrain, laws

GO2, DUCK = robots.get("go2"), robots.get("microduck")
FEET = tuple(foot.geom for foot in GO2.feet)
LEVELLED = ("slope", "wave", "stairs", "obstacle")
EVERY = [("flat", 1), *((kind, level) for kind in LEVELLED for level in laws.LEVELS)]


def scene(setting, terrain, robot=GO2, timestep=0.002, change=lambda spec: None):
    """A robot on ground with a contact setting: (compiled model, names of the pairs)."""
    spec, ground = robot.spec(), terrain.ground()
    ground.lay(spec)
    spec.option.timestep = timestep
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    change(spec)
    names = contact.apply(spec, setting, [foot.geom for foot in robot.feet], ground.geoms)
    return spec.compile(), names


def solref(model, geom):
    return tuple(model.geom(geom).solref)


def test_000_01_friction_gets_0_02_s_by_default_and_none_makes_it_inherit():
    assert contact.parse("B") == contact.FootPairs(normal=0.006, tangential=0.02)
    model, _ = scene("B", Terrain())
    np.testing.assert_array_equal(model.pair_solreffriction, [[0.02, 1.0]] * 4)
    model, _ = scene(contact.FootPairs(tangential=None), Terrain())
    np.testing.assert_array_equal(model.pair_solreffriction, np.zeros((4, 2)))


@pytest.mark.parametrize(
    ("feet", "ground", "said"),
    [
        (("FL_foot", "FL_paw"), ("floor",), r"foot geoms .* of which \['FL_paw'\] are not"),
        ((), ("floor",), r"foot geoms \[\].* needs at least one"),
        (("FL_foot", "FL_foot"), ("floor",), "each once"),
        (FEET, ("sea",), r"ground geoms .* of which \['sea'\] are not"),
        (FEET, (), r"ground geoms \[\].* needs at least one"),
    ],
)
@pytest.mark.parametrize("setting", ["native", "A", "B", "C"])
def test_000_02_missing_and_unknown_names_are_errors_before_compiling(setting, feet, ground, said):
    spec = GO2.spec()
    Terrain().ground().lay(spec)
    with pytest.raises(ValueError, match=said):
        contact.apply(spec, setting, feet, ground)
    assert not list(spec.pairs)


@pytest.mark.parametrize("kind", LEVELLED)
def test_000_03_pairs_are_of_feet_with_floor_obstacles_and_walls_and_nothing_else(kind):
    terrain = Terrain(kind=kind, level=3)
    model, names = scene("B", terrain)
    pairs = {
        (model.geom(int(a)).name, model.geom(int(b)).name)
        for a, b in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    grounds = set(terrain.ground().geoms)
    assert {"floor", "wall_left", "wall_right", "wall_top", "wall_bottom"} < grounds
    expected = {frozenset((foot, ground)) for foot in FEET for ground in grounds}
    assert {frozenset(pair) for pair in pairs} == expected
    assert set(names) == {model.pair(i).name for i in range(model.npair)}


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_000_04_and_000_10_every_terrain_compiles_with_a_pair_a_foot_and_ground_geom(kind, level):
    count = {"flat": 4, "wave": 24, "stairs": 152, "obstacle": 40, "slope": 24}[kind]
    model, names = scene("B", Terrain(kind=kind, level=level))
    assert model.npair == len(names) == count


def test_a_training_field_takes_one_pair_a_foot_and_one_more_for_each_box_of_its_stairs():
    level = ("slope_up", "wave", "obstacle", "rough")
    assert scene("B", Field(kinds=level))[0].npair == 4
    assert scene("B", Field(kinds=level, scale=0.36), DUCK)[0].npair == 2
    field = Field(kinds=("wave", "stairs_up"), levels=2)
    assert scene("B", field)[0].npair == 4 * len(field.ground().geoms) == 4 * (1 + 2 * 33)


def test_b_does_not_pair_what_the_robots_file_has_paired():
    """MuJoCo would make two contacts of the two pairs, and the foot twice as stiff."""

    def change(spec):
        spec.add_pair(name="own", geomname1="floor", geomname2="FR_foot")

    with pytest.raises(ValueError, match=r"pairs \['FR_foot', 'floor'\] already"):
        scene("B", Terrain(), change=change)
    assert scene("C", Terrain(), change=change)[0].npair == 1
    scene(
        "B", Terrain(), change=lambda spec: spec.add_pair(geomname1="FL_foot", geomname2="FR_foot")
    )


def odd_feet(spec):
    for index, foot in enumerate(FEET):
        geom = spec.geom(foot)
        geom.condim = (3, 4, 6, 1)[index]
        geom.friction = [0.5 + index, 0.01 * (index + 1), 0.001 * (index + 1)]
        geom.solref = [0.03 + 0.001 * index, 0.7]
        geom.solimp = [0.8, 0.9 + 0.01 * index, 0.002, 0.4, 1.5]
        geom.margin, geom.gap = 0.002 * (index + 1), 0.001 * index


def test_000_05_a_pair_is_its_foot_but_for_the_time_constants_asked_for():
    model, _ = scene(contact.FootPairs(normal=None), Terrain(kind="wave"), change=odd_feet)
    ids = [model.geom(foot).id for foot in FEET]
    for foot, pairs in zip(ids, contact.pairs_of(model, ids), strict=True):
        assert len(pairs) == 6
        sliding, torsion, rolling = model.geom_friction[foot]
        for pair in pairs:
            np.testing.assert_array_equal(
                model.pair_friction[pair], [sliding, sliding, torsion, rolling, rolling]
            )
            assert model.pair_dim[pair] == model.geom_condim[foot]
            assert model.pair_margin[pair] == model.geom_margin[foot]
            assert model.pair_gap[pair] == model.geom_gap[foot]
            np.testing.assert_array_equal(model.pair_solref[pair], model.geom_solref[foot])
            np.testing.assert_array_equal(model.pair_solimp[pair], model.geom_solimp[foot])
            np.testing.assert_array_equal(model.pair_solreffriction[pair], [0.02, 1.0])
    normal, _ = scene(contact.FootPairs(normal=0.008), Terrain(kind="wave"), change=odd_feet)
    np.testing.assert_array_equal(normal.pair_solref, [[0.008, 0.7]] * 24)
    np.testing.assert_array_equal(normal.geom_solref[ids], [[0.008, 0.7]] * 4)


def test_000_06_the_reference_pair_of_a_dog():
    model, _ = scene("B", Terrain())
    for pair in range(4):
        assert model.pair_dim[pair] == 6
        np.testing.assert_array_equal(model.pair_friction[pair], [0.4, 0.4, 0.02, 0.01, 0.01])
        np.testing.assert_array_equal(model.pair_solref[pair], [0.006, 1.0])
        np.testing.assert_array_equal(model.pair_solreffriction[pair], [0.02, 1.0])
        assert model.pair_margin[pair] == 0.001


def test_000_09_a_robot_attached_under_a_prefix_is_found_under_it():
    world, ground = mujoco.MjSpec(), Terrain(kind="stairs").ground()
    ground.lay(world)
    world.attach(GO2.spec(), prefix="go2/", frame=world.worldbody.add_frame())
    world.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    names = contact.apply(world, "B", [f"go2/{foot}" for foot in FEET], ground.geoms)
    model = world.compile()
    assert model.npair == 152
    assert "go2/FL_foot:step_33" in names and model.pair("go2/FL_foot:step_33").dim == 6


@pytest.mark.parametrize("robot", [GO2, DUCK])
def test_000_11_scheme_a_touches_terrains_with_a_height_field_and_no_others(robot):
    feet = [foot.geom for foot in robot.feet]
    for kind in ("flat", "slope", "stairs", "obstacle"):
        model, names = scene("A", Terrain(kind=kind), robot)
        assert names == () and model.npair == 0
        assert all(solref(model, geom) == (0.02, 1.0) for geom in (*feet, "floor"))
    for terrain in (Terrain(kind="wave"), Field(levels=1, scale=0.36)):
        model, names = scene("A", terrain, robot)
        assert names == () and model.npair == 0
        for geom in (*feet, *terrain.ground().geoms):
            assert solref(model, geom) == (0.006, 1.0)


@pytest.mark.parametrize("robot", [GO2, DUCK])
@pytest.mark.parametrize(
    ("kind", "level"), [("flat", 1), ("wave", 5), ("stairs", 5), ("slope", 5), ("obstacle", 5)]
)
def test_000_11_schemes_b_and_c_are_the_same_on_every_terrain(kind, level, robot):
    terrain = Terrain(kind=kind, level=level)
    feet, ground = [foot.geom for foot in robot.feet], terrain.ground().geoms
    model, names = scene("B", terrain, robot)
    assert len(names) == model.npair == len(feet) * len(ground)
    assert (model.pair_solref == [0.006, 1.0]).all()
    assert (model.pair_solreffriction == [0.02, 1.0]).all()
    model, names = scene("C", terrain, robot)
    assert names == () and model.npair == 0
    assert all(solref(model, geom) == (0.01, 1.0) for geom in (*feet, *ground))


@pytest.mark.parametrize("terrain", [Terrain(), Terrain(kind="wave")])
def test_native_leaves_the_model_as_it_was_to_the_last_bit(terrain):
    spec, ground = GO2.spec(), terrain.ground()
    ground.lay(spec)
    before = spec.to_xml()
    assert contact.apply(spec, "native", FEET, ground.geoms) == ()
    assert spec.to_xml() == before


def test_000_40_by_default_the_flat_is_native_height_fields_are_stiff_and_no_solver_flag_moves():
    for terrain in (Terrain(), Terrain(kind="wave")):
        native, mine = scene("native", terrain)[0], scene(contact.DEFAULT, terrain)[0]
        assert mine.opt.disableflags == native.opt.disableflags
        assert mine.opt.enableflags == native.opt.enableflags
        stiff = solref(mine, "FL_foot") == (0.01, 1.0)
        assert stiff == terrain.ground().hilly
        assert stiff or solref(mine, "FL_foot") == solref(native, "FL_foot")
        assert mine.npair == 0


def test_000_40_scheme_a_is_native_on_ground_without_a_height_field_and_says_so():
    scheme = contact.PerTerrain(0.006)
    assert contact.on(scheme, hilly=False) == contact.Native()
    assert contact.on(scheme, hilly=True) == scheme
    cones = contact.Cones(scheme, elliptic=True, impratio=100.0)
    assert contact.on(cones, hilly=False) == replace(cones, setting=contact.Native())
    for other in (contact.Native(), contact.Compromise(), contact.FootPairs()):
        assert contact.on(other, hilly=False) == contact.on(other, hilly=True) == other


def test_the_ground_counts_whoever_has_priority():
    """Feet above, beside and below the ground in priority all get the constant asked for."""
    for priority in (1, 0, -1):

        def change(spec, priority=priority):
            for foot in FEET:
                spec.geom(foot).priority = priority

        model, _ = scene("C", Terrain(), change=change)
        data = mujoco.MjData(model)
        data.qpos[2] = GO2.spawn_height
        for joint in GO2.joints:
            data.joint(joint).qpos[0] = GO2.default_pose[joint]
        mujoco.mj_forward(model, data)
        assert data.ncon >= 2
        np.testing.assert_array_equal(data.contact.solref, [[0.01, 1.0]] * data.ncon)


def test_a_spring_and_damper_becomes_a_time_constant_with_damping_ratio_one():
    def change(spec):
        spec.geom("FL_foot").solref = [-5000.0, -20.0]

    assert solref(scene("C", Terrain(), change=change)[0], "FL_foot") == (0.01, 1.0)


def test_000_12_a_geom_has_no_solreffriction_and_mujoco_says_so():
    text = "<mujoco><worldbody><geom size='1' solreffriction='0.02 1'/></worldbody></mujoco>"
    with pytest.raises(ValueError, match=r"unrecognized attribute.*solreffriction"):
        mujoco.MjSpec.from_string(text)
    default = text.replace("<worldbody><geom size='1'", "<default><geom").replace(
        "worldbody", "default"
    )
    with pytest.raises(ValueError, match=r"unrecognized attribute.*solreffriction"):
        mujoco.MjSpec.from_string(default)


def test_000_13_of_contacts_only_pairs_have_one_and_a_joints_is_another_matter():
    def change(spec):
        spec.joint("FL_hip_joint").solref_friction = [0.003, 1.0]

    model, _ = scene("B", Terrain(), change=change)
    hip = model.joint("FL_hip_joint").dofadr[0]
    np.testing.assert_array_equal(model.dof_solref[hip], [0.003, 1.0])
    np.testing.assert_array_equal(model.pair_solreffriction, [[0.02, 1.0]] * 4)
    assert not hasattr(model.geom("FL_foot"), "solreffriction")


def robogauges_solver(spec):
    option = spec.option
    option.timestep, option.iterations, option.tolerance = 0.002, 100, 1e-8
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100.0


@pytest.mark.parametrize("setting", ["native", "A", "B", "C"])
def test_000_18_ground_and_contacts_keep_the_solver_of_the_robots_spec(setting):
    spec, ground = GO2.spec(), Terrain(kind="wave").ground()
    robogauges_solver(spec)
    ground.lay(spec)  # attaches another spec, whose options are MuJoCo's defaults
    contact.apply(spec, setting, FEET, ground.geoms)
    option = spec.compile().opt
    assert (option.timestep, option.iterations, option.tolerance) == (0.002, 100, 1e-8)
    assert option.solver == mujoco.mjtSolver.mjSOL_NEWTON.value
    assert option.integrator == mujoco.mjtIntegrator.mjINT_EULER.value
    assert (option.cone, option.impratio) == (mujoco.mjtCone.mjCONE_ELLIPTIC.value, 100.0)


def test_000_18_the_trap_a_robot_attached_to_the_ground_loses_its_cone_and_b_notices(capfd):
    robot, world = GO2.spec(), mujoco.MjSpec()
    robogauges_solver(robot)
    ground = Terrain().ground()
    ground.lay(world)
    world.attach(robot, prefix="go2/", frame=world.worldbody.add_frame())
    assert "keeping parent value" in "".join(capfd.readouterr())
    with pytest.raises(ValueError, match="this spec's are pyramidal"):
        contact.apply(world, "B", [f"go2/{foot}" for foot in FEET], ground.geoms)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("native", contact.Native()),
        ("A", contact.PerTerrain(hills=0.006)),
        ("A:0.01", contact.PerTerrain(hills=0.01)),
        ("B:0.008", contact.FootPairs(normal=0.008, tangential=0.02)),
        ("B:0.004,0.03", contact.FootPairs(normal=0.004, tangential=0.03)),
        ("B:none,none", contact.FootPairs(normal=None, tangential=None)),
        ("C", contact.Compromise(everywhere=0.01)),
        ("C:0.015", contact.Compromise(everywhere=0.015)),
    ],
)
def test_a_command_line_can_name_a_setting(text, setting):
    assert contact.parse(text) == setting


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("D", "no contact scheme 'D'; there are native, A, B, C"),
        ("b", "there are native, A, B, C"),
        ("C:fast", r"write C:everywhere with times above 0 in seconds, e\.g\. C:0\.01"),
        ("C:0", "write C:everywhere with times above 0"),
        ("C:-0.01", "write C:everywhere with times above 0"),
        ("C:nan", "write C:everywhere with times above 0"),
        ("C:none", "write C:everywhere with times above 0"),
        ("A:0.01,0.02", "write A:hills with times above 0"),
        ("B:0.006,0.02,3", "write B:normal,tangential with times above 0"),
        ("native:1", "write native, which takes no times"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(text, said):
    with pytest.raises(ValueError, match=said):
        contact.parse(text)


def test_a_record_with_an_impossible_time_is_refused_before_anything_changes():
    spec, ground = GO2.spec(), Terrain().ground()
    ground.lay(spec)
    before = spec.to_xml()
    for setting in (contact.Compromise(0.0), contact.FootPairs(tangential=-1.0)):
        with pytest.raises(ValueError, match="needs a time above 0 s"):
            contact.apply(spec, setting, FEET, ground.geoms)
    assert spec.to_xml() == before
