"""A policy is judged on the robot it was trained on, or on the one that a configuration says."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from servogym import evaluate
from servogym.envs.core import Core
from servogym.gauge import judgement, page
from servogym.gauge.judgement import Conditions
from servogym.gauge.subject import Subject
from tests.gauge.made_up import walks

TRUNK = "/world/microduck/trunk_base"
HEAVY = {"set": "set_body_physics_properties", "path": TRUNK, "mass": 0.25}
SLIPPERY = {
    "set": "set_contact_physics_properties",
    "body_paths": [f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/ankle_left"],
    "sliding_friction": 0.3,
}
HOW = Conditions(
    task="MicroDuck-Flat-v0", actuator="bam", episodes=7, seconds=20.0, seed=5, calm=False
)
NOBODY = Subject(
    act=lambda obs: np.zeros((len(obs), 14)),
    contract=Core("microduck_flat", 1, threads=1).contract,
    file=Path("policy.onnx"),
    sha256="0" * 64,
    library="onnxruntime",
)


def trained(**options) -> Subject:
    return replace(NOBODY, contract=Core("microduck_flat", 1, threads=1, **options).contract)


@pytest.fixture
def asked(monkeypatch):
    """What the robots were made with, walk by walk; nobody walks."""
    made = []

    def watched(act, **how):
        made.append(how)
        return walks()[:17] if len(made) == 1 else walks()[17:]

    monkeypatch.setattr(judgement, "measure", watched)
    return made


def test_without_a_word_it_is_judged_as_it_was_trained(asked):
    subject = trained(
        edits=[HEAVY, SLIPPERY], contact="C", randomization={"sliding_friction": None}
    )
    found = judgement.judge(subject, HOW)
    pushed, still = asked
    for how in asked:
        assert how["edits"] == [HEAVY, SLIPPERY] and how["contact"] == "C:0.01"
    assert pushed["randomization"] == {"sliding_friction": None}
    assert still["randomization"] == {"sliding_friction": None, "push": None}
    assert found.record()["options"]["edits"] == [HEAVY, SLIPPERY]
    assert "with contact, edits, randomization of its own" in page.write(found)


def test_what_is_said_counts_instead(asked):
    options = {"edits": [], "encoder": "motor", "sensing": {"gyro_noise": 0.5}}
    judgement.judge(trained(edits=[HEAVY]), replace(HOW, options=options))
    assert [how["edits"] for how in asked] == [[], []]
    assert [how["encoder"] for how in asked] == ["motor"] * 2
    assert [how["sensing"] for how in asked] == [{"gyro_noise": 0.5}] * 2
    assert [how["randomization"] for how in asked] == [None, {"push": None}]


def test_calm_is_calm_whatever_a_configuration_says(asked):
    options = {"sensing": {"gyro_noise": 0.5}, "randomization": {"push": 1.0}}
    judgement.judge(NOBODY, replace(HOW, calm=True, options=options))
    assert [(how["sensing"], how["randomization"]) for how in asked] == [(False, False)] * 2


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        (None, True),
        ({}, True),
        ({"edits": [HEAVY], "contact": "C"}, True),
        ({"randomization": {"push": None}}, False),
        ({"terrain": "wave:1"}, False),
    ],
)
def test_the_bar_is_for_another_robot_but_not_for_another_task(options, fits, asked):
    found = judgement.judge(NOBODY, replace(HOW, options=options))
    assert bool(found.criteria) == fits


def test_nothing_special_leaves_no_word_in_the_record(asked):
    found = judgement.judge(NOBODY, HOW)
    assert "options" not in found.record() and "of its own" not in page.write(found)


def test_other_edits_than_in_training_are_a_mismatch():
    subject = trained(edits=[HEAVY])
    assert judgement.mismatch(subject, HOW) == ""
    assert judgement.mismatch(subject, replace(HOW, options={"edits": [HEAVY]})) == ""
    for edits, said in (
        ([], "edits.0"),
        ([{**HEAVY, "mass": 0.3}], "edits.0.mass is 0.25 in the file, 0.3 here"),
    ):
        wrong = judgement.mismatch(subject, replace(HOW, options={"edits": edits}))
        assert wrong.startswith("judged with other edits than it was trained with: ")
        assert said in wrong
    assert "other edits" in judgement.mismatch(NOBODY, replace(HOW, options={"edits": [HEAVY]}))


def test_edits_of_servos_are_no_other_motor_law():
    knee = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/left_knee"
    stiff = {"set": "set_actuator_physics_properties", "joint_path": knee, "stiffness": 150.0}
    assert judgement.mismatch(trained(edits=[stiff]), HOW) == ""


def run(monkeypatch, subject, *words):
    """The command line, but nobody walks; give the conditions and the status."""
    seen = []

    def judged(subject, conditions):
        seen.append(conditions)
        return judgement.Judgement(
            subject=subject, conditions=conditions, walks=walks(), criteria=[]
        )

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(sys, "argv", ["evaluate.py", "policy.onnx", "--bar", *words])
    monkeypatch.setattr(evaluate, "load", lambda path: subject)
    monkeypatch.setattr(judgement, "judge", judged)
    return evaluate.main(), seen


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "heavy.toml"
    path.write_text(f'[[edit]]\nset = "{HEAVY["set"]}"\npath = "{TRUNK}"\nmass = 0.25\n')
    return path


def test_evaluate_takes_a_configuration_and_says_what_it_changes(
    file, monkeypatch, capsys, tmp_path
):
    words = ("--config", str(file), "--json", str(tmp_path / "found.json"))
    status, (conditions,) = run(monkeypatch, NOBODY, *words)
    assert status == 0 and conditions.options == {"edits": [HEAVY]}
    told = capsys.readouterr()
    assert f"{file} changes\n  {TRUNK} mass: 0.199224 -> 0.25 kg\n" in told.out
    assert "warning: judged with other edits than it was trained with" in told.err
    record = json.loads((tmp_path / "found.json").read_text())
    assert record["options"] == {"edits": [HEAVY]}
    assert record["command"] == f"python evaluate.py policy.onnx --config {file} --bar"
    with pytest.raises(SystemExit, match="--strict refuses that"):
        run(monkeypatch, NOBODY, *words, "--strict")


def test_evaluate_without_one_leaves_it_to_the_policy(monkeypatch):
    _, (conditions,) = run(monkeypatch, trained(edits=[HEAVY]))
    assert conditions.options is None


def test_the_motor_of_a_configuration_is_taken_and_must_not_be_contradicted(
    file, monkeypatch, capsys
):
    file.write_text('actuator = "pd"\n')
    _, (conditions,) = run(monkeypatch, NOBODY, "--config", str(file))
    assert conditions.actuator == "pd"
    assert "judged on actuator 'pd', trained on 'bam'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="actuator is 'pd', --actuator 'dc'; say it once"):
        run(monkeypatch, NOBODY, "--config", str(file), "--actuator", "dc")


def test_a_card_is_of_the_trained_or_of_the_configured_robot():
    subject, options = trained(edits=[HEAVY]), evaluate.Options(policies=(Path("x.onnx"),))
    usual = evaluate._cell(options, HOW, subject)
    assert usual.options["edits"] == [HEAVY]
    made = replace(HOW, options={"contact": "C", "encoder": "motor"})
    configured = evaluate._cell(options, made, subject).options
    assert "edits" not in configured
    assert (configured["contact"], configured["encoder"]) == ("C", "motor")


def test_a_wrong_configuration_is_one_sentence(file, monkeypatch):
    file.write_text("contcat = 1\n")
    with pytest.raises(SystemExit, match=r"^evaluate: .*heavy\.toml: unknown key contcat"):
        run(monkeypatch, NOBODY, "--config", str(file))


def test_a_card_plays_the_edits_of_a_configuration_and_else_those_of_training(file):
    subject = trained(edits=[HEAVY])
    options = evaluate.Options(policies=(Path("policy.onnx"),))
    as_trained = evaluate._cell(options, replace(HOW, options=None), subject)
    assert as_trained.options["edits"] == [HEAVY]
    other = {**HEAVY, "mass": 0.3}
    asked = evaluate._cell(options, replace(HOW, options={"edits": [other]}), subject)
    assert asked.options["edits"] == [other]
