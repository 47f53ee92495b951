import json
from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge import judgement
from servogym.gauge.bars import microduck_flat as bar
from servogym.gauge.walking import Walk
from servogym.learning import card, film, folder, history, ship, spot_check
from servogym.learning.bundle import Bundle
from tests.learning import duck

STEPS = 96


@pytest.fixture
def run(tmp_path):
    """A run folder with a final checkpoint and an earlier one that was its best."""
    path = tmp_path / "elsewhere" / "first"
    final = duck.bundle(duck.policy())
    state = {**final.state, "env/qpos": np.zeros(3)}
    adam = {"adam/actor/exp_avg": np.zeros(3)}
    final = replace(final, state=state, weights={**final.weights, **adam})
    final.save(folder.checkpoint(path, STEPS))
    early = replace(duck.bundle(duck.policy(seed=1)), counters={"env_steps": 48, "updates": 1})
    early.save(path / folder.BEST)
    config = {
        "command": ["/somewhere/train.py", "MicroDuck-Flat-v0", "--out", "elsewhere/first"],
        "origin": {"commit": "abc", "cpu": "a processor", "cores": 2},
    }
    (path / folder.CONFIG).write_text(json.dumps(config))
    (path / folder.PROGRESS).write_text(f"env_steps,seconds\n48,60\n{STEPS},90\n")
    return path


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody walks: a judgement is made up, and reaches the marks that `reaches` says."""

    def made_up(subject):
        commands = [bar.STAND, bar.STRAIGHT, *(command for command, _ in bar.ACHIEVED)]
        grid = [walk(command) for command in commands]
        look, quiet = walk(bar.STRAIGHT, looking=True), walk(bar.STAND, pushed=False)
        conditions = judgement.Conditions(
            task="MicroDuck-Flat-v0",
            actuator="bam",
            episodes=2,
            seconds=20.0,
            seed=1_000_003,
            calm=False,
        )
        return judgement.Judgement(
            subject=subject, conditions=conditions, walks=[*grid, look, quiet], criteria=[]
        )

    monkeypatch.setattr(ship, "judge", made_up)
    monkeypatch.setattr(spot_check, "spot_check", lambda subject: [])
    monkeypatch.setattr(film, "film", lambda onnx, out, seconds: out.write_bytes(b"film") and [])


def walk(command, falls=0, **how):
    from servogym.gauge.statistics import STATISTICS

    done = {"vx": command[0], "vy": command[1], "wz": command[2]}
    robots = {name: (done.get(name, 0.0),) * (2 - falls) for name in STATISTICS}
    return Walk(command=command, episodes=2, falls=falls, robots=robots, **how)


def reaching(monkeypatch, marks):
    """Let the policies that are judged one after the other reach so many marks."""
    judged = {}
    monkeypatch.setattr(
        judgement.Judgement,
        "reached",
        lambda self, mark: (
            bar.MARKS.index(mark) < marks[judged.setdefault(id(self.subject.act), len(judged))]
        ),
    )


def test_everything_lies_there_under_the_name(run, tmp_path):
    shipped = ship.ship(run, "duck", tmp_path / "p")
    found = sorted(path.name for path in (tmp_path / "p").iterdir())
    assert found == ["duck", "duck.json", "duck.md", "duck.mp4", "duck.onnx"]
    assert sorted(path.name for path in shipped.files) == found
    record = json.loads((tmp_path / "p" / "duck.json").read_text())
    assert record["policy"]["file"] == f"{tmp_path}/p/duck.onnx"
    assert (tmp_path / "p" / "duck.md").read_text() == card.write("duck", record)


def test_the_weights_are_the_policys_alone_and_the_final_ones(run, tmp_path):
    ship.ship(run, "duck", tmp_path / "p")
    bundle = Bundle.load(tmp_path / "p" / "duck")
    assert not bundle.state and all(name.startswith("policy/") for name in bundle.weights)
    assert bundle.counters["env_steps"] == STEPS


@pytest.mark.parametrize(
    ("final", "best", "steps", "words"),
    [(1, 1, STEPS, ship.FINAL), (1, 2, 48, ship.BEST), (2, 0, STEPS, ship.FINAL)],
)
def test_the_best_ships_only_where_it_reaches_more_than_the_final_one(
    run, tmp_path, monkeypatch, final, best, steps, words
):
    reaching(monkeypatch, [final, best])
    record = ship.ship(run, "duck", tmp_path / "p").record
    assert record["training"]["env_steps"] == steps and record["checkpoint"] == words


def test_a_checkpoint_chosen_by_hand_is_said_to_be(run, tmp_path):
    shipped = ship.ship(run / folder.BEST, "duck", tmp_path / "p")
    assert shipped.record["checkpoint"] == ship.CHOSEN
    assert "runs/first/best --name duck" in shipped.record["shipping"]


def test_nothing_is_replaced_unless_asked(run, tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "duck.md").write_text("mine")
    with pytest.raises(FileExistsError, match=r"duck\.md exists; --force"):
        ship.ship(run, "duck", tmp_path / "p")
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["duck.md"]
    ship.ship(run, "duck", tmp_path / "p", force=True)
    assert (tmp_path / "p" / "duck.md").read_text() != "mine"


def test_a_step_that_fails_leaves_what_was_there(run, tmp_path, monkeypatch):
    ship.ship(run, "duck", tmp_path / "p")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "p").rglob("*")}

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(film, "film", broken)
    with pytest.raises(OSError, match="disk full"):
        ship.ship(run, "duck", tmp_path / "p", force=True)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "p").rglob("*")} == before


def test_without_a_display_all_else_ships_and_the_reason_is_given(run, tmp_path, monkeypatch):
    def dark(*_):
        raise ImportError("pip install servogym[video]")

    monkeypatch.setattr(film, "film", dark)
    shipped = ship.ship(run, "duck", tmp_path / "p")
    assert shipped.no_film == "pip install servogym[video]"
    assert not (tmp_path / "p" / "duck.mp4").exists() and (tmp_path / "p" / "duck.md").exists()


def test_no_path_of_this_machine_is_shipped(run, tmp_path):
    ship.ship(run, "duck", tmp_path / "p")
    everything = b"".join(p.read_bytes() for p in (tmp_path / "p").rglob("*") if p.is_file())
    for place in (b"elsewhere", b"/somewhere"):
        assert place not in everything


def test_the_history_says_how_to_make_it_again(run):
    checkpoint = folder.latest(run)
    found = history.history(checkpoint, Bundle.load(checkpoint))
    assert found["command"] == "python train.py MicroDuck-Flat-v0"
    assert (found["seed"], found["env_steps"], found["minutes"]) == (0, STEPS, 1.5)
    assert found["preset"]["n_envs"] == 4 and "gamma" not in found["preset"]
    assert found["origin"]["commit"] == "abc"


def test_a_card_says_what_a_run_began_with(run, tmp_path):
    ship.ship(run, "fresh", tmp_path / "policies")
    assert "began with" not in (tmp_path / "policies" / "fresh.md").read_text()
    path = run / folder.CONFIG
    start = {"from": "policies/duck", "weights": "ab12", "env_steps": 12005376}
    path.write_text(json.dumps({**json.loads(path.read_text()), "start": start}))
    ship.ship(run, "late", tmp_path / "policies")
    page = (tmp_path / "policies" / "late.md").read_text()
    assert "began with" in page
    assert "`policies/duck` after 12 005 376 steps, weights of sha256 `ab12`" in page


@pytest.mark.parametrize(
    ("argv", "typed"),
    [
        (["/a/train.py", "X", "--out=/b", "--seed", "2"], "python train.py X --seed 2"),
        (["/a/learning/walk.py"], "python -m servogym.learning.walk"),
        (["servogym train", "X"], "servogym train X"),
        (["/usr/bin/servogym-train", "X", "--out", "b"], "servogym-train X"),
    ],
)
def test_a_command_is_given_as_one_would_type_it(argv, typed):
    assert history.command(argv) == typed


def record(marks, forward=0.25, falls=0, criteria=()):
    straight = walk((forward, 0.0, 0.0), falls)
    walks = [replace(straight, command=bar.STRAIGHT), walk((0.0, 0.2, 0.0))]
    written = [judgement._walk(each) for each in walks]
    return {
        "task": "MicroDuck-Flat-v0",
        "seconds": 20.0,
        "walks": written,
        "criteria": list(criteria),
        "marks": dict(zip(bar.MARKS, marks, strict=True)),
        "training": {"seed": 3},
    }


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (record((True, True)), "A MicroDuck that walks forward, over the walking bar."),
        (record((True, False)), "A MicroDuck that walks forward: usable, but not over"),
        (record((False, False)), "A MicroDuck that walks forward, but not what we call usable."),
        (record((False, False), forward=0.1), "Not yet a MicroDuck that walks forward."),
        (record((False, False), falls=2), "Not yet a MicroDuck that walks forward."),
    ],
)
def test_the_verdict_is_what_was_measured(found, words):
    said = card.verdict(found)
    assert said.startswith(words)
    assert f"{found['walks'][0]['falls']} of 4 pushed episodes" in said


def test_a_policy_whose_task_has_no_bar_is_told_from_its_first_forward_command_and_its_ground():
    found = {**record((False, False), forward=0.3), "task": "Go2-Rough-v0", "marks": {}}
    standing = {**found["walks"][0], "command": [0.0, 0.0, 0.0]}
    found["walks"] = [standing, *found["walks"]]
    said = card.verdict(found)
    assert said.startswith("A Go2 whose task has no bar. Asked for 0.25 m/s it made 0.30 m/s;")
    (ground,) = [line for line in card.weaknesses(found) if "cannot get up" in line]
    assert ground.startswith(
        "tried on slope_down, slope_up, stairs_down, stairs_up, wave, obstacle"
    )
    flat = card.weaknesses(record((True, True)))
    assert "flat floor only, and it cannot get up after a fall" in flat


def test_weaknesses_name_missed_limits_falls_and_motion_nobody_asked_for():
    missed = {
        "mark": "walking",
        "name": "strides per foot",
        "value": 4.8,
        "limit": 3.5,
        "at_least": False,
        "strict": False,
        "passed": False,
    }
    found = record((True, False), falls=1, criteria=[missed, {**missed, "passed": True}])
    found["walks"][1]["statistics"]["wz"]["mean"] = 0.2
    lines = "\n".join(card.weaknesses(found))
    assert lines.count("strides per foot is 4.8, <= 3.5 is needed") == 1
    assert "forward +0.25 1/2" in lines
    assert "moves yaw though that was not asked [rad/s]: sideways +0.2: +0.20\n" in lines
    assert "seed 3" in lines and "moves forward" not in lines
