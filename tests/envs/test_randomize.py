"""Randomisation speaks the language of a scene and refuses what could have no effect."""

from dataclasses import fields
from inspect import signature

import numpy as np
import pytest

from servogym.actuators.base import Actuator
from servogym.actuators.pd import Pd
from servogym.envs.core import Core
from servogym.envs.draw import Draw
from servogym.envs.ramp import Ramp
from servogym.envs.randomize import Randomization
from servogym.scenes.scene import Scene
from tests.envs.bench_robots import BALL, PAIRS, POST, Benches, law
from tests.envs.test_random_bits import core

OURS = {"gap_half_range", "contact_timeconst", "volts", "sag"}
"""What a scene has no setter for."""
NOT_DRAWN = {
    "collision_enabled": "a robot that touches nothing is another robot",
    "collision_group": "likewise",
    "margin": "no property of a material",
    "gap": "likewise",
    "gravcomp": "weight is drawn by mass and by gravity",
    "starts_asleep": "how an episode begins is `Spawn`'s",
    "initial_position": "likewise",
    "initial_velocity": "likewise",
    "limit_lower": "what a policy may ask of a joint is the contract's",
    "limit_upper": "likewise",
    "velocity_limit": "likewise",
    "mode": "the motor law's",
    "target_position": "the policy's",
    "target_velocity": "the policy's",
    "timestep": "all rows share it",
}
"""What a scene can set and an episode does not draw, and why."""


def only(**wanted):
    """Nothing random but what is wanted."""
    names = (*Randomization.quantities(), "command_delay", "push")
    return dict.fromkeys(names) | wanted


def test_the_vocabulary_is_that_of_a_scenes_setters():
    setters = [setter for name, setter in vars(Scene).items() if name.startswith("set_")]
    spoken = {
        parameter.name
        for setter in setters
        for parameter in signature(setter).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and "path" not in parameter.name
    }
    assert {"mass", "friction", "stiffness", "gravity"} < spoken
    assert set(Randomization.quantities()) - OURS == spoken - set(NOT_DRAWN)
    assert not OURS & spoken and set(NOT_DRAWN) < spoken


def test_off_is_off():
    off = Randomization.off()
    kept = {f.name: getattr(off, f.name) for f in fields(off) if getattr(off, f.name) is not None}
    assert kept == {"push_interval": (3.0, 6.0)}
    assert not list(off.draws())


def test_plain_data_says_the_same_as_records():
    plain = Randomization(
        mass={"of": "base", "scale": [0.9, 1.1]},
        center_of_mass=[
            {"of": "base", "offset": {"before": 0.0, "after": 0.01, "start": 0, "end": 1e6}},
            {"of": ["neck", "jaw_soft"], "offset": 0.02, "each": True},
        ],
        gravity=[],
    )
    records = Randomization(
        mass=Draw(of="base", scale=(0.9, 1.1)),
        center_of_mass=(
            Draw(of="base", offset=Ramp(0.0, 0.01, 0, 1e6)),
            Draw(of=("neck", "jaw_soft"), offset=0.02, each=True),
        ),
        gravity=None,
    )
    assert plain == records


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7.4, "needs a draw such as"),
        ("heavy", "needs a draw such as"),
        ([0.9, 1.1], "needs a draw such as"),
        ({"of": "base"}, "needs exactly one of scale, offset, value; has none"),
        ({"scale": (1, 2), "offset": 1}, "needs exactly one of"),
        ({"scale": (1.1, 0.9)}, r"scale is \(1.1, 0.9\); needs the smaller number first"),
        ({"scale": (0.9, np.nan)}, "needs two finite numbers"),
        ({"scale": (0.9, np.inf)}, "needs two finite numbers"),
        ({"scale": (0.9, True)}, "needs two finite numbers"),
        ({"scale": (0.9, np.True_)}, "needs two finite numbers"),
        ({"scale": 1.1}, "needs two finite numbers"),
        ({"scale": (0.9, 1.0, 1.1)}, "needs two finite numbers"),
        ({"value": ("a", "b")}, "needs two finite numbers"),
        ({"offset": -0.1}, "needs a finite number, 0 or more"),
        ({"offset": (0.0, 0.1)}, "needs a finite number, 0 or more"),
        ({"offset": {"before": 0.0}}, "a ramp needs before, after, start and end"),
        ({"scale": (0.9, 1.1), "off": "base"}, "needs no off; known: of, scale"),
        ({"scale": (0.9, 1.1), "of": []}, "needs a name or several names"),
        ({"scale": (0.9, 1.1), "of": [1]}, "needs a name or several names"),
        ({"scale": (0.9, 1.1), "each": 1}, "each is 1; needs True or False"),
    ],
)
def test_what_is_no_draw_is_refused_by_name(given, message):
    with pytest.raises(ValueError, match=message) as refusal:
        Randomization(mass=given)
    assert str(refusal.value).startswith(f"randomization: mass is {given!r}; ")
    with pytest.raises(ValueError, match=message):
        Core("microduck_flat", 1, randomization={"mass": given})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("foot_friction", "sliding_friction={'of': 'feet', 'value'"),
        ("base_mass", "mass={'of': 'base', 'scale'"),
        ("base_com", "center_of_mass={'of': 'base', 'offset'"),
        ("head_com", "center_of_mass={'of': 'head', 'offset'"),
        ("friction_scale", "friction={'of': 'servos', 'scale'"),
    ],
)
def test_a_setting_of_a_former_version_is_refused_with_what_it_is_called_now(old, new):
    with pytest.raises(ValueError, match=f"randomization: {old} is now {new}"):
        Core("microduck_flat", 1, randomization={old: (0.9, 1.1)})


