"""A commit makes every change or none."""

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from servogym.scenes.edits.servo import Servo, creation
from servogym.scenes.edits.target import JointNotes
from servogym.scenes.edits.write import AddActuator, Write, commit

ARM = """<mujoco><worldbody><body name="arm"><joint name="elbow" range="-90 90"/>
<geom name="link" size=".1"/></body></worldbody></mujoco>"""


class Stubborn:
    """Takes any value while it is checked and none when it counts."""

    def __init__(self):
        object.__setattr__(self, "value", 1.0)

    def __setattr__(self, name, value):
        raise RuntimeError(f"no {name}")


def new_servo(spec):
    return AddActuator(spec, creation("elbow", Servo(mode="position", stiffness=3.0, damping=1.0)))


def test_every_change_is_made():
    spec = mujoco.MjSpec.from_string(ARM)
    notes = JointNotes()
    commit(
        [
            Write(spec.geom("link"), "friction", np.array([2.0, 0.1, 0.01])),
            Write(spec.joint("elbow"), "frictionloss", 0.5),
            Write(spec.joint("elbow"), "limited", mujoco.mjtLimited.mjLIMITED_FALSE),
            Write(notes, "initial_position", 0.25),
            new_servo(spec),
        ]
    )
    model = spec.compile()
    assert model.geom("link").friction.tolist() == [2.0, 0.1, 0.01]
    assert model.joint("elbow").frictionloss[0] == 0.5
    assert not model.jnt_limited[0]
    assert model.actuator("elbow").gainprm[0] == 3.0
    assert notes.initial_position == 0.25


@pytest.mark.parametrize(
    ("attribute", "value", "error"),
    [
        ("friction", np.ones(2), ValueError),
        ("friction", "slippery", TypeError),
        ("contype", 1.5, TypeError),
        ("contype", True, TypeError),
        ("margin", "wide", TypeError),
        ("name", 3, TypeError),
        ("slipperiness", 1.0, AttributeError),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_changes(held, attribute, value, error):
    spec = mujoco.MjSpec.from_string(ARM)
    before = held(spec)
    good = Write(spec.geom("link"), "margin", 0.25)
    with pytest.raises(error):
        commit([good, Write(spec.geom("link"), attribute, value), good])
    assert held(spec) == before


def test_a_new_actuator_that_does_not_fit_is_refused_before_anything_changes(held):
    spec = mujoco.MjSpec.from_string(ARM)
    before = held(spec)
    bad = AddActuator(spec, {**creation("elbow", Servo(mode="velocity", stiffness=0, damping=1))})
    bad.values["gear"] = "much"
    with pytest.raises(TypeError):
        commit([Write(spec.geom("link"), "margin", 0.25), bad])
    assert held(spec) == before


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("friction"), st.lists(st.floats(0, 9), min_size=3, max_size=3)),
            st.tuples(st.sampled_from(["margin", "gap", "density"]), st.floats(0, 9)),
            st.tuples(st.sampled_from(["contype", "group"]), st.integers(0, 9)),
            st.just(("servo", None)),
        ),
        max_size=12,
        unique_by=lambda step: step if step[0] == "servo" else object(),
    ),
    st.integers(0, 12),
)
def test_002_29_a_refusal_half_way_puts_everything_back(held, steps, place):
    spec = mujoco.MjSpec.from_string(ARM)
    before = held(spec)
    geom = spec.geom("link")
    changes = [
        new_servo(spec)
        if name == "servo"
        else Write(geom, name, np.array(value) if isinstance(value, list) else value)
        for name, value in steps
    ]
    stop = Write(Stubborn(), "value", 2.0)
    with pytest.raises(RuntimeError, match="no value"):
        commit([*changes[:place], stop, *changes[place:]])
    assert held(spec) == before


def test_an_undefined_number_is_put_back_undefined():
    spec = mujoco.MjSpec.from_string(ARM)
    body = spec.body("arm")
    with pytest.raises(RuntimeError):
        commit([Write(body, "ipos", np.ones(3)), Write(Stubborn(), "value", 2.0)])
    assert np.isnan(body.ipos[0])
    assert spec.compile().body("arm").mass[0] > 0
