"""A drive composes law, encoder, delay and supply; rows never depend on each other."""

import copy
import timeit
import warnings

import numpy as np
import pytest

from servogym.actuators.bam import Bam
from servogym.actuators.dc_motor import DcMotor
from servogym.actuators.delay import CommandDelay
from servogym.actuators.drive import Drive
from servogym.actuators.encoder import Encoder
from servogym.actuators.pd import Pd
from servogym.actuators.supply import Supply

JOINTS = tuple(f"joint_{k}" for k in range(14))
DT = 0.005
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    LAWS = {
        "pd": Pd(kp=0.55, kd=0.05, effort_limit=0.96),
        "dc": DcMotor(voltage=7.4, resistance=2.8, kt=0.37, kp=0.55, kd=0.05, torque_limit=0.9),
        "xl330 m6": Bam(servo="xl330", kp_fw=200, current_limit=1.75, torque_limit=0.9),
        "xl330 always": Bam(servo="xl330", kp_fw=200, quadratic="always"),
        "sts3215": Bam(servo="sts3215", model="m1"),
        "erob": Bam(servo="erob80_50", model="m4", kp_fw=50.0),
    }


def drive(law, n: int, sag: str = "torque") -> Drive:
    supply = Supply(7.4, sag_gain=0.1, floor=5.0)
    if sag == "current":
        supply = Supply(7.4, resistance=0.1)
    return Drive(
        copy.deepcopy(law), JOINTS, n, DT,
        encoder=Encoder(), delay=CommandDelay(1, 4), supply=supply,
    )  # fmt: skip


def history(made: Drive, rows: list[int], rng, steps: int = 12, start: int = 0) -> list[np.ndarray]:
    """Torque and friction over some substeps of inputs that depend on the row alone."""
    out = []
    for k in range(start, start + steps):
        draws = [np.random.default_rng((k, row)).normal(0, 1, (6, 14)) for row in rows]
        target, pos, play, vel, external, motor = np.stack(draws, axis=1)
        out.append(made.substep(target, pos, 0.01 * play, 8 * vel, external, motor, rng).copy())
        out += [x.copy() for x in made.friction(8 * vel, external, motor) or ()]
    return out


@pytest.mark.parametrize("sag", ["torque", "current"])
@pytest.mark.parametrize("law", LAWS)
def test_rows_of_512_robots_equal_single_robots_to_the_last_bit(streams, law, sag):
    if law == "pd" and sag == "current":
        sag = "torque"
    rows = list(range(512))
    together = drive(LAWS[law], 512, sag)
    together.reset(np.arange(512), None)
    batch = history(together, rows, streams(512))
    for row in (0, 1, 7, 255, 510, 511):
        single = drive(LAWS[law], 1, sag)
        single.reset(np.arange(1), None)
        alone = history(single, [row], streams([row]))
        assert all(np.array_equal(b[row], a[0]) for b, a in zip(batch, alone, strict=True))


@pytest.mark.parametrize("law", LAWS)
def test_the_state_is_all_there_is(streams, law):
    first, second = drive(LAWS[law], 3), drive(LAWS[law], 3)
    rng, other = streams(3), streams([7, 8, 9])
    for made, stream in ((first, rng), (second, other)):
        made.reset(np.arange(3), stream)
    history(first, [0, 1, 2], rng)
    history(second, [5, 6, 7], other)
    for key, array in second.state().items():
        array[...] = first.state()[key]
    for key, array in other.state().items():
        array[...] = rng.state()[key]
    a = history(first, [0, 1, 2], rng, start=12)
    b = history(second, [0, 1, 2], other, start=12)
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("law", LAWS)
def test_nothing_survives_a_reset(streams, law):
    fresh, used = drive(LAWS[law], 3), drive(LAWS[law], 3)
    history(used, [5, 6, 7], streams(3))
    for array in used.randomizable().values():
        array += 0.1
    fresh.reset(np.arange(3), None)
    used.reset(np.arange(3), None)
    a = history(fresh, [0, 1, 2], streams(3))
    b = history(used, [0, 1, 2], streams(3))
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_the_torque_is_late_by_the_commands_lag_and_by_nothing_else(streams):
    law = Pd(kp=1.0, kd=0.1, effort_limit=9.0)
    late = Drive(law, JOINTS, 2, DT, delay=CommandDelay(3, 3))
    late.reset(np.arange(2), None)
    zero = np.zeros((2, 14))
    moving = zero + 0.5
    torques = [
        late.substep(zero + (k >= 2), zero, None, moving, zero, zero, None).copy() for k in range(8)
    ]
    assert [t[0, 0] for t in torques] == [-0.05] * 5 + [0.95] * 3