SCALE = {"scale": (0.9, 1.1)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"mass": SCALE | {"of": "trunk"}},
            "no body 'trunk'; groups: all, base, head, feet; .*neck",
        ),
        ({"mass": SCALE | {"of": "world"}}, "world has no mass"),
        (
            {"friction": SCALE | {"of": "left_nee"}},
            "no joint 'left_nee'; groups: all, servos, legs",
        ),
        ({"friction": SCALE | {"of": "trunk_base_freejoint"}}, "is not a servo joint or a gap"),
        ({"stiffness": SCALE | {"of": "trunk_base_freejoint"}}, "is not a servo joint; those are"),
        ({"gap_half_range": SCALE | {"of": "left_knee"}}, "left_knee is not a gap"),
        ({"sliding_friction": SCALE | {"of": "sole"}}, "no geom 'sole'; groups: all, feet, ground"),
        ({"mass": SCALE | {"of": ["base", "trunk_base"]}}, "trunk_base named twice"),
        ({"mass": [SCALE, SCALE | {"of": "base"}]}, "trunk_base has a draw already"),
        ({"volts": SCALE | {"of": "left_knee"}}, "there is one a robot; leave out of and each"),
        ({"gravity": SCALE | {"each": True}}, "there is one a robot"),
        ({"gravity": {"value": (9.0, 10.0)}}, "needs scale or offset, not value"),
        ({"center_of_mass": SCALE}, "needs offset, not scale"),
        ({"inertia": {"value": (1.0, 2.0)}}, "needs scale, not value"),
        ({"mass": {"scale": (0.0, 1.0)}}, "may get 0 kg; needs more than 0"),
        (
            {"mass": {"of": "base", "offset": 0.2}},
            "trunk_base may get -0.0007.* kg; needs more than 0",
        ),
        ({"inertia": {"scale": (-1.0, 1.0)}}, "needs more than 0"),
        (
            {"sliding_friction": {"of": "feet", "value": (-0.1, 1.0)}},
            "may get -0.1 1; needs at least",
        ),
        ({"armature": {"offset": 1.0}}, "kg·m²; needs at least 0"),
        ({"volts": {"value": (0.0, 8.0)}}, "may get 0 V; needs more than 0"),
        (
            {"contact_timeconst": {"of": "feet", "value": (0.004, 0.02)}},
            "0.004 s; needs at least 0.01",
        ),
        (
            {"torsional_friction": SCALE | {"of": "feet"}},
            "_foot_collision would not feel it: .*condim 4",
        ),
        (
            {"sliding_friction": SCALE | {"of": "floor"}},
            "floor would not feel it: .* higher priority",
        ),
        (
            {"friction": {"of": "servos", "value": (0.0, 0.1)}},
            "motor law 'bam' computes it .*scale",
        ),
        ({"damping": SCALE}, "motor law 'bam' has no kd; it has friction_scale"),
    ],
)
def test_what_would_have_no_effect_or_no_sense_is_refused_when_the_environment_is_made(
    options, message
):
    (name,) = options
    with pytest.raises(ValueError, match=rf"randomization: {name} \(.*\): .*{message}"):
        Core("microduck_flat", 1, backlash=True, randomization=options)


class Sticky(Pd):
    """A law that computes its friction and lets nobody scale it."""

    name = "sticky"

    def friction(self, velocity, signals):
        return np.full_like(velocity, 0.1), np.full_like(velocity, 0.01)


