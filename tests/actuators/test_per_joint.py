"""Per-joint tables are numbers or complete mappings by joint name."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servogym.actuators.pd import Pd
from servogym.actuators.per_joint import per_joint

JOINTS = ("hip", "knee", "ankle")


@given(st.floats(allow_nan=False))
def test_a_number_holds_for_every_joint(value):
    assert per_joint("kp", value, JOINTS).tolist() == [value] * 3


@given(st.permutations(JOINTS), st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3))
def test_a_mapping_is_read_by_name_in_whatever_order_it_was_written(order, values):
    table = dict(zip(order, values, strict=True))
    assert per_joint("kp", table, JOINTS).tolist() == [table[joint] for joint in JOINTS]


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"hip": 1.0, "knee": 1.0}, ["ankle", "missing"]),
        ({"hip": 1.0, "knee": 1.0, "ankle": 1.0, "tail": 1.0}, ["tail", "unknown"]),
        ({"hip": 1.0, "knee": 1.0, "ancle": 1.0}, ["ankle", "ancle"]),
    ],
)
def test_a_table_that_misses_or_invents_a_joint_is_refused_by_name(table, named):
    law = Pd(kp=table, kd=0.1, effort_limit=1.0)
    with pytest.raises(ValueError, match="kp") as error:
        law.bind(JOINTS, 1, 0.005)
    assert all(name in str(error.value) for name in named)


def test_bare_numbers_in_a_row_are_refused_because_they_name_no_joint():
    with pytest.raises(ValueError, match="mapping from joint name"):
        per_joint("kp", np.ones(3), JOINTS)  # type: ignore[arg-type]


def test_a_joint_of_an_attached_robot_is_found_under_its_own_name():
    assert per_joint("kp", {"hip": 1.0, "knee": 2.0}, ("a/knee", "a/hip")).tolist() == [2.0, 1.0]


@pytest.mark.parametrize("bad", [float("nan"), "3"])
def test_a_value_that_is_no_number_is_refused_with_its_joint(bad):
    with pytest.raises(ValueError, match="kp of knee"):
        per_joint("kp", {"hip": 1.0, "knee": bad, "ankle": 1.0}, JOINTS)
    with pytest.raises(ValueError, match="kp"):
        per_joint("kp", bad, JOINTS)


def test_a_numpy_number_is_a_number_and_can_be_described():
    law = Pd(kp=np.float32(0.5), kd={"hip": np.float64(0.1)}, effort_limit=np.int64(1))
    parameters = json.loads(json.dumps(law.describe()))["parameters"]
    assert (parameters["kp"], parameters["kd"], parameters["effort_limit"]) == (
        0.5,
        {"hip": 0.1},
        1,
    )
