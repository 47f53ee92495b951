"""A run keeps the configuration it was started with, says so, and goes on under no other."""

import contextlib
import io
import json
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

from servogym import train as command
from servogym.cli import explain
from servogym.envs.sb3 import Sb3VecEnv
from servogym.export import export
from servogym.gauge.subject import load
from servogym.learning import folder, playback
from servogym.learning.bundle import Bundle
from servogym.learning.options import TrainOptions
from servogym.learning.playback import Scene
from servogym.learning.preset import PpoPreset
from servogym.learning.training import train

TASK, TRUNK = "MicroDuck-Flat-v0", "/world/microduck/trunk_base"
TINY = PpoPreset(n_envs=4, n_steps=8, batch_size=16, n_epochs=2, hidden=(8,), total_steps=64)
TEXT = f"""
contact = "C"
max_episode_steps = 20
[sensing]
gyro_noise = 0.1
[randomization]
mass = {{of = "base", scale = [0.8, 1.2]}}
[rewards]
cost_of_transport = 0.0
[[edit]]
set = "set_body_physics_properties"
path = "{TRUNK}"
mass = 0.25
"""
HEAVY = {"set": "set_body_physics_properties", "path": TRUNK, "mass": 0.25}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("configured") / "heavy.toml"
    path.write_text(TEXT)
    return path


def tiny(out, file, **options):
    options = {"task": TASK, "eval_envs": 2, "threads": 1, "save_every": 32} | options
    return train(TrainOptions(out=out, config=file, **options), TINY)


