import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from servogym.learning.bundle import Bundle
from servogym.learning.policy import rebuild
from tests.learning import duck

ACT = """
import sys, numpy as np, torch
from pathlib import Path
from servogym.learning.bundle import Bundle
from servogym.learning.policy import rebuild
b = Bundle.load(Path(sys.argv[1]))
p = rebuild(dict(b.network), b.obs_width, b.policy_weights())
obs = np.random.default_rng(0).normal(size=(50, b.obs_width)).astype(np.float32)
np.save(sys.argv[2], p.predict(obs, deterministic=True)[0])
"""


@pytest.fixture
def saved(tmp_path) -> Path:
    duck.bundle(duck.policy()).save(tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def test_a_policy_acts_the_same_after_a_reload_in_a_new_process(saved, tmp_path):
    subprocess.run([sys.executable, "-c", ACT, saved, tmp_path / "acts.npy"], check=True)
    obs = np.random.default_rng(0).normal(size=(50, 61 + duck.PRIVILEGED)).astype(np.float32)
    wanted = duck.policy().predict(obs, deterministic=True)[0]
    assert np.abs(np.load(tmp_path / "acts.npy") - wanted).max() < 1e-6


def test_a_checkpoint_without_its_input_scales_is_refused(tmp_path):
    bundle = duck.bundle(duck.policy())
    del bundle.weights["policy/actor.scale"]  # type: ignore[attr-defined]
    bundle.save(tmp_path / "c")
    read = Bundle.load(tmp_path / "c")
    with pytest.raises(ValueError, match=r"actor\.scale"):
        rebuild(dict(read.network), read.obs_width, read.policy_weights())


@pytest.mark.parametrize("name", ["weights.safetensors", "state.safetensors", "run.json"])
def test_a_missing_file_is_named(saved, name):
    (saved / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        Bundle.load(saved)


@pytest.mark.parametrize("name", ["weights.safetensors", "state.safetensors"])
@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:-1] + bytes([b[-1] ^ 1])])
def test_a_file_cut_short_or_changed_is_refused_by_name(saved, name, damage):
    (saved / name).write_bytes(damage((saved / name).read_bytes()))
    with pytest.raises(ValueError, match=rf"{name}.*files\.{name}"):
        Bundle.load(saved)


@pytest.mark.parametrize("field", ["task", "preset", "contract", "files", "digest", "counters"])
def test_a_missing_field_is_named(saved, field):
    record = json.loads((saved / "run.json").read_text())
    del record[field]
    (saved / "run.json").write_text(json.dumps(record))
    with pytest.raises(ValueError, match=field):
        Bundle.load(saved)


def test_an_edited_field_is_noticed(saved):
    text = (saved / "run.json").read_text()
    (saved / "run.json").write_text(text.replace('"seed": 0', '"seed": 1'))
    with pytest.raises(ValueError, match="digest"):
        Bundle.load(saved)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "something else"}', "\x80"])
def test_a_foreign_file_is_refused(saved, content):
    (saved / "run.json").write_text(content)
    with pytest.raises(ValueError, match=r"run\.json"):
        Bundle.load(saved)


def test_weights_that_are_not_finite_never_reach_the_disk(tmp_path):
    policy = duck.policy()
    with torch.no_grad():
        policy.log_std[3] = float("nan")
    with pytest.raises(ValueError, match="log_std"):
        duck.bundle(policy).save(tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_is_never_overwritten(saved):
    with pytest.raises(FileExistsError, match="checkpoint"):
        duck.bundle(duck.policy()).save(saved)


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("servogym.learning.bundle.os.rename", full)
    with pytest.raises(OSError, match="no space"):
        duck.bundle(duck.policy()).save(tmp_path / "c")
    assert list(tmp_path.iterdir()) == []