def test_without_a_delay_the_drive_is_the_bare_law(idle):
    law = Pd(kp=1.0, kd=0.1, effort_limit=9.0)
    composed = Drive(law, JOINTS, 2, DT)
    composed.reset(np.arange(2), None)
    bare = Pd(kp=1.0, kd=0.1, effort_limit=9.0)
    bare.bind(JOINTS, 2, DT)
    target, pos, vel = np.random.default_rng(0).normal(0, 1, (3, 2, 14))
    found = composed.substep(target, pos, None, vel, vel, vel, None)
    assert np.array_equal(found, bare.compute(target, pos, vel, idle(2, 14)))


@pytest.mark.parametrize(("side", "seen"), [("output", 0.3), ("motor", 0.2)])
def test_the_encoder_reads_through_the_gap_only_on_the_output_side(side, seen):
    made = Drive(Pd(kp=1.0, kd=0.1, effort_limit=9.0), JOINTS, 1, DT, encoder=Encoder(side=side))
    made.reset(np.arange(1), None)
    made.randomizable()["encoder_bias"][:] = 0.01
    servo, play, zero = np.full((1, 14), 0.2), np.full((1, 14), 0.1), np.zeros((1, 14))
    torque = made.substep(zero, servo, play, zero, zero, zero, None)
    np.testing.assert_allclose(torque, -(seen + 0.01), rtol=0, atol=1e-15)
    np.testing.assert_allclose(made.reading(servo, play), seen + 0.01, rtol=0, atol=1e-15)


def test_an_encoder_on_the_moon_is_refused():
    with pytest.raises(ValueError, match="choose 'output' or 'motor'"):
        Encoder(side="moon")


def test_a_rate_limited_goal_moves_at_its_rate_and_starts_where_the_joint_is(idle):
    law = LAWS["sts3215"]
    made = Drive(copy.deepcopy(law), JOINTS, 1, DT)
    made.reset(np.arange(1), None)
    here = np.full((1, 14), 0.4)
    zero = np.zeros((1, 14))
    rate = 3400 * 2 * np.pi / 4096
    for k in range(1, 4):
        made.substep(here + 1.0, here, None, zero, zero, zero, None)
        np.testing.assert_allclose(made.state()["law/goal"], 0.4 + k * rate * DT, atol=1e-12)
    made.reset(np.arange(1), None)
    made.substep(here, here, None, zero, zero, zero, None)
    np.testing.assert_allclose(made.state()["law/goal"], 0.4, atol=1e-12)


def test_random_parameters_are_live_and_named():
    made = drive(LAWS["xl330 m6"], 2)
    live = made.randomizable()
    law = {"friction_scale", "passive_damping", "kp_fw", "effort_limit"}
    assert set(live) == law | {"encoder_bias", "volts", "sag"}
    zero = np.zeros((2, 14))
    before = np.array(made.friction(zero, zero, zero))[0]
    live["friction_scale"][1] = 1.1
    after = np.array(made.friction(zero, zero, zero))[0]
    assert np.array_equal(after[0], before[0])
    np.testing.assert_allclose(after[1], 1.1 * before[1], rtol=1e-15)


def test_a_substep_of_512_robots_with_m6_takes_less_than_a_millisecond(streams):
    """It takes about an eighth of that; a loop over robots would take many times more."""
    made, rng = drive(LAWS["xl330 m6"], 512), streams(512)
    made.reset(np.arange(512), rng)
    a = np.random.default_rng(0).normal(0, 1, (6, 512, 14))

    def substep():
        made.substep(a[0], a[1], a[2], a[3], a[4], a[5], rng)
        made.friction(a[3], a[4], a[5])

    assert min(timeit.repeat(substep, number=20, repeat=5)) / 20 < 1e-3
