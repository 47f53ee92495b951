"""Every metric of contacts and feet gives the number that was put into them."""

from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge.metrics import feet, friction, zmp
from servogym.gauge.metrics.footing import EMPTY, OTHER
from servogym.gauge.metrics.penetration import deepest, penetration
from servogym.gauge.metrics.rules import DEFAULT, ROBOGAUGE
from tests.gauge.seen import DT, GO2, still, touching, with_

BOTH = pytest.mark.parametrize("rules", [DEFAULT, ROBOGAUGE], ids=lambda rules: rules.name)


def margin(*contacts, rules=DEFAULT, **whole):
    return float(friction.friction_margin(touching(*contacts, **whole), GO2, rules)[0, 0])


# Friction


@BOTH
@pytest.mark.parametrize(
    ("tangent", "wanted"),
    [((0, 0), 1.0), ((40, 0), 0.5), ((0, -80), 0.0), ((60, 80), 0.0), ((24, 32), 0.5)],
)
def test_the_friction_margin_is_what_is_left_of_the_cone(rules, tangent, wanted):
    """Nothing used is 1, mu N is 0, and more than mu N stays 0 (000-19)."""
    foot = {"foot": 0, "normal": 100.0, "mu": 0.8, "tangent": tangent}
    assert margin(foot, rules=rules) == pytest.approx(wanted, abs=1e-12)


@BOTH
def test_feet_are_weighted_by_their_normal_force(rules):
    light = {"foot": 0, "normal": 50.0, "tangent": (40.0, 0.0)}
    heavy = {"foot": 1, "normal": 150.0}
    assert margin(light, heavy, rules=rules) == pytest.approx(0.75)


@BOTH
def test_the_contacts_of_a_foot_add_up(rules):
    corners = [{"foot": 2, "normal": 25.0, "tangent": (t, 0.0)} for t in (20.0, 0.0, 0.0, 0.0)]
    assert margin(*corners, rules=rules) == pytest.approx(0.75)


def test_flight_does_not_count_and_robogauge_calls_it_perfect():
    assert np.isnan(margin()) and margin(rules=ROBOGAUGE) == 1.0


@BOTH
def test_what_other_parts_touch_is_no_footing(rules):
    knee = {"foot": OTHER, "normal": 150.0, "tangent": (120.0, 0.0)}
    foot = {"foot": 0, "normal": 100.0}
    assert margin(knee, foot, rules=rules) == 1.0
    assert margin(knee, rules=rules) == pytest.approx(friction.aloft(rules), nan_ok=True)


def test_a_foot_that_hardly_bears_has_no_margin():
    """5 N for RoboGauge, against mu N and with the foot's load still in the mean; 3 % of 150 N."""
    heavy = {"foot": 1, "normal": 100.0}
    slips = {"foot": 0, "normal": 4.0, "tangent": (3.2, 0.0)}
    assert margin(slips, heavy) == 1.0
    assert margin(slips, heavy, rules=ROBOGAUGE) == pytest.approx(100 / 104)
    six = {"foot": 0, "normal": 6.0}  # mu N is 4.8 N
    assert margin(six, heavy, rules=ROBOGAUGE) == pytest.approx(100 / 106)
    assert np.isnan(margin(slips)) and margin(slips, rules=ROBOGAUGE) == 1.0


def test_a_pyramid_ends_at_the_sum_of_both_directions():
    diagonal = {"foot": 0, "normal": 100.0, "mu": 0.8, "tangent": (40.0, 40.0)}
    assert margin(diagonal, cone="pyramidal") == 0.0
    assert margin(diagonal) == pytest.approx(1 - np.sqrt(0.5))
    assert margin(diagonal, cone="pyramidal", rules=ROBOGAUGE) == pytest.approx(1 - np.sqrt(0.5))


