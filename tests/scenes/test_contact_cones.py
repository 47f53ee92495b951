"""Contact settings with friction cones of their own."""

import mujoco
import pytest

from servogym import actuators, robots
from servogym.scenes import contact, world
from servogym.scenes.contact import Compromise, Cones, FootPairs, Native


def model(setting):
    robot = robots.get("go2")
    law = actuators.make("pd", robot)
    return world.build(robot, actuator=law, contact=setting, timestep=0.002, lean=True)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("native/elliptic", Cones(Native(), True)),
        ("C:0.015/pyramidal", Cones(Compromise(0.015), False)),
        ("B:0.006,none/elliptic:100", Cones(FootPairs(0.006, None), True, 100.0)),
        ("C/pyramidal:10", Cones(Compromise(), False, 10.0)),
    ],
)
def test_cones_stand_behind_a_slash_and_are_written_back(text, setting):
    assert contact.parse(text) == setting
    assert contact.parse(contact.written(setting)) == setting


def test_a_scene_has_the_cones_and_the_impratio_that_were_asked():
    kinds = mujoco.mjtCone
    plain, elliptic = model("C"), model("C/elliptic:100")
    assert (plain.opt.cone, plain.opt.impratio) == (kinds.mjCONE_PYRAMIDAL, 1.0)
    assert (elliptic.opt.cone, elliptic.opt.impratio) == (kinds.mjCONE_ELLIPTIC, 100.0)
    foot = elliptic.geom("FL_foot").id
    assert elliptic.geom_solref[foot, 0] == plain.geom_solref[foot, 0] == 0.01


@pytest.mark.parametrize(
    "text",
    [
        "C/round",
        "C/",
        "C/elliptic:",
        "C/elliptic:0",
        "C/elliptic:-1",
        "C/elliptic:nan",
        "C/elliptic:x",
    ],
)
def test_cones_that_do_not_exist_are_refused_with_the_form(text):
    with pytest.raises(ValueError, match="write C/pyramidal or C/elliptic"):
        contact.parse(text)


def test_pairs_whose_friction_has_its_own_time_refuse_pyramids_and_leave_the_scene_as_it_was():
    robot = robots.get("go2")
    spec = robot.spec("walk")
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05])
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 3.0
    feet = [foot.geom for foot in robot.feet]
    with pytest.raises(ValueError, match="acts only with elliptic"):
        contact.apply(spec, "B/pyramidal:10", feet, ["floor"])
    assert (spec.option.cone, spec.option.impratio) == (mujoco.mjtCone.mjCONE_ELLIPTIC, 3.0)
    assert len(contact.apply(spec, "B:0.01,none/pyramidal", feet, ["floor"])) == 4


def test_what_acts_is_worked_out_inside_the_cones():
    acts = contact.acts_as(contact.parse("C:0.001/elliptic:10"), 0.005)
    assert acts == Cones(Compromise(0.01), True, 10.0)


def test_impratio_acts_under_both_kinds_of_cones():
    """So a sweep must not merge pyramids of different impratio, whatever the manual suggests."""

    def slides(setting):
        scene = model(setting)
        data = mujoco.MjData(scene)
        data.qvel[0] = 0.5
        for _ in range(100):
            mujoco.mj_step(scene, data)
        return data.qpos[:3].tolist()

    for cone in ("pyramidal", "elliptic"):
        assert slides(f"C/{cone}") != slides(f"C/{cone}:100")
