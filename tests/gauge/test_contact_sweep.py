"""The contact sweep plays each physics once and tells every name it goes by."""

import json

import pytest

from servogym.gauge import contact_sweep
from servogym.gauge.acting import acting
from servogym.gauge.cell import Cell
from servogym.gauge.contact_sweep import Setting, settings, sort
from servogym.gauge.stress.runner import FAILED, Sheet

pytestmark = pytest.mark.filterwarnings("ignore:contact")


def merged(contacts, *, terrain="flat", frictions=(None,), cones=("elliptic",)):
    base = Cell(task="Go2-Flat-v0", goals=("stand_still",), options={"terrain": terrain})
    sweep = sort(base, settings(contacts, cones, frictions))
    short = {name: name.replace("/elliptic", "") for p in sweep.physics for name in p.names}
    return [[short[name] for name in p.names] for p in sweep.physics], sweep


def test_what_mujoco_lengthens_to_two_steps_is_one_physics():
    found, _ = merged(("C:0.004", "C:0.006", "C:0.01", "C:0.011"))
    assert found == [["C:0.004", "C:0.006", "C:0.01"], ["C:0.011"]]


def test_schemes_that_come_to_the_same_are_one_physics():
    on_plane, _ = merged(("native", "A", "C:0.02", "B:none,none", "C"))
    assert on_plane == [["native", "A", "C:0.02", "B:none,none"], ["C"]]
    on_hills, _ = merged(("native", "A", "C:0.02", "C"), terrain="wave:3:middle")
    assert on_hills == [["native", "C:0.02"], ["A", "C"]]


def test_frictions_time_is_told_apart_where_it_acts_and_merged_where_it_is_the_normals():
    found, _ = merged(("B:0.01,0.02", "B:0.01,0.04", "B:0.01,none", "B:0.01,0.01"))
    assert found == [["B:0.01,0.02"], ["B:0.01,0.04"], ["B:0.01,none", "B:0.01,0.01"]]


def test_friction_cones_and_impratio_are_told_apart():
    found, _ = merged(("C",), cones=("pyramidal", "pyramidal:10", "elliptic", "elliptic:10"))
    assert len(found) == 4
    rough, _ = merged(("C",), frictions=(0.4, 0.8))
    assert len(rough) == 2


def test_every_setting_stands_in_one_place_once():
    contacts = contact_sweep.CONTACTS
    found, sweep = merged(contacts, cones=contact_sweep.CONES)
    names = [name for p in sweep.physics for name in p.names]
    assert len(names) == len(set(names))
    assert len(names) + len(sweep.refused) == len(contacts) * len(contact_sweep.CONES)
    assert len(found) < len(names)


def test_what_cannot_be_is_put_aside_with_the_reason():
    _, sweep = merged(("B", "C"), cones=("pyramidal",))
    assert list(sweep.refused) == ["B/pyramidal"]
    assert "acts only with elliptic" in sweep.refused["B/pyramidal"]
    with pytest.raises(ValueError, match="none of 1 settings can be"):
        merged(("B",), cones=("pyramidal",))


def test_a_setting_keeps_what_the_cell_asks_otherwise():
    base = Cell(
        task="Go2-Flat-v0",
        goals=("stand_still",),
        options={"terrain": "flat", "randomization": {"push": 0.1}},
    )
    sweep = sort(base, [Setting(contact="C", friction=0.6)])
    options = sweep.physics[0].cell.options
    assert options["contact"] == "C" and options["randomization"]["push"] == 0.1
    assert options["randomization"]["sliding_friction"]["value"] == [0.6, 0.6]
    assert str(Setting(contact="C", friction=0.6)) == "C, friction 0.6"


def test_a_drawn_friction_is_read_from_the_robot_and_not_from_the_file():
    def friction(value):
        drawn = {"sliding_friction": {"of": "feet", "value": [value, value]}}
        _, _, contacts = acting({"task": "go2_flat", "randomization": drawn})
        return contacts[0][2]

    assert (friction(0.3), friction(0.9)) == (0.3, 0.9)


def result(quality, falls=0):
    goal = {
        "episodes": 8,
        "falls": falls,
        "diverged": 0,
        "penetration": {"p95": 1e-3, "max": 2e-3},
        "numbers": {"slip_speed": {"mean": 0.02, "robots": 8 - falls}},
    }
    metric = {"mean": quality, "mean@25": quality / 2, "zeros": 3}
    metrics = dict.fromkeys(("quality", "lin_vel_err", "friction_margin"), metric)
    score = {"goals": {"stand_still": goal}, "metrics": metrics}
    return {**FAILED, "score": score, "ending": {"outcome": "ran", "text": "ran"}}


def test_the_page_has_a_row_a_physics_with_all_its_names_and_the_dead():
    _, sweep = merged(("native", "A", "C"))
    dead = {**FAILED, "ending": {"outcome": "crashed", "text": "crashed: SIGSEGV"}}
    sheet = Sheet(results=(result(0.8, falls=2), dead), kept=0, changed=())
    found = contact_sweep.summarise(sweep, sheet)
    assert found["physics"][0]["survival"] == 0.75
    assert found["physics"][1]["survival"] == found["physics"][1]["quality"] == 0.0
    record = {"command": "x", "policy": {"name": "p", "sha256": "0" * 64}, **found}
    text = contact_sweep.page(json.loads(json.dumps(record, allow_nan=False)))
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == 2
    assert "`native/elliptic`, `A/elliptic` | 75% | 0.800" in rows[0]
    assert "crashed: SIGSEGV" in rows[1]


def test_the_command_tells_what_it_cannot_open(tmp_path, capsys):
    assert contact_sweep.main(["no/such.onnx", "--folder", str(tmp_path)]) == 1
    assert "no/such.onnx" in capsys.readouterr().err
