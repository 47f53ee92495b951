"""Two scores are compared robot by robot, and only when they were asked the same."""

import pytest

from servogym.gauge import card, compare
from tests.gauge.cards import NAMES, episode, score, summary


def worse(by, metric="follow", noise=0.0):
    """The same score with one metric lower, by more and by less in every other episode."""
    found = score()
    found["metrics"] = {**found["metrics"], metric: summary(found["metrics"][metric]["mean"] - by)}
    for k, one in enumerate(found["played"]):
        one["metrics"][metric] -= by + noise * (-1) ** k
    return found


def test_the_metric_that_moved_most_is_named_and_by_how_much():
    found = compare.moved(score(), worse(0.06, "zmp_margin", noise=0.005))
    assert [m.metric for m in found][:2] == ["quality", "zmp_margin"]
    most = compare.most(found)
    assert most.metric == "zmp_margin" and most.change == pytest.approx(-0.06)
    assert most.interval[0] < -0.06 < most.interval[1] < 0 and most.surely and most.worse()
    assert [m for m in found if m.change] == [most]


def test_nothing_moves_between_a_score_and_itself():
    found = compare.moved(score(), score())
    assert len(found) == len(NAMES) and not any(m.surely or m.worse() for m in found)
    assert all(m.interval == (0.0, 0.0) and m.change == 0 for m in found)


def test_a_change_that_its_own_robots_contradict_is_not_sure():
    found = compare.most(compare.moved(score(), worse(0.03, noise=0.2)))
    assert not found.surely and not found.worse()


def test_episodes_are_paired_so_that_robots_that_differ_do_not_hide_a_change():
    one, other = score(), score()
    for k, (a, b) in enumerate(zip(one["played"], other["played"], strict=True)):
        a["metrics"]["follow"] = 0.1 * k
        b["metrics"]["follow"] = 0.1 * k - 0.05
    (found,) = [m for m in compare.moved(one, other) if m.metric == "follow"]
    assert found.interval == pytest.approx((-0.05, -0.05))


def test_an_episode_counts_by_how_much_of_it_was_scored_and_a_goal_by_itself():
    one, other = score(), score()
    for found in (one, other):
        short = [episode("target", "ahead", k, moments=100) for k in range(40)]
        found["played"] = short + [episode("target", "left", k, moments=300) for k in range(40)]
    for k in range(40):
        other["played"][k]["metrics"]["follow"] += 0.1

    def interval():
        return next(m.interval for m in compare.moved(one, other) if m.metric == "follow")

    low, high = interval()
    assert low < 0.025 < high < 0.05  # 100 of 400 moments are better
    for found in (one, other):
        for k in range(40):
            found["played"][k]["goal"] = "command_grid"
    assert interval() == pytest.approx((0.05, 0.05))  # one of two goals is


def test_an_episode_in_which_a_metric_was_not_scored_does_not_count_for_it():
    one, other = score(), score()
    for found in (one, other):
        found["played"][0]["metrics"]["zmp_margin"] = None
    assert all(m.interval == (0.0, 0.0) for m in compare.moved(one, other))


@pytest.mark.parametrize("name", compare.ASKED)
def test_scores_of_other_goals_or_seeds_are_not_compared(name):
    other = score()
    other["cell"][name] = "another"
    with pytest.raises(ValueError, match=f"{name} is .* in the first, 'another' in the second"):
        compare.moved(score(), other)


def test_other_motors_are_compared_but_are_no_regression():
    other = score()
    other["cell"]["options"] = {"actuator": "ideal"}
    assert compare.moved(score(), other)
    cards = [{"entries": [{"score": each}]} for each in (other, score())]
    with pytest.raises(ValueError, match=r"other conditions: options is .*bam"):
        card.against(*cards, 0.02)


def test_a_regression_is_a_sure_fall_by_more_than_the_tolerance():
    """Pain 89: what gets worse between two versions shows."""

    def fell(found, tolerance=0.02):
        cards = [{"entries": [{"score": each}]} for each in (found, score())]
        return [m.metric for m in card.against(*cards, tolerance)]

    assert fell(worse(0.05)) == ["follow"]
    assert fell(worse(0.05), tolerance=0.1) == [] == fell(worse(-0.05)) == fell(score())
