"""A robot's motor presets are accepted by the laws they name."""

import pytest

from servogym import actuators, robots

MOTORS = [(name, motor) for name in robots.names() for motor in robots.get(name).motors]


@pytest.mark.parametrize(("name", "motor"), MOTORS)
def test_each_preset_builds_its_law(name, motor):
    robot = robots.get(name)
    assert actuators.make(motor, robot).name == robot.motors[motor].get("law", motor)


@pytest.mark.parametrize(("name", "motor"), MOTORS)
def test_each_preset_tells_a_finite_torque_limit_of_every_joint(name, motor):
    robot = robots.get(name)
    limits = actuators.make(motor, robot).torque_limits(robot.joints)
    assert limits.shape == (len(robot.joints),)
    assert ((limits > 0) & (limits < 1e3)).all()


@pytest.mark.parametrize("name", robots.names())
def test_the_default_law_has_a_preset(name):
    robot = robots.get(name)
    assert robot.actuator in robot.motors
