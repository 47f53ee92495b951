"""Every randomised quantity changes what it should, from the nominal, in its own row alone."""

from dataclasses import fields

import mujoco
import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.randomize import Randomization
from servogym.scenes import world

QUIET = {"sensing": False, "spawn": False}
DERIVED = ("body_subtreemass", "dof_invweight0", "body_invweight0", "dof_M0", "actuator_acc0")
SETTABLE = [f.name for f in fields(Randomization) if f.name != "push_interval"]


def only(**wanted):
    return {name: None for name in SETTABLE} | wanted


def core(n, seed=3, **options):
    c = Core("microduck_flat", n, threads=1, **QUIET | options)
    rows = np.arange(n)
    c.seed(rows, rows.astype(np.uint64) + np.uint64(seed))
    c.reset(rows)
    return c


def test_a_heavier_trunk_is_the_model_compiled_with_that_mass_in_every_derived_constant():
    c = core(3, randomization=only(base_mass=(0.5, 1.5), base_com=0.01, armature=(0.8, 1.2)))
    base = c.at.base_body
    for row in range(3):
        got = c.batch.get_model(row)
        factor = got.body_mass[base] / c.model.body_mass[base]
        assert abs(factor - 1) > 1e-3
        assert np.allclose(got.body_inertia[base], c.model.body_inertia[base] * factor, rtol=1e-12)
        fresh = world.build(c.robot, actuator=c.actuator)
        fresh.body_mass[base], fresh.body_inertia[base] = (
            got.body_mass[base],
            got.body_inertia[base],
        )
        fresh.body_ipos[base], fresh.dof_armature[:] = got.body_ipos[base], got.dof_armature
        mujoco.mj_setConst(fresh, mujoco.MjData(fresh))
        for name in DERIVED:
            assert np.allclose(getattr(got, name), getattr(fresh, name), rtol=1e-9, atol=0), name
        assert got.body_subtreemass[0] == pytest.approx(got.body_mass.sum(), rel=1e-12)


def test_a_heavier_trunk_equals_a_freshly_compiled_spec_of_that_mass():
    c = core(1, randomization=only(base_mass=(1.5, 1.5)))
    spec = c.robot.spec()
    body = spec.body(c.robot.base_body)
    inertia = np.array(body.fullinertia)
    body.mass, body.fullinertia = body.mass * 1.5, inertia * 1.5
    for joint in c.robot.joints:
        spec.joint(joint).armature = float(c.model.joint(joint).armature[0])
    compiled, got = spec.compile(), c.batch.get_model(0)
    joints = [compiled.joint(j).dofadr[0] for j in c.robot.joints]
    assert compiled.body_subtreemass[1] == pytest.approx(got.body_subtreemass[1], rel=1e-9)
    assert np.allclose(
        compiled.dof_invweight0[joints], got.dof_invweight0[c.at.servo_dof], rtol=1e-9
    )
    reach = [compiled.actuator(j).acc0[0] for j in c.robot.joints]
    assert np.allclose(reach, got.actuator_acc0[c.at.motor], rtol=1e-9)


def test_nothing_accumulates_over_hundreds_of_resets():
    c = core(2, backlash=True)
    rows = np.arange(2)
    nominal = c.model
    masses = []
    for _ in range(300):
        c.reset(rows)
        got = c.batch.get_model(1)
        base = c.at.base_body
        masses.append(got.body_mass[base] / nominal.body_mass[base])
        assert np.abs(got.body_ipos[base] - nominal.body_ipos[base]).max() <= 0.015
        assert got.geom_friction[c.at.foot_geom[0], 0] == got.geom_friction[c.at.foot_geom[1], 0]
        ratio = got.dof_armature[c.at.servo_dof] / nominal.dof_armature[c.at.servo_dof]
        assert np.allclose(ratio, ratio[0]) and 0.9 <= ratio[0] <= 1.1
        play = got.dof_armature[c.at.play_dof] / nominal.dof_armature[c.at.play_dof]
        assert np.allclose(play, ratio[0])
    assert 0.95 <= min(masses) < 0.955 and 1.045 < max(masses) <= 1.05


