"""Randomisation speaks the language of a scene and refuses what could have no effect."""

from dataclasses import fields
from inspect import signature

import numpy as np
import pytest

from servogym.actuators.base import Actuator
from servogym.envs.core import Core
from servogym.envs.draw import Draw
from servogym.envs.ramp import Ramp
from servogym.envs.randomize import Randomization
from servogym.scenes.scene import Scene
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


def test_groups_are_the_parts_they_say():
    parts = {"base": ["trunk_base"], "head": ["neck", "neck_pitch", "yaw_roll_motion", "jaw_soft"]}
    for group, names in parts.items():
        made = core([1], randomization=only(center_of_mass={"of": group, "offset": 0.01}))
        moved = (made.batch.expanded("body_ipos")[0] != made.model.body_ipos).any(axis=1)
        assert [made.model.body(b).name for b in np.flatnonzero(moved)] == names
    legs = core(
        [1], randomization=only(armature={"of": "legs", "scale": (0.9, 1.1)}), backlash=True
    )
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


@pytest.mark.parametrize(
    "given",
    [{"command_delay": (-1, 2)}, {"push_interval": (-1.0, 2.0)}, {"push": -0.3}],
)
def test_a_negative_delay_interval_or_push_is_refused(given):
    (name,) = given
    with pytest.raises(ValueError, match=f"randomization: {name} is .*; needs 0 or more"):
        Core("microduck_flat", 1, randomization=given)
    with pytest.raises(ValueError, match=f"{name} is .*; needs 0 or more"):
        Randomization(**given)


def test_without_gaps_a_joint_may_have_no_rotor():
    made = core([1], randomization={"armature": {"scale": (0.0, 0.0)}}, backlash=False)
    assert not made.batch.get_model(0).dof_armature[made.at.servo_dof].any()


def test_every_shipped_law_keeps_its_live_numbers_where_the_quantities_look_for_them():
    known = {"kp", "kp_fw", "kd", "effort_limit", "friction_scale", "passive_damping"}
    for name in ("ideal", "pd", "dc", "bam"):
        made = core([1], actuator=name, randomization=False)
        assert isinstance(made.drive.law, Actuator)
        assert set(made.drive.law.randomizable()) <= known
