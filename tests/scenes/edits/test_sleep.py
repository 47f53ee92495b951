"""002-13: trees that start asleep, judged by whether they fall."""

import mujoco
import numpy as np
import pytest

from servogym.scenes.edits import body as bodies
from servogym.scenes.edits.target import BodyTarget
from servogym.scenes.edits.write import commit

TREE = """<mujoco><worldbody>
<body name="one" pos="0 0 5"><freejoint/><geom size=".1"/>
  <body name="child"><joint/><geom size=".1"/></body></body>
<body name="other" pos="2 0 5"><freejoint/><geom size=".1"/></body>
<body name="plain" pos="6 0 0"><body name="leaf" pos="0 0 1"><joint/>
  <geom size=".1" pos=".3 0 0"/></body></body>
</worldbody></mujoco>"""


def tree():
    return mujoco.MjSpec.from_string(TREE)


def target(spec, name):
    return BodyTarget(path=f"/world/{name}", element=spec.body(name))


def edit(spec, *names, **values):
    commit(bodies.plan(spec, [target(spec, name) for name in names], **values))


def refused(spec, held, error, words, name, **values):
    before = held(spec)
    with pytest.raises(error, match=words):
        bodies.plan(spec, [target(spec, name)], **values)
    assert held(spec) == before


def fall(spec, name, steps=20):
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return data.body(name).xpos[2]


def test_002_13_a_body_that_starts_asleep_does_not_fall_and_the_others_do():
    spec = tree()
    edit(spec, "one", starts_asleep=True)
    assert fall(spec, "one") == 5.0
    assert fall(spec, "other") < 5.0
    edit(spec, "one", starts_asleep=False)
    assert fall(spec, "one") < 5.0


def test_002_13_a_file_that_lets_a_body_begin_asleep_is_overruled_by_false():
    spec = mujoco.MjSpec.from_string(
        "<mujoco><option><flag sleep='enable'/></option><worldbody><body name='a' pos='0 0 5' "
        "sleep='init'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    assert fall(spec, "a") == 5.0
    edit(spec, "a", starts_asleep=False)
    assert fall(spec, "a") < 5.0


def test_a_policy_of_the_file_that_is_about_later_stays():
    spec = tree()
    spec.body("other").sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER
    edit(spec, "other", starts_asleep=False)
    assert spec.body("other").sleep == mujoco.mjtSleepPolicy.mjSLEEP_NEVER


@pytest.mark.parametrize("name", ["child", "plain"])
def test_002_13_only_the_root_of_what_moves_can_start_asleep(held, name):
    refused(tree(), held, ValueError, "hangs on nothing that does", name, starts_asleep=True)


def test_a_root_on_a_body_that_stands_still_can_start_asleep():
    spec = tree()
    edit(spec, "leaf", starts_asleep=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 20)
    assert data.joint(model.body("leaf").jntadr[0]).qvel[0] == 0.0


@pytest.mark.parametrize("value", [0, 1, "yes", np.True_])
def test_002_13_starts_asleep_is_true_or_false(held, value):
    refused(tree(), held, TypeError, "starts_asleep", "one", starts_asleep=value)


def test_002_13_a_mujoco_without_sleeping_refuses_it_clearly(held, monkeypatch):
    monkeypatch.delattr(mujoco, "mjtSleepPolicy")
    refused(tree(), held, ValueError, "no sleeping; it needs 3.4", "one", starts_asleep=True)
    edit(tree(), "one", starts_asleep=False)
