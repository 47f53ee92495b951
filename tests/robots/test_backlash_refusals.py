"""What cannot have backlash is refused, and the error says what would have been accepted."""

import math

import pytest

from servogym import robots
from servogym.robots.backlash import add_backlash

DUCK = robots.get("microduck")

SLIDE = """<mujoco><worldbody><body><joint name="rail" type="slide"/><geom size="1"/>
<body><joint name="wrist" type="ball"/><geom size="1"/><body><joint name="elbow"/><geom size="1"/>
</body></body></body></worldbody><actuator><motor joint="rail"/></actuator></mujoco>"""


def test_an_unknown_joint_is_refused_with_the_list_of_hinges():
    with pytest.raises(ValueError, match=r"unknown joint 'left_wing'.*'left_knee'"):
        add_backlash(DUCK.spec(), ["left_knee", "left_wing"], half_range=0.01)


def test_a_pattern_is_not_a_name():
    with pytest.raises(ValueError, match="unknown joint"):
        add_backlash(DUCK.spec(), [".*left_hip_roll.*"], half_range=0.01)


@pytest.mark.parametrize(("joint", "kind"), [("rail", "slide"), ("wrist", "ball")])
def test_a_joint_that_is_no_hinge_is_refused(joint, kind):
    with pytest.raises(ValueError, match=f"'{joint}' is a {kind}; only a hinge"):
        add_backlash(SLIDE, [joint], half_range=0.01)


def test_a_model_without_actuated_hinges_asks_for_names():
    with pytest.raises(ValueError, match=r"no hinge is driven.*elbow"):
        add_backlash(SLIDE, half_range=0.01)


def test_a_joint_that_has_backlash_already_is_refused():
    once = add_backlash(DUCK.spec(), half_range=0.01)
    with pytest.raises(ValueError, match=r"'left_hip_yaw' already has backlash"):
        add_backlash(once, half_range=0.01)


def test_a_joint_listed_twice_is_refused():
    with pytest.raises(ValueError, match="'left_knee' is listed twice"):
        add_backlash(DUCK.spec(), ["left_knee", "left_knee"], half_range=0.01)


@pytest.mark.parametrize("half_range", [0.0, -0.01, math.nan, math.inf])
def test_a_half_range_that_is_not_positive_and_finite_is_refused(half_range):
    with pytest.raises(ValueError, match=r"'left_hip_yaw' is .*must be positive and finite"):
        add_backlash(DUCK.spec(), half_range=half_range)
    table = {**dict.fromkeys(DUCK.joints, 0.01), "head_yaw": half_range}
    with pytest.raises(ValueError, match="'head_yaw'"):
        add_backlash(DUCK.spec(), half_range=table)


def test_a_table_that_misses_and_invents_a_joint_is_refused_with_both_names():
    table = {**dict.fromkeys(DUCK.joints, 0.01), "left_wing": 0.01}
    del table["left_knee"]
    with pytest.raises(ValueError, match=r"missing \['left_knee'\], unknown \['left_wing'\]"):
        add_backlash(DUCK.spec(), half_range=table)
