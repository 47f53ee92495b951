"""What the settings do to forces: the promises 000-07, 000-08 and 000-14 to 000-17."""

import warnings

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes import contact
from servogym.scenes.terrain import Field, Terrain

GO2 = robots.get("go2")
FEET = tuple(foot.geom for foot in GO2.feet)


def ball(setting, timestep=0.002, cone=mujoco.mjtCone.mjCONE_ELLIPTIC, **options):
    """A dog's foot under a quarter of the dog: 22 mm, 3.75 kg, on the floor."""
    spec, ground = mujoco.MjSpec(), Terrain().ground()
    body = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.022])
    body.add_freejoint()
    body.add_geom(
        name="foot",
        size=[0.022, 0, 0],
        mass=3.75,
        friction=[0.4, 0.02, 0.01],
        condim=6,
        priority=1,
    )
    ground.lay(spec)
    spec.option.timestep, spec.option.cone = timestep, cone
    for name, value in options.items():
        setattr(spec.option, name, value)
    contact.apply(spec, setting, ["foot"], ground.geoms)
    return spec.compile()


def rolled(model, steps=300):
    """States of a ball that begins to slide and spin, (steps, nq + nv)."""
    data, path = mujoco.MjData(model), []
    data.qvel[:] = [0.5, 0.2, 0.0, 3.0, -1.0, 5.0]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        path.append(np.concatenate((data.qpos, data.qvel)))
    return np.array(path)


def penetration(model):
    """How deep the ball rests in the floor [m]."""
    data = mujoco.MjData(model)
    for _ in range(1500):
        mujoco.mj_step(model, data)
    assert np.abs(data.qvel).max() < 1e-6
    return 0.022 - data.qpos[2]


def test_000_07_a_drawn_friction_reaches_the_contacts_through_the_pairs():
    spec, ground = GO2.spec(), Terrain(kind="wave", level=5).ground()
    ground.lay(spec)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    contact.apply(spec, "B", FEET, ground.geoms)
    model = spec.compile()
    feet = [model.geom(foot).id for foot in FEET]
    drawn = np.array([0.31, 0.52, 0.73, 0.94])
    model.geom_friction[feet, 0] = drawn
    seen = frictions(model, feet)
    assert all(value == 0.4 for values in seen.values() for value in values)  # not enough
    for friction, pairs in zip(drawn, contact.pairs_of(model, feet), strict=True):
        model.pair_friction[pairs, :2] = friction
    seen = frictions(model, feet)
    assert set(seen) == set(feet)
    for foot, friction in zip(feet, drawn, strict=True):
        assert seen[foot] == {friction}


def frictions(model, feet):
    """Sliding frictions of the contacts of each foot with a dog pressed on the ground."""
    data = mujoco.MjData(model)
    for joint in GO2.joints:
        data.joint(joint).qpos[0] = GO2.default_pose[joint]
    data.qpos[:3] = 5.5, 1.25, GO2.spawn_height - 0.01
    mujoco.mj_forward(model, data)
    seen = {}
    for touch in data.contact:
        for foot in set(touch.geom) & set(feet):
            seen.setdefault(foot, set()).update(touch.friction[:2])
    return seen


def test_000_07_each_robot_of_a_batch_has_the_friction_drawn_for_it():
    from mujoco.batch import Batch

    model = ball("B")
    pairs = contact.pairs_of(model, [model.geom("foot").id])[0]
    batch = Batch(model, 3, 1)
    batch.expand("pair_friction")[:, pairs, :2] = np.array([0.05, 0.4, 1.2])[:, None, None]
    qvel = batch.bind("qvel")
    qvel[:, 0] = 1.0
    for _ in range(50):
        batch.step()
    slowed = 1.0 - qvel[:, 0]
    assert slowed[0] == pytest.approx(0.05 * 9.81 * 0.1, rel=0.05)
    assert slowed[0] < 0.5 * slowed[1]


def test_000_08_a_pair_replaces_the_contact_mujoco_finds_itself():
    for setting in ("native", "B"):
        model = ball(setting)
        data = mujoco.MjData(model)
        data.qpos[2] -= 1e-4
        mujoco.mj_forward(model, data)
        assert (model.npair, data.ncon) == (int(setting == "B"), 1)


def test_000_14_a_pair_without_constants_of_its_own_moves_as_the_contact_it_replaces():
    mine = rolled(ball(contact.FootPairs(normal=None, tangential=None)))
    np.testing.assert_array_equal(mine, rolled(ball("native")))
    cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    mine = rolled(ball(contact.FootPairs(normal=None, tangential=None), cone=cone))
    np.testing.assert_array_equal(mine, rolled(ball("native", cone=cone)))


def test_000_14_and_one_with_them_does_not():
    assert (
        np.abs(
            rolled(ball(contact.FootPairs(normal=None, tangential=0.1))) - rolled(ball("native"))
        ).max()
        > 1e-3
    )


def test_000_15_frictions_own_constant_acts_with_elliptic_cones_only():
    paths = {}
    for cone in (mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtCone.mjCONE_PYRAMIDAL):
        model = ball("B")
        model.opt.cone = cone.value  # behind the back of `apply`
        for constant in (0.02, 0.2):
            model.pair_solreffriction[:, 0] = constant
            paths[cone, constant] = rolled(model)
    elliptic, pyramidal = (
        [paths[c, k] for k in (0.02, 0.2)]
        for c in (mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtCone.mjCONE_PYRAMIDAL)
    )
    assert np.abs(elliptic[0] - elliptic[1]).max() > 1e-3
    np.testing.assert_array_equal(*pyramidal)