def test_spinning_and_rolling_use_the_cone_as_far_as_the_contact_has_them():
    twisted = {
        "foot": 0,
        "normal": 100.0,
        "mu": (0.8, 0.8, 0.02, 0.01, 0.01),
        "tangent": (48.0, 0.0),
        "moment": (1.6, 0.0, 0.0),
    }
    assert margin(twisted | {"dim": 6}) == pytest.approx(0.0)
    assert margin(twisted | {"dim": 4}) == pytest.approx(0.0)
    assert margin(twisted | {"dim": 3}) == pytest.approx(0.4)
    assert margin(twisted | {"dim": 6}, rules=ROBOGAUGE) == pytest.approx(0.4)
    rolls = twisted | {"tangent": (0.0, 0.0), "moment": (0.0, 0.6, 0.8), "dim": 6}
    assert margin(rolls) == pytest.approx(0.0)
    assert margin(rolls | {"dim": 4}) == 1.0


@BOTH
def test_a_contact_without_friction_uses_none(rules):
    ice = {"foot": 0, "normal": 100.0, "mu": 0.0, "dim": 1}
    assert margin(ice, rules=rules) == pytest.approx(1.0 if rules is DEFAULT else 0.0)


# Zero-moment point

SQUARE = [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)]


def standing(*, at=(0.0, 0.0), lean=(0.0, 0.0), gaps=(0.0,) * 4, offset=0.0):
    """A footing on four feet; gravity and `lean`, horizontal forces, act at height 0.3."""
    shift = np.array([offset, 0.0, 0.0])
    contacts = [
        {"foot": k, "normal": 37.5, "point": np.array([x, y, 0.0]) + shift, "dist": gap}
        for k, ((x, y), gap) in enumerate(zip(SQUARE, gaps, strict=True))
    ]
    centre = np.array([*at, 0.3]) + shift
    return touching(*contacts, centre=centre, needed_force=(*lean, 150.0))


def test_the_zmp_of_a_standing_robot_is_under_its_centre_of_mass():
    point, middle = zmp.zmp(standing(at=(0.05, -0.02)), DEFAULT)
    assert point[0, 0] == pytest.approx([0.05, -0.02])
    assert middle[0, 0] == pytest.approx([0, 0, 0])


def test_the_zmp_of_an_accelerating_robot_lies_behind_by_height_times_acceleration_over_g():
    point, _ = zmp.zmp(standing(lean=(15.0, 30.0)), DEFAULT)
    assert point[0, 0] == pytest.approx([-0.3 * 15 / 150, -0.3 * 30 / 150])


def test_turning_bodies_move_the_zmp():
    pitching = replace(standing(), needed_moment=np.array([[[0.0, 3.0, 0.0]]]))
    rolling = replace(standing(), needed_moment=np.array([[[3.0, 0.0, 0.0]]]))
    assert zmp.zmp(pitching, DEFAULT)[0][0, 0] == pytest.approx([-0.02, 0.0])
    assert zmp.zmp(rolling, DEFAULT)[0][0, 0] == pytest.approx([0.0, 0.02])


def test_the_centre_of_pressure_is_where_the_contacts_push():
    loads = (60.0, 60.0, 15.0, 15.0)
    contacts = [
        {"foot": k, "normal": load, "point": (*SQUARE[k], 0.0)} for k, load in enumerate(loads)
    ]
    found = zmp.cop(touching(*contacts), DEFAULT)
    assert found[0, 0] == pytest.approx([0.2 * (120 - 30) / 150, 0.0])
    twisted = touching(*[c | {"torque": (0.0, 0.3, 0.0)} for c in contacts])
    assert zmp.cop(twisted, DEFAULT)[0, 0] == pytest.approx([0.12 - 4 * 0.3 / 150, 0.0])


def test_nine_metres_from_the_origin_the_zmp_is_as_exact():
    near, far = (zmp.zmp(standing(at=(0.05, 0.0), offset=x), DEFAULT)[0] for x in (0.0, 9.0))
    assert np.abs(far - near - [9.0, 0.0]).max() < 1e-12


@pytest.mark.parametrize(
    ("at", "ours", "theirs"),
    [
        ((0.0, 0.0), 1.0, 1.0),
        ((0.1, 0.0), 0.5, 0.8),
        ((0.2, 0.15), 0.0, 0.5),
        ((0.2, 0.0), 0.0, 0.6),
        ((0.6, 0.0), 0.0, 0.0),
    ],
)
def test_the_margin_is_0_at_the_edge_of_the_support_and_robogauges_a_half_at_a_corner(
    at, ours, theirs
):
    footing = standing(at=at)
    assert zmp.zmp_margin(footing, GO2, DEFAULT)[0, 0] == pytest.approx(ours)
    assert zmp.zmp_margin(footing, GO2, ROBOGAUGE)[0, 0] == pytest.approx(theirs)


