"""A policy gets the physics it was trained with, wherever its task has another."""

from dataclasses import replace

import pytest

from servogym.envs import setup
from servogym.envs.core import Core
from servogym.envs.trained import physics

TRUNK = "/world/microduck/trunk_base"
FOOT = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/ankle_left"
HEAVY = {"set": "set_body_physics_properties", "path": TRUNK, "mass": 0.25}
SLIPPERY = {
    "set": "set_contact_physics_properties",
    "body_paths": [FOOT],
    "sliding_friction": 0.3,
}
DUCK, TWIN = "MicroDuck-Flat-v0", "MicroDuck-Flat-Backlash-v0"


def contract(task="microduck_flat", **options):
    return Core(task, 1, threads=1, **options).contract


def test_nothing_is_needed_where_the_task_has_the_same():
    assert physics(contract(), DUCK) == {}
    assert physics(contract("go2_wave"), "Go2-Wave-v0") == {}


def test_edits_come_along_to_every_task_of_the_robot():
    said = contract(edits=[HEAVY])
    assert physics(said, DUCK) == physics(said, TWIN) == {"edits": [HEAVY]}
    assert physics(said, "Go2-Flat-v0") == {}


def test_the_contact_setting_comes_along_to_the_same_task_only():
    said = contract("go2_wave", contact="B:0.02,none")
    for task in ("Go2-Wave-v0", "Go2-Wave-Backlash-v0"):
        assert physics(said, task) == {"contact": "B:0.02,none"}
    assert physics(said, "Go2-Flat-v0") == {}
    assert physics(contract("go2_wave", contact="native"), "Go2-Wave-v0") == {"contact": "native"}


def test_a_file_from_before_contacts_were_written_down_keeps_the_tasks_own():
    assert physics(replace(contract("go2_wave"), contact=""), "Go2-Wave-v0") == {}


def test_a_draw_that_would_leave_nothing_of_an_edit_is_off_as_it_was_in_training():
    said = contract(edits=[SLIPPERY, HEAVY], randomization={"sliding_friction": None})
    options = physics(said, DUCK)
    assert options["randomization"] == {"sliding_friction": None}
    core = Core("microduck_flat", 1, threads=1, **options)
    assert core.task.randomization.mass is not None
    assert core.model.geom("left_foot_collision").friction[0] == 0.3


def test_an_edit_of_the_wrong_kind_in_a_strangers_contract_is_a_value_error():
    with pytest.raises(ValueError, match=r"contract: edits: .*mass is 'much'"):
        physics(replace(contract(), edits=({**HEAVY, "mass": "much"},)), DUCK)


def test_sections_are_merged_field_by_field_and_what_is_off_stays_off():
    below = {"randomization": {"mass": None}, "sensing": False, "contact": "B"}
    above = {"randomization": {"push": None}, "sensing": {"gyro_noise": 0.0}, "contact": "C"}
    assert setup.merged(below, **above) == {
        "randomization": {"mass": None, "push": None},
        "sensing": False,
        "contact": "C",
    }
    assert setup.merged({}, **above) == above
