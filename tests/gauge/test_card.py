"""`evaluate.py` makes cards: for one policy or several, for people, for machines and for CI."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from servogym import evaluate
from servogym.gauge import card, subject
from servogym.gauge.cell import Cell
from servogym.gauge.compare import moved
from servogym.gauge.play import play
from tests.gauge.cards import card as made_card
from tests.gauge.cards import entry, summary

SHIPPED = Path(__file__).resolve().parent.parent.parent / "policies" / "microduck-walk.onnx"
BRIEF = ("--robots", "1", "--seconds", "1.5", "--goals", "straight_line", "stand_still")


def run(monkeypatch, *words):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *map(str, words)])
    return evaluate.main()


def refused(monkeypatch, *words):
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, *words)
    return str(stopped.value)


def test_a_card_is_a_json_and_a_page_beside_it_with_the_same_bytes_each_time(
    monkeypatch, tmp_path, capsys
):
    for name in ("a", "b"):
        assert run(monkeypatch, SHIPPED, *BRIEF, "--json", tmp_path / f"{name}.json") == 0
    for kind in ("json", "html"):
        one, two = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("a", "b"))
        assert one == two, kind
    record = json.loads((tmp_path / "a.json").read_text())
    (column,) = record["entries"]
    assert column["score"]["rules"] == "servogym" and column["bar"] is None  # no 20 s
    assert column["score"]["subject"]["trained_actuator"] == "bam"
    assert [b["name"] for b in column["baselines"]] == ["zero", "random"]
    assert record["command"].endswith("--goals straight_line stand_still --robots 1 --seconds 1.5")
    assert "servogym rules (default)" in capsys.readouterr().out


def test_a_card_has_its_place_unless_it_is_told_another(monkeypatch, tmp_path):
    assert run(monkeypatch, SHIPPED, *BRIEF) == 0
    made = {path.as_posix() for path in Path("cards").iterdir()}  # tests run in an empty folder
    assert made == {"cards/microduck-walk.json", "cards/microduck-walk.html"}


def test_two_motor_laws_are_two_columns_and_the_metric_that_moved_most_is_named(
    monkeypatch, tmp_path, capsys
):
    out = tmp_path / "laws.json"
    words = (SHIPPED, *BRIEF, "--actuator", "bam", "pd", "--json", out)
    assert run(monkeypatch, *words) == 0
    shown = capsys.readouterr()
    assert "warning: judged on actuator 'pd', trained on 'bam'" in shown.err
    record = json.loads(out.read_text())
    assert [e["label"] for e in record["entries"]] == [
        "microduck-walk on bam",
        "microduck-walk on pd",
    ]
    assert [e["score"]["world"]["actuator"] for e in record["entries"]] == ["bam", "pd"]
    (change,) = record["moved"]
    most = max(change["metrics"][1:], key=lambda m: abs(m["change"]))
    assert change["most"] == most["metric"] and abs(most["change"]) > 0.01
    assert "moved most" in shown.out
    assert "trained on 'bam'; --strict refuses" in refused(monkeypatch, *words, "--strict")


def test_a_policy_and_doing_nothing_stand_side_by_side(monkeypatch, tmp_path):
    out = tmp_path / "both.json"
    goals = ("--goals", "straight_line", "--robots", "1", "--seconds", "3", "--json", out)
    assert run(monkeypatch, "zero", SHIPPED, *goals) == 0
    zero, walk = json.loads(out.read_text())["entries"]
    assert (zero["label"], walk["label"]) == ("zero", "microduck-walk")
    assert "no_better_than_nothing" in zero["score"]["flags"]  # pain 38
    assert walk["score"]["flags"] == []
    assert walk["baselines"][0]["policy"] > walk["baselines"][0]["quality"]


def test_policies_of_one_name_go_by_their_files(monkeypatch, tmp_path):
    twin = tmp_path / "twin" / "microduck-walk.onnx"
    twin.parent.mkdir()
    shutil.copy(SHIPPED, twin)
    out = tmp_path / "twins.json"
    stand = ("--goals", "stand_still", "--robots", "1", "--seconds", "1", "--json", out)
    assert run(monkeypatch, SHIPPED, twin, *stand) == 0
    record = json.loads(out.read_text())
    assert [e["label"] for e in record["entries"]] == [SHIPPED.as_posix(), twin.as_posix()]
    assert all(m["change"] == 0 for m in record["moved"][0]["metrics"])


def test_ci_is_told_by_the_exit_code(monkeypatch, tmp_path, capsys):
    stored = tmp_path / "stored.json"
    words = (SHIPPED, "--goals", "stand_still", "--robots", "2", "--seconds", "2", "--json")
    assert run(monkeypatch, *words, stored, "--least", "0.5") == 0
    assert run(monkeypatch, *words, tmp_path / "new.json", "--least", "0.9999") == 1
    assert run(monkeypatch, *words, tmp_path / "new.json", "--require", "usable") == 1  # no bar
    against = ("--against", stored)
    assert run(monkeypatch, *words, tmp_path / "new.json", *against) == 0
    better = json.loads(stored.read_text())
    better["entries"][0]["score"]["metrics"]["zmp_margin"]["mean"] += 0.05
    for one in better["entries"][0]["score"]["played"]:
        one["metrics"]["zmp_margin"] += 0.05
    stored.write_text(json.dumps(better))
    capsys.readouterr()
    assert run(monkeypatch, *words, tmp_path / "new.json", *against) == 1
    assert "balance fell from" in capsys.readouterr().out
    assert run(monkeypatch, *words, tmp_path / "new.json", *against, "--tolerance", "0.1") == 0


def test_a_flag_fails_what_asks_for_quality():
    assert card.accepted(made_card(), None, None)
    good = made_card(entry(metrics={"quality": summary(0.7)}))
    assert card.accepted(good, 0.7, None) and not card.accepted(good, 0.71, None)
    flagged = made_card(entry(metrics={"quality": summary(0.7)}, flags=["stands_still"]))
    assert not card.accepted(flagged, 0.1, None)


def test_every_column_must_be_good_enough():
    column = entry(metrics={"quality": summary(0.7)})
    worse = entry(metrics={"quality": summary(0.6)})
    assert not card.accepted(made_card(column, worse), 0.65, None)
    reached = {**column, "bar": {"marks": {"usable": True, "walking": False}}}
    assert card.accepted(made_card(reached), None, "usable")
    assert not card.accepted(made_card(reached), None, "walking")
    assert not card.accepted(made_card(reached, column), None, "usable")


def test_a_card_of_other_conditions_is_no_yardstick(monkeypatch, tmp_path):
    stored = tmp_path / "stored.json"
    stand = ("--goals", "stand_still", "--robots", "1", "--seconds", "1")
    assert run(monkeypatch, SHIPPED, *stand, "--json", stored) == 0
    before = stored.read_bytes()
    said = refused(monkeypatch, SHIPPED, *stand, "--seed", "5", "--against", stored)
    assert "other conditions: seed is 2000003 in the first, 5 in the second" in said
    said = refused(
        monkeypatch, SHIPPED, *stand, "--json", tmp_path / "x.json", "--against", SHIPPED
    )
    assert "is no JSON" in said
    (tmp_path / "judged.json").write_text('{"format": "servogym-evaluation-1"}')
    said = refused(monkeypatch, SHIPPED, *stand, "--against", tmp_path / "judged.json")
    assert "has format 'servogym-evaluation-1'; a card has 'servogym-card-1'" in said
    said = refused(monkeypatch, SHIPPED, *stand, "--against", tmp_path / "none.json")
    assert "none.json: no such file" in said
    assert stored.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no policy given"),
        (("zero",), "--task is needed for zero"),
        ((SHIPPED, "--checkpoints"), "say --bar --checkpoints"),
        ((SHIPPED, SHIPPED, "--bar"), "--bar judges one policy on one motor law"),
        ((SHIPPED, "--bar", "--actuator", "bam", "pd"), "--bar judges one policy"),
        ((SHIPPED, "--bar", "--terrain", "wave:1"), "--terrain belong to the card"),
        ((SHIPPED, SHIPPED, "--against", "x.json"), "--against holds one policy"),
        ((SHIPPED, "--task", "Duck-v7"), "unknown environment 'Duck-v7'"),
        ((SHIPPED, "--task", "Go2-Flat-v0", "--actuator", "pd", *BRIEF), "does not fit Go2-Flat"),
        ((SHIPPED, "--level", "3", *BRIEF), "level 3: the task has no field"),
        (("nothing.onnx",), "nothing.onnx"),
        ((SHIPPED, SHIPPED, *BRIEF), "microduck-walk.onnx given twice"),
        ((SHIPPED, "--actuator", "pd", "pd", *BRIEF), "pd given twice"),
        ((SHIPPED, "--tolerance", "nan"), "--tolerance nan; needs a number from 0 to 1"),
        ((SHIPPED, "--least", "nan"), "--least nan; needs a quality from 0 to 1"),
        ((SHIPPED, "--seconds", "inf"), "seconds inf; needs a multiple of 0.1"),
        ((SHIPPED, "--json", "/proc/card.json"), "/proc/card.json cannot be written"),
        ((SHIPPED, "--json", f"{250 * 'x'}.json"), "cannot be written: File name too long"),
        ((SHIPPED, "--json", "card.html"), "card.html is read, and would be overwritten"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line_and_leaves_no_file(monkeypatch, words, said):
    assert re.search(said, refused(monkeypatch, *words))
    assert not [path for path in Path().rglob("*.*") if path.suffix in (".json", ".html")]


def test_what_is_read_is_not_written_over(monkeypatch, tmp_path):
    policy, stored = tmp_path / "walk.onnx", tmp_path / "walk.json"
    shutil.copy(SHIPPED, policy)
    stored.write_text(json.dumps(made_card()))
    before = [path.read_bytes() for path in (policy, stored)]
    for words in (
        ("--json", policy),
        ("--bar", "--json", policy),
        ("--html", policy),
        ("--json", stored, "--against", stored),
    ):
        assert "would be overwritten" in refused(monkeypatch, policy, *words)
    assert [path.read_bytes() for path in (policy, stored)] == before


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda made: made.pop("entries"), "something is missing .KeyError: 'entries'"),
        (lambda made: made.update(entries="abc"), "something is missing .TypeError"),
        (lambda made: made.update(entries=[]), "a card without a column"),
        (lambda made: made["entries"][0]["score"].pop("cell"), "KeyError: 'cell'"),
        (lambda made: made["entries"][0]["score"]["played"][0].pop("metrics"), "KeyError"),
        (lambda made: made["entries"].append(made["entries"][0]), "needs a card of one"),
        (lambda made: None, "other conditions: goals is"),
    ],
)
def test_a_stored_card_is_looked_at_before_anything_is_played(monkeypatch, tmp_path, damage, said):
    def played(*_, **__):
        raise AssertionError("it was played first")

    monkeypatch.setattr(card, "entry", played)
    made = made_card()
    damage(made)
    (tmp_path / "stored.json").write_text(json.dumps(made))
    assert re.search(said, refused(monkeypatch, SHIPPED, "--against", tmp_path / "stored.json"))


def test_a_policy_that_does_not_fit_is_refused_before_the_others_play(monkeypatch, tmp_path):
    def played(*_, **__):
        raise AssertionError("the others played first")

    monkeypatch.setattr(card, "entry", played)
    said = refused(monkeypatch, SHIPPED.with_name("go2-flat.onnx"), SHIPPED)
    assert "microduck-walk does not fit Go2-Flat-v0" in said


def test_a_score_is_compared_with_one_read_from_a_file():
    """Numbers in JSON have six digits; a metric that was not measured is null."""
    cell = Cell(task="MicroDuck-Flat-v0", goals=("stand_still",), robots=2, seconds=1.0)
    score = play(cell, subject.zero(cell.task))
    kept = json.loads(json.dumps(score.record()))
    assert all(m.change == 0 for m in moved(kept, kept))
