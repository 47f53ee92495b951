"""Bare physics makes the motion the environment made, so that the ratio compares like with like."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import walk
from benchmarks.cases import CASES, MAIN
from benchmarks.pair import Pair
from benchmarks.walk import Walk
from servogym.envs import registration


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(walk, "WARM_UP", 2)
    monkeypatch.setattr(walk, "STRETCH", 4)


@pytest.mark.parametrize("name", CASES)
def test_bare_physics_ends_where_the_environment_ends_bit_for_bit(name):
    case = CASES[name]
    case = replace(case, options={**case.options, "randomization": {"push": None}})
    pair = Pair(Walk(case, 4, 1))
    pair.rehearse()
    pair.walk.walk()
    pair.physics()
    qpos = np.concatenate([core.get_state()["physics.qpos"] for core in pair.walk.cores])
    assert np.array_equal(pair.bare.bind("qpos"), qpos)


def test_a_rehearsed_stretch_can_be_made_again_to_the_same_end():
    robots = Walk(CASES["bam"], 4, 1)
    before = robots.rehearse()
    ends = []
    for _ in range(2):
        robots.env.set_state(before)
        robots.walk()
        ends.append(robots.env.get_state())
    assert all(np.array_equal(ends[0][k], ends[1][k], equal_nan=True) for k in ends[0])
    assert not np.array_equal(before["physics.qpos"], ends[0]["physics.qpos"])


def test_every_case_names_a_known_environment_and_a_policy_that_ships():
    for case in CASES.values():
        assert case.env_id in registration.ids()
        assert case.policy is None or case.policy.is_file()
    assert set(MAIN) <= set(CASES)
