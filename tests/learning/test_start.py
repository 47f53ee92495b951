"""A run may begin with another's policy: its weights, its count of steps, and nothing else."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from servogym.learning import folder
from servogym.learning.bundle import WEIGHTS, Bundle
from servogym.learning.options import TrainOptions
from servogym.learning.preset import PpoPreset
from servogym.learning.run import Run
from servogym.learning.training import train

PLAIN, GAP = "MicroDuck-Flat-v0", "MicroDuck-Flat-Backlash-v0"
TINY = PpoPreset(n_envs=4, n_steps=8, batch_size=16, n_epochs=2, hidden=(8,), total_steps=64)
SHORT = {"max_episode_steps": 20}


def tiny(out, task=PLAIN, preset=TINY, **options):
    options = TrainOptions(task=task, out=out, eval_envs=2, threads=1, **options)
    return train(options, preset, SHORT)


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Path:
    return tiny(tmp_path_factory.mktemp("runs") / "first").run


def fresh(path: Path, seed: int) -> Run:
    return Run(path, PLAIN, seed=seed, overrides=SHORT, preset=TINY, threads=1, judges=2)


def test_weights_and_steps_are_taken_over_and_robots_begin_anew(first, tmp_path):
    source = folder.find(first)
    run, other = fresh(tmp_path / "a", 3), fresh(tmp_path / "b", 3)
    robots = run.model.env.get_state()
    run.start(source)
    bundle = Bundle.load(source)
    for name, weight in run.model.policy.state_dict().items():
        assert np.array_equal(weight.numpy(), bundle.weights[f"policy/{name}"])
    assert run.env_steps == 64 and other.env_steps == 0
    for name, array in run.model.env.get_state().items():
        np.testing.assert_array_equal(array, robots[name])
    assert not run.model.policy.optimizer.state_dict()["state"]


def test_another_task_of_the_robot_may_start_from_it_and_says_from_what(first, tmp_path):
    result = tiny(tmp_path / "gap", GAP, start=first, steps=96)
    assert result.env_steps == 96
    told = json.loads((result.run / "config.json").read_text())["start"]
    source = folder.find(first)
    assert told["from"] == str(source) and told["env_steps"] == 64
    assert told["weights"] == hashlib.sha256((source / WEIGHTS).read_bytes()).hexdigest()
    again = train(TrainOptions(resume=result.run, steps=128, eval_envs=2, threads=1))
    assert again.env_steps == 128


def test_what_does_not_fit_is_named_and_nothing_is_written(first, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=r"robot: the checkpoint says microduck, .* started from"):
        tiny(out, "Go2-Flat-v0", start=first, steps=96)
    wide = PpoPreset(n_envs=4, n_steps=8, batch_size=16, hidden=(16,))
    with pytest.raises(ValueError, match="wrong shape: actor"):
        tiny(out, preset=wide, start=first, steps=96)
    with pytest.raises(FileNotFoundError, match="nowhere: no such file or folder"):
        tiny(out, start=tmp_path / "nowhere", steps=96)
    broken = tmp_path / "broken"
    shutil.copytree(folder.find(first), broken)
    (broken / "weights.safetensors").write_bytes(b"no")
    with pytest.raises(ValueError, match="changed or cut short"):
        tiny(out, start=broken, steps=96)
    assert not out.exists()


def test_as_many_steps_as_were_made_are_refused_before_a_folder_is_written(first, tmp_path):
    with pytest.raises(ValueError, match="64 steps"):
        tiny(tmp_path / "out", start=first)
    assert not (tmp_path / "out").exists()


def test_a_resumed_run_takes_no_other_start(first):
    with pytest.raises(ValueError, match=r"its own .*start"):
        TrainOptions(resume=first, start=first)


def test_a_shipped_policy_starts_a_run(tmp_path):
    root = Path(__file__).resolve().parents[2]
    source = root / "policies" / "microduck-walk"
    made = int(Bundle.load(source).counters["env_steps"])
    options = TrainOptions(
        task=PLAIN, start=source, out=tmp_path / "out", envs=4, steps=made + 96, threads=1
    )
    result = train(options, overrides={"max_episode_steps": 150})
    assert result.env_steps >= made + 96 and result.last_return > 1.5 * result.zero_return
