"""Pain 73: stiffer than the timestep allows is silently the same; here it is said."""

import warnings

import mujoco
import numpy as np
import pytest

from servogym.scenes import solref
from servogym.scenes.scene import Scene

STEP = 0.005

PRESS = """<mujoco><option timestep="{step}"><flag refsafe="{refsafe}"/></option><worldbody>
<geom name="floor" type="plane" size="1 1 .1" solref="{solref}"/>
<body name="ball" pos="0 0 .1"><joint name="lift" type="slide" axis="0 0 1"/>
<geom name="skin" size=".1" solref="{solref}"/></body></worldbody></mujoco>"""


def press(pair, refsafe="enable", step=STEP):
    text = " ".join(str(number) for number in pair)
    return mujoco.MjModel.from_xml_string(PRESS.format(solref=text, refsafe=refsafe, step=step))


def penetration(model, seconds=1.0):
    """How deep a ball that lies on a floor sinks into it [m]."""
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    return -data.qpos[0]


@pytest.mark.parametrize("step", [0.002, 0.005])
@pytest.mark.parametrize("timeconst", [0.0001, 0.001, 0.004, 0.0099, 0.01, 0.0101, 0.03])
@pytest.mark.parametrize("ratio", [0.7, 1.0])
def test_what_is_called_effective_presses_as_deep_as_what_was_asked(step, timeconst, ratio):
    asked = (timeconst, ratio)
    acts = solref.effective(asked, step)
    assert penetration(press(acts, step=step)) == penetration(press(asked, step=step))
    assert penetration(press((acts[0] * 1.02, ratio), step=step)) > 1.01 * penetration(
        press(acts, step=step)
    )


def test_direct_stiffness_is_used_as_it_stands():
    assert solref.effective((-5000, -50), STEP) == (-5000, -50)
    assert penetration(press((-5000, -50))) < 0.8 * penetration(press((-2500, -50)))


@pytest.mark.parametrize("mixed", [(0.001, -1), (-1000, 1), (0.0, 1.0), (0.01, 0.0)])
def test_signs_that_do_not_match_mean_the_default(mixed):
    acts = solref.effective(mixed, STEP)
    assert acts == (0.02, 1.0)
    found = [penetration(press(pair), seconds=0.1) for pair in (mixed, acts)]
    assert found[0] == found[1] > 0


def test_without_refsafe_what_is_asked_acts():
    assert solref.effective((0.001, 1), STEP, refsafe=False) == (0.001, 1)
    model = press((0.004, 1), refsafe="disable")
    assert not solref.is_refsafe(model)
    assert solref.softened(model) == []
    assert penetration(model) != penetration(press((0.004, 1)))


def test_refsafe_is_on_unless_a_file_says_otherwise():
    assert solref.is_refsafe(mujoco.MjModel.from_xml_string("<mujoco/>"))
    assert solref.is_refsafe(press((0.02, 1)))


def test_a_model_that_asks_too_much_is_warned_of_by_name():
    with pytest.warns(UserWarning) as caught:
        found = solref.check(press((0.001, 1)))
    assert [str(warning.message) for warning in caught] == [
        "geom 'floor', geom 'skin': geom_solref (0.001, 1) acts as (0.01, 1); "
        "the timestep is 0.005 s and refsafe is on"
    ]
    assert [finding.effective for finding in found] == [(0.01, 1.0)] * 2


def test_pains_73_many_elements_with_one_setting_are_one_warning_and_two_settings_two():
    geoms = "".join(f"<geom name='g{i}' size='.1' solref='0.001 1'/>" for i in range(9))
    text = f"<mujoco><worldbody>{geoms}<geom name='h' size='.1' solref='0.002 1'/></worldbody>"
    with pytest.warns(UserWarning) as caught:
        found = solref.check(mujoco.MjModel.from_xml_string(f"{text}</mujoco>"))
    assert len(found) == 10
    said = [str(warning.message).split(":")[0] for warning in caught]
    assert said == ["geom 'g0', geom 'g1', geom 'g2' and 6 more", "geom 'h'"]


