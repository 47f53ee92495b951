"""The quality of moments, the mean of the worst, and scores of terrains."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge.metrics.rules import DEFAULT, ROBOGAUGE, WEIGHTS
from servogym.gauge.metrics.scored import scored, summaries
from servogym.gauge.quality import FLOOR, quality, summary, terrain_score, worst
from tests.gauge.seen import GO2, SCALES, X, Y, still, touching, turned, with_

NAMES = tuple(WEIGHTS)


def ones(**other):
    return {name: np.array([other.get(name, 1.0)]) for name in NAMES}


def test_one_zero_of_weight_1_among_ten_gives_0_1259():
    found = quality(ones(friction_margin=0.0), WEIGHTS)
    assert found == pytest.approx(1e-9**0.1) and round(float(found[0]), 4) == 0.1259


def test_one_zero_of_weight_2_gives_0_0158():
    assert quality(ones(lin_vel_err=0.0), WEIGHTS) == pytest.approx(1e-9**0.2)


def test_without_friction_and_zmp_the_weights_sum_to_eight_and_a_zero_gives_0_075():
    eight = {k: v for k, v in ones(dof_power=0.0).items() if "margin" not in k}
    assert quality(eight, WEIGHTS) == pytest.approx(1e-9 ** (1 / 8), rel=1e-9)
    assert round(float(quality(eight, WEIGHTS)[0]), 3) == 0.075


def test_the_quality_is_the_weighted_geometric_mean():
    values = {"a": np.array([0.5, 0.9]), "b": np.array([0.8, 0.1])}
    found = quality(values, {"a": 2.0, "b": 1.0, "unused": 7.0})
    assert found == pytest.approx([(0.25 * 0.8) ** (1 / 3), (0.81 * 0.1) ** (1 / 3)])


def test_values_beyond_their_range_are_cut():
    assert quality(ones(dof_power=1.7), WEIGHTS) == pytest.approx(1.0)
    assert quality(ones(dof_power=-4.0), WEIGHTS) == pytest.approx(1e-9**0.1)
    assert quality({name: np.zeros(1) for name in NAMES}, WEIGHTS) == pytest.approx(FLOOR)


def test_what_does_not_count_takes_its_weight_along():
    half = {"a": np.array([0.5, 0.5, np.nan]), "b": np.array([np.nan, 0.2, np.nan])}
    found = quality(half, {"a": 1.0, "b": 3.0})
    assert found[:2] == pytest.approx([0.5, (0.5 * 0.2**3) ** 0.25]) and np.isnan(found[2])


def test_a_metric_without_a_weight_is_named():
    with pytest.raises(LookupError, match=r"'grace'.*no weight.*'dof_power'"):
        quality(ones() | {"grace": np.ones(1)}, WEIGHTS)
    with pytest.raises(ValueError, match="0 metrics"):
        quality({}, WEIGHTS)
    with pytest.raises(ValueError, match="above 0"):
        quality({"a": np.ones(1)}, {"a": 0.0})


def test_the_worst_quarter_is_the_lowest_and_not_the_first():
    falling = np.arange(100.0)[::-1]
    assert worst(falling, 25) == pytest.approx(np.arange(25).mean())
    assert worst(falling, 50) == pytest.approx(np.arange(50).mean())
    assert worst(falling, 100) == falling.mean()
    rng = np.random.default_rng(0)
    assert worst(rng.permutation(falling), 25) == worst(falling, 25)


@pytest.mark.parametrize(("n", "count"), [(1, 1), (3, 1), (4, 1), (7, 1), (8, 2), (11, 2)])
def test_the_count_is_cut_to_a_whole_number_of_at_least_one(n, count):
    assert worst(np.arange(n), 25) == np.arange(count).mean()


def test_the_worst_of_nothing_is_0_and_nan_is_nothing():
    assert worst(np.array([]), 25) == worst(np.full(9, np.nan), 25) == 0.0
    assert worst(np.array([np.nan, 3.0, 1.0, 2.0, 4.0]), 50) == 1.5
    for percent in (0, -1, 101, float("nan")):
        with pytest.raises(ValueError, match="the worst"):
            worst(np.ones(3), percent)


def test_zeros_are_counted():
    values = np.array([0.0, FLOOR, 1e-8, 0.5, np.nan, 1.0, 1.0, 1.0, 1.0])
    found = summary(values)
    assert found["zeros"] == 2 and found["mean@25"] == pytest.approx(FLOOR / 2)
    assert found["mean"] == pytest.approx(4.5 / 8, rel=1e-6)


def test_no_quality_makes_up_for_a_level():
    for level in range(1, 10):
        assert terrain_score(level, 1.0, DEFAULT) <= terrain_score(level + 1, 0.0, DEFAULT)
    assert terrain_score(10, 1.0, DEFAULT) == 1.0 and terrain_score(1, 0.0, DEFAULT) == 0.0


def test_robogauges_bands_overlap():
    assert terrain_score(10, 1.0, ROBOGAUGE) == pytest.approx(1.0)
    assert terrain_score(1, 0.0, ROBOGAUGE) == 0.0
    below = terrain_score(4, 1.0, ROBOGAUGE)
    assert terrain_score(5, 0.526, ROBOGAUGE) < below < terrain_score(5, 0.527, ROBOGAUGE)


@pytest.mark.parametrize("rules", [DEFAULT, ROBOGAUGE])
def test_no_level_passed_scores_0_whatever_the_quality(rules):
    assert terrain_score(0, 1.0, rules) == 0.0
    for level, q in ((11, 0.5), (-1, 0.5), (2.5, 0.5), (3, 1.1), (3, float("nan"))):
        with pytest.raises(ValueError, match=r"level|quality"):
            terrain_score(level, q, rules)


# Moments under rules


def play(t=1000, fall=None, settle=0, **values):
    alive, settled = np.ones((t, 1), bool), np.ones((t, 1), bool)
    settled[:settle] = False
    if fall is not None:
        alive[fall:] = False
    return with_(still(t), alive=alive, settled=settled, **values)


def score(samples, rules=DEFAULT, **more):
    return scored(samples, GO2, SCALES, rules=rules, **more)


def test_a_robot_that_does_all_it_is_asked_scores_1_ten_times_a_second():
    for rules in (DEFAULT, ROBOGAUGE):
        found = score(play(), rules)
        assert found.quality.shape == (200, 1) and (found.quality == 1.0).all()
        assert list(found.metrics) == [n for n in rules.weights if "margin" not in n]


def test_a_faller_scores_0_for_what_it_did_not_do_and_robogauge_forgets_it():
    """Who falls early must not outscore a mediocre survivor."""
    faller, survivor = play(fall=100), play(command=X, lin_vel=0.3 * X)
    ours = [summaries([score(s)])["quality"]["mean"] for s in (faller, survivor)]
    theirs = [summaries([score(s, ROBOGAUGE)])["quality"]["mean"] for s in (faller, survivor)]
    assert ours[0] == pytest.approx(0.1) and ours[1] > 0.7
    assert theirs[0] == 1.0 > theirs[1]


def test_standing_calmly_is_no_match_for_walking_roughly():
    """RoboGauge's own rules like the one that stands, at half of the largest command, better."""
    half = 0.5 * X
    stands = play(command=half)
    sway = 0.5 * np.sin(np.arange(1000) * 0.02 * 2 * np.pi * 2)[:, None, None]
    walks = play(command=half, lin_vel=half + sway * Y, ang_vel=1.2 * sway / 0.5 * X, torque=0.1)
    ours = [summaries([score(s)])["quality"]["mean"] for s in (stands, walks)]
    theirs = [summaries([score(s, ROBOGAUGE)])["quality"]["mean"] for s in (stands, walks)]
    assert theirs[0] > theirs[1]
    assert ours[1] > 2 * ours[0]
    assert (score(stands).metrics["follow"][9:] == 0.0).all()


