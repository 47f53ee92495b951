"""`servogym verify` says what it found, in words, as JSON and as an exit code."""

import json
import sys
from dataclasses import replace
from functools import partial

import onnx
import pytest

from servogym.cli import main, verify
from servogym.deploy.trial import population, proof, replay
from tests.deploy import files


@pytest.fixture(scope="module")
def said():
    return files.contract()


@pytest.fixture
def path(said, tmp_path):
    return files.write(tmp_path / "walk.onnx", said)


@pytest.fixture
def brief(monkeypatch):
    """A trial like the real one, only shorter."""
    for name in ("in_training", "in_the_room"):
        short = partial(getattr(population, name), n=3, seconds=2.2)
        monkeypatch.setattr(population, name, short)
    monkeypatch.setattr(proof, "SECONDS", 0.0)
    monkeypatch.setattr(proof, "replay", partial(replay.replay, needed=20))


def run(capsys, *words):
    code = main.main(["verify", *map(str, words)])
    return code, capsys.readouterr()


def test_a_good_file_is_verified(brief, path, capsys):
    code, said = run(capsys, path)
    assert code == 0
    assert said.out.count("| ok ") == 5 + ("clean room - training" in said.out)
    assert "**verified**" in said.out
    assert "clean room with the robot's software" in said.out and "not judged" in said.out


def test_machines_get_a_record(brief, path, capsys):
    code, said = run(capsys, path, "--json")
    record = json.loads(said.out)
    assert code == 0 and record["passed"] and record["failures"] == []
    assert record["replay"]["steps"] == record["replay"]["needed"] == 20
    assert record["replay"]["first"] is None
    assert record["noise_on"]["training"]["robots"] == 3
    assert record["robot_software"]["falls"] == 0
    assert len(record["policy"]["sha256"]) == 64


def test_a_wrong_file_is_not_and_the_first_wrong_slot_is_named(brief, said, tmp_path, capsys):
    path = files.write(tmp_path / "wrong.onnx", files.slots_swapped(said, "joint_pos", "joint_vel"))
    code, told = run(capsys, path)
    assert code == 1
    assert "**NOT verified**" in told.out
    assert "contract: slot order.2 is 'joint_vel' in the file, 'joint_pos' here" in told.out
    assert "replay: step 1: observation joint_pos [left_hip_yaw]" in told.out
    code, told = run(capsys, path, "--json")
    record = json.loads(told.out)
    assert code == 1 and not record["passed"]
    assert (record["replay"]["first"]["slot"], record["noise_on"]) == ("joint_pos", None)
    assert record["differences"][0]["field"] == "slot order.2"


def test_entries_that_contradict_the_contract_fail(said, brief, path, capsys):
    model = onnx.load(path)
    for entry in model.metadata_props:
        if entry.key == "microduck":
            entry.value = json.dumps({**json.loads(entry.value), "kp_fw": 100})
    onnx.save(model, path)
    code, told = run(capsys, path)
    assert code == 1 and "texts: entries microduck: they say something else" in told.out


def test_a_graph_that_never_answers_differently_fails_the_publish_checks(brief, path, capsys):
    model = onnx.load(path)
    for constant in model.graph.initializer:
        if constant.name == "gain":
            zero = onnx.numpy_helper.to_array(constant) * 0
            constant.CopyFrom(onnx.numpy_helper.from_array(zero, "gain"))
    onnx.save(model, path)
    code, told = run(capsys, path)
    assert code == 1 and "publish checks: the output never changes" in told.out


@pytest.mark.parametrize("what", ["missing.onnx", "text.onnx"])
def test_what_cannot_be_opened_is_an_error_in_a_line(what, tmp_path, capsys):
    (tmp_path / "text.onnx").write_text("hello")
    code, told = run(capsys, tmp_path / what)
    assert code == 1 and what in told.err and told.out == ""


def test_an_unknown_task_or_motor_law_is_named(said, tmp_path, capsys):
    lost = files.write(tmp_path / "lost.onnx", replace(said, task="MicroDuck-Moon-v0"))
    code, told = run(capsys, lost)
    assert code == 1 and "MicroDuck-Moon-v0" in told.err


def test_the_page_is_for_pipes_too(brief, path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["servogym verify", str(path)])
    assert verify.main() == 0
    assert capsys.readouterr().out.startswith("| what ")