def test_pains_73_a_scene_says_so_when_it_is_built_and_when_it_takes_a_built_one():
    text = PRESS.format(solref="0.001 1", refsafe="enable", step=STEP)
    scene = Scene()
    scene.add("press", text)
    with pytest.warns(UserWarning, match=r"\(0.001, 1\) acts as \(0.01, 1\)"):
        scene.finalize()
    with pytest.warns(UserWarning, match=r"\(0.001, 1\) acts as \(0.01, 1\)"):
        Scene().inject(press((0.001, 1)))
    scene = Scene()
    scene.add("press", text)
    scene.set_scene_physics_properties(timestep=0.0005)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.finalize()


def test_a_model_that_asks_what_it_can_have_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solref.check(press((0.01, 1))) == []
        assert solref.check(press((-5000, -50))) == []


EVERYTHING = """<mujoco><option timestep="0.005"/><worldbody>
<geom name="floor" type="plane" size="1 1 .1"/>
<body name="a"><joint name="knee" range="-9 9" solreflimit="0.001 1" frictionloss="1"
  solreffriction="0.002 1"/><joint name="loose" axis="0 1 0" solreflimit="0.001 1"/>
<geom name="foot" size=".1"/><geom size=".1" solref="0.003 1"/>
<geom name="paint" size=".1" contype="0" conaffinity="0" solref="0.001 1"/></body>
<body name="b"><freejoint/><geom name="hand" size=".1"/></body></worldbody>
<contact><pair geom1="floor" geom2="foot" solref="0.004 1"/>
<pair name="grip" geom1="foot" geom2="hand" solreffriction="0.005 1"/></contact>
<equality><weld name="glue" body1="a" body2="b" solref="0.006 1"/></equality>
<tendon><fixed name="string" range="-1 1" solreflimit="0.007 1" frictionloss="1"
  solreffriction="0.008 1"><joint joint="knee" coef="1"/></fixed></tendon></mujoco>"""


def test_every_kind_of_reference_is_looked_at_and_named():
    model = mujoco.MjModel.from_xml_string(EVERYTHING)
    found = {str(finding).split(" acts")[0] for finding in solref.softened(model)}
    assert found == {
        "geom 2 of body 'a': geom_solref (0.003, 1)",
        "pair 'floor' and 'foot': pair_solref (0.004, 1)",
        "pair 'grip': pair_solreffriction (0.005, 1)",
        "joint 'knee': jnt_solref (0.001, 1)",
        "dof of joint 'knee': dof_solref (0.002, 1)",
        "equality 'glue': eq_solref (0.006, 1)",
        "tendon 'string': tendon_solref_lim (0.007, 1)",
        "tendon 'string': tendon_solref_fri (0.008, 1)",
    }


SWEEP = {
    "hard": (0.001, 1),
    "firm": (0.005, 1),
    "bound": (0.01, 1),
    "soft": (0.02, 1),
    "springy": (0.001, 0.5),
    "odd": (0.02, -1),
    "direct": (-5000, -50),
}


def test_settings_that_act_alike_are_grouped_and_each_is_in_one_group():
    assert solref.aliases(SWEEP, STEP) == {
        (0.01, 1): ["hard", "firm", "bound"],
        (0.02, 1): ["soft", "odd"],
        (0.01, 0.5): ["springy"],
        (-5000, -50): ["direct"],
    }
    assert len(solref.aliases(SWEEP, STEP, refsafe=False)) == 6


def test_what_is_called_an_alias_presses_alike_and_what_is_not_does_not():
    depth = {name: penetration(press(pair), seconds=0.5) for name, pair in SWEEP.items()}
    groups = list(solref.aliases(SWEEP, STEP).values())
    for names in groups:
        assert len({depth[name] for name in names}) == 1
    assert len({depth[names[0]] for names in groups}) == len(groups)


def test_a_sweep_runs_each_setting_once_and_says_so_once():
    with pytest.warns(UserWarning) as caught:
        kept = solref.distinct(SWEEP, STEP)
    assert list(kept) == ["hard", "soft", "springy", "direct"]
    assert [str(warning.message).split(":")[0] for warning in caught] == [
        "hard, firm, bound are the same setting at a timestep of 0.005 s",
        "soft, odd are the same setting at a timestep of 0.005 s",
    ]


def test_a_finding_can_be_compared_and_read():
    (first, _) = solref.softened(press((0.001, 1)))
    assert first == solref.Softened(
        name="geom 'floor'", field="geom_solref", requested=(0.001, 1.0), effective=(0.01, 1.0)
    )
    assert np.isclose(first.effective[0], solref.STEPS * STEP)
