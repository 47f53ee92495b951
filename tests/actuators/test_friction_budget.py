"""Friction models m1 to m6: shape of the budget and the two variants of m6."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servogym.actuators.friction_budget import FrictionBudget
from servogym.actuators.servo_family import ServoFamily

XL330 = ServoFamily.load("xl330").models
TORQUE = st.floats(-2, 2)
SPEED = st.floats(-25, 25)


def budget(model: str, tm: float, te: float, speed: float, quadratic: str = "opposed") -> float:
    law = FrictionBudget(model, XL330[model], quadratic, 1, 1)
    return float(law.compute(*(np.full((1, 1), x) for x in (tm, te, speed)))[0, 0])


@pytest.mark.parametrize("model", sorted(XL330))
@given(tm=TORQUE, te=TORQUE, speed=SPEED)
def test_the_budget_is_positive_and_looks_the_same_in_the_mirror(model, tm, te, speed):
    found = budget(model, tm, te, speed)
    assert found >= 0
    assert found == budget(model, -tm, -te, -speed)


@pytest.mark.parametrize("model", ["m2", "m4", "m5", "m6"])
@given(tm=TORQUE, te=TORQUE, speed=st.floats(0, 25), faster=st.floats(0, 25))
def test_moving_never_takes_more_than_standing(model, tm, te, speed, faster):
    slow, fast = sorted((speed, faster))
    assert budget(model, tm, te, fast) <= budget(model, tm, te, slow)


@pytest.mark.parametrize("speed", [0.0, 5e-324, 1e-200, 1e200])
def test_the_stribeck_factor_is_finite_at_both_ends(speed):
    p = XL330["m2"]
    wanted = p["friction_base"] + p["friction_stribeck"] * (speed < 1)
    with np.errstate(all="raise", under="ignore"):
        assert budget("m2", 0.0, 0.0, speed) == pytest.approx(wanted, rel=1e-12)


@given(tm=TORQUE, te=TORQUE, speed=st.floats(-4, 4))
def test_the_stribeck_factor_is_the_power_law(tm, te, speed):
    p = XL330["m4"]
    load, s = abs(te - tm), np.exp(-(abs(speed / p["dtheta_stribeck"]) ** p["alpha"]))
    wanted = p["friction_base"] + p["load_friction_base"] * load
    wanted += s * (p["friction_stribeck"] + p["load_friction_stribeck"] * load)
    assert budget("m4", tm, te, speed) == pytest.approx(wanted, rel=1e-12)


def quadratic_term(tm: float, te: float, quadratic: str) -> float:
    return budget("m6", tm, te, 0.0, quadratic) - budget_without(tm, te)


def budget_without(tm: float, te: float) -> float:
    p = {**XL330["m6"], "load_friction_motor_quad": 0.0, "load_friction_external_quad": 0.0}
    law = FrictionBudget("m6", p, "always", 1, 1)
    return float(law.compute(*(np.full((1, 1), x) for x in (tm, te, 0.0)))[0, 0])


KMQ = XL330["m6"]["load_friction_motor_quad"]
KEQ = XL330["m6"]["load_friction_external_quad"]


@pytest.mark.parametrize(
    ("tm", "te", "opposed", "always"),
    [
        (0.8, -0.5, KEQ * 0.25, KEQ * 0.25),
        (0.5, -0.8, KMQ * 0.25, KMQ * 0.25),
        (0.8, 0.5, 0.0, KEQ * 0.25),
        (0.5, 0.8, 0.0, KMQ * 0.25),
        (0.5, -0.5, 0.0, KMQ * 0.25),
        (0.5, 0.0, 0.0, 0.0),
    ],
)
def test_the_two_variants_differ_where_the_torques_agree_or_are_equal(tm, te, opposed, always):
    assert quadratic_term(tm, te, "opposed") == pytest.approx(opposed, abs=1e-15)
    assert quadratic_term(tm, te, "always") == pytest.approx(always, abs=1e-15)


@given(tm=TORQUE, te=TORQUE, speed=SPEED)
def test_always_never_takes_less_than_opposed(tm, te, speed):
    assert budget("m6", tm, te, speed, "always") >= budget("m6", tm, te, speed, "opposed")