@pytest.mark.parametrize("quantity", ["friction", "passive_damping"])
def test_friction_that_a_law_would_overwrite_is_refused_naming_the_law(
    quantity, tmp_path, monkeypatch
):
    benches = Benches(tmp_path, monkeypatch)
    sticky = Sticky(kp=1.0, kd=0.1, effort_limit=1.0)
    for of in ("all", "servos", "arm"):
        with pytest.raises(ValueError, match=rf"{quantity} .*motor law 'sticky' sets it"):
            benches(sticky, {quantity: SCALE | {"of": of}}, backlash=True)
    benches(sticky, {quantity: {"of": "gaps", "value": (0.0, 0.1)}}, backlash=True)  # the model's


def test_a_law_without_gains_or_a_task_without_supply_is_named(tmp_path, monkeypatch):
    benches = Benches(tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="motor law 'ideal' has no kp or kp_fw; it has effort"):
        benches(law("ideal"), {"stiffness": SCALE})
    for quantity in ("volts", "sag"):
        with pytest.raises(ValueError, match=f"{quantity} .*the task has no supply"):
            benches(law("dc"), {quantity: SCALE})


def test_an_unlimited_motor_takes_a_value_and_no_factor(tmp_path, monkeypatch):
    benches, free = Benches(tmp_path, monkeypatch), Pd(kp=1.0, kd=0.1, effort_limit=np.inf)
    with pytest.raises(ValueError, match="arm is inf; needs value"):
        benches(free, {"effort_limit": SCALE})
    made = benches(free, {"effort_limit": {"value": (0.1, 0.2)}})
    assert (made.drive.randomizable()["effort_limit"] < 0.2).all()


class OneForAll(Pd):
    """A law with a single gain for all servos."""

    name = "one_for_all"

    def bind(self, joints, n, dt):
        super().bind(joints, n, dt)
        self._one = np.ones((n, 1))

    def reset(self, rows, rng):
        super().reset(rows, rng)
        self._one[rows] = 1.0

    def randomizable(self):
        return super().randomizable() | {"kp": self._one}


def test_a_law_with_one_number_for_all_servos_cannot_draw_for_some():
    motor = OneForAll(kp=1.0, kd=0.1, effort_limit=1.0)
    made = core([1, 2], actuator=motor, randomization={"stiffness": SCALE})
    assert np.ptp(made.drive.randomizable()["kp"]) > 0
    for draw in (SCALE | {"of": "legs"}, SCALE | {"each": True}):
        with pytest.raises(ValueError, match="motor law 'one_for_all' has one for all servos"):
            core([1], actuator=motor, randomization={"stiffness": draw})


def test_both_shapes_of_a_written_pair_cannot_be_drawn(tmp_path, monkeypatch):
    both = {"of": ["left", "floor"], "value": (0.5, 0.6)}
    with pytest.raises(ValueError, match="both geoms of a contact pair are named"):
        benches = Benches(tmp_path, monkeypatch)
        benches("ideal", {"sliding_friction": both}, text=BALL, contact=PAIRS)


def test_a_direct_solref_has_no_time_constant(tmp_path, monkeypatch):
    text = BALL.replace('condim="6"', 'condim="6" solref="-100 -1"')
    with pytest.raises(ValueError, match="solref of left is in the direct form"):
        Benches(tmp_path, monkeypatch)(
            "ideal", {"contact_timeconst": {"of": "feet", "value": (0.02, 0.03)}}, text=text
        )


def test_a_group_that_a_robot_lacks_is_skipped(tmp_path, monkeypatch):
    """A task and its backlash twin differ in nothing else, and not every robot has a head."""
    benches = Benches(tmp_path, monkeypatch)
    absent = {
        "gap_half_range": SCALE,
        "mass": SCALE | {"of": "head"},
        "friction": SCALE | {"of": "gaps"},
        "armature": SCALE | {"of": ["servos", "gaps", "passive_arm_backlash"]},
    }
    made = benches("ideal", absent, text=POST)
    assert set(made.randomizer.state()) == {"dof_armature"}
    with pytest.raises(ValueError, match="passive_arm_backlash named twice"):
        benches("ideal", absent, text=POST, backlash=True)


