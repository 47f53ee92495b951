"""Motors that give less than they are asked for, and one policy under several of them."""

import json

import numpy as np
import pytest

from servogym import actuators, robots
from servogym.actuators.base import Signals
from servogym.gauge import saturation, under_motors
from servogym.gauge.cell import Cell
from servogym.gauge.saturation import Watched
from servogym.gauge.stress.runner import FAILED, Sheet
from servogym.gauge.subject import controller, zero
from tests.gauge.test_contact_sweep import result

GO2 = robots.get("go2")
TASK = "Go2-Flat-v0"


def bound(name):
    law = Watched(law=actuators.make(name, GO2))
    law.bind(GO2.joints, 2, 0.005)
    law.reset(np.arange(2), None)
    return law


def ask(law, target, velocity):
    zeros = np.zeros((2, 12))
    signals = Signals(dt=0.005, external_torque=zeros, motor_torque=zeros)
    return law.compute(np.full((2, 12), target), zeros, np.full((2, 12), velocity), signals).copy()


@pytest.mark.parametrize("name", ["pd", "dc-24v", "dc"])
def test_watching_changes_no_torque(name):
    plain = actuators.make(name, GO2)
    plain.bind(GO2.joints, 2, 0.005)
    plain.reset(np.arange(2), None)
    for target, velocity in ((0.1, 0.0), (5.0, 1.0), (-3.0, 20.0)):
        np.testing.assert_array_equal(
            ask(bound(name), target, velocity), ask(plain, target, velocity)
        )


def test_a_motor_falls_short_where_its_limit_lies_below_what_its_pd_asks():
    """kp is 20 N·m/rad; hips and thighs give 23.7 N·m, knees 45.43 N·m."""
    law = bound("pd")
    knees = np.array(["calf" in name for name in GO2.joints])
    ask(law, 1.0, 0.0)
    assert not law.short.any()
    ask(law, 1.5, 0.0)
    assert (law.short == np.where(knees, 0, 1)).all()
    ask(law, 2.5, 0.0)
    assert (law.short == np.where(knees, 1, 2)).all()


def test_a_fast_motor_on_24_volts_falls_short_below_its_torque_limit():
    """At 25 rad/s 24 V make 15.4 N·m; asked are 21.5, and the torque limit is 23.7 N·m."""
    law = bound("dc-24v")
    ask(law, 0.5, 0.0)
    assert not law.short.any()
    torque = ask(law, 1.7, 25.0)
    hips = np.array(["hip" in name for name in GO2.joints])
    assert law.short[:, hips].all()
    assert torque[:, hips] == pytest.approx(15.4, abs=0.1)


def test_a_law_that_nobody_can_tell_what_it_is_asked_is_refused():
    law = Watched(law=actuators.make("ideal", GO2))
    with pytest.raises(ValueError, match="nobody can tell what it is asked for"):
        law.bind(GO2.joints, 1, 0.005)


def share(subject, actuator="pd"):
    options = {"actuator": actuator, "terrain": "flat"}
    cell = Cell(task=TASK, goals=("stand_still",), robots=2, seconds=1.0, options=options)
    return saturation.saturation(cell, subject)


def test_a_robot_that_stands_uses_motors_within_their_means_and_one_that_strains_does_not():
    """The right hips are told to go two radians in: 40 N·m of which a hip gives 23.7."""
    quiet = share(zero(TASK))
    assert quiet is not None and quiet.mean < 0.02
    out = np.zeros(12)
    out[GO2.joints.index("RR_hip_joint")] = -2.9

    strained = share(controller(lambda obs: np.tile(out, (len(obs), 1)), TASK, "strain"))
    assert strained is not None and strained.joints["RR_hip_joint"] > 0.5
    assert strained.mean < 0.3
    assert set(strained.joints) == set(GO2.joints)


def test_the_rows_are_motors_times_schemes_and_the_gap_is_the_robots():
    options = under_motors.Options(policy="zero", folder=None)
    points = under_motors.points(options)
    told = [(p.cell.options["actuator"], p.cell.options["backlash"]) for p in points]
    assert told[::3] == [("pd", False), ("dc-24v", False), ("dc-29.6v", False), ("pd", True)]
    assert [p.cell.options["contact"] for p in points[:3]] == ["A", "B", "C"]
    assert len({p.name for p in points}) == 12 and all(p.watched for p in points)


def test_the_page_shows_tracking_falls_saturation_penetration_and_friction():
    options = under_motors.Options(
        policy="zero", folder=None, motors=("pd", "pd+gap"), schemes=("A",)
    )
    points = under_motors.points(options)
    fine = result(0.8, falls=2)
    fine["score"]["bins"] = [
        {"command": [0.0, 0.0, 0.0], "achieved": None},
        {"command": [1.0, 0.0, 0.0], "achieved": 0.9},
        {"command": [0.0, 0.5, 0.0], "achieved": 0.7},
    ]
    fine["saturation"] = {"mean": 0.125, "joints": {}}
    dead = {**FAILED, "ending": {"outcome": "crashed", "text": "crashed: SIGSEGV"}}
    found = under_motors.summarise(points, Sheet(results=(fine, dead), kept=0, changed=()))
    record = {
        "command": "x",
        "policy": {"name": "p", "sha256": "0" * 64, "trained_actuator": "pd"},
        "goals": ["max_velocity"],
        "terrain": "flat",
        **found,
    }
    text = under_motors.page(json.loads(json.dumps(record, allow_nan=False)))
    assert "| pd | A | 0.800 | 0.80 | 2 of 8 | 12.50% | 1.00 | 0.800 (3) | 0.800 |" in text
    assert "| pd+gap | A | crashed: SIGSEGV" in text


def test_the_command_tells_what_it_cannot_open(tmp_path, capsys):
    assert under_motors.main(["no/such.onnx", "--folder", str(tmp_path)]) == 1
    assert "no/such.onnx" in capsys.readouterr().err