def test_000_15_so_pairs_with_one_are_refused_under_pyramidal_cones():
    cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    with pytest.raises(ValueError, match="acts only with elliptic friction cones"):
        ball("B", cone=cone)
    for setting in ("native", "A", "C", "B:0.006,none"):
        assert ball(setting, cone=cone).opt.cone == cone.value


def test_000_15_the_second_number_of_frictions_constant_changes_nothing():
    model = ball("B")
    before = rolled(model)
    model.pair_solreffriction[:, 1] = 0.1
    np.testing.assert_array_equal(rolled(model), before)


def test_000_16_a_shorter_constant_is_stiffer_9_35_times_from_0_02_to_0_006():
    """11.1 times by the square of the constants; less, as impedance grows with depth."""
    deep = {t: penetration(ball(contact.Compromise(t))) for t in (0.02, 0.01, 0.006, 0.004)}
    expected = {0.02: 0.3672e-3, 0.01: 0.1078e-3, 0.006: 0.0393e-3, 0.004: 0.0175e-3}
    for constant, depth in expected.items():
        assert deep[constant] == pytest.approx(depth, abs=0.6e-7)
    assert deep[0.02] / deep[0.006] == pytest.approx(9.35, abs=0.02)


def test_000_16_the_tangential_constant_does_not_change_how_deep_a_foot_rests():
    for tangential in (0.006, 0.02, 0.1):
        setting = contact.FootPairs(normal=0.006, tangential=tangential)
        assert penetration(ball(setting)) == pytest.approx(0.0393e-3, abs=0.6e-7)


@pytest.mark.parametrize("setting", ["C:0.006", "B:0.006,0.02"])
def test_000_17_a_constant_under_two_steps_is_announced_with_the_one_that_acts(setting):
    with pytest.warns(
        UserWarning,
        match=r"0\.006 s is under two physics steps of 0\.005 s, so "
        r"MuJoCo acts as if it were 0\.01 s",
    ) as caught:
        model = ball(setting, timestep=0.005)
    assert len(caught) == 1 and caught[0].filename == __file__
    real = penetration(ball("C:0.01", timestep=0.005))
    assert penetration(model) == pytest.approx(real, rel=1e-9)


def test_000_17_two_steps_and_more_are_taken_as_asked_and_quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for setting in ("C:0.01", "C:0.02", "B:0.01,0.02", "native", "A"):
            ball(setting, timestep=0.005)
        ball("B", timestep=0.002)  # three steps


def test_000_17_frictions_own_constant_is_held_to_two_steps_too():
    with pytest.warns(UserWarning, match=r"tangential = 0\.001 s is under .* were 0\.004 s"):
        short = rolled(ball("B:0.006,0.001"))
    np.testing.assert_array_equal(short, rolled(ball("B:0.006,0.004")))


def test_pains_73_settings_that_act_the_same_are_recognised():
    acts_as, parse = contact.acts_as, contact.parse
    alike = {acts_as(parse(f"C:{t}"), 0.005) for t in (0.001, 0.005, 0.01)}
    assert alike == {contact.Compromise(0.01)}
    assert len({acts_as(parse(f"C:{t}"), 0.002) for t in (0.001, 0.005, 0.01)}) == 3
    assert acts_as(parse("B:none,0.001"), 0.005) == contact.FootPairs(normal=None, tangential=0.01)
    assert acts_as(contact.Native(), 0.005) == contact.Native()


def test_pains_73_without_refsafe_the_warning_says_so():
    unsafe = mujoco.mjtDisableBit.mjDSBL_REFSAFE.value
    with pytest.warns(UserWarning, match="refsafe is off"):
        ball("C:0.001", timestep=0.005, disableflags=unsafe)
    assert not ball("C").opt.disableflags & unsafe


@pytest.mark.parametrize(
    ("scheme", "timestep", "share"),
    [("A", 0.002, 0.2), (contact.written(contact.DEFAULT), 0.005, 0.4)],
)
def test_on_a_height_field_scheme_a_sinks_in_less_than_native(scheme, timestep, share):
    """000-40: why height fields are stiffer by default, at the tasks' physics step as well."""
    deepest = {}
    for setting in ("native", scheme):
        spec, ground = GO2.spec(), Field(levels=1, kinds=("rough",)).ground()
        ground.lay(spec)
        spec.option.timestep = timestep
        contact.apply(spec, setting, FEET, ground.geoms)
        model = spec.compile()
        data = mujoco.MjData(model)
        for joint in GO2.joints:
            data.joint(joint).qpos[0] = GO2.default_pose[joint]
            data.actuator(joint).ctrl[0] = GO2.default_pose[joint]
        data.qpos[2] = GO2.spawn_height
        margin = model.geom("FL_foot").margin[0]  # forces begin this far from the ground
        depth = []
        while data.time < 1.5:
            mujoco.mj_step(model, data)
            if data.time > 0.3:
                depth.append(margin - data.contact.dist.min())
        deepest[setting] = np.median(depth)
    assert 0.0 < deepest[scheme] < share * deepest["native"]
