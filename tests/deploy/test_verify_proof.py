"""`servogym verify` says what it found, in words, as JSON and as an exit code."""

import json
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import onnx
import pytest

from servogym.cli import main, verify
from servogym.deploy.metadata import metadata, microduck
from servogym.deploy.trial import population, proof, replay
from servogym.envs.core import Core
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


def test_a_torque_file_with_the_entry_a_microduck_trusts_fails(said, brief, tmp_path, capsys):
    torques = Core("microduck_flat", 1, threads=1, actuator="ideal").contract
    path = files.write(tmp_path / "torques.onnx", torques)
    entries = metadata(torques, "")
    model = onnx.load(path)
    onnx.helper.set_model_props(model, entries)
    onnx.save(model, path)
    assert run(capsys, path)[0] == 0
    onnx.helper.set_model_props(model, entries | {"microduck": json.dumps(microduck(said))})
    onnx.save(model, path)
    code, told = run(capsys, path)
    assert code == 1 and "texts: entries microduck: they say something else" in told.out


def test_an_encoder_on_the_other_side_is_said_to_be_the_files_own_choice(brief, tmp_path, capsys):
    gap = files.contract(backlash=True)
    code, told = run(capsys, files.write(tmp_path / "gap.onnx", replace(gap, encoder="motor")))
    assert code == 0 and "encoder 'motor' ('output' is the task's)" in told.out
    code, told = run(capsys, files.write(tmp_path / "gap.onnx", gap))
    assert code == 0 and "own choice" not in told.out


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_graph_that_answers_with_no_number_fails_in_words_and_as_json(words, path, capsys):
    model = onnx.load(path)
    for constant in model.graph.initializer:
        if constant.name == "gain":
            nothing = onnx.numpy_helper.to_array(constant) * np.float32(np.nan)
            constant.CopyFrom(onnx.numpy_helper.from_array(nothing, "gain"))
    onnx.save(model, path)
    code, told = run(capsys, path, *words)
    assert code == 1 and "publish checks: an output is not finite" in told.out
    if words:
        first = json.loads(told.out)["replay"]["first"]
        assert (first["what"], first["file"], first["here"]) == ("action", None, None)


def test_ctrl_c_is_one_line_and_another_exit_code(path, monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(verify, "prove", interrupted)
    code, told = run(capsys, path)
    assert (code, told.out, told.err) == (130, "", "verify: interrupted; nothing is known\n")


def test_a_graph_that_does_not_fit_its_contract_is_named_with_the_field(said, tmp_path, capsys):
    path = files.write(tmp_path / "names.onnx", replace(said, input_name="x"))
    code, told = run(capsys, path)
    assert code == 1 and "names.onnx: contract field input_name 'x'; the graph has" in told.err
    ranges = {k: v for k, v in said.command_ranges.items() if k != "body_command"}
    short = replace(said, slots=said.slots[:-1], command_ranges=ranges)
    code, told = run(capsys, files.write(tmp_path / "short.onnx", short))
    assert code == 1 and "short.onnx: tensor 'obs' has 61 columns" in told.err


@pytest.mark.parametrize("what", ["missing.onnx", "text.onnx", "empty.onnx", "cut.onnx", "."])
def test_what_cannot_be_opened_is_an_error_in_a_line(what, path, tmp_path, capsys):
    (tmp_path / "text.onnx").write_text("hello")
    (tmp_path / "empty.onnx").write_bytes(b"")
    (tmp_path / "cut.onnx").write_bytes(path.read_bytes()[:-300])
    code, told = run(capsys, tmp_path / what)
    assert code == 1 and told.err.startswith(f"verify: {tmp_path / what}") and told.out == ""
    assert told.err.count("\n") == 1


def test_an_unknown_task_or_motor_law_is_named(said, tmp_path, capsys):
    lost = files.write(tmp_path / "lost.onnx", replace(said, task="MicroDuck-Moon-v0"))
    code, told = run(capsys, lost)
    assert code == 1 and "MicroDuck-Moon-v0" in told.err


def test_the_page_is_for_pipes_too(brief, path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["servogym verify", str(path)])
    assert verify.main() == 0
    assert capsys.readouterr().out.startswith("| what ")