def test_only_contacts_within_a_millimetre_support():
    footing = standing(gaps=(0.0, 0.0, 0.00099, 0.0011))
    _, middle = zmp.zmp(footing, DEFAULT)
    assert middle[0, 0] == pytest.approx(np.mean([[*p, 0.0] for p in SQUARE[:3]], axis=0))


@BOTH
def test_without_support_there_is_no_zmp(rules):
    for footing in (touching(), standing(gaps=(0.1,) * 4)):
        assert np.isnan(zmp.zmp(footing, rules)[0]).all()
        found = zmp.zmp_margin(footing, GO2, rules)
        np.testing.assert_array_equal(found, [[friction.aloft(rules)]])


@BOTH
def test_in_free_fall_nothing_needs_the_ground(rules):
    fall = replace(standing(), needed_force=np.zeros((1, 1, 3)))
    np.testing.assert_array_equal(zmp.zmp_margin(fall, GO2, rules), [[friction.aloft(rules)]])


def test_robogauges_margin_of_feet_in_one_place_is_0():
    monopod = replace(GO2, feet=np.zeros((1, 2)))
    assert zmp.zmp_margin(standing(), monopod, ROBOGAUGE)[0, 0] == 0.0


def test_two_feet_support_along_the_line_between_them_and_one_point_has_no_inside():
    line = np.array([[0.0, 0.0], [0.4, 0.3]])
    assert zmp.inside(line, np.array([0.2, 0.15])) == pytest.approx(1.0)
    assert zmp.inside(line, np.array([0.3, 0.225])) == pytest.approx(0.5)
    assert zmp.inside(line, np.array([0.44, 0.33])) == 0.0
    assert np.isnan(zmp.inside(line[:1], line[0]))
    assert np.isnan(zmp.inside(np.array([[0, 0], [5e-4, 0], [0, 5e-4]]), line[0]))


def test_the_margin_is_the_same_for_a_stretched_and_turned_support():
    rng = np.random.default_rng(1)
    for _ in range(50):
        support, point = rng.normal(size=(7, 2)), 0.3 * rng.normal(size=2)
        change = rng.normal(size=(2, 2)) + 2 * np.eye(2)
        if abs(np.linalg.det(change)) > 0.3:
            moved = zmp.inside(support @ change + 100, point @ change + 100)
            assert moved == pytest.approx(zmp.inside(support, point), abs=1e-9)


def test_points_inside_and_on_the_edge_change_no_hull():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    more = np.concatenate((square, square, [[0.5, 0.0], [0.5, 0.5], [0.0, 0.25]]))
    assert sorted(zmp.hull(more)) == sorted(map(tuple, square.tolist()))


# Feet


def test_slip_is_the_speed_of_loaded_feet():
    loaded = np.ones((1000, 1, 4), bool)
    loaded[:, 0, 2:] = False
    loaded[500:, 0, 1] = False
    speed = np.zeros((1000, 1, 4, 3))
    speed[:, 0, :, 2] = 9.0  # upward is no slip
    speed[:, 0, 0] = [0.3, 0.4, 0.0]
    speed[:, 0, 2:, 0] = 5.0  # in the air
    place = np.zeros((1000, 1, 3))
    place[:, 0, 0] = 0.5 * DT * np.arange(1000)
    samples = with_(still(1000), loaded=loaded, foot_vel=speed, position=place)
    assert feet.slip_speed(samples) == pytest.approx(0.5 * 1000 / 1500)
    assert feet.slip_share(samples) == pytest.approx((0.5 * 20.0 / 4) / (0.5 * 999 * DT))
    assert np.isnan(feet.slip_share(still())).all() and feet.slip_speed(still()) == [0.0]


def test_a_robot_that_slides_along_on_its_feet_slips_all_the_way():
    place = np.zeros((1000, 1, 3))
    place[:, 0, 0] = 0.2 * DT * np.arange(1000)
    samples = with_(still(1000), position=place, foot_vel=(0.2, 0.0, 0.0))
    assert feet.slip_share(samples) == pytest.approx(1.0, rel=2e-3)