def test_a_fall_ends_the_recording_but_not_the_plan():
    whole, short = play(fall=100), play(t=120, fall=100)
    for rules in (DEFAULT, ROBOGAUGE):
        a, b = score(whole, rules), score(short, rules, planned=20.0)
        np.testing.assert_array_equal(a.quality, b.quality)
        for name, values in a.metrics.items():
            np.testing.assert_array_equal(values, b.metrics[name], err_msg=name)


def test_a_recording_that_stops_without_a_fall_is_refused():
    with pytest.raises(ValueError, match=r"end at 2.4 of 20 s although robots \[0\]"):
        score(play(t=120), planned=20.0)
    with pytest.raises(ValueError, match=r"planned are 1 s"):
        score(play(t=120), planned=1.0)


def test_settling_is_not_scored_by_us_and_dilutes_robogauges_worst():
    lurching = np.zeros((1000, 1, 3))
    lurching[:150] = 2.0 * X
    samples = play(settle=150, lin_vel=lurching)
    ours, theirs = score(samples), score(samples, ROBOGAUGE)
    assert np.isnan(ours.quality[:30]).all() and (ours.quality[30:] == 1.0).all()
    assert (theirs.quality[:30] < 0.7).all()
    assert summaries([ours])["quality"]["mean@25"] == 1.0
    assert summaries([theirs])["quality"]["mean@25"] < 1.0


