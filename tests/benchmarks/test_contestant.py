"""Contestants take turns; one that does not start says why; none is left behind."""

import json
import os
import shutil
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks import contestant, cpu
from benchmarks.contestant import Absent, Contestant, rounds

GOOD = """
import os, subprocess, sys, time
from turns import serve

def make(log):
    print("a library greets")
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    def turn(seconds):
        print("a library chats")
        with open(log, "a") as file:
            file.write(f"{os.getpid()}\\n")
        return {"steps": 1, "seconds": seconds, "child": child.pid}

    return {"pid": os.getpid(), "omp": os.environ.get("OMP_NUM_THREADS")}, turn

serve(make)
"""


@pytest.fixture
def scripts(tmp_path, monkeypatch) -> Path:
    shutil.copy(contestant.SCRIPTS / "turns.py", tmp_path / "turns.py")
    (tmp_path / "good.py").write_text(GOOD)
    monkeypatch.setattr(contestant, "SCRIPTS", tmp_path)
    return tmp_path


def test_everybody_has_a_turn_in_each_round_and_another_one_begins_each_time(scripts):
    log = scripts / "log"
    with ExitStack() as stack:
        players = [
            stack.enter_context(Contestant(name, "good.py", {"log": str(log)})) for name in "ab"
        ]
        answers = rounds(players, 3, 0.5, "a test")
        a, b = (player.facts["pid"] for player in players)
    assert [int(pid) for pid in log.read_text().split()] == [a, b, a, b, b, a, a, b]
    assert {name: [each["seconds"] for each in found] for name, found in answers.items()} == {
        "a": [0.5] * 3,
        "b": [0.5] * 3,
    }


def test_libraries_get_one_thread_each_unless_it_is_told_otherwise(scripts, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for capped, count in ((True, "1"), (False, None)):
        with Contestant("x", "good.py", {"log": os.devnull}, capped=capped) as player:
            assert player.facts["omp"] == count


def test_closing_ends_what_the_contestant_started_too(scripts):
    with Contestant("x", "good.py", {"log": os.devnull}) as player:
        child = player.turn(0.1)["child"]
        assert set(cpu.seconds_used(player.facts["pid"])) == {player.facts["pid"], child}
    patience = time.monotonic() + 10.0
    while _runs(child):
        assert time.monotonic() < patience, "the child outlived its contestant"
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_one_that_does_not_start_says_why(scripts):
    (scripts / "bad.py").write_text("raise SystemExit('no such robot: duck')\n")
    with pytest.raises(Absent, match="mallard: ended; no such robot: duck"):
        Contestant("mallard", "bad.py", {})


def test_one_that_ends_in_a_turn_says_why(scripts):
    (scripts / "weak.py").write_text(
        "from turns import serve\n\n"
        "def turn(seconds):\n    raise ValueError('out of breath')\n\n"
        "serve(lambda: ({}, turn))\n"
    )
    with Contestant("x", "weak.py", {}) as player, pytest.raises(Absent, match="out of breath"):
        player.turn(0.1)


def test_busy_cores_are_told_together_and_for_the_busiest_process():
    found = cpu.busy({1: 5.0, 2: 1.0}, {1: 6.0, 2: 2.5, 3: 0.5}, 2.0)
    assert found == {"cores": 1.5, "busiest": 0.75}


def test_options_reach_a_contestant_as_json(scripts):
    (scripts / "echo.py").write_text(
        "from turns import serve\nserve(lambda **options: (options, None))\n"
    )
    options = {"case": "bam + backlash", "cpus": [0, 1]}
    with Contestant("x", "echo.py", options) as player:
        assert player.facts == json.loads(json.dumps(options))
