"""The DC motor: four quadrants, limits in their order, MuJoCo's own motor as oracle."""

import math
import warnings
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servogym.actuators.base import Signals
from servogym.actuators.dc_motor import DcMotor

JOINT = ("joint",)
RIG = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="joint" axis="0 0 1"/>
<geom size=".1" mass="1"/></body></worldbody></mujoco>"""


def bound(n: int = 1, **parameters: Any) -> DcMotor:
    given: dict[str, Any] = {"kp": 1e6, "kd": 0.0, **parameters}
    law = DcMotor(**given)
    law.bind(JOINT, n, 0.005)
    return law


def column(*values: float) -> np.ndarray:
    return np.array(values, float).reshape(-1, 1)


# Stall torque 10 N*m, no-load speed 20 rad/s: K = V/20, R = K*V/10, so N*K*(V - K*w)/R.
TEXTBOOK: dict[str, Any] = {"voltage": 20.0, "resistance": 2.0, "kt": 1.0}


@pytest.mark.parametrize(
    ("voltage", "speed", "torque"),
    [(1, 0, 6), (1, 10, 5), (1, 20, 0), (1, 25, -2.5), (-1, 10, -6), (0, 10, -5), (1, -10, 6)],
)
def test_torque_speed_table_of_the_textbook_motor(idle, voltage, speed, torque):
    law = bound(**TEXTBOOK, kp=1.0, torque_limit=6.0)
    # Ask far beyond the supply for full voltage; for no voltage, what a shorted motor gives.
    wanted = {1: 1e4, 0: -0.5 * speed, -1: -1e4}[voltage]
    found = law.compute(column(wanted), column(0), column(speed), idle(1, 1))
    assert found[0, 0] == pytest.approx(torque, abs=1e-9)


@pytest.mark.parametrize("limit", [math.inf, 10.5])
def test_a_limit_above_the_stall_torque_is_warned_about(limit):
    with pytest.warns(UserWarning, match=r"torque_limit.*joint.*stall 10"):
        bound(**TEXTBOOK, torque_limit=limit)


def test_a_current_limit_below_stall_is_a_limit_too():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bound(**TEXTBOOK, current_limit=4.0)


def mujoco_motor(kt, ohm, volts, kp, kd, limit, gear):
    spec = mujoco.MjSpec.from_string(RIG)
    motor = spec.add_actuator(name="m", target="joint", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_dcmotor(
        motorconst=[kt, kt],
        resistance=ohm,
        saturation=[limit / gear, 0, 0],
        controller=[kp / gear**2, 0, kd / gear**2, 0, 0, volts],
        ctrlspec=3,  # position and velocity set-points
    )
    motor.gear = [gear, 0, 0, 0, 0, 0]
    return spec.compile()


@pytest.mark.parametrize("gear", [1.0, 9.0])
def test_mujocos_own_dc_motor_gives_the_same_torque_in_ten_thousand_states(idle, gear):
    kt, ohm, volts, kp, kd, limit = 0.63895 / gear, 0.3335, 19.17, 20.0, 0.5, 23.7
    model = mujoco_motor(kt, ohm, volts, kp, kd, limit, gear)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    n = 10_000
    angle, speed = rng.uniform(-3, 3, (n, 1)), rng.uniform(-80, 80, (n, 1))
    target = angle + rng.normal(0, 2, (n, 1))
    wanted = np.empty(n)
    for k in range(n):
        data.qpos[0], data.qvel[0] = angle[k, 0], speed[k, 0]
        data.ctrl[:] = gear * target[k, 0], 0.0
        mujoco.mj_forward(model, data)
        wanted[k] = data.qfrc_actuator[0]
    law = bound(
        n, kt=kt, resistance=ohm, voltage=volts, kp=kp, kd=kd, torque_limit=limit, gear=gear
    )
    found = law.compute(target, angle, speed, idle(n, 1))[:, 0]
    no_load = volts / (kt * gear)
    assert (np.abs(speed) > no_load).mean() > 0.3
    assert (np.abs(found) < limit - 1e-6).mean() > 0.2
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


def test_joint_torque_is_gear_times_rotor_torque(idle):
    with pytest.warns(UserWarning, match="stall"):
        law = bound(3, voltage=24.0, resistance=0.3, kt=0.12, gear=9.0)
    found = law.compute(column(1, 1, 1), column(0, 0, 0), column(0, 5, 24 / (0.12 * 9)), idle(3, 1))
    np.testing.assert_allclose(found[:, 0], [86.4, 66.96, 0.0], rtol=0, atol=1e-9)


@given(
    kt=st.floats(0.01, 2), ke=st.floats(0.01, 2), ohm=st.floats(0.1, 10), gear=st.floats(1, 100),
    speed=st.floats(-100, 100), supply=st.floats(1, 50), error=st.floats(-5, 5),
)  # fmt: skip
def test_power_balances_at_the_battery(kt, ke, ohm, gear, speed, supply, error):
    law = DcMotor(
        voltage=supply, resistance=ohm, kt=kt, ke=ke, gear=gear, kp=5.0, kd=0.1, torque_limit=1e-3
    )
    law.bind(JOINT, 1, 0.005)
    zero = np.zeros((1, 1))
    signals = Signals(dt=0.005, external_torque=zero, motor_torque=zero, supply=column(supply))
    torque = law.compute(column(error), zero, column(speed), signals)[0, 0]
    current = torque / (gear * kt)
    drawn = law.bus_current()[0, 0] * supply
    heat, mechanical = ohm * current**2, current * ke * gear * speed
    assert drawn == pytest.approx(heat + mechanical, rel=1e-9, abs=1e-12)


def test_later_limits_win_over_earlier_ones(idle):
    overspeed = column(60.0)
    free = bound(**TEXTBOOK, torque_limit=10.0)
    assert free.compute(column(1), column(0), overspeed, idle(1, 1))[0, 0] == -10.0
    current = bound(**TEXTBOOK, torque_limit=9.0, current_limit=4.0)
    assert current.compute(column(1), column(0), overspeed, idle(1, 1))[0, 0] == -4.0


def test_until_a_limit_is_met_the_torque_is_the_pds_to_the_last_bit(idle):
    law = bound(**TEXTBOOK, kp=3.0, kd=0.2, torque_limit=6.0)
    found = law.compute(column(0.7), column(0.1), column(2.0), idle(1, 1))[0, 0]
    assert found == 3.0 * (0.7 - 0.1) - 0.2 * 2.0


def test_a_lower_supply_lowers_stall_torque_and_no_load_speed(idle):
    law = bound(3, **TEXTBOOK, torque_limit=10.0)
    signals = idle(3, 1, supply=column(10, 10, 10))
    found = law.compute(column(1, 1, 1), column(0, 0, 0), column(0, 5, 10), signals)
    np.testing.assert_allclose(found[:, 0], [5.0, 2.5, 0.0], rtol=0, atol=1e-12)