def trotting(rise=0.0, lift=0.06, period=25, swing=12, t=1000):
    """Diagonal pairs in turn; each landing is `rise` higher than the last place of the foot."""
    step = np.arange(t)
    loaded = np.ones((t, 1, 4), bool)
    height = np.zeros((t, 1, 4, 3))
    for foot in range(4):
        phase = (step + (0 if foot in (0, 3) else period // 2)) % period
        cycle = (step + (0 if foot in (0, 3) else period // 2)) // period
        up = (phase >= 1) & (phase <= swing)
        share = np.where(up, phase / (swing + 1), 0.0)
        loaded[:, 0, foot] = ~up
        done = np.where(phase > swing, 1.0, share)
        height[:, 0, foot, 2] = rise * (cycle + done) + lift * np.sin(np.pi * share) ** 2
    return with_(still(t), loaded=loaded, foot_pos=height)


def test_steps_are_counted_and_timed():
    assert feet.step_frequency(trotting()) == pytest.approx(2.0, abs=0.03)
    assert feet.swing_time(trotting()) == pytest.approx(12 * DT)
    assert feet.duty(trotting())[0] == pytest.approx(13 / 25, abs=0.01)
    assert feet.step_frequency(still()) == [0.0] and feet.duty(still()).min() == 1.0


def test_clearance_is_measured_from_the_ground_of_the_step_also_on_stairs():
    highest = 0.06 * np.sin(np.pi * 6 / 13) ** 2
    for rise in (0.0, 0.17, -0.17):
        assert feet.clearance(trotting(rise)) == pytest.approx(highest, abs=1e-3), rise
    assert feet.clearance(still()) == [0.0]


def test_flight_is_without_a_foot_on_the_ground():
    loaded = np.ones((100, 1, 4), bool)
    loaded[:30] = False
    loaded[30:60, 0, :3] = False
    assert feet.flight(with_(still(), loaded=loaded)) == pytest.approx(0.3)


# Penetration


def test_depths_are_one_population_with_contacts_that_do_not_touch_yet():
    depths = np.arange(-4, 196) * 1e-5  # -0.04 to 1.95 mm, four above the ground
    contacts = [{"foot": 0, "dist": -depth} for depth in depths]
    found = penetration(touching(*contacts))
    sunk = np.maximum(depths, 0.0)
    assert found.contacts == 200 and found.max == pytest.approx(1.95e-3)
    assert found.mean == pytest.approx(sunk.mean())
    assert found.p95 == pytest.approx(np.quantile(sunk, 0.95))
    assert found.p99 == pytest.approx(np.quantile(sunk, 0.99))


def test_depths_of_feet_are_told_from_those_of_other_parts():
    footing = touching({"foot": 1, "dist": -0.001}, {"foot": OTHER, "dist": -0.02}, moments=3)
    assert penetration(footing).max == 0.001 and penetration(footing).contacts == 3
    assert penetration(footing, feet_only=False).max == 0.02
    assert deepest(footing).ravel().tolist() == [0.02] * 3
    first = np.array([[True], [False], [False]])
    assert penetration(footing, counts=first).contacts == 1


def test_nobody_sinks_in_flight():
    assert vars(penetration(touching())) == dict.fromkeys(
        ("contacts", "mean", "p95", "p99", "max"), 0
    )
    assert deepest(touching())[0, 0] == 0.0


def test_empty_slots_are_no_contacts():
    footing = touching({"foot": 0, "normal": 100.0, "dist": -0.001}, {"foot": EMPTY})
    assert penetration(footing).contacts == 1
    assert friction.friction_margin(footing, GO2, DEFAULT)[0, 0] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cone": "round"}, "cone is 'round'; needs 'elliptic' or 'pyramidal'"),
        ({"every": 0}, "every 0"),
        ({"wrench": np.zeros((1, 1, 4, 3))}, "wrench has shape"),
        ({"centre": np.zeros((1, 2, 3))}, "centre has shape"),
    ],
)
def test_a_footing_that_does_not_fit_together_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(standing(), **change)
