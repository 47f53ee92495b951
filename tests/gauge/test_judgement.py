"""A judgement can be kept, read and required, and says the same thing every time."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from servogym import evaluate
from servogym.deploy.contract import Contract, fingerprint
from servogym.envs.core import Core
from servogym.gauge import checkpoints, judgement, page
from servogym.gauge.bars import microduck_flat as bar
from servogym.gauge.judgement import Conditions, Judgement, judge, write
from servogym.gauge.subject import Subject
from tests.gauge.made_up import walks


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Core("microduck_flat", 1).contract


@pytest.fixture
def subject(contract) -> Subject:
    """A policy that lets the robot topple at once."""
    return Subject(
        act=lambda obs: np.full((len(obs), 14), 1.5),
        contract=contract,
        file=Path("policy.onnx"),
        sha256="0" * 64,
        library="onnxruntime",
    )


HOW = Conditions(
    task="MicroDuck-Flat-v0", actuator="bam", episodes=1, seconds=3.0, seed=5, calm=False
)


def judged(subject, found=None) -> Judgement:
    found = found or walks()
    return Judgement(subject=subject, conditions=HOW, walks=found, criteria=bar.judge(found))


def test_the_same_policy_is_judged_with_the_same_bytes(subject, tmp_path):
    for name in ("one", "two"):
        write(judge(subject, HOW).record(), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    record = json.loads((tmp_path / "one").read_text())
    assert len(record["walks"]) == 18 and record["criteria"] == []
    assert sum(walk["falls"] for walk in record["walks"]) > 12
    assert [w["pushed"] for w in record["walks"]] == [True] * 17 + [False]
    assert (record["seed"], record["policy"]["sha256"]) == (5, "0" * 64)
    assert set(record["versions"]) == {"servogym", "mujoco", "numpy", "onnxruntime", "python"}


def test_calm_means_no_pushes_and_no_bar(subject):
    found = judge(subject, Conditions(**{**vars(HOW), "calm": True, "seconds": 20.0}))
    assert found.criteria == [] and not any(walk.pushed for walk in found.walks)
    assert not any(found.reached(mark) for mark in bar.MARKS)


def test_a_record_holds_every_robot_and_every_criterion(subject):
    record = judged(subject, walks({(bar.STRAIGHT, "grid"): {"power": 4.0123456789}})).record()
    power = record["walks"][4]["statistics"]["power"]
    assert power["robots"] == [4.01235] * 7 and power["mean"] == 4.01235
    (missed,) = (c for c in record["criteria"] if not c["passed"])
    assert (missed["name"], missed["limit"]) == ("mechanical power, straight [W]", 4.0)
    assert record["marks"] == {"usable": True, "walking": False}


def test_what_could_not_be_measured_is_null(subject):
    fall = {(bar.STRAIGHT, "grid"): {"falls": 7}}
    record = judged(subject, walks(fall)).record()
    assert record["walks"][4]["statistics"]["vx"] == {"mean": None, "interval": None, "robots": []}


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    file = tmp_path / "judged.json"
    write({"a": 1}, file)
    with pytest.raises(ValueError):
        write({"a": float("nan")}, file)
    assert json.loads(file.read_text()) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["judged.json"]


def test_the_page_has_a_line_for_every_command_and_criterion(subject):
    text = page.write(judged(subject, walks({(bar.STRAIGHT, "grid"): {"swing": 0.1}})))
    assert text.count("| forward +0.25, head too ") == 3
    assert text.count("| ok ") == 27 and text.count("| NO ") == 1
    assert "**usable**: reached, 4 of 4" in text and "**walking**: not reached, 23 of 24" in text


def test_fallen_robots_leave_dashes(subject):
    fall = {(bar.STRAIGHT, "grid"): {"falls": 7}, (bar.STAND, "quiet"): {"falls": 7}}
    text = page.write(judged(subject, walks(fall)))
    assert "nan" not in text and "Standing unpushed: every robot fell." in text


def run(monkeypatch, found, *words):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *words, "--bar"])
    monkeypatch.setattr(evaluate, "load", lambda path: found.subject)
    monkeypatch.setattr(judgement, "judge", lambda subject, conditions: found)
    return evaluate.main()


def test_a_required_mark_that_is_missed_fails_the_command(subject, monkeypatch):
    slow = judged(subject, walks({(bar.STRAIGHT, "grid"): {"swing": 0.1}}))
    assert run(monkeypatch, slow, "policy.onnx") == 0
    assert run(monkeypatch, slow, "policy.onnx", "--require", "usable") == 0
    assert run(monkeypatch, slow, "policy.onnx", "--require", "walking") == 1


def test_another_motor_law_is_warned_of_and_both_names_are_kept(
    subject, monkeypatch, tmp_path, capsys
):
    other = replace(judged(subject), conditions=replace(HOW, actuator="pd"))
    words = ("policy.onnx", "--actuator", "pd", "--json", str(tmp_path / "judged.json"))
    assert run(monkeypatch, other, *words) == 0
    assert "warning: judged on actuator 'pd', trained on 'bam'" in capsys.readouterr().err
    record = json.loads((tmp_path / "judged.json").read_text())
    assert (record["actuator"], record["trained_actuator"]) == ("pd", "bam")
    with pytest.raises(SystemExit, match="trained on 'bam'; --strict refuses that"):
        run(monkeypatch, other, *words, "--strict")


def test_the_same_motor_law_with_other_numbers_is_another(subject):
    assert judgement.mismatch(subject, HOW) == ""
    motor = subject.contract.motor
    weak = {**motor, "parameters": {**motor["parameters"], "kp_fw": 100}}
    contract = replace(subject.contract, motor=weak, actuator_hash=fingerprint(weak))
    wrong = judgement.mismatch(replace(subject, contract=contract), HOW)
    assert "motor.parameters.kp_fw is 100 in the file, 200 here" in wrong


def test_the_same_motors_on_another_battery_are_named(subject):
    weak = {**subject.contract.supply, "volts": 6.0}
    wrong = judgement.mismatch(
        replace(subject, contract=replace(subject.contract, supply=weak)), HOW
    )
    assert "another battery than it was trained on: supply.volts is 6.0 in the file, 7.4" in wrong


def test_encoders_sit_where_they_sat_in_training(subject, monkeypatch):
    sides = []

    def watched(policy, **how):
        sides.append(how["encoder"])
        return []

    monkeypatch.setattr(judgement, "measure", watched)
    contract = replace(subject.contract, encoder="motor")
    judgement.judge(replace(subject, contract=contract), replace(HOW, seconds=10.0))
    assert sides == ["motor"] * 2


def test_a_record_gets_its_folder_before_anybody_walks(subject, monkeypatch, tmp_path):
    def walked(*_):
        assert (tmp_path / "new" / "deep").is_dir()
        return judged(subject)

    place = tmp_path / "new" / "deep" / "judged.json"
    monkeypatch.setattr(judgement, "judge", walked)
    monkeypatch.setattr(evaluate, "load", lambda path: subject)
    monkeypatch.setattr("sys.argv", ["evaluate.py", "policy.onnx", "--bar", "--json", str(place)])
    assert evaluate.main() == 0 and place.exists()
    monkeypatch.setattr(
        "sys.argv", ["evaluate.py", "policy.onnx", "--bar", "--json", str(tmp_path)]
    )
    monkeypatch.setattr(judgement, "judge", lambda *_: pytest.fail("walked for nothing"))
    with pytest.raises(SystemExit, match="is a folder"):
        evaluate.main()


def test_ctrl_c_is_one_line(subject, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "load", interrupted)
    monkeypatch.setattr("sys.argv", ["evaluate.py", "policy.onnx"])
    with pytest.raises(SystemExit, match="evaluate: interrupted"):
        evaluate.main()


def test_the_same_motors_pass_when_strict(subject, monkeypatch, capsys):
    assert run(monkeypatch, judged(subject), "policy.onnx", "--strict") == 0
    assert capsys.readouterr().err == ""


def test_pytorch_is_not_loaded_before_its_threads_are_limited():
    """With two threads a busy machine judges a checkpoint five times slower."""
    code = "import sys, servogym.evaluate; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_record_says_how_to_measure_again_but_not_where_it_lies(subject, monkeypatch, tmp_path):
    written = []
    for name in ("a.json", "b.json"):
        words = ("policy.onnx", "--json", str(tmp_path / name), "--seed", "3", "--calm")
        run(monkeypatch, judged(subject), *words)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    command = json.loads(written[0])["command"]
    assert command == "python evaluate.py policy.onnx --seed 3 --calm --bar"


@pytest.fixture
def a_run(tmp_path, subject, monkeypatch):
    """A run of three checkpoints, resumed after the second: it walks in the end."""
    for steps in (100, 200, 300):
        (tmp_path / "checkpoints" / f"{steps:010d}").mkdir(parents=True)
    rows = ("env_steps,seconds", "100,60", "150,90", "200,120", "250,60", "300,90")
    (tmp_path / "progress.csv").write_text("\n".join(rows) + "\n")
    fall = {((0.2, 0.1, 0.0), "grid"): {"falls": 7}}
    limp = {(bar.STRAIGHT, "grid"): {"asymmetry": 0.5}}
    skill = {100: walks(fall), 200: walks(limp), 300: walks()}
    monkeypatch.setattr(checkpoints, "load", lambda path: path)
    monkeypatch.setattr(
        checkpoints, "judge", lambda path, _: judged(subject, skill[int(path.name)])
    )
    return tmp_path


def test_checkpoints_tell_when_each_mark_was_reached(a_run):
    stages = list(checkpoints.stages(a_run, HOW))
    assert [stage.env_steps for stage in stages] == [100, 200, 300]
    # learnt from by the next row's time; a resumed run goes on from what was spent before
    assert [stage.seconds for stage in stages] == [90, 180, 210]
    assert page.first_reached(stages).splitlines() == [
        "usable: first at 200 environment steps, 3.00 min of training",
        "walking: first at 300 environment steps, 3.50 min of training",
    ]
    line = " ".join(page.stage(stages[0]).split())
    assert line == "100 1.50 7/112 3 of 4 23 of 24"
    assert stages[2].record()["marks"] == {"usable": True, "walking": True}
    assert page.first_reached(stages[:1]) == "usable: not reached\nwalking: not reached"


def test_a_run_without_checkpoints_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        list(checkpoints.stages(tmp_path, HOW))
    with pytest.raises(FileNotFoundError, match="nothing: no such folder"):
        list(checkpoints.stages(tmp_path / "nothing", HOW))
