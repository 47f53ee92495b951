"""Recordings are cut so that errands begin together, whenever their robots came to rest."""

from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge.metrics import footing
from servogym.gauge.seen import NEVER, Times, cut
from tests.gauge.seen import X, still, touching, with_

T, LONG = 100, 50
ROWS = np.arange(3)


@pytest.fixture
def recorded():
    """Three robots whose place is the number of the sample; contacts as deep as their number."""
    place = np.arange(T)[:, None, None] * X
    moments = np.arange(T // 5)
    ground = touching({"foot": 0, "normal": 1.0}, moments=len(moments))
    deep = replace(ground, dist=-np.asarray(moments, float)[:, None, None])
    return with_(still(T, n=3), position=place), footing.beside([deep] * 3)


def times(**changes):
    never = np.full(3, NEVER)
    found = {
        "start": np.array([5, 10, 30]),
        "length": np.full(3, LONG),
        "fell": never,
        "left": never,
    }
    return Times(**{**found, **changes})


def test_each_robot_is_seen_from_where_its_own_errand_begins(recorded):
    found = cut(*recorded, times(), ROWS, False)
    samples = found["samples"]
    assert len(samples) == LONG and found["whole"] is None and not found["fell"].any()
    np.testing.assert_array_equal(samples.position[0, :, 0], [5, 10, 30])
    np.testing.assert_array_equal(samples.position[-1, :, 0], [54, 59, 79])
    assert samples.alive.all() and samples.settled.all()


def test_contacts_are_those_of_the_samples_beside_them(recorded):
    ground = cut(*recorded, times(), ROWS, False)["footing"]
    assert len(ground) == LONG // 5
    np.testing.assert_array_equal(-ground.dist[0, :, 0], [1, 2, 6])
    np.testing.assert_array_equal(-ground.dist[-1, :, 0], [10, 11, 15])


def test_a_fall_is_where_it_was_and_one_before_the_errand_is_all_of_it(recorded):
    fell = np.array([25, NEVER, 12])
    found = cut(*recorded, times(fell=fell), ROWS, False)
    assert found["samples"].alive.sum(axis=0).tolist() == [20, LONG, 0]
    assert found["fell"].tolist() == [True, False, True]


def test_who_is_done_early_is_alive_and_no_longer_scored(recorded):
    left = np.array([NEVER, 31, NEVER])
    samples = cut(*recorded, times(left=left), ROWS, False)["samples"]
    assert samples.alive.all() and samples.settled.sum(axis=0).tolist() == [LONG, 21, LONG]


def test_the_whole_recording_ends_with_each_errand_and_knows_when_it_began(recorded):
    fell = np.array([NEVER, 40, NEVER])
    samples, ground = cut(*recorded, times(fell=fell), ROWS, True)["whole"]
    np.testing.assert_array_equal(samples.position[0, :, 0], [0, 0, 0])
    assert len(samples) == 80 and len(ground) == 16
    assert samples.alive.sum(axis=0).tolist() == [55, 40, 80]
    assert samples.settled.argmax(axis=0).tolist() == [5, 10, 30]


def test_a_recording_that_stopped_because_all_had_fallen_is_long_enough(recorded):
    whole, ground = recorded
    fell = np.array([20, 22, 24])
    short = (
        whole.at(slice(0, 25)),
        replace(
            ground,
            **{n: getattr(ground, n)[:5] for n in footing.ARRAYS},
        ),
    )
    samples = cut(*short, times(fell=fell), ROWS, False)["samples"]
    assert len(samples) == LONG and samples.alive.sum(axis=0).tolist() == [15, 12, 0]
