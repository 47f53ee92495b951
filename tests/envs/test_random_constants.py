"""Draws start from the compiled nominal for ever, and what MuJoCo derives from them is derived."""

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.ramp import Ramp
from servogym.robots.backlash import add_backlash, passive_name
from tests.envs.test_random_bits import EVERYTHING, QUIET, core, physics

DERIVED = ("body_subtreemass", "dof_invweight0", "body_invweight0", "dof_M0", "actuator_acc0")


def off(**wanted):
    """Nothing drawn but what is wanted."""
    return dict.fromkeys(("mass", "center_of_mass", "armature"), None) | wanted


@pytest.mark.parametrize("backlash", [False, True])
def test_every_derived_constant_is_that_of_a_freshly_compiled_robot_of_those_numbers(backlash):
    """Pain 42: also when every body, inertia, centre and rotor is another."""
    made = core([1, 2, 3], randomization=EVERYTHING, backlash=backlash)
    gap = made.robot.backlash
    for row in range(3):
        got = made.batch.get_model(row)
        spec = made.robot.spec()
        if backlash:
            spec = add_backlash(spec, made.robot.joints, half_range=gap)
        for body in spec.bodies[1:]:
            b = made.model.body(body.name).id
            body.mass, body.ipos = got.body_mass[b], got.body_ipos[b]
            times = got.body_inertia[b] / made.model.body_inertia[b]
            assert np.allclose(times, times[0], rtol=1e-12)
            body.fullinertia = np.array(body.fullinertia) * times[0]
        plays = map(passive_name, made.robot.joints) if backlash else ()
        for joint in (*made.robot.joints, *plays):
            spec.joint(joint).armature = got.dof_armature[made.model.joint(joint).dofadr[0]]
        fresh = spec.compile()
        for name in DERIVED:
            if name == "actuator_acc0":
                motors = [fresh.actuator(joint).id for joint in made.robot.joints]
                assert np.allclose(fresh.actuator_acc0[motors], got.actuator_acc0, rtol=1e-9)
            else:
                assert np.allclose(getattr(fresh, name), getattr(got, name), rtol=1e-9), name
            stale = np.allclose(getattr(made.model, name), getattr(got, name), rtol=1e-3)
            assert not stale, f"{name} is the nominal robot's"


def test_half_as_much_mass_again_is_half_as_much_inertia_again():
    """Pain 42, to the letter."""
    made = core([1], randomization=off(mass={"of": "base", "scale": (1.5, 1.5)}))
    got, base = made.batch.get_model(0), made.at.base_body
    assert got.body_mass[base] == 1.5 * made.model.body_mass[base]
    assert np.array_equal(got.body_inertia[base], 1.5 * made.model.body_inertia[base])
    heavier = made.model.body_subtreemass[base] + 0.5 * made.model.body_mass[base]
    assert got.body_subtreemass[base] == pytest.approx(heavier, rel=1e-12)


@pytest.mark.parametrize("way", [{"offset": 0.05}, {"value": (0.1, 0.3)}])
def test_the_inertia_follows_the_mass_in_whichever_way_it_is_drawn(way):
    made = core([1, 2], randomization=off(mass={"of": "base"} | way))
    base = made.at.base_body
    times = made.batch.expanded("body_mass")[:, base] / made.model.body_mass[base]
    grown = made.batch.expanded("body_inertia")[:, base] / made.model.body_inertia[base]
    assert np.ptp(times) > 0.01 and np.allclose(grown, times[:, None], rtol=1e-12)


def test_an_inertia_that_is_drawn_itself_does_not_follow_the_mass():
    mass = {"of": ["trunk_base", "neck"], "scale": (1.5, 2.0)}
    inertia = {"of": "base", "scale": (1.0, 1.0)}
    made = core([1], randomization=off(mass=mass, inertia=inertia))
    got, base, neck = made.batch.get_model(0), made.at.base_body, made.model.body("neck").id
    assert got.body_mass[base] > 1.4 * made.model.body_mass[base]
    assert np.array_equal(got.body_inertia[base], made.model.body_inertia[base])
    assert (got.body_inertia[neck] > 1.4 * made.model.body_inertia[neck]).all()


