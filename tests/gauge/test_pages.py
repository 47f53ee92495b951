"""The pages about go2-flat are about the very file that ships, and say what their data say."""

import hashlib
import json
from itertools import product

import pytest

from servogym.gauge import contact_sweep, under_motors
from servogym.gauge.bars import go2_flat
from servogym.gauge.walking import Walk

PAGES = {"go2-motors": under_motors.page, "go2-contacts": contact_sweep.page}


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_of_the_shipped_file_and_of_its_data(name, checkout):
    record = json.loads((checkout / "docs" / f"{name}.json").read_text("utf-8"))
    policy = record["policy"]
    assert policy["file"] == "policies/go2-flat.onnx"
    assert policy["sha256"] == sha(checkout / policy["file"])
    page = (checkout / "docs" / f"{name}.md").read_text("utf-8")
    assert page == PAGES[name](record)
    assert policy["sha256"][:16] in page


def test_the_bar_on_the_motor_of_24_volts_is_of_the_shipped_file_and_reached(checkout):
    found = json.loads((checkout / "docs" / "cards" / "go2-flat-dc-24v.json").read_text("utf-8"))
    shipped = "policies/go2-flat.onnx"
    assert found["policy"] == {"file": shipped, "sha256": sha(checkout / shipped)}
    assert (found["task"], found["actuator"], found["calm"]) == ("Go2-Flat-v0", "dc-24v", False)
    asked = {tuple(walk["command"]) for walk in found["walks"]}
    assert asked == set(go2_flat.COMMANDS)
    assert sum(walk["episodes"] for walk in found["walks"] if walk["pushed"]) >= 100
    held_again(found)


def test_the_bar_on_the_cards_is_of_the_shipped_file_and_reached(checkout):
    (entry,) = json.loads((checkout / "docs" / "cards" / "go2-flat.json").read_text())["entries"]
    held_again(entry["bar"])
    held_again(json.loads((checkout / "policies" / "go2-flat.json").read_text("utf-8")))


def held_again(stored):
    """Hold what every robot did, as it is stored, against the bar: all of it is met."""
    assert stored["seconds"] == 20.0 and not stored["calm"]
    walks = [
        Walk(
            command=tuple(walk["command"]),
            looking=walk["looking"],
            pushed=walk["pushed"],
            episodes=walk["episodes"],
            falls=walk["falls"],
            robots={name: tuple(s["robots"]) for name, s in walk["statistics"].items()},
        )
        for walk in stored["walks"]
    ]
    criteria = go2_flat.judge(walks)
    assert len(criteria) == 8 and all(line.passed for line in criteria)
    for line, kept in zip(criteria, stored["criteria"], strict=True):
        assert (line.name, line.passed) == (kept["name"], kept["passed"])
        assert line.value == pytest.approx(kept["value"], rel=1e-4, abs=1e-6)
    assert stored["marks"] == {"usable": True, "walking": True}


def test_the_table_has_every_motor_under_every_scheme_and_says_what_those_come_to(checkout):
    record = json.loads((checkout / "docs" / "go2-motors.json").read_text("utf-8"))
    rows = {(row["motor"], row["scheme"]) for row in record["rows"]}
    assert rows == set(product(("pd", "dc-24v", "dc-29.6v", "pd+gap"), "ABC"))
    assert all(row["ending"] == "ran" for row in record["rows"])
    assert record["acts"] == {"A": "native", "B": "B:0.01,0.02", "C": "C:0.01"}