def test_groups_are_the_parts_they_say():
    parts = {"base": ["trunk_base"], "head": ["neck", "neck_pitch", "yaw_roll_motion", "jaw_soft"]}
    for group, names in parts.items():
        made = core([1], randomization=only(center_of_mass={"of": group, "offset": 0.01}))
        moved = (made.batch.expanded("body_ipos")[0] != made.model.body_ipos).any(axis=1)
        assert [made.model.body(b).name for b in np.flatnonzero(moved)] == names
    legs = core([1], randomization=only(armature=SCALE | {"of": "legs"}), backlash=True)
    changed = legs.batch.expanded("dof_armature")[0] != legs.model.dof_armature
    joints = [legs.model.joint(legs.model.dof_jntid[d]).name for d in np.flatnonzero(changed)]
    assert sorted(joints) == sorted(legs.robot.legs)


def test_the_default_ranges_are_filled_and_rows_differ():
    c = core(range(400), backlash=True)
    live = c.drive.randomizable()
    for name, low, high in (("friction_scale", 0.9, 1.1), ("volts", 6.5, 8.2), ("sag", 0.0, 0.2)):
        values = live[name][:, 0]
        assert low <= values.min() < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < values.max() <= high
    soles = c.batch.expanded("geom_friction")[:, c.at.foot_geom, 0]
    assert 0.7 <= soles.min() < 0.73 and 1.27 < soles.max() <= 1.3
    assert np.array_equal(soles[:, 0], soles[:, 1])
    ratio = c.batch.expanded("dof_armature") / np.where(
        c.model.dof_armature, c.model.dof_armature, 1
    )
    joints = np.concatenate((c.at.servo_dof, c.at.play_dof))
    assert np.allclose(ratio[:, joints], ratio[:, joints[:1]], rtol=1e-12)
    assert 0.9 <= ratio[:, joints].min() < 0.91 and 1.09 < ratio[:, joints].max() <= 1.1
    moved = np.abs(c.batch.expanded("body_ipos") - c.model.body_ipos)
    for names, reach in ((["trunk_base"], 0.015), (["neck", "jaw_soft"], 0.01)):
        for name in names:
            far = moved[:, c.model.body(name).id].max(axis=0)
            assert (far <= reach).all() and (far > 0.97 * reach).all()


def test_friction_scale_acts_on_the_friction_mujoco_applies():
    torque = {}
    for scale in (0.9, 1.1):
        c = core([3], randomization=only(friction={"of": "servos", "scale": (scale, scale)}))
        c.step(np.zeros((1, 14)))
        torque[scale] = c.batch.expanded("dof_frictionloss")[0, c.at.servo_dof]
    ratio = torque[1.1] / torque[0.9]
    assert np.median(ratio) == pytest.approx(1.1 / 0.9, rel=0.02)


def test_the_target_arrives_three_to_six_physics_steps_late():
    c = core([3], randomization=only(command_delay=(3, 6)))
    assert (c.drive.delay.describe()["low"], c.drive.delay.describe()["high"]) == (3, 6)
    prompt = core([3], randomization=False)
    kick = np.zeros((1, 14))
    kick[0, 7] = 1.0
    for each in (c, prompt):
        each.step(np.zeros((1, 14)))
    late = c.step(kick) and abs(c.state.servo_vel[0, 7])
    at_once = prompt.step(kick) and abs(prompt.state.servo_vel[0, 7])
    assert at_once > 0.5 and late < 0.5 * at_once


def test_pushes_come_every_three_to_six_seconds_and_change_the_velocity_by_up_to_their_size():
    keys = range(3, 43)
    c = core(keys, randomization=only(push=0.3))
    quiet = core(keys, randomization=False)
    left = c.pushes.state()["left"]
    assert (left >= 150).all() and (left <= 300).all() and len(set(left.tolist())) > 20
    left[:] = 1
    zero = np.zeros((40, 14))
    c.step(zero)
    quiet.step(zero)
    change = c.batch.qvel[:, c.at.base_dof] - quiet.batch.qvel[:, c.at.base_dof]
    assert np.abs(change[:, :2]).max() <= 0.3 and np.abs(change[:, :2]).max() > 0.27
    assert not change[:, 2:].any()


def test_a_delay_the_wrong_way_round_is_refused():
    with pytest.raises(ValueError, match=r"command_delay is .* needs the smaller number first"):
        Core("microduck_flat", 1, randomization={"command_delay": (6, 3)})


def test_every_shipped_law_keeps_its_live_numbers_where_the_quantities_look_for_them():
    known = {"kp", "kp_fw", "kd", "effort_limit", "friction_scale", "passive_damping"}
    for name in ("ideal", "pd", "dc", "bam"):
        made = core([1], actuator=name, randomization=False)
        assert isinstance(made.drive.law, Actuator)
        assert set(made.drive.law.randomizable()) <= known
