"""002-25: gravity and timestep of a scene."""

import math

import mujoco
import numpy as np
import pytest

from servogym.scenes.edits import physics
from servogym.scenes.edits.write import commit


def test_002_25_both_reach_the_compiled_model():
    spec = mujoco.MjSpec()
    commit(physics.plan(spec, gravity=(0, 0, -1.62), timestep=0.004))
    option = spec.compile().opt
    assert option.gravity.tolist() == [0.0, 0.0, -1.62]
    assert option.timestep == 0.004


def test_002_25_what_is_left_out_stays_and_zero_is_a_value():
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.003
    commit(physics.plan(spec, gravity=[0, 0, 0]))
    assert spec.option.timestep == 0.003
    assert spec.compile().opt.gravity.tolist() == [0.0, 0.0, 0.0]
    assert physics.plan(spec) == []


@pytest.mark.parametrize(
    ("timestep", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (math.nan, ValueError),
        (math.inf, ValueError),
        (True, TypeError),
        ("0.002", TypeError),
        (np.array(0.002), TypeError),
    ],
)
def test_002_25_a_timestep_is_a_positive_number(held, timestep, error):
    spec = mujoco.MjSpec()
    before = held(spec)
    with pytest.raises(error, match="scene: timestep"):
        physics.plan(spec, gravity=(0, 0, -1), timestep=timestep)
    assert held(spec) == before


@pytest.mark.parametrize("gravity", [9.81, (0, 0), (0, 0, math.nan), (0, 0, True), "down"])
def test_002_25_gravity_is_a_vector(gravity):
    with pytest.raises((TypeError, ValueError), match="scene: gravity"):
        physics.plan(mujoco.MjSpec(), gravity=gravity)


def test_gravity_that_could_not_act_is_refused():
    spec = mujoco.MjSpec.from_string("<mujoco><option><flag gravity='disable'/></option></mujoco>")
    with pytest.raises(ValueError, match="no gravity acts"):
        physics.plan(spec, gravity=(0, 0, -1.62))
    commit(physics.plan(spec, gravity=(0, 0, 0)))
