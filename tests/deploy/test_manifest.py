"""The manifest beside an exported file says what the contract says, and keeps every rule."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from servogym.deploy import manifest
from servogym.deploy.contract import Skill
from servogym.deploy.manifest_rules import validate
from servogym.export import export
from tests.deploy import nets
from tests.learning import duck


def described(**changes) -> dict:
    known = {"commit": "abc123", "dirty": False, "run": "walk-0", "checkpoint": "0002500000"}
    return manifest.describe(nets.duck_contract(**changes), "walk", known)


def test_the_manifest_says_what_the_contract_says():
    found = described()
    validate(found)
    assert found["robot"] == {
        "model": "microduck",
        "hw_rev": 1,
        "servos": "xl330",
        "control_hz": 50,
    }
    assert {k: found[k] for k in ("schema_version", "model_api", "obs_len", "action_len")} == {
        "schema_version": 2,
        "model_api": 1,
        "obs_len": 61,
        "action_len": 14,
    }
    assert (found["name"], found["kind"], found["slot"]) == ("walk", "perpetual", "walk")
    assert found["description"] == "Walk."
    assert "duration_s" not in found
    assert found["action_scale"] == 1.0
    assert found["command"]["encoding"] == "constant"
    assert "[0.4, 0.3, 1.0]" in found["command"]["twist"]
    assert found["training"] == {
        "task_id": "MicroDuck-Flat-v0",
        "commit": "abc123",
        "dirty": False,
        "run": "walk-0",
        "checkpoint": "0002500000",
    }


def test_an_episodic_skill_says_how_long_it_takes():
    kick = Skill(kind="episodic", slot="kick_left", duration_s=0.5, description="Kick.")
    found = described(skill=kick)
    validate(found)
    assert (found["kind"], found["duration_s"]) == ("episodic", 0.5)


def test_a_policy_without_a_skill_or_of_another_robot_has_no_manifest():
    with pytest.raises(ValueError, match="skill"):
        described(skill=None)
    with pytest.raises(ValueError, match="61 columns"):
        described(slots=nets.duck_contract().slots[:-1])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"schema_version": 1}, "schema_version 1: 2 is accepted"),
        ({"schema_version": True}, "schema_version True"),
        ({"model_api": 2}, "model_api 2: 1"),
        ({"obs_len": 51}, "obs_len 51: 61"),
        ({"action_len": 15}, "action_len 15: 14"),
        ({"robot": "microduck"}, "robot 'microduck': an object"),
        (
            {"robot": {"model": "microduck", "hw_rev": 1, "servos": "xl330"}},
            "control_hz is missing",
        ),
        ({"name": " "}, "name ' ': a text"),
        ({"name": None}, "name None"),
        ({"kind": "forever"}, "kind 'forever': 'episodic' or 'perpetual' or 'scripted'"),
        ({"slot": "dance"}, "slot 'dance': 'walk' or 'stand'"),
        ({"description": 3}, "description 3"),
        ({"action_scale": 0}, "action_scale 0: a number above 0, at most 2"),
        ({"action_scale": 2.1}, "action_scale 2.1"),
        ({"action_scale": float("nan")}, "action_scale nan"),
        ({"duration_s": 1.0}, "duration_s 1.0: a perpetual skill has none"),
        ({"chain": "stand"}, "chain 'stand': a perpetual skill has none"),
        ({"unwind_s": 0.0}, "unwind_s 0.0: a finite number above 0"),
        ({"ramp_s": -1}, "ramp_s -1"),
        ({"kind": "episodic"}, "duration_s is missing; an episodic"),
        ({"kind": "episodic", "duration_s": 0}, "duration_s 0: a finite number above 0"),
        (
            {"kind": "episodic", "duration_s": 1.0, "unwind_s": 1.0},
            "unwind_s 1.0: an episodic skill has none",
        ),
        ({"command": {"idle": [0, 0, 0]}}, "command: field encoding is missing"),
        ({"command": {"encoding": "constant", "idle": [0, 0]}}, r"idle \[0, 0\]: a list of 3"),
        (
            {"command": {"encoding": "phase", "period_s": 4.0, "end_phase": 0.7}},
            "command.encoding 'phase': a policy published alone may only use 'constant'",
        ),
        ({"training": {"dirty": "no"}}, "training: dirty 'no': True or False"),
        ({"file": "walk.onnx"}, "file 'walk.onnx': a single policy's is 'policy.onnx'"),
        ({"policies": []}, r"policies \[\]: a list of one or more"),
        ({"policies": [{"kind": "perpetual"}]}, r"policies\[0\]: field file is missing"),
        ({"policies": [{"file": "a.onnx"}] * 2}, r"policies\[1\]: file 'a.onnx' is there twice"),
        (
            {"policies": [{"file": "a.onnx", "command": {"encoding": "phase", "period_s": 4.0}}]},
            r"policies\[0\]: command.end_phase is missing; encoding 'phase' needs it",
        ),
        (
            {"policies": [{"file": "a.onnx"}], "command": {"encoding": "constnat"}},
            "command: encoding 'constnat': 'constant' or",
        ),
        ({"policies": [{"file": "a.onnx"}], "duration_s": 1.0}, "duration_s 1.0: a perpetual"),
        (
            {"policies": [{"file": "a.onnx", "kind": "episodic"}]},
            r"policies\[0\]: duration_s is missing; an episodic",
        ),
        (
            {"policies": [{"file": "a.onnx", "slot": "dance"}]},
            r"policies\[0\]: slot 'dance': 'walk' or",
        ),
        ({"descripton": "x"}, "not understood: descripton"),
    ],
)
def test_every_rule_names_the_field_that_breaks_it(change, named):
    with pytest.raises(ValueError, match=named):
        validate(described() | change)


def test_the_rules_let_through_what_they_allow():
    validate(described() | {"unwind_s": 0.5, "ramp_s": 0.0, "file": "policy.onnx"})
    phase = {"encoding": "phase", "idle": [1, 0, 0], "period_s": 4.0, "end_phase": 0.7}
    sit = {"encoding": "posture_flag", "sit": 1, "stand": 0}
    episode = {"kind": "episodic", "duration_s": 4.0, "chain": ["stand"]}
    policies = [
        {"file": "pick.onnx", "slot": "ground_pick", "command": phase, **episode},
        {"file": "sit.onnx", "slot": "sitstand", "command": sit, "kind": "perpetual"},
    ]
    validate(described() | {"policies": policies})


def test_an_existing_manifest_is_replaced_only_when_forced(tmp_path):
    path = manifest.beside(tmp_path / "walk.onnx")
    manifest.write(described(), path)
    assert path.name == "walk.manifest.json"
    with pytest.raises(FileExistsError, match=r"walk\.manifest\.json exists; --force"):
        manifest.write(described() | {"name": "other"}, path)
    assert json.loads(path.read_text()) == described()
    manifest.write(described() | {"name": "other"}, path, force=True)
    assert json.loads(path.read_text())["name"] == "other"


def test_a_manifest_that_breaks_a_rule_is_not_written(tmp_path):
    path = tmp_path / "walk.manifest.json"
    manifest.write(described(), path)
    with pytest.raises(ValueError, match="kind"):
        manifest.write(described() | {"kind": "x"}, path, force=True)
    assert json.loads(path.read_text()) == described()
    assert list(tmp_path.iterdir()) == [path]


def run_with_skill(folder: Path, **skill) -> Path:
    """A run folder whose checkpoint has a skill."""
    bundle = duck.bundle(duck.policy())
    usual = {"kind": "perpetual", "slot": "walk", "duration_s": None, "description": "Walk."}
    known = Skill(**usual | skill)
    replace(bundle, contract=replace(bundle.contract, skill=known)).save(folder / "best")
    (folder / "config.json").write_text('{"origin": {"commit": "abc123+"}}')
    return folder


def test_an_export_writes_the_manifest_beside_the_file(tmp_path):
    done = export(run_with_skill(tmp_path / "walk-0"))
    found = json.loads((done.path.parent / "policy.manifest.json").read_text())
    validate(found)
    training = found["training"]
    assert datetime.fromisoformat(training.pop("exported")).tzinfo is not None
    assert training == {
        "task_id": "MicroDuck-Flat-v0",
        "run": "walk-0",
        "commit": "abc123",
        "dirty": True,
        "checkpoint": "best",
        "source_file": "policy.onnx",
    }


def test_an_export_does_not_overwrite_a_manifest_and_leaves_no_file_without_one(tmp_path):
    run = run_with_skill(tmp_path / "walk-0")
    (run / "policy.manifest.json").write_text("mine")
    with pytest.raises(FileExistsError, match=r"policy\.manifest\.json exists; --force"):
        export(run)
    assert (run / "policy.manifest.json").read_text() == "mine"
    assert not (run / "policy.onnx").exists()
    export(run, force=True)
    validate(json.loads((run / "policy.manifest.json").read_text()))


def test_a_skill_the_catalogue_does_not_know_is_not_exported(tmp_path):
    run = run_with_skill(tmp_path / "dance-0", slot="dance")
    with pytest.raises(ValueError, match="slot 'dance'"):
        export(run)
    assert not (run / "policy.onnx").exists()