def test_a_fall_while_settling_counts_from_then_on():
    found = score(play(settle=150, fall=50))
    assert np.isnan(found.quality[:10]).all() and (found.quality[10:] == 0.0).all()


def test_after_a_fall_nothing_a_metric_says_is_heard():
    samples = play(fall=100, quat=np.full(4, np.nan), lin_vel=np.nan)
    found = score(samples)
    assert (found.quality[20:] == 0.0).all()
    assert all((values[20:] == 0.0).all() for values in found.metrics.values())


def test_a_state_that_is_not_finite_scores_0_and_is_not_left_out():
    found = score(play(torque=np.nan))
    assert (found.metrics["dof_power"] == 0.0).all()
    assert found.quality[0] == pytest.approx(1e-9 ** (1 / 8))
    assert found.quality[1:9] == pytest.approx(1e-9 ** (2 / 8))  # the smoothness neither
    assert found.quality[9:] == pytest.approx(1e-9 ** (2 / 10))  # with a second to follow in
    lost = score(play(lin_vel=np.nan))
    assert (lost.metrics["follow"][9:] == 0.0).all()


def test_history_both_rules_say_what_they_say_of_a_pitched_robot():
    pitched = play(quat=turned(Y, 90))
    assert score(pitched).metrics["orientation_stability"].max() < 1e-9
    assert score(pitched, ROBOGAUGE).metrics["orientation_stability"].min() == pytest.approx(1.0)


def test_friction_and_zmp_margin_join_where_contacts_were_looked_at():
    slips = {"foot": 0, "normal": 150.0, "tangent": (120.0, 0.0), "point": (0.0, 0.0, 0.0)}
    footing = touching(slips, moments=200)
    found = score(play(), footing=footing)
    assert set(found.metrics) == {*NAMES, "follow"}
    assert (found.metrics["friction_margin"] == 0.0).all()
    assert np.isnan(found.metrics["zmp_margin"]).all()  # on one point
    assert found.quality[9:] == pytest.approx(np.full((191, 1), 1e-9 ** (1 / 11)))
    assert summaries([found])["friction_margin"]["zeros"] == 200
    theirs = score(play(), ROBOGAUGE, footing=footing)
    assert theirs.quality == pytest.approx(np.full((200, 1), 1e-9 ** (1 / 10)))


def test_contacts_of_other_moments_are_refused():
    footing = touching(moments=200)
    for wrong in (replace(footing, first=0), replace(footing, every=4), touching(moments=199)):
        with pytest.raises(ValueError, match="the footing is of samples"):
            score(play(), footing=wrong)


def test_stretches_are_summed_up_together_and_not_one_by_one():
    good, bad = score(play(t=500)), score(play(t=50, command=X))
    found = summaries([good, bad])["quality"]
    assert found["mean"] == pytest.approx((100 + bad.quality.sum()) / 110)
    with pytest.raises(ValueError, match="different rules"):
        summaries([good, score(play(), ROBOGAUGE)])
    with pytest.raises(ValueError, match="0 stretches"):
        summaries([])


def test_robots_are_scored_apart():
    two = with_(still(1000, n=2), command=[X, 0 * X], alive=np.ones((1000, 2), bool))
    found = score(two)
    assert (found.only([1]).quality == 1.0).all() and (found.only([0]).quality < 1.0).all()


def test_rules_survive_the_way_to_another_process():
    for rules in (DEFAULT, ROBOGAUGE):
        assert pickle.loads(pickle.dumps(rules)) == rules
