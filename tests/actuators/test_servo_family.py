"""Identified servos carry their origin and hash; nothing about them is assumed in silence."""

import json
import warnings

import numpy as np
import pytest

from servogym.actuators import servo_family
from servogym.actuators.bam import Bam
from servogym.actuators.servo_family import ServoFamily

SERVOS = ["erob80_100", "erob80_50", "mx106", "mx64", "sts3215", "xl320", "xl330"]


def test_seven_servos_are_known():
    assert ServoFamily.names() == SERVOS


@pytest.mark.parametrize("servo", SERVOS)
def test_every_number_has_an_origin(servo):
    family = ServoFamily.load(servo)
    assert family.origin["project"] == "Rhoban/bam"
    assert family.origin["commit"] == "1b5a1cee"
    assert family.origin["licence"] == "Apache-2.0"
    assert set(family.origin["files"]) == set(family.models)
    assert family.origin["firmware_file"].endswith("actuator.py")


def test_the_servos_were_identified_with_37_models_in_all():
    assert sum(len(ServoFamily.load(servo).models) for servo in SERVOS) == 37


def test_the_numbers_keep_all_their_digits():
    m6 = ServoFamily.load("xl330").models["m6"]
    assert m6["kt"] == 0.36601349688984386
    assert m6["load_friction_external"] == 8.515871897059342e-06


def test_a_file_edited_in_place_is_refused(tmp_path, monkeypatch):
    data = json.loads((servo_family._FOLDER / "xl330.json").read_text())
    data["models"]["m6"]["kt"] += 1e-12
    (tmp_path / "xl330.json").write_text(json.dumps(data))
    monkeypatch.setattr(servo_family, "_FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"xl330\.json.*hash"):
        ServoFamily.load("xl330")


def test_an_unknown_servo_is_refused_with_the_known_ones():
    with pytest.raises(LookupError, match=r"'xl430'.*erob80_100.*xl330"):
        Bam(servo="xl430")


def test_a_model_the_servo_lacks_is_refused_with_those_it_has():
    with pytest.raises(LookupError, match=r"'sts3215'.*'m4'.*it has m1"):
        Bam(servo="sts3215", model="m4")


def test_a_servo_without_identified_resistance_must_be_given_one():
    with pytest.raises(ValueError, match=r"erob80_100.*no resistance was identified.*2\.0"):
        Bam(servo="erob80_100", kp_fw=100.0)
    Bam(servo="erob80_100", kp_fw=100.0, resistance=2.0)


def test_an_identified_resistance_is_not_to_be_given_again():
    with pytest.raises(ValueError, match=r"identified as 2\.81"):
        Bam(servo="xl330", resistance=2.0)


def test_a_servo_without_a_known_gain_must_be_given_one():
    with pytest.raises(ValueError, match=r"erob80_50.*give kp_fw"):
        Bam(servo="erob80_50")


def test_bams_own_assumptions_are_said_aloud():
    with pytest.warns(UserWarning, match=r"error_gain_ratio=1, goal_rate=5\.21553"):
        Bam(servo="sts3215", model="m1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Bam(servo="xl330")


def test_an_unknown_variant_of_the_quadratic_term_is_refused():
    with pytest.raises(ValueError, match="'opposed' or 'always'"):
        Bam(servo="xl330", quadratic="sometimes")


# Stall torque [N*m] and no-load speed [rad/s] at the bench's supply, full duty.
ENDPOINTS = {
    ("xl330", "m6"): (0.97642, 20.491),
    ("xl330", "m1"): (0.7220, 19.395),
    ("mx64", "m6"): (9.98, 9.01),
    ("mx106", "m6"): (15.69, 6.53),
    ("xl320", "m6"): (0.2395, 7.43),
    ("sts3215", "m1"): (3.25, 5.92),
}


@pytest.mark.filterwarnings("ignore:servo 'sts3215'")
@pytest.mark.parametrize(("servo", "model"), ENDPOINTS)
def test_stall_torque_and_no_load_speed_are_those_of_the_servo(idle, servo, model):
    stall, no_load = ENDPOINTS[servo, model]
    law = Bam(servo=servo, model=model)
    law.bind(("a",), 1, 0.005)
    law._goal = None  # a goal that creeps would hide the endpoint
    far, here = np.full((1, 1), 100.0), np.zeros((1, 1))
    assert law.compute(far, here, here, idle(1, 1))[0, 0] == pytest.approx(stall, rel=1e-3)
    at_top = law.compute(far, here, here + no_load, idle(1, 1))[0, 0]
    assert at_top == pytest.approx(0.0, abs=1e-3 * stall)


def test_a_current_servo_wins_by_voltage_at_speed(idle):
    law = Bam(servo="erob80_50", kp_fw=100.0)
    law.bind(("a",), 1, 0.005)
    kt, ohm = law._numbers["kt"], law._numbers["R"]
    far, here = np.full((1, 1), 10.0), np.zeros((1, 1))
    assert law.compute(far, here, here, idle(1, 1))[0, 0] == pytest.approx(12.0 * kt, abs=1e-12)
    fast = law.compute(far, here, here + 9.0, idle(1, 1))[0, 0]
    assert fast == pytest.approx(kt / ohm * 48.0 - kt**2 / ohm * 9.0, abs=1e-12)
    near = law.compute(here + 0.05, here, here + 0.1, idle(1, 1))[0, 0]
    assert near == pytest.approx(kt * (100 * 0.05 - 1.0 * 10.0 * 0.1), abs=1e-12)


def test_a_current_limit_holds_until_the_voltage_cannot_reach_it(idle):
    law = Bam(servo="xl330", kp_fw=400, current_limit=1.0)
    law.bind(("a",), 1, 0.005)
    kt, ohm = law._numbers["kt"], law._numbers["R"]
    far, here = np.full((1, 1), 10.0), np.zeros((1, 1))
    assert law.compute(far, here, here, idle(1, 1))[0, 0] == pytest.approx(kt * 1.0, abs=1e-12)
    fast = law.compute(far, here, here + 40.0, idle(1, 1))[0, 0]
    assert fast == pytest.approx(kt * 7.5 / ohm - kt**2 / ohm * 40.0, abs=1e-12)


def test_a_torque_limit_comes_last(idle):
    law = Bam(servo="xl330", kp_fw=200, torque_limit=0.5)
    law.bind(("a",), 1, 0.005)
    far, here = np.full((1, 1), 10.0), np.zeros((1, 1))
    assert law.compute(far, here, here, idle(1, 1))[0, 0] == 0.5
