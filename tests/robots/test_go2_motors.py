"""Go2's motors: the published torque-speed line, limits no command can pass, presets by name."""

import dataclasses

import numpy as np
import pytest

from servogym import actuators, robots
from servogym.actuators.base import Signals
from servogym.cli.describe import page
from servogym.envs.core import Core

GO2 = robots.get("go2")
HIP, KNEE = GO2.joints.index("RR_hip_joint"), GO2.joints.index("FL_calf_joint")
IDLE = Signals(dt=0.005, external_torque=np.zeros((1, 12)), motor_torque=np.zeros((1, 12)))
VOLTAGES = {"dc-24v": 24.0, "dc-28.8v": 28.8, "dc-29.6v": 29.6}
LIMITS = np.array([23.7, 23.7, 45.43] * 4)


def bound(motor, n=1):
    law = actuators.make(motor, GO2)
    law.bind(GO2.joints, n, 0.005)
    law.reset(np.arange(n), None)
    return law


def full(motor, speed, way=1):
    """Torque of every joint at this speed under full command forward or back, (12,) [N·m]."""
    zero = np.zeros((1, 12))
    return bound(motor).compute(zero + way * 1e5, zero, zero + speed, IDLE)[0].copy()


@pytest.mark.parametrize(
    ("joint", "speed", "torque", "within"),
    [
        (HIP, 0.0, 20.20, 5e-3),
        (HIP, 13.5, 20.20, 5e-3),
        (HIP, 21.75, 10.10, 5e-3),
        (HIP, 30.0, 0.0, 5e-3),
        (KNEE, 0.0, 38.7, 0.05),
        (KNEE, 7.04, 38.7, 0.05),
        (KNEE, 15.65, 0.0, 0.05),
    ],
)
def test_the_published_torque_speed_line(joint, speed, torque, within):
    assert full("dc", speed)[joint] == pytest.approx(torque, abs=within)
    assert full("dc", -speed, way=-1)[joint] == pytest.approx(-torque, abs=within)


def test_the_line_is_flat_to_the_knee_and_straight_from_there_to_the_no_load_speed():
    speeds = np.linspace(0.0, 30.0, 61)
    found = [full("dc", speed)[HIP] for speed in speeds]
    published = np.minimum(20.2, 20.2 * (30.0 - speeds) / (30.0 - 13.5))
    np.testing.assert_allclose(found, published, atol=1e-9)


def test_the_winding_is_the_one_that_belongs_to_the_line():
    law = actuators.make("dc", GO2)
    assert law.resistance == pytest.approx(0.3335, abs=1e-4)
    assert law.voltage == pytest.approx(19.17, abs=5e-3)
    assert law.kt == pytest.approx(0.10094, abs=5e-6)
    assert law.gear["FR_thigh_joint"] == 6.33
    assert law.gear["FR_calf_joint"] == pytest.approx(6.33 * 1.917)


@pytest.mark.parametrize(
    ("motor", "hip", "calf", "corner"),
    [("dc-24v", 37.6, 19.6, 18.2), ("dc-28.8v", 45.1, 23.5, 25.7), ("dc-29.6v", 46.3, 24.2, 27.0)],
)
def test_voltages_move_the_no_load_and_the_corner_speed(motor, hip, calf, corner):
    assert abs(full(motor, hip)[HIP]) < 0.06 * 1.23  # half a digit of speed times the slope
    assert abs(full(motor, calf)[KNEE]) < 0.06 * 4.5
    assert full(motor, corner - 0.1)[HIP] == 23.7
    assert full(motor, corner + 0.1)[HIP] < 23.7


@pytest.mark.parametrize("passive", ["", "+identified", "+menagerie"])
@pytest.mark.parametrize("motor", GO2.motors)
def test_no_command_at_any_speed_draws_more_than_the_limits_shown(motor, passive):
    law = bound(motor + passive, n=1000)
    limits = law.torque_limits(GO2.joints)
    assert (limits <= LIMITS).all()
    rng = np.random.default_rng(0)
    scale = rng.choice([0.1, 1.0, 10.0, 1e4], (3, 1000, 1))
    target, measured, speed = scale * rng.normal(size=(3, 1000, 12))
    reached = np.zeros(12)
    for supply in (None, np.full((1000, 1), 33.6)):  # a full battery, 8 cells
        signals = dataclasses.replace(IDLE, supply=supply)
        torque = law.compute(target, measured, speed, signals)
        assert (np.abs(torque) <= limits).all()
        reached = np.maximum(reached, np.abs(torque).max(axis=0))
    np.testing.assert_array_equal(reached, limits)


