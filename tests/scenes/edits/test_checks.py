"""002-32: what is a number, and what is not; every refusal names where, what and what fits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servogym.scenes.edits import checks

NOT_NUMBERS = [True, False, np.True_, np.array(1.0), np.array([1.0]), "1", b"1", 1j, [1.0], None]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float32("nan"), 10**400]


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_002_32_what_only_looks_like_a_number_is_a_type_error(value):
    with pytest.raises(TypeError, match=r"joint 'a/b': friction is .*accepted: a finite number"):
        checks.number(value, "joint 'a/b'", "friction")


@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda v: str(v)[:6])
def test_002_32_what_is_not_finite_is_a_value_error(value):
    with pytest.raises(ValueError, match="accepted: a finite number"):
        checks.number(value, "joint 'a/b'", "friction")


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), np.float64(2), Fraction(2)])
def test_every_kind_of_number_is_taken_as_a_float(value):
    assert type(checks.number(value, "x", "y")) is float
    assert checks.number(value, "x", "y") == 2.0


@pytest.mark.parametrize(
    ("bounds", "good", "bad", "words"),
    [
        ({"least": 0.0}, 0.0, -1e-300, "a finite number >= 0"),
        ({"above": 0.0}, 1e-300, 0.0, "a finite number > 0"),
        ({"least": 0.0, "most": 1.0}, 1, 1.01, "a number from 0 to 1"),
    ],
)
def test_bounds_are_exact_and_said(bounds, good, bad, words):
    assert checks.number(good, "x", "y", **bounds) == good
    with pytest.raises(ValueError, match=words):
        checks.number(bad, "x", "y", **bounds)


@pytest.mark.parametrize("value", [True, np.False_, 1.0, np.float64(1), "1", None])
def test_002_32_a_whole_number_is_an_integer(value):
    with pytest.raises(TypeError, match="an integer from 0 to 9"):
        checks.whole(value, "x", "y", most=9)


@pytest.mark.parametrize("value", [-1, 10, np.int64(-1)])
def test_a_whole_number_lies_within_its_bounds(value):
    with pytest.raises(ValueError, match="an integer from 0 to 9"):
        checks.whole(value, "x", "y", most=9)
    assert checks.whole(np.uint8(9), "x", "y", most=9) == 9


@pytest.mark.parametrize("value", [0, 1, np.True_, "True", None, 1.0])
def test_002_13_a_truth_is_true_or_false(value):
    with pytest.raises(TypeError, match="True or False"):
        checks.truth(value, "x", "y")


@pytest.mark.parametrize("value", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3])])
def test_a_vector_is_three_numbers(value):
    assert checks.vector(value, "x", "y").tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ([1, 2], ValueError),
        ([1, 2, 3, 4], ValueError),
        ([1, 2, math.nan], ValueError),
        ([1, True, 3], TypeError),
        (np.array([True, False, True]), TypeError),
        (["1", "2", "3"], TypeError),
        ("123", TypeError),
        ({1: 2}, TypeError),
        (np.array(1.0), TypeError),
        (np.ones((3, 1)), TypeError),
        (9.81, TypeError),
    ],
    ids=repr,
)
def test_002_32_anything_else_is_no_vector(value, error):
    with pytest.raises(error, match="scene: gravity"):
        checks.vector(value, "scene", "gravity")


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (np.eye(2), ValueError, "3 x 3"),
        (np.ones(3), TypeError, "inertia"),
        (1.0, TypeError, "3 x 3"),
        ([[1, 0, 0], [0, True, 0], [0, 0, 1]], TypeError, r"inertia\[1\]\[1\]"),
        ([[1, 0, 0], [0, math.inf, 0], [0, 0, 1]], ValueError, r"inertia\[1\]\[1\]"),
        ([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], ValueError, "not symmetric"),
        (np.diag([1.0, 1.0, 0.0]), ValueError, "positive definite"),
        (np.diag([1.0, 1.0, -1.0]), ValueError, "positive definite"),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], ValueError, "principal moments are -1, 1, 3"),
        (np.diag([1.0, 1.0, 2.1]), ValueError, "1, 1, 2.1, which no rigid body has"),
        (np.zeros((3, 3)), ValueError, "positive definite"),
    ],
)
def test_002_13_an_inertia_that_no_body_has_is_refused(value, error, words):
    with pytest.raises(error, match=words):
        checks.inertia(value, "body 'a'")


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=4, max_size=9), st.floats(-6, 6))
def test_002_13_the_inertia_of_any_cloud_of_points_is_accepted(points, decade):
    cloud = np.array([*points, (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)], dtype=float)
    cloud -= cloud.mean(axis=0)
    tensor = (np.eye(3) * (cloud**2).sum() - cloud.T @ cloud) * 10.0**decade
    assert np.array_equal(checks.inertia(tensor.tolist(), "x"), (tensor + tensor.T) / 2)


def test_002_13_what_rounding_leaves_is_forgiven_and_no_more():
    checks.inertia(np.diag([1.0, 1.0, 2.0 * (1 + 5e-10)]), "x")
    with pytest.raises(ValueError, match="no rigid body"):
        checks.inertia(np.diag([1.0, 1.0, 2.0 * (1 + 5e-9)]), "x")
    found = checks.inertia([[1, 0.1, 0], [0.1 + 5e-10, 1, 0], [0, 0, 1]], "x")
    assert np.array_equal(found, found.T)
    with pytest.raises(ValueError, match="not symmetric"):
        checks.inertia([[1, 0.1, 0], [0.1 + 5e-9, 1, 0], [0, 0, 1]], "x")


def test_002_13_a_thin_plate_is_at_the_bound_and_accepted():
    checks.inertia(np.diag([0.1, 0.2, 0.1 + 0.2]), "x")
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    checks.inertia(turn @ np.diag([0.1, 0.3, 0.2]) @ turn.T, "x")
