"""The pages about go2-flat are about the very file that ships, and say what their data say."""

import hashlib
import json

import pytest

from servogym.gauge import contact_sweep, under_motors
from servogym.gauge.bars import go2_flat

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
    assert found["marks"] == {"usable": True, "walking": True}
    assert len(found["criteria"]) == 8 and all(line["passed"] for line in found["criteria"])
