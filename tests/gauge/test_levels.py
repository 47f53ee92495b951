"""The search for the highest level passed believes no single look."""

from itertools import product

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.gauge import levels
from servogym.gauge.cell import Cell
from servogym.gauge.levels import Found, Look
from servogym.gauge.plan import core_options


class World:
    """Robots that pass some levels; looks at some of them come out wrong once."""

    def __init__(self, passes, wrong=()):
        self.passes, self.wrong, self.seen = set(passes), set(wrong), []

    def __call__(self, level, number):
        assert number == sum(seen == level for seen, _ in self.seen), "a look of its own number"
        self.seen.append((level, number))
        good = (level in self.passes) ^ ((level, number) in self.wrong)
        return Look(tried=5, done=5 if good else 0, looks=1)


@pytest.mark.parametrize("highest", range(11))
def test_it_finds_the_highest_level_that_is_passed(highest):
    world = World(range(1, highest + 1))
    found = levels.search(world)
    assert found.level == highest and found.orderly
    assert len(world.seen) <= 4 + 3, "bisection, and one more look on either side of the edge"


@pytest.mark.parametrize("highest", range(11))
def test_the_level_passed_and_the_one_above_are_looked_at_twice(highest):
    found = levels.search(World(range(1, highest + 1)))
    for level in (highest, highest + 1):
        if 1 <= level <= 10:
            assert found.looks[level].looks == 2
            assert found.looks[level].tried == 10


@pytest.mark.parametrize(("highest", "wrong"), list(product(range(11), range(1, 11))))
def test_one_look_that_came_out_wrong_moves_the_answer_by_its_own_level_at_most(highest, wrong):
    """A lucky or unlucky look is half of the robots at that level: those robots do not pass it."""
    found = levels.search(World(range(1, highest + 1), wrong={(wrong, 0)}))
    if wrong > highest:
        assert found.level == highest, "a lucky look is not believed"
    else:
        assert found.level in (highest, wrong - 1)
        assert found.level == highest or found.looks[wrong].done == 5


def test_bisection_alone_would_have_believed_a_lucky_look():
    world = World({1, 2}, wrong={(5, 0)})
    found = levels.search(world)
    assert found.level == 2
    assert (5, 1) in world.seen, "the lucky level was looked at again"


def test_passing_above_a_level_that_was_failed_is_told():
    """RoboGauge's search takes it that whoever fails a level fails all above."""
    found = levels.search(World({1, 2, 3, 5, 6}))
    assert found.level in (3, 6)
    told = Found(level=6, looks={4: Look(tried=5), 6: Look(tried=5, done=5)})
    assert not told.orderly and told.record()["orderly"] is False
    assert Found(level=6, looks={6: Look(tried=5, done=5), 7: Look(tried=5)}).orderly


def test_a_level_is_passed_by_four_robots_of_five():
    assert Look(tried=5, done=4).passed and not Look(tried=5, done=3).passed
    assert Look(tried=10, done=8).passed and not Look(tried=10, done=7).passed
    assert not Look().passed


def test_nothing_passed_is_level_0_and_everything_is_level_10():
    assert levels.search(World(())).level == 0
    assert levels.search(World(range(1, 11))).level == 10


def test_climbing_sends_other_robots_each_time_to_the_target_of_the_level(monkeypatch):
    played = []

    class Score:
        def __init__(self, success):
            self.goals = {"target": Goal(success)}

    class Goal:
        episodes, falls = 5, 1

        def __init__(self, success):
            self.success = success

    def play(cell, subject, *, threads):
        played.append(cell)
        level = int(cell.options["terrain"].split(":")[1])
        return Score(0.8 if level <= 3 else 0.2)

    monkeypatch.setattr(levels, "play", play)
    cell = Cell(task="Go2-Flat-v0", robots=5, seed=7, options={"actuator": "dc", "terrain": "flat"})
    found = levels.climb(cell, "stairs", None)
    assert found.level == 3
    assert found.looks[3] == Look(tried=10, done=8, falls=2, looks=2)
    assert {cell.goals for cell in played} == {("target",)}
    assert {cell.options["actuator"] for cell in played} == {"dc"}
    assert {cell.options["spawn"]["yaw"] for cell in played} == {0.0}
    third = [cell.seed for cell in played if cell.options["terrain"] == "stairs:3"]
    assert third == [7, 8]
    with pytest.raises(LookupError, match="'flat' has no levels"):
        levels.climb(cell, "flat", None)


def test_a_real_robot_that_does_nothing_passes_no_level():
    from servogym.gauge.subject import zero

    cell = Cell(task="Go2-Flat-v0", robots=1, seconds=1.0)
    found = levels.climb(cell, "slope", zero("Go2-Flat-v0"), threads=1)
    assert found.level == 0
    assert found.looks[1].tried == 2 and found.looks[1].done == 0


def test_the_command_tells_what_it_cannot_open(capsys):
    assert levels.main(["no/such.onnx"]) == 1
    assert "no/such.onnx" in capsys.readouterr().err


def test_one_friction_and_one_mass_for_all_robots_are_laid_over_what_the_task_draws():
    assert levels.fixed(None, None) == {}
    assert levels.fixed(1.0, None) == {"sliding_friction": {"of": "feet", "value": [1.0, 1.0]}}
    drawn = levels.fixed(0.7, 1.2)
    core = Core(**core_options(Cell(task="Go2-Rough-v0", options={"randomization": drawn})), n=3)
    core.seed(np.arange(3), np.arange(3, dtype=np.uint64))
    core.reset(np.arange(3))
    friction = core.batch.expanded("geom_friction")[:, core.at.foot_geom, 0]
    np.testing.assert_allclose(friction, 0.7)
    base = core.batch.expanded("body_mass")[:, core.at.base_body]
    np.testing.assert_allclose(base, 1.2 * core.model.body_mass[core.at.base_body])


@pytest.mark.parametrize(("friction", "mass", "name"), [(0.0, None, "friction"), (1, -2, "mass")])
def test_a_friction_or_mass_that_is_not_above_0_is_refused(friction, mass, name):
    with pytest.raises(ValueError, match=f"^{name} .*: a number above 0 is needed"):
        levels.fixed(friction, mass)