def test_ranges_are_filled_and_rows_differ():
    c = core(400, backlash=True)
    live = c.drive.randomizable()
    for name, low, high in (("friction_scale", 0.9, 1.1), ("volts", 6.5, 8.2), ("sag", 0.0, 0.2)):
        values = live[name][:, 0]
        assert low <= values.min() < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < values.max() <= high
    friction = c.batch.expanded("geom_friction")[:, c.at.foot_geom[0], 0]
    assert 0.7 <= friction.min() < 0.73 and 1.27 < friction.max() <= 1.3


def test_friction_scale_acts_on_the_friction_mujoco_applies():
    torque = {}
    for scale in (0.9, 1.1):
        c = core(1, randomization=only(friction_scale=(scale, scale)))
        c.step(np.zeros((1, 14)))
        torque[scale] = c.batch.expanded("dof_frictionloss")[0, c.at.servo_dof]
    ratio = torque[1.1] / torque[0.9]
    assert np.median(ratio) == pytest.approx(1.1 / 0.9, rel=0.02)


def test_a_low_supply_stalls_weaker_and_sag_makes_it_worse():
    reach = {}
    for volts, sag in ((6.5, 0.0), (8.2, 0.0), (8.2, 0.2)):
        c = core(1, randomization=only(volts=(volts, volts), sag=(sag, sag)))
        c.step(np.full((1, 14), 1.0))
        reach[volts, sag] = np.abs(c.state.torque).sum()
    assert reach[6.5, 0.0] < reach[8.2, 0.2] < reach[8.2, 0.0]


def test_the_target_arrives_three_to_six_physics_steps_late():
    c = core(1, randomization=only(command_delay=(3, 6)))
    assert (c.drive.delay.describe()["low"], c.drive.delay.describe()["high"]) == (3, 6)
    prompt = core(1, randomization=False)
    kick = np.zeros((1, 14))
    kick[0, 7] = 1.0
    for each in (c, prompt):
        each.step(np.zeros((1, 14)))
    late = c.step(kick) and abs(c.state.servo_vel[0, 7])
    at_once = prompt.step(kick) and abs(prompt.state.servo_vel[0, 7])
    assert at_once > 0.5 and late < 0.5 * at_once


def test_pushes_come_every_three_to_six_seconds_and_change_the_velocity_by_up_to_their_size():
    c = core(40, randomization=only(push=0.3))
    quiet = core(40, randomization=False)
    left = c.pushes.state()["left"]
    assert (left >= 150).all() and (left <= 300).all() and len(set(left.tolist())) > 20
    left[:] = 1
    zero = np.zeros((40, 14))
    c.step(zero)
    quiet.step(zero)
    change = c.batch.qvel[:, c.at.base_dof] - quiet.batch.qvel[:, c.at.base_dof]
    assert np.abs(change[:, :2]).max() <= 0.3 and np.abs(change[:, :2]).max() > 0.27
    assert not change[:, 2:].any()


def test_everything_off_is_the_compiled_model():
    c = core(1, randomization=False)
    got = c.batch.get_model(0)
    for name in ("body_mass", "body_ipos", "body_inertia", "geom_friction", "dof_armature"):
        assert np.array_equal(getattr(got, name), getattr(c.model, name))


def test_the_centres_of_mass_of_trunk_and_head_move_by_up_to_their_reach():
    c = core(300, randomization=only(base_com=0.015, head_com=0.01))
    moved = c.batch.expanded("body_ipos") - c.model.body_ipos
    head = ["neck", "neck_pitch", "yaw_roll_motion", "jaw_soft"]
    for names, reach in ((["trunk_base"], 0.015), (head, 0.01)):
        for name in names:
            offset = np.abs(moved[:, c.model.body(name).id])
            assert offset.max() <= reach and (offset.max(axis=0) > 0.97 * reach).all()
    others = [b for b in range(c.model.nbody) if c.model.body(b).name not in ("trunk_base", *head)]
    assert not moved[:, others].any()


def test_a_range_the_wrong_way_round_is_refused():
    with pytest.raises(ValueError, match=r"volts is \(9.0, 1.0\); needs the smaller number first"):
        Randomization(volts=(9.0, 1.0))
    with pytest.raises(ValueError, match="command_delay"):
        Core("microduck_flat", 1, randomization={"command_delay": (6, 3)})
