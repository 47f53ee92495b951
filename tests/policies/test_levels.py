"""The levels go2-rough is said to pass are what this very file does, robot by robot again."""

import hashlib
import json
from pathlib import Path

import pytest

from servogym.gauge.cell import Cell
from servogym.gauge.levels import KINDS, PASSED, Look, attempt, fixed
from servogym.gauge.subject import load

ROOT = Path(__file__).resolve().parent.parent.parent
POLICY = ROOT / "policies" / "go2-rough.onnx"
CARDS = ROOT / "docs" / "cards"
FOUND = json.loads((CARDS / "go2-rough-levels.json").read_text("utf-8"))
DRAWN = json.loads((CARDS / "go2-rough-levels-drawn.json").read_text("utf-8"))


def test_the_levels_are_those_of_this_very_file():
    for found in (FOUND, DRAWN):
        assert found["policy"] == "policies/go2-rough.onnx"
        assert found["sha256"] == hashlib.sha256(POLICY.read_bytes()).hexdigest()
    assert (DRAWN["friction"], DRAWN["mass"]) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_the_level_it_is_said_to_pass_it_passes_again(kind):
    level = FOUND[kind]["level"]
    if level == 0:
        assert not any(look["passed"] for look in FOUND[kind]["looks"].values())
        return
    told = FOUND[kind]["looks"][str(level)]
    drawn = fixed(FOUND["friction"], FOUND["mass"])
    cell = Cell(
        task=FOUND["task"],
        robots=FOUND["robots"],
        seed=FOUND["seed"],
        options={"randomization": drawn},
    )
    subject, seen = load(POLICY), Look()
    for number in range(told["looks"]):
        seen += attempt(cell, kind, level, subject, number=number)
    assert seen.tried == told["tried"] and told["done"] >= PASSED * told["tried"]
    assert abs(seen.done - told["done"]) <= 1  # another CPU rounds otherwise


def test_the_page_says_the_same():
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    for kind in KINDS:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {kind} | ")]
        cells = row.strip("| ").split(" | ")
        assert cells[1] == f"{FOUND[kind]['level']} of 10"
        assert cells[4] == f"{DRAWN[kind]['level']} of 10"
