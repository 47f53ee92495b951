"""A robot's motor presets are accepted by the laws they name."""

import pytest

from servogym import actuators, robots


@pytest.mark.parametrize("law", sorted(robots.get("microduck").motors))
def test_each_preset_builds_its_law(law):
    assert actuators.make(law, robots.get("microduck")).name == law


def test_the_default_law_has_a_preset():
    duck = robots.get("microduck")
    assert duck.actuator in duck.motors