@pytest.fixture(scope="module")
def begun(file, tmp_path_factory):
    """A run, and what was printed when it began."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run = tiny(tmp_path_factory.mktemp("runs") / "heavy", file).run
    return run, printed.getvalue()


@pytest.fixture(scope="module")
def run(begun):
    return begun[0]


def test_a_run_is_made_of_the_edited_robot_and_says_what_was_changed(begun, file):
    run, printed = begun
    line = f"{TRUNK} mass: 0.199224 -> 0.25 kg"
    assert f"{file} changes" in printed.splitlines() and f"  {line}" in printed.splitlines()
    assert line in (run / "README.md").read_text()
    config = json.loads((run / folder.CONFIG).read_text())
    assert config["configuration"]["file"] == file.as_posix()
    assert line in config["configuration"]["changes"]
    assert config["overrides"]["edits"] == [HEAVY]
    bundle = Bundle.load(folder.latest(run))
    assert bundle.overrides == config["overrides"] and len(bundle.overrides) == 6
    assert bundle.contract.edits == (HEAVY,) and bundle.contract.contact == "C:0.01"


def test_a_file_trains_as_keyword_arguments_do_to_the_last_bit(run, tmp_path):
    kept = json.loads(json.dumps(dict(Bundle.load(folder.latest(run)).overrides)))
    options = TrainOptions(task=TASK, out=tmp_path / "args", eval_envs=2, threads=1)
    a, b = (Bundle.load(folder.latest(r)) for r in (run, train(options, TINY, kept).run))
    assert a.contract == b.contract
    assert all(np.array_equal(a.weights[name], b.weights[name]) for name in a.weights)


def test_it_goes_on_with_its_own_configuration_given_or_not(run, file, tmp_path, monkeypatch):
    made = []

    class Watched(Sb3VecEnv):
        def __init__(self, *words, **options):
            super().__init__(*words, **options)
            made.append(self.core.model.body("trunk_base").mass[0])

    monkeypatch.setattr("servogym.learning.run.Sb3VecEnv", Watched)
    shutil.copytree(run, tmp_path / "copy")
    for config, steps in ((None, 96), (file, 128)):
        options = TrainOptions(
            resume=tmp_path / "copy", config=config, steps=steps, eval_envs=2, threads=1
        )
        assert train(options).env_steps == steps
    assert made == [0.25] * 4
    assert Bundle.load(folder.latest(tmp_path / "copy")).overrides["edits"] == [HEAVY]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("mass = 0.25", "mass = 0.3"), "edits.*0.3.*in the run .*0.25"),
        (('contact = "C"\n', ""), "contact is None, in the run 'C'"),
        (("gyro_noise = 0.1", "gyro_noise = 0.2"), "sensing.gyro_noise is 0.2, in the run 0.1"),
        (("[sensing]", 'actuator = "pd"\n[sensing]'), "actuator is 'pd', in the run None"),
    ],
)
def test_it_goes_on_under_no_other_configuration(change, said, run, tmp_path):
    other = tmp_path / "other.toml"
    assert change[0] in TEXT
    other.write_text(TEXT.replace(*change))
    before = sorted(p.name for p in (run / "checkpoints").iterdir())
    with pytest.raises(ValueError, match=said) as refused:
        train(TrainOptions(resume=run, config=other, steps=999))
    assert str(refused.value).startswith(f"{other}: ") and "leave --config out" in str(refused)
    assert sorted(p.name for p in (run / "checkpoints").iterdir()) == before


def test_what_is_said_twice_must_be_the_same(tmp_path, file):
    motors = tmp_path / "motors.toml"
    motors.write_text('actuator = "pd"\n')
    with pytest.raises(ValueError, match="actuator is 'pd', and 'dc' was asked for beside it"):
        tiny(tmp_path / "twice", motors, actuator="dc")
    with pytest.raises(ValueError, match="contact is 'C', and 'B' was asked for beside it"):
        train(TrainOptions(task=TASK, out=tmp_path / "twice", config=file), TINY, {"contact": "B"})
    assert not (tmp_path / "twice").exists()
    run = tiny(tmp_path / "once", file, actuator="pd", steps=32).run
    assert Bundle.load(folder.latest(run)).contract.actuator == "pd"
    for config in (file, motors):  # the first goes with the motor of the command line
        options = TrainOptions(resume=run, config=config, steps=32)
        with pytest.raises(ValueError) as refused:
            train(options)
        assert ("has made 32 steps" in str(refused.value)) == (config == file)


def test_a_wrong_file_is_one_sentence_and_leaves_no_folder(tmp_path, monkeypatch):
    bad = tmp_path / "bad.toml"
    bad.write_text(TEXT.replace("mass = 0.25", "mass = -1"))
    words = ["train.py", TASK, "--config", str(bad), "--out", str(tmp_path / "run")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert str(ended.value.code).startswith(f"train: {bad}: body '{TRUNK}': mass is -1; accepted")
    assert not (tmp_path / "run").exists()


def test_the_exported_policy_is_proven_on_the_edited_robot_and_film_and_judge_find_it(
    run, tmp_path, monkeypatch
):
    exported = export(run, tmp_path / "policy.onnx")
    assert exported.proof is not None and exported.proof.passed
    assert exported.proof.contract.edits == (HEAVY,)
    assert load(exported.path).contract.edits == load(run).contract.edits == (HEAVY,)
    masses = []

    def made(*words, **options):
        env = gym_make(*words, **options)
        masses.append(env.unwrapped.core.model.body("trunk_base").mass[0])
        return env

    gym_make = playback.gym.make
    monkeypatch.setattr(playback.gym, "make", made)
    scene = Scene(name="stand", seconds=0.04, twist=(0.0, 0.0, 0.0))
    playback.play(exported.path, [scene])
    playback.play(exported.path, [scene], options={"edits": [{**HEAVY, "mass": 0.5}]})
    playback.play(exported.path, [scene], options={})
    assert masses == [0.25, 0.5, pytest.approx(0.199224, rel=1e-5)]


def test_an_export_that_lost_its_edits_leaves_no_file(run, tmp_path, monkeypatch):
    whole = Bundle.load

    def stripped(path):
        bundle = whole(path)
        return replace(bundle, contract=replace(bundle.contract, edits=()))

    monkeypatch.setattr(Bundle, "load", stripped)
    with pytest.raises(ValueError, match=r"fails its trial, no file is left.*edits"):
        export(run, tmp_path / "policy.onnx")
    assert list(tmp_path.iterdir()) == []


def test_explain_pays_the_edited_robot(run, monkeypatch):
    seen = []
    real = explain.stages

    def watched(**options):
        seen.append(options)
        return real(**options)

    monkeypatch.setattr(explain, "stages", watched)
    assert "## The likely trap" in explain.page(str(run))
    assert seen[0]["edits"] == [HEAVY] and seen[0]["rewards"] == {"cost_of_transport": 0.0}
