"""Every shipped policy is what its card says, and still does it."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from servogym.deploy import manifest, verify
from servogym.deploy.manifest_rules import validate
from servogym.deploy.runner import Policy
from servogym.deploy.trial.proof import prove
from servogym.export import export
from servogym.gauge.subject import load
from servogym.learning import card, spot_check
from servogym.learning.bundle import Bundle

POLICIES = Path(__file__).resolve().parent.parent.parent / "policies"


def names() -> list[str]:
    return sorted(path.stem for path in POLICIES.glob("*.onnx"))


@pytest.fixture(params=names())
def name(request) -> str:
    return request.param


@pytest.fixture
def onnx(name) -> Path:
    return POLICIES / f"{name}.onnx"


@pytest.fixture
def record(name) -> dict:
    return json.loads((POLICIES / f"{name}.json").read_text("utf-8"))


def test_the_numbers_are_those_of_this_very_file(name, onnx, record):
    assert record["policy"] == {
        "file": f"policies/{name}.onnx",
        "sha256": hashlib.sha256(onnx.read_bytes()).hexdigest(),
    }
    assert record["task"] == Policy(onnx).contract.task
    assert record["command"] == f"python evaluate.py policies/{name}.onnx"


def test_it_still_walks_as_it_did(onnx, record):
    kept = record["spot_check"]
    found = spot_check.record(spot_check.spot_check(load(onnx)))
    assert {**found, "walks": 0} == {**kept, "walks": 0}
    for now, then in zip(found["walks"], kept["walks"], strict=True):
        assert now["falls"] == then["falls"], then
        assert list(now["command"]) == then["command"]
        if then["velocity"] is not None:
            off = np.abs(np.subtract(now["velocity"], then["velocity"]))
            assert (off <= spot_check.MARGIN).all(), (now, then)


def test_the_card_says_what_the_numbers_say(name, record):
    assert (POLICIES / f"{name}.md").read_text("utf-8") == card.write(name, record)


def test_its_weights_exported_again_act_the_same(name, onnx, tmp_path):
    again = export(POLICIES / name, tmp_path / "again.onnx").path
    shipped = Policy(onnx)
    assert Policy(again).contract == shipped.contract
    obs = verify.inputs(shipped.contract, np.empty((0, shipped.contract.obs_size)))
    assert np.abs(Policy(again)(obs) - shipped(obs)).max() < 1e-6


def test_it_moves_alone_as_it_did_in_training(onnx):
    proof = prove(onnx, noisy=False)
    assert proof.passed, proof.failures
    assert proof.replay.steps >= proof.replay.needed == 500


def test_its_manifest_is_in_order_and_about_it(onnx):
    if Policy(onnx).contract.robot != "microduck":  # the catalogue is MicroDuck's
        assert not manifest.beside(onnx).exists()
        return
    record = json.loads(manifest.beside(onnx).read_text("utf-8"))
    validate(record)
    assert (record["name"], record["training"]["task_id"]) == (
        onnx.stem,
        Policy(onnx).contract.task,
    )


def test_its_weights_come_without_the_learning_state(name, record):
    bundle = Bundle.load(POLICIES / name)
    assert {key.partition("/")[0] for key in bundle.weights} == {"policy"}
    assert not bundle.state
    assert bundle.counters["env_steps"] == record["training"]["env_steps"]


def test_its_film_plays(name):
    import imageio_ffmpeg

    path = POLICIES / f"{name}.mp4"
    assert path.stat().st_size < 1_000_000
    pictures = imageio_ffmpeg.read_frames(str(path))
    about = next(pictures)
    shown = [np.frombuffer(picture, np.uint8) for picture in pictures]
    assert len(shown) == round(about["duration"] * about["fps"]) >= 100
    assert not np.array_equal(shown[0], shown[-1])


def test_its_score_card_is_of_this_very_file(name, onnx):
    cards = POLICIES.parent / "docs" / "cards"
    (entry,) = json.loads((cards / f"{name}.json").read_text("utf-8"))["entries"]
    digest = hashlib.sha256(onnx.read_bytes()).hexdigest()
    assert entry["score"]["subject"]["sha256"] == digest
    told = entry["bar"]["marks"] if entry["bar"] else {}
    assert told == json.loads((POLICIES / f"{name}.json").read_text())["marks"]
    assert digest[:16] in (cards / f"{name}.html").read_text("utf-8")


def test_go2_flat_came_from_scratch_in_eight_minutes_by_the_defaults():
    record = json.loads((POLICIES / "go2-flat.json").read_text("utf-8"))
    made = record["training"]
    assert made["command"] == "python train.py Go2-Flat-v0"
    assert (made["start"], made["overrides"], made["preset"], made["continued"]) == (
        None,
        {},
        {},
        [],
    )
    assert made["origin"]["cores"] == 2 and not made["origin"]["commit"].endswith("+")
    assert made["minutes"] <= 8.0
    assert record["marks"] == {"usable": True, "walking": True}
