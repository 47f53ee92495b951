import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

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


NORMALISER = ("actor.low", "actor.high", "actor.center", "actor.scale")


def acting(folder: Path):
    bundle = Bundle.load(folder)
    return rebuild(dict(bundle.network), bundle.obs_width, bundle.policy_weights())


@pytest.mark.parametrize("name", NORMALISER)
def test_a_checkpoint_without_its_normaliser_is_refused_by_name(tmp_path, name):
    bundle = duck.bundle(duck.policy())
    del bundle.weights[f"policy/{name}"]  # type: ignore[attr-defined]
    bundle.save(tmp_path / "c")
    with pytest.raises(ValueError, match=rf"missing: {name}"):
        acting(tmp_path / "c")


def test_the_normaliser_of_a_loaded_policy_never_changes(saved):
    policy = acting(saved)
    before = {name: policy.state_dict()[name].clone() for name in NORMALISER}
    rng = np.random.default_rng(0)
    for spread in (1.0, 100.0):
        obs = rng.normal(3.0, spread, (200, 61 + duck.PRIVILEGED)).astype(np.float32)
        for training in (False, True):
            policy.set_training_mode(training)
            policy.predict(obs)
            policy(torch.from_numpy(obs))
    learned = {name for name, _ in policy.named_parameters()}
    for name in NORMALISER:
        assert torch.equal(policy.state_dict()[name], before[name])
        assert name not in learned


def test_a_policy_is_loaded_for_inference(saved):
    assert not acting(saved).training


def forged(folder: Path, **changes) -> None:
    """Change `run.json` as somebody who also knows how its digest is made."""
    record = json.loads((folder / "run.json").read_text()) | changes
    del record["digest"]
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    record["digest"] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "run.json").write_text(json.dumps(record))


def part(folder: Path, field: str, **changes) -> dict:
    inside = json.loads((folder / "run.json").read_text())[field] | changes
    return {field: {name: value for name, value in inside.items() if value != "gone"}}


@pytest.mark.parametrize(
    ("field", "change", "named"),
    [
        ("contract", {"schema": 1}, "contract: schema 1, only 2 is understood"),
        ("contract", {"joints": "gone"}, "contract: field.s. missing: joints"),
        ("contract", {"action_clip": "wide"}, "contract: action_clip 'wide': a finite number"),
        ("network", {"scale": "gone"}, "network: field.s. missing: scale"),
        ("network", {"low": 3}, "network: low 3: a list is needed"),
        ("network", {"width": 3}, "network: field.s. not understood: width"),
        ("preset", {"gamma": "gone"}, "preset: field.s. missing: gamma"),
        ("preset", {"hidden": None}, "preset: hidden None: a list is needed"),
        ("preset", {"gama": 0.9}, "preset: field.s. not understood: gama"),
    ],
)
def test_an_old_or_foreign_record_is_refused_by_its_field(saved, field, change, named):
    forged(saved, **part(saved, field, **change))
    with pytest.raises(ValueError, match=rf"run\.json: {named}"):
        Bundle.load(saved)


def test_a_field_nobody_knows_is_named(saved):
    forged(saved, sed=1)
    with pytest.raises(ValueError, match=r"run\.json: field\(s\) not understood: sed"):
        Bundle.load(saved)


class Bomb:
    """Something that acts when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("exploded"),)


@pytest.mark.parametrize("name", ["weights.safetensors", "state.safetensors"])
def test_a_pickle_in_place_of_the_weights_is_refused_and_not_executed(saved, name):
    data = pickle.dumps(Bomb())
    (saved / name).write_bytes(data)
    files = {name: hashlib.sha256(data).hexdigest()}
    forged(saved, **part(saved, "files", **files))
    with pytest.raises(ValueError, match=rf"{name}: not safetensors"):
        Bundle.load(saved)
    assert not Path("exploded").exists()
    pickle.loads(data)
    assert Path("exploded").exists()


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3"])
def test_numbers_of_a_kind_numpy_lacks_are_refused_by_name(saved, kind):
    header = json.dumps({"a": {"dtype": kind, "shape": [4], "data_offsets": [0, 8]}})
    header = header.replace("8]", f"{4 if kind[0] == 'F' else 8}]").encode()
    data = len(header).to_bytes(8, "little") + header + bytes(4 if kind[0] == "F" else 8)
    (saved / "weights.safetensors").write_bytes(data)
    files = {"weights.safetensors": hashlib.sha256(data).hexdigest()}
    forged(saved, **part(saved, "files", **files))
    with pytest.raises(ValueError, match=r"weights\.safetensors: not safetensors .*" + kind):
        Bundle.load(saved)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": True}, "field seed is no int"),
        ({"seed": "0"}, "field seed is no int"),
        ({"obs_width": -5}, "field obs_width -5: 61 to"),
        ({"obs_width": 10**9}, "field obs_width 1000000000: 61 to"),
        ({"counters": {"env_steps": "x"}}, "field counters.env_steps 'x' is no number"),
        ({"files": {}}, r"files: weights\.safetensors is missing"),
    ],
)
def test_a_field_of_another_kind_is_named(saved, change, named):
    forged(saved, **change)
    with pytest.raises(ValueError, match=rf"run\.json: {named}"):
        Bundle.load(saved)


def test_weights_that_are_not_finite_are_refused_by_name(saved):
    arrays = load((saved / "weights.safetensors").read_bytes())
    arrays["policy/log_std"][2] = np.inf
    data = save(arrays)
    (saved / "weights.safetensors").write_bytes(data)
    files = {"weights.safetensors": hashlib.sha256(data).hexdigest()}
    forged(saved, **part(saved, "files", **files))
    with pytest.raises(ValueError, match="policy/log_std is not finite"):
        Bundle.load(saved)


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


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": "something else"}', "\x80", "[" * 100_000, '{"a":' * 100_000],
    ids=range(7),
)
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
