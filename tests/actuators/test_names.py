"""Motor laws are found by name, here and in other packages."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from servogym import actuators
from servogym.actuators.ideal import IdealTorque
from servogym.actuators.pd import Pd

ROBOT: Any = SimpleNamespace(
    name="rig",
    actuator="pd",
    motors={"pd": {"kp": 2.0, "kd": 0.1, "effort_limit": 1.0}, "ideal": {"effort_limit": 3.0}},
    passives={},
)


@dataclass(kw_only=True, eq=False)
class Springy(Pd):
    name: ClassVar[str] = "springy"


def test_the_four_laws_are_known():
    assert {"ideal", "pd", "dc", "bam"} <= set(actuators.names())


@pytest.mark.parametrize("name", ["ideal", "pd", "dc", "bam"])
def test_a_law_is_found_under_its_name(name):
    assert actuators.get(name).name == name


def test_an_unknown_law_is_refused_with_the_known_ones():
    with pytest.raises(LookupError, match=r"'warp'.*bam.* dc.* ideal.* pd"):
        actuators.make("warp", ROBOT)


def test_none_makes_the_robots_own_law_and_a_name_takes_the_robots_parameters():
    own = actuators.make(None, ROBOT)
    assert isinstance(own, Pd)
    assert own.kp == 2.0
    ideal = actuators.make("ideal", ROBOT)
    assert isinstance(ideal, IdealTorque)
    assert ideal.effort_limit == 3.0


def test_parameters_the_robot_does_not_have_are_named():
    with pytest.raises(ValueError, match=r"'rig'.*'voltage', 'resistance', 'kt'"):
        actuators.make("dc", ROBOT)


def test_a_class_in_place_of_an_object_is_refused_with_the_cure():
    cls: Any = Pd
    with pytest.raises(TypeError, match=r"a name or an Actuator object is needed; .* Pd\(\.\.\.\)"):
        actuators.make(cls, ROBOT)
    number: Any = 3
    with pytest.raises(TypeError, match=r"actuator 3: a name or an Actuator object is needed$"):
        actuators.make(number, ROBOT)


def test_an_object_is_copied_so_that_two_environments_share_no_array():
    law = Pd(kp=2.0, kd=0.1, effort_limit=1.0)
    first, second = actuators.make(law, ROBOT), actuators.make(law, ROBOT)
    for copy in (first, second):
        copy.bind(("a",), 1, 0.005)
    assert first is not law
    assert not np.shares_memory(first.randomizable()["kp"], second.randomizable()["kp"])


def test_other_packages_add_laws_by_entry_point(monkeypatch):
    point = EntryPoint("springy", f"{__name__}:Springy", "servogym.actuators")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Springy)
    monkeypatch.setattr(
        actuators, "entry_points", lambda group, name="springy": [point] * (name == "springy")
    )
    assert "springy" in actuators.names()
    assert actuators.get("springy") is Springy
