"""Every statistic of a trace is the number that was put into it."""

from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge.spread import bootstrap, wilson
from servogym.gauge.statistics import STATISTICS, drift, yaw_drift
from tests.gauge.made_up import DT, FIRST, STEPS, flipped, numbers, standing, stepping


def test_every_statistic_is_explained_and_every_explanation_is_measured():
    assert list(numbers(standing())) == list(STATISTICS)


def test_a_stand_is_nothing_but_both_feet_on_the_floor():
    found = numbers(standing())
    assert found.pop("double_support") == 1.0
    assert set(found.values()) == {0.0}


def test_swings_are_counted_timed_and_measured_above_the_standing_height():
    found = numbers(stepping(left=8, right=8, peak=(0.010, 0.014), cycle=25))
    assert found["strides"] == pytest.approx(2.0, abs=0.06)
    assert found["swing"] == pytest.approx(0.16)
    assert found["clearance"] == pytest.approx(0.012, abs=1e-4)
    assert found["asymmetry"] == pytest.approx(0.0)


def test_a_limp_is_the_difference_of_the_swings_over_their_mean():
    found = numbers(stepping(left=8, right=10))
    assert found["asymmetry"] == pytest.approx(0.04 / 0.18)
    assert found["swing"] == pytest.approx(0.18)


def test_a_foot_that_is_never_lifted_is_the_worst_limp():
    trace = stepping()
    trace.loaded[:, 0, 1] = True
    assert numbers(trace)["asymmetry"] == 2.0
    assert numbers(trace)["swing"] == pytest.approx(0.16)


def test_left_and_right_are_treated_alike():
    trace = stepping(left=6, right=11, peak=(0.006, 0.02))
    for name, value in numbers(trace).items():
        assert numbers(flipped(trace))[name] == pytest.approx(value, rel=0.03), name


def test_a_foot_that_leaves_the_floor_for_one_control_step_trembles():
    found = numbers(stepping(left=1, right=1))
    assert (found["strides"], found["swing"], found["clearance"]) == (0.0, 0.0, 0.0)
    assert numbers(stepping(left=2, right=2))["strides"] > 1.9


def test_a_swing_counts_when_it_ends_in_the_counted_time():
    def swing(begin, end):
        trace = standing()
        trace.loaded[begin:end, 0, 0] = False
        return numbers(trace)["strides"] > 0

    assert not swing(FIRST - 10, FIRST - 1)
    assert swing(FIRST - 10, FIRST)
    assert swing(STEPS - 10, STEPS - 1)
    assert not swing(STEPS - 10, STEPS)
    assert not swing(0, STEPS)


def test_shares_of_support_add_up():
    trace = standing()
    trace.loaded[FIRST : FIRST + 90, 0, 0] = False
    trace.loaded[FIRST : FIRST + 45, 0, 1] = False
    found = numbers(trace)
    assert found["flight"] == pytest.approx(0.05)
    assert found["double_support"] == pytest.approx(0.9)


def test_the_settling_does_not_count():
    trace = standing()
    for name in ("power", "torque", "action", "excess", "head"):
        getattr(trace, name)[:FIRST] = 9.0
    trace.velocity[:FIRST] = 9.0
    trace.position[: FIRST - 1] = 9.0
    assert numbers(trace) == numbers(standing())


def test_means_roots_and_extremes():
    trace = standing()
    trace.torque[:], trace.power[:], trace.action[:], trace.head[:] = 0.04, 3.0, 0.25, 0.07
    trace.excess[FIRST : FIRST + 90] = 0.02
    trace.excess[FIRST] = 0.11
    found = numbers(trace)
    assert found["torque"] == pytest.approx(0.2)
    assert (found["power"], found["action_rate"]) == (pytest.approx(3.0), pytest.approx(0.25))
    assert found["head_error"] == pytest.approx(0.07)
    assert found["outside"] == pytest.approx(0.1) and found["excursion"] == 0.11


def test_sideways_drift_is_what_was_not_asked_for():
    trace = standing()
    trace.velocity[:, :, 1] = 0.05
    assert numbers(trace)["sideways_drift"] == pytest.approx(0.05 * 18.0)
    assert numbers(trace, (0.0, 0.05, 0.0))["sideways_drift"] == pytest.approx(0.0)


@pytest.mark.parametrize("rate", [0.02, -0.02, 1.0, -3.0])
def test_yaw_drift_sees_through_full_turns(rate):
    angle = 3.1 + rate * DT * np.arange(STEPS)[:, None]
    wrapped = np.angle(np.exp(1j * angle))
    assert yaw_drift(wrapped, rate, DT) == pytest.approx(0.0, abs=1e-9)
    wanted = np.degrees(abs(rate) * DT * (STEPS - 1))
    assert yaw_drift(wrapped, 0.0, DT) == pytest.approx(wanted)


def test_yaw_drift_counts_the_whole_episode():
    trace = standing()
    trace.heading[50:] = 0.2
    assert numbers(trace)["yaw_drift"] == pytest.approx(np.degrees(0.2))


def test_base_drift_is_looked_for_in_every_window_of_ten_seconds():
    creeping = np.zeros((901, 1, 2))
    creeping[:, 0, 0] = 0.001 * DT * np.arange(901)  # 1 mm/s for 18 s
    assert drift(creeping, 500) == pytest.approx(0.010)
    back = np.zeros((901, 1, 2))
    back[300:600, 0, 1] = 0.03  # away for 6 s, and back
    assert drift(back, 500) == pytest.approx(0.03)
    assert drift(creeping[:101], 500) == pytest.approx(0.002)


def test_an_interval_narrows_around_the_mean_and_is_always_the_same():
    few, many = (np.random.default_rng(0).normal(1.0, 0.1, n) for n in (5, 500))
    assert bootstrap(few) == bootstrap(few)
    low, high = bootstrap(many)
    assert low < many.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 0.1 / np.sqrt(500), rel=0.1)
    assert bootstrap([0.5]) == (0.5, 0.5)
    with pytest.raises(ValueError, match="0 values"):
        bootstrap([])


def test_the_interval_of_a_share_is_wilsons():
    assert wilson(0, 112) == pytest.approx((0.0, 0.0332), abs=1e-4)
    assert wilson(10, 100) == pytest.approx((0.0552, 0.1744), abs=1e-4)


def test_robots_are_measured_apart():
    one, two = stepping(), stepping(left=6, right=6)
    both = {
        name: np.concatenate((getattr(one, name), getattr(two, name)), axis=1)
        for name in vars(one)
        if name != "dt"
    }
    together = replace(one, **both)
    assert numbers(together.only(np.array([1]))) == numbers(two)