@pytest.mark.parametrize("motor", GO2.motors)
def test_in_an_environment_no_torque_passes_the_limits_either(motor):
    core = Core("go2_flat", 4, actuator=motor, threads=1)
    rows, rng = np.arange(4), np.random.default_rng(0)
    core.seed(rows, np.arange(4, dtype=np.uint64))
    core.reset(rows)
    limits, most = core.actuator.torque_limits(GO2.joints), np.zeros(12)
    force = core.batch.bind("actuator_force")
    for _ in range(40):
        core.step(rng.uniform(-60.0, 60.0, (4, 12)))  # beyond the clip of angles and of torques
        most = np.maximum(most, np.abs(force[:, core.at.motor]).max(axis=0))
    assert (most <= limits).all()
    assert (most[[HIP, KNEE]] > 0.5 * limits[[HIP, KNEE]]).all()


def test_the_page_of_a_task_shows_the_limit_of_each_joint_and_the_names_of_the_motors():
    text = page("Go2-Flat-v0")
    rows = {line.split("|")[2].strip(): line for line in text.splitlines() if "_joint " in line}
    for joint, limit in zip(GO2.joints, LIMITS, strict=True):
        assert f"±{limit:g}" in rows[joint]
    assert all(f"{motor}," in text for motor in ("dc", *VOLTAGES, "pd+identified"))


def differing(one, other):
    """Parameters in which two motors by name differ."""
    one, other = (actuators.make(motor, GO2).describe()["parameters"] for motor in (one, other))
    return {name for name in one if one[name] != other[name]}


def test_voltage_presets_differ_in_the_voltage_alone():
    assert differing("dc-24v", "dc-28.8v") == differing("dc-24v", "dc-29.6v") == {"voltage"}
    for motor, volts in VOLTAGES.items():
        assert actuators.make(motor, GO2).describe()["parameters"]["voltage"] == volts
    assert differing("dc", "dc-24v") == {"voltage", "torque_limit"}


@pytest.mark.parametrize("motor", GO2.motors)
def test_passive_presets_differ_in_what_they_name(motor):
    assert differing(motor, f"{motor}+unitree") == set()
    assert differing(motor, f"{motor}+menagerie") == {"damping"}
    assert differing(motor, f"{motor}+identified") == {"damping", "frictionloss", "armature"}


@pytest.mark.parametrize(
    ("passive", "damping", "friction", "armature"),
    [
        ("unitree", (0.1, 0.1, 0.1), (0.2, 0.2, 0.2), (0.01, 0.01, 0.01)),
        ("menagerie", (2.0, 2.0, 2.0), (0.2, 0.2, 0.2), (0.01, 0.01, 0.01)),
        (
            "identified",
            (0.2348, 0.204, 0.1345),
            (0.2189, 0.1999, 0.9132),
            (0.0074, 0.0169, 0.0322),
        ),
    ],
)
def test_passive_figures_reach_the_model(passive, damping, friction, armature):
    core = Core("go2_flat", 1, actuator=f"pd+{passive}", threads=1)
    dof = core.at.servo_dof
    np.testing.assert_array_equal(core.model.dof_damping[dof], damping * 4)
    np.testing.assert_array_equal(core.model.dof_frictionloss[dof], friction * 4)
    np.testing.assert_array_equal(core.model.dof_armature[dof], armature * 4)


def test_the_robots_own_file_has_the_figures_of_its_first_preset():
    spec, law = GO2.spec(), actuators.make(None, GO2)
    before = spec.compile()
    law.edit_spec(spec, GO2.joints)
    after = spec.compile()
    for field in ("dof_damping", "dof_frictionloss", "dof_armature"):
        np.testing.assert_array_equal(getattr(before, field), getattr(after, field))


@pytest.mark.parametrize("motor", [*GO2.motors, "dc-24v+menagerie", "pd+identified"])
def test_a_motor_is_told_by_its_parameters_and_made_again_by_that_name(motor):
    law = actuators.make(motor, GO2)
    assert actuators.name_of(law, GO2) == motor
    if law.command == "position":
        core = Core("go2_flat", 1, actuator=motor, threads=1)
        contract = core.contract
        again = Core("go2_flat", 1, actuator=contract.actuator, threads=1).contract
        assert again.actuator_hash == contract.actuator_hash
        assert (contract.actuator, contract.motor["law"]) == (motor, law.name)


def test_a_law_that_is_no_preset_goes_by_its_own_name():
    law = dataclasses.replace(actuators.make("dc-24v", GO2), voltage=25.0)
    assert actuators.name_of(law, GO2) == "dc"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("dc-25v", r"'dc-25v'.*bam, dc, ideal, pd.*'go2'.*dc-24v, dc-28.8v, dc-29.6v"),
        ("pd+duck", r"'pd\+duck'.*'go2'.*'duck'.*unitree, identified, menagerie"),
        ("pd+", r"'pd\+'.*unitree, identified, menagerie"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(asked, told):
    with pytest.raises(LookupError, match=told):
        actuators.make(asked, GO2)
