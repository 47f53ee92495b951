"""An export is not done until the file has moved, alone, as it did in training."""

import sys
from dataclasses import replace

import pytest

from servogym import export as script
from servogym.deploy.runner import Policy
from servogym.deploy.trial import proof
from servogym.envs.core import Core
from servogym.export import export, export_policy
from tests.deploy import files
from tests.learning import duck


@pytest.fixture(scope="module")
def said():
    return files.contract()


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    replay = proof.replay

    def short(path, *, seconds, overrides):
        return replay(path, needed=20, overrides=overrides)

    monkeypatch.setattr(proof, "replay", short)


def test_a_file_that_moves_as_in_training_is_left(said, tmp_path):
    done = export_policy(duck.policy(), said, tmp_path / "policy.onnx")
    assert done.proof.passed and done.proof.replay.observation <= 1e-4
    assert done.proof.noisy is None
    assert Policy(done.path).contract == said


def test_a_file_that_does_not_is_never_left_and_an_older_one_stays(said, tmp_path):
    out = export_policy(duck.policy(), said, tmp_path / "policy.onnx").path
    before = out.read_bytes()
    wrong = replace(said, action_scale=0.9)
    with pytest.raises(ValueError, match=r"no file is left.*action_scale is 0\.9 in the file"):
        export_policy(duck.policy(1), wrong, out, force=True)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["policy.onnx"]


def test_without_a_trial_anything_is_left(said, tmp_path):
    wrong = replace(said, action_scale=0.9)
    done = export_policy(duck.policy(), wrong, tmp_path / "policy.onnx", trial="nothing")
    assert done.proof is None and done.path.exists()


def test_a_contract_written_by_hand_is_not_replayed_and_that_is_said(tmp_path):
    done = export_policy(duck.policy(), duck.contract(), tmp_path / "policy.onnx")
    assert done.proof is None


@pytest.fixture
def checkpoint(said, tmp_path):
    place = tmp_path / "run" / "best"
    late = files.late(said, "joint_vel", 2)
    bundle = replace(duck.bundle(duck.policy()), contract=late)
    replace(bundle, overrides={"sensing": {"joint_vel_lag": 2}}).save(place)
    return place


def test_what_training_changed_is_changed_again_in_the_trial(checkpoint):
    assert export(checkpoint).proof.passed


@pytest.mark.parametrize(("words", "trial"), [((), "all"), (("--no-verify",), "nothing")])
def test_the_command_verifies_unless_told_not_to(checkpoint, words, trial, monkeypatch, capsys):
    asked = []

    def watched(run, out, *, force, trial):
        asked.append(trial)
        return export(run, out, force=force, trial="nothing")

    monkeypatch.setattr(script, "export", watched)
    monkeypatch.setattr(sys, "argv", ["export.py", str(checkpoint), *words])
    script.main()
    assert asked == [trial]
    assert "not verified" in capsys.readouterr().out


def test_ctrl_c_leaves_no_file(checkpoint, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    out = tmp_path / "out" / "policy.onnx"
    monkeypatch.setattr(script, "prove", interrupted)
    monkeypatch.setattr(sys, "argv", ["export.py", str(checkpoint), "--out", str(out)])
    with pytest.raises(SystemExit, match="export: interrupted; no file is left"):
        script.main()
    assert not list(out.parent.iterdir())


@pytest.mark.parametrize(
    "changed",
    [
        {"actuator": "dc"},
        {"actuator": "ideal"},
        {"encoder": "motor", "backlash": True},
        {"sensing": False},
        {"commands": {"twist": (0.2, 0.1, 0.5)}},
    ],
)
def test_a_run_trained_otherwise_than_its_task_is_exported(changed, tmp_path):
    gap = changed.get("backlash", False)
    kept = {name: value for name, value in changed.items() if name != "backlash"}
    contract = Core("microduck_flat", 1, threads=1, backlash=gap, **kept).contract
    bundle = replace(duck.bundle(duck.policy()), contract=contract, task=contract.task)
    place = tmp_path / "run" / "best"
    replace(bundle, overrides=kept).save(place)
    done = export(place)
    assert done.proof.passed and done.proof.contract == contract
    assert bool(done.proof.chosen) == (not kept.keys().isdisjoint({"actuator", "encoder"}))
