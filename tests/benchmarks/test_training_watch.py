"""Watching a training changes nothing in it, and its numbers mean what they say."""

import numpy as np
import pytest
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from benchmarks.training import digest
from benchmarks.watch import Watch
from servogym.learning.callbacks.curriculum import Curriculum
from servogym.learning.run import Run
from tests.benchmarks.synthetic import watched

ENVS, ITERATIONS = 4, 4


def _train(path, watch: Watch | None) -> Run:
    run = Run(
        path, "MicroDuck-Flat-v0", seed=0, overrides={}, preset=None, envs=ENVS, threads=1, judges=1
    )
    run.model.set_logger(configure(None, []))
    steps = ITERATIONS * ENVS * run.preset.n_steps
    run.model.learn(steps, CallbackList([Curriculum(), *([watch] if watch else [])]))
    return run


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    watch = Watch(every=1, early=1, late=25 * ENVS)
    folder = tmp_path_factory.mktemp("runs")
    return watch, _train(folder / "watched", watch), _train(folder / "alone", None)


def test_a_watched_training_learns_the_same_weights(both):
    _, with_watch, without = both
    theirs = without.model.policy.state_dict()
    for name, weight in with_watch.model.policy.state_dict().items():
        assert np.array_equal(weight.numpy(), theirs[name].numpy()), name


def test_each_iteration_but_the_last_has_a_row_whose_parts_fit_into_its_time(both):
    watch, run, _ = both
    steps = ENVS * run.preset.n_steps
    assert [row["env_steps"] for row in watch.rows] == [steps * (k + 1) for k in range(3)]
    for row in watch.rows:
        parts = [row[part] for part in ("environment", "policy", "update")]
        assert min(parts) > 0.0 and sum(parts) < row["seconds"]
        assert row["alone"] > 0.0 and row["memory"] > 50.0
    assert {name: len(times) for name, times in watch.same_work.items()} == {"early": 3, "late": 3}


def test_a_digest_gives_medians_without_the_first_two_iterations():
    found = digest(**watched())
    assert found["speed"]["median"] == 10_000.0 and len(found["speed"]["turns"]) == 58
    assert found["ratio"]["median"] == 0.35
    assert found["microseconds"] == {
        "environment": 40.0,
        "policy": 10.0,
        "update": 45.0,
        "rest": 5.0,
        "all": 100.0,
    }


def test_a_digest_sets_late_beside_early():
    found = digest(**watched())
    assert found["early"] == {"env_steps": 50_000, "speed": 10_000.0, "memory": 400.0}
    assert (found["later_speed"], found["later_memory"]) == (1.0, 1.025)
    assert found["later_same_work"] == 0.8
