"""The battery: shared by the joints of a robot, sagging under their load."""

import numpy as np
import pytest

from servogym.actuators.dc_motor import DcMotor
from servogym.actuators.drive import Drive
from servogym.actuators.pd import Pd
from servogym.actuators.supply import Supply

JOINTS = ("hip", "knee", "ankle")
DC = {"voltage": 12.0, "resistance": 2.0, "kt": 0.5, "kp": 50.0, "kd": 0.0, "torque_limit": 3.0}


def bound(supply: Supply, n: int = 2) -> Supply:
    supply.bind(JOINTS, n, 0.005)
    return supply


def test_the_drop_follows_the_summed_size_of_the_torques_of_the_own_robot():
    supply = bound(Supply(7.4, sag_gain=0.2, floor=6.0))
    available = supply.available(np.array([[1.0, -0.5, 0.5], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(available, [[7.4 - 0.2 * 2.0], [7.4]], rtol=0, atol=1e-15)


def test_it_never_sags_below_its_floor():
    available = bound(Supply(7.4, sag_gain=0.2, floor=6.0)).available(np.full((2, 3), 9.0))
    assert available.tolist() == [[6.0], [6.0]]


def test_with_a_resistance_a_braking_motor_feeds_its_neighbours():
    supply = bound(Supply(12.0, resistance=0.1), 3)
    currents = np.array([[3.0, 2.0, 0.0], [3.0, -2.0, 0.0], [-3.0, 0.0, 1.0]])
    np.testing.assert_allclose(
        supply.available(currents), [[11.5], [11.9], [12.0]], rtol=0, atol=1e-14
    )


def test_two_ways_to_sag_at_once_are_refused():
    with pytest.raises(ValueError, match="give one"):
        Supply(12.0, sag_gain=0.1, resistance=0.1)


def test_a_resistance_needs_a_law_that_knows_its_current():
    law = Pd(kp=1.0, kd=0.0, effort_limit=1.0)
    with pytest.raises(ValueError, match="'pd' reports no bus current"):
        Drive(law, JOINTS, 1, 0.005, supply=Supply(12.0, resistance=0.1))


def drive(supply: Supply, n: int = 2) -> Drive:
    made = Drive(DcMotor(**DC), JOINTS, n, 0.005, supply=supply)
    made.reset(np.arange(n), None)
    return made


def pull(made: Drive, n: int = 2) -> np.ndarray:
    """Full effort at standstill."""
    zero = np.zeros((n, 3))
    return made.substep(zero + 1.0, zero, None, zero, zero, zero, None).copy()


@pytest.mark.parametrize("supply", [Supply(12.0, sag_gain=0.5), Supply(12.0, resistance=0.2)])
def test_motors_feel_the_sag_one_substep_later(supply):
    made = drive(supply)
    first, second = pull(made), pull(made)
    assert (first == 3.0).all()
    assert (second < first).all()


@pytest.mark.parametrize("supply", [Supply(12.0, sag_gain=0.5), Supply(12.0, resistance=0.2)])
def test_a_sag_does_not_survive_a_reset(supply):
    made = drive(supply)
    first = pull(made)
    pull(made)
    made.reset(np.array([1]), None)
    after = pull(made)
    assert np.array_equal(after[1], first[1])
    assert (after[0] < first[0]).all()


def test_one_joints_effort_weakens_its_neighbours_but_no_other_robot():
    made = drive(Supply(12.0, sag_gain=1.0))
    zero = np.zeros((2, 3))
    target = np.array([[9.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    for _ in range(2):
        made.substep(target, zero, None, zero, zero, zero, None)
    torque = made.substep(zero + 1.0, zero, None, zero, zero, zero, None)
    assert (torque[0] < 3.0).all()
    assert (torque[1] == 3.0).all()


def test_written_volts_hold_for_their_row_until_the_next_reset():
    made = drive(Supply(12.0))
    made.randomizable()["volts"][1] = 6.0
    assert pull(made)[:, 0].tolist() == [3.0, 1.5]
    made.reset(np.arange(2), None)
    assert pull(made)[:, 0].tolist() == [3.0, 3.0]


def test_the_caller_s_supply_object_is_not_shared():
    supply = Supply(12.0)
    a, b = drive(supply), drive(supply)
    a.randomizable()["volts"][:] = 1.0
    assert (b.randomizable()["volts"] == 12.0).all()
