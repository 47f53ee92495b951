"""Robots are found by name, and their tables name exactly their joints."""

import dataclasses

import numpy as np
import pytest

from servogym import robots


def test_microduck_is_listed_and_found():
    assert "microduck" in robots.names()
    assert robots.get("microduck").title == "MicroDuck"


def test_go2_is_listed_and_found():
    assert "go2" in robots.names()
    assert robots.get("go2").title == "Go2"


def test_modules_of_the_room_are_not_taken_for_robots():
    assert not {"base", "backlash", "twin", "keyframes", "foreign"} & set(robots.names())


def test_unknown_robot_lists_the_known_ones():
    with pytest.raises(LookupError, match=r"'macroduck'.*microduck"):
        robots.get("macroduck")


def test_unknown_model_lists_the_known_ones():
    with pytest.raises(LookupError, match=r"'swim'.*ground.*walk"):
        robots.get("microduck").spec("swim")


def test_third_party_robot_comes_by_entry_point(monkeypatch):
    duck = robots.get("microduck")
    mallard = dataclasses.replace(duck, name="mallard")

    class Entry:
        name = "mallard"

        def load(self):
            return mallard

    monkeypatch.setattr(
        robots,
        "entry_points",
        lambda group, name=None: [Entry()] if name in (None, "mallard") else [],
    )
    assert "mallard" in robots.names()
    assert robots.get("mallard") is mallard


@pytest.mark.parametrize("table", ["default_pose", "mirror"])
def test_a_table_that_misses_or_invents_a_joint_is_refused_with_the_names(table):
    duck = robots.get("microduck")
    entries = dict(getattr(duck, table))
    entries["left_wing"] = entries.pop("left_knee")
    with pytest.raises(ValueError, match=r"missing \['left_knee'\], unknown \['left_wing'\]"):
        dataclasses.replace(duck, **{table: entries})


def test_a_passive_figure_that_no_law_knows_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'soft'.*\['dampin'\]; known: \['armature', 'damping'"):
        dataclasses.replace(robots.get("go2"), passives={"soft": {"dampin": 0.1}})


def test_importing_the_robots_does_not_load_mujoco():
    import subprocess
    import sys

    code = (
        "import sys; from servogym import robots; [robots.get(name) for name in robots.names()];"
        "sys.exit('mujoco' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_mirror_is_its_own_inverse():
    index, sign = robots.get("microduck").mirror_index()
    pose = np.arange(14.0)
    once = sign * pose[index]
    np.testing.assert_array_equal(sign * once[index], pose)