def test_ten_thousand_resets_draw_the_last_robot_as_the_first():
    names = ("mass", "armature", "gap_half_range", "friction", "stiffness", "volts")
    drawn = {name: EVERYTHING[name] for name in names}
    made = core([4], randomization=off(sag=None, sliding_friction=None) | drawn, backlash=True)
    rows, n = np.arange(1), 10_000
    motors, joint = made.drive.randomizable(), made.robot.joints[3]
    range_of = made.batch.expanded("jnt_range")[:, made.model.joint(passive_name(joint)).id]
    base, dof = made.at.base_body, made.at.servo_dof[3]
    live = {  # where it lives, and its nominal
        "mass": (made.batch.expanded("body_mass")[:, base], made.model.body_mass[base]),
        "armature": (made.batch.expanded("dof_armature")[:, dof], made.model.dof_armature[dof]),
        "gap_half_range": (range_of[:, 1], made.robot.backlash),
        "friction": (motors["friction_scale"][:, 3], 1.0),
        "stiffness": (motors["kp_fw"][:, 3], 200.0),
        "volts": (motors["volts"][:, 0], 7.4),
    }
    seen = {name: np.empty(n) for name in names}
    for k in range(n):  # what Core.reset does to the physics
        made.rng.begin_episode(rows)
        made.drive.reset(rows, made.rng)
        made.randomizer.reset(rows, made.rng)
        for name, (array, _) in live.items():
            seen[name][k] = array[0]
    for name, (_, nominal) in live.items():
        low, high = drawn[name]["scale"]
        factor = seen[name] / nominal
        assert low - 1e-12 <= factor.min() < low + 0.01 * (high - low), name
        assert high - 0.01 * (high - low) < factor.max() <= high + 1e-12, name
        assert len(np.unique(factor)) == n, name
        spread = (high - low) / np.sqrt(12)
        for part in np.split(factor, 4):  # within five standard errors
            assert abs(part.mean() - 0.5 * (low + high)) < 5 * spread / np.sqrt(len(part)), name
            assert abs(part.std() / spread - 1.0) < 5 * 0.45 / np.sqrt(len(part)), name
    assert range_of[0, 0] == pytest.approx(-range_of[0, 1], rel=1e-12)
    assert_nominal(made, "geom_friction", "body_ipos", "dof_frictionloss", "qpos0", "body_pos")


def test_a_range_without_width_or_a_ramp_at_zero_puts_the_nominal_robot_back():
    steps = np.array(9e9)
    grow = Ramp(0.0, 0.01, 1e6, 2e6)
    made = Core(
        "microduck_flat",
        2,
        backlash=True,
        trained_steps=steps,
        randomization=off(center_of_mass={"of": "all", "offset": grow, "each": True})
        | dict.fromkeys(("sliding_friction", "friction", "volts", "sag"))
        | {"mass": {"scale": (1.0, 1.0)}, "gravity": {"scale": (1.0, 1.0)}},
        **QUIET,
    )
    rows = np.arange(2)
    made.seed(rows, np.array([1, 2], np.uint64))
    made.reset(rows)
    assert not np.array_equal(made.batch.get_model(1).body_ipos, made.model.body_ipos)
    steps[...] = 0.0
    made.reset(rows)
    assert_nominal(made, "body_ipos", "body_mass", "body_inertia", "opt.gravity", *DERIVED)


def test_nothing_drawn_is_the_compiled_model():
    made = core([1, 2], resets=3, randomization=False, backlash=True)
    assert not made.randomizer.state()
    fields = ("body_mass", "body_inertia", "body_ipos", "geom_friction", "geom_solref", "jnt_range")
    assert_nominal(made, *fields, "dof_armature", "opt.gravity", *DERIVED)


def test_a_state_that_is_put_back_brings_its_physics_and_derived_constants_along():
    first = core([1, 2], randomization=EVERYTHING, backlash=True)
    other = core([8, 9], randomization=EVERYTHING, backlash=True)
    other.set_state(first.get_state())
    mine, theirs = physics(first), physics(other)
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    for name in DERIVED:
        a, b = (getattr(c.batch.get_model(1), name) for c in (first, other))
        assert np.array_equal(a, b), name


def test_robots_with_everything_drawn_stand_and_step():
    made = core(range(20), randomization=EVERYTHING, backlash=True)
    for _ in range(50):
        out = made.step(np.zeros((20, 14)))
        assert not made.diverged.any() and np.isfinite(out.observation).all()
    assert (made.state.base_pos[:, 2] > 0.08).mean() > 0.5


def assert_nominal(made, *names):
    """These fields of a row's model are as compiled, to the last bit."""
    got = made.batch.get_model(0)
    for name in names:
        owner, _, field = name.rpartition(".")
        a, b = (m.opt if owner else m for m in (got, made.model))
        assert np.array_equal(getattr(a, field), getattr(b, field)), name
