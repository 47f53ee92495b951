import math

import numpy as np
import pytest

from servogym.learning.callbacks.curriculum import Curriculum
from servogym.learning.callbacks.metrics import RolloutMetrics
from servogym.learning.run import Run
from tests.learning.test_training import SHORT, TASK, TINY


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path, TASK, seed=0, overrides=SHORT, preset=TINY, judges=1)


def test_robots_know_from_their_first_reset_how_much_was_learnt(run):
    core, seen = run.model.env.core, []
    assert core.trained_steps == 0.0
    step = core.step
    core.step = lambda action: (seen.append(float(core.trained_steps)), step(action))[1]
    run.model.learn(64, Curriculum())
    assert seen == [0.0] * 8 + [32.0] * 8


def test_reward_terms_add_up_to_the_reward_while_no_episode_ends(tmp_path):
    metrics, run = RolloutMetrics(), Run(tmp_path, TASK, seed=0, overrides={}, preset=TINY)
    run.model.learn(32, metrics)
    latest = metrics.latest
    assert math.isnan(latest["episode_length"])
    terms = sum(value for name, value in latest.items() if name.startswith("reward/"))
    assert terms == pytest.approx(latest["reward"], rel=1e-4)
    assert 0.0 < latest["tracking"] <= 1.0


def test_on_a_field_of_tiles_the_mean_level_is_told_and_elsewhere_there_is_none(tmp_path):
    metrics = RolloutMetrics()
    run = Run(tmp_path / "field", "Go2-Rough-v0", seed=0, overrides={}, preset=TINY)
    run.model.env.core.footing.curriculum.level[:] = [0, 1, 4, 4]
    run.model.learn(16, metrics)
    assert metrics.latest["level"] == 3.25  # nobody's episode ended
    metrics = RolloutMetrics()
    Run(tmp_path / "floor", TASK, seed=0, overrides=SHORT, preset=TINY).model.learn(32, metrics)
    assert "level" not in metrics.latest


def test_falls_are_counted_per_robot_and_minute(run, monkeypatch):
    core, step, metrics = run.model.env.core, run.model.env.core.step, RolloutMetrics()

    def falling(action):
        out = step(action)
        ends = np.array([True, False, False, False])
        return out._replace(terminated=ends, truncated=np.zeros(4, bool))

    monkeypatch.setattr(core, "step", falling)
    run.model.learn(32, metrics)
    assert metrics.latest["falls_per_min"] == pytest.approx(0.25 * 60.0 / 0.02)
