"""How soft the ground is in tasks that do not say: native on planes, stiff on height fields."""

import warnings

import pytest

from servogym.envs.core import Core
from servogym.scenes.contact import Compromise, Native, PerTerrain


def made(task, **options):
    """Environment, and the time constant of every sole [s], without a word of warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        core = Core(task, 1, threads=1, **options)
    assert core.model.npair == 0
    return core, set(core.model.geom_solref[core.at.foot_geom, 0].tolist())


@pytest.mark.parametrize(
    ("task", "terrain"),
    [("go2_flat", None), ("go2_flat", "stairs:3"), ("go2_flat", False), ("microduck_flat", None)],
)
def test_000_40_without_a_height_field_the_robots_file_decides(task, terrain):
    core, times = made(task, terrain=terrain)
    assert times == {0.02} and core.task.contact == Native()
    assert core.contract.contact == "native"


@pytest.mark.parametrize("task", ["go2_flat", "microduck_flat"])
def test_000_40_on_a_height_field_it_is_as_stiff_as_the_step_allows(task):
    core, times = made(task, terrain="wave:3")
    assert times == {0.01} and core.task.contact == PerTerrain(hills=0.01)
    assert core.model.opt.timestep == 0.005 and core.contract.contact == "A:0.01"


@pytest.mark.parametrize("task", ["go2_wave", "go2_stairs", "go2_rough"])
def test_000_40_fields_of_tiles_are_as_stiff_boxes_included(task):
    core, times = made(task)
    assert times == {0.01} and core.task.contact == Compromise()
    ground = [core.model.geom(name).id for name in core.footing.ground.geoms]
    assert set(core.model.geom_solref[ground, 0].tolist()) == {0.01}


def test_what_is_asked_for_counts_and_is_named_as_what_it_comes_to():
    core, times = made("go2_flat", terrain="wave:3", contact="native")
    assert times == {0.02} and core.contract.contact == "native"
    core, times = made("go2_flat", contact="A:0.01")
    assert times == {0.02} and core.contract.contact == "native"
