"""Every randomised quantity changes what it should, by as much as it should, under every motor law.

Each probe is an experiment whose outcome follows from the number a row was given. It is run twice:
on rows that have drawn, where the prediction must hold for each of them, and on nominal rows, where
the same prediction must fail; otherwise the probe would not have seen the quantity at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from servogym.envs.core import Core
from tests.envs import probes as p
from tests.envs.bench_robots import BALL, PAIRS, Benches, law

WEIGHTLESS = {"gravity": {"scale": (0.0, 0.0)}}
FRICTIONLESS = {"friction": {"scale": (0.0, 0.0)}}
FLOATING = WEIGHTLESS | FRICTIONLESS
EVERY, STEERED, ELECTRIC = ("ideal", "pd", "dc", "bam"), ("pd", "dc", "bam"), ("dc", "bam")


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One experiment."""

    draws: Mapping[str, Any]
    """The quantity."""
    measure: Callable[[Core], np.ndarray]
    """What is seen on each row, (n,)."""
    expect: Callable[[Core], np.ndarray]
    """What should be seen, from what the rows were given, (n,)."""
    laws: tuple[str, ...] = EVERY
    """Motor laws it makes sense for."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Draws of no width that make the experiment clean."""
    motor: Mapping[str, Any] = field(default_factory=lambda: {"limp": True})
    """How the motor is made."""
    bench: Mapping[str, Any] = field(default_factory=dict)
    """How the bench is made."""
    share: bool = False
    """Whether only the proportion between rows is predicted."""
    rtol: float = 0.03
    """Relative error allowed."""


ARM = {"of": "arm"}
PULL = 0.3
"""Outside torque on a floating arm [N·m]."""

PROBES = {
    "a heavier arm falls faster against its rotor": Probe(
        draws={"mass": ARM | {"scale": (0.4, 2.5)}},
        beside=FRICTIONLESS,
        measure=p.started,
        expect=p.falling,
    ),
    "a heavier arm sags further": Probe(
        draws={"mass": ARM | {"scale": (0.4, 1.8)}},
        beside=FRICTIONLESS,
        laws=STEERED,
        motor={},
        measure=p.sagging,
        expect=lambda c: -p.of_model(c, "body_mass", c.model.body("arm").id),
        share=True,
    ),
    "a bulkier arm starts slower": Probe(
        draws={"inertia": ARM | {"scale": (0.4, 8.0)}},
        beside=FLOATING,
        measure=lambda c: p.started(c, PULL),
        expect=lambda c: PULL / p.inertia(c),
    ),
    "a heavier rotor starts slower": Probe(
        draws={"armature": {"scale": (0.4, 5.0)}},
        beside=FLOATING,
        measure=lambda c: p.started(c, PULL),
        expect=lambda c: PULL / p.inertia(c),
    ),
    "a limp arm hangs with its centre of mass below the joint": Probe(
        draws={"center_of_mass": ARM | {"offset": 0.05}},
        beside=FRICTIONLESS | {"passive_damping": {"value": (0.03, 0.03)}},
        laws=("ideal", "pd", "dc"),
        measure=p.hanging,
        expect=p.below,
    ),
    "an arm braked by its own motor hangs so too": Probe(
        draws={"center_of_mass": ARM | {"offset": 0.05}},
        beside=FRICTIONLESS,
        laws=("bam",),
        measure=p.hanging,
        expect=p.below,
    ),
    "stronger gravity shortens the fall": Probe(
        draws={"gravity": {"scale": (0.2, 2.0)}},
        beside=FRICTIONLESS,
        measure=p.started,
        expect=p.falling,
    ),
    "dry friction is the torque at which a joint breaks loose": Probe(
        draws={"friction": {"scale": (0.5, 2.0)}},
        beside=WEIGHTLESS,
        motor={"limp": True, "friction": 0.05},
        measure=p.breakaway,
        expect=p.dry_friction,
        rtol=0.06,
    ),
    "viscous friction slows a coasting joint": Probe(
        draws={"passive_damping": {"value": (0.02, 0.1)}},
        beside=FLOATING,
        measure=p.slowing,
        expect=p.viscous,
    ),
    "a stiffer servo gives way less": Probe(
        draws={"stiffness": {"scale": (0.5, 2.0)}},
        beside=FLOATING,
        laws=STEERED,
        motor={},
        measure=p.yielding,
        expect=lambda c: 1.0 / p.gain(c),
        share=True,
    ),
    "a higher velocity gain slows a coasting joint": Probe(
        draws={"damping": {"value": (0.02, 0.1)}},
        beside=FLOATING,
        laws=("pd", "dc"),
        measure=p.slowing,
        expect=p.viscous,
    ),
    "the effort limit is how hard a servo starts": Probe(
        draws={"effort_limit": {"scale": (0.3, 1.2)}},
        beside=FLOATING,
        motor={},
        measure=lambda c: p.started(c, action=3.0),
        expect=lambda c: p.of_motor(c, "effort_limit") / p.inertia(c),
    ),
    "the supply is how fast a motor runs without load": Probe(
        draws={"volts": {"scale": (0.5, 1.2)}},
        beside=FLOATING,
        laws=ELECTRIC,
        motor={},
        bench={"supply": True},
        measure=p.no_load,
        expect=lambda c: p.of_motor(c, "volts"),
        share=True,
    ),
    "a supply that sags leaves less torque against a stop": Probe(
        draws={"sag": {"value": (0.0, 3.0)}},
        beside=FLOATING | {"effort_limit": {"value": (9.0, 9.0)}},
        laws=ELECTRIC,
        motor={},
        bench={"supply": True},
        measure=p.stall,
        expect=p.sagged,
    ),
    "the play of a gear is what is lost when the load turns round": Probe(
        draws={"gap_half_range": {"scale": (0.5, 2.0)}},
        beside=WEIGHTLESS | {"friction": {"of": "servos", "scale": (20.0, 20.0)}},
        motor={"limp": True, "friction": 0.3},
        bench={"backlash": True},
        measure=p.lost_motion,
        expect=lambda c: (
            2.0 * p.of_model(c, "jnt_range", c.model.joint("passive_arm_backlash").id, 1)
        ),
        rtol=0.05,
    ),
}

FEET = {"of": "feet"}
for written, contact in (("", None), (" of a written pair", PAIRS)):
    on_floor = {"laws": ("ideal",), "bench": {"text": BALL, "contact": contact}}
    PROBES |= {
        f"sliding friction{written} is the pull at which a ball slips": Probe(
            draws={"sliding_friction": FEET | {"value": (0.3, 1.5)}},
            measure=lambda c: p.slipping(c, 0, 12.0),
            expect=lambda c: p.of_sole(c, "geom_friction", 0),
            **on_floor,
        ),
        f"torsional friction{written} is the torque at which a ball spins": Probe(
            draws={"torsional_friction": FEET | {"value": (0.02, 0.06)}},
            measure=lambda c: p.slipping(c, 5, 0.5),
            expect=lambda c: p.of_sole(c, "geom_friction", 1),
            **on_floor,
        ),
        f"rolling friction{written} is the torque at which a ball rolls": Probe(
            draws={"rolling_friction": FEET | {"value": (0.02, 0.06)}},
            measure=lambda c: p.slipping(c, 4, 0.6),
            expect=lambda c: p.of_sole(c, "geom_friction", 2),
            **on_floor,
        ),
        f"a longer time constant{written} lets a ball sink deeper": Probe(
            draws={"contact_timeconst": FEET | {"value": (0.005, 0.02)}},
            measure=p.sunk,
            expect=lambda c: p.of_sole(c, "geom_solref", 0) ** 2,
            share=True,
            **on_floor,
        ),
    }

CASES = [(name, motor) for name, probe in PROBES.items() for motor in probe.laws]


def agrees(probe: Probe, seen: np.ndarray, expected: np.ndarray) -> bool:
    """Whether every row shows what was predicted."""
    if probe.share:
        seen, expected = seen / seen.mean(), expected / expected.mean()
    return bool((np.abs(seen - expected) <= probe.rtol * np.abs(expected)).all())


@pytest.mark.parametrize(("name", "motor"), CASES)
def test_what_a_row_has_drawn_is_what_is_measured_on_it(name, motor, tmp_path, monkeypatch):
    probe, benches = PROBES[name], Benches(tmp_path, monkeypatch)
    motor = law(motor, **probe.motor)
    drawn = benches(motor, {**probe.beside, **probe.draws}, **probe.bench)
    assert drawn.model.npair == (2 if "written pair" in name else 0)
    seen = probe.measure(drawn)
    expected = probe.expect(drawn)
    assert np.ptp(expected) > 0.2 * np.abs(expected).mean(), "the draws are too alike to tell"
    assert agrees(probe, seen, expected), (seen, expected)
    blind = probe.measure(benches(motor, probe.beside, **probe.bench))
    assert not agrees(probe, blind, expected), "the probe does not see the quantity"


def test_every_quantity_has_a_probe():
    probed = {quantity for probe in PROBES.values() for quantity in probe.draws}
    assert probed == set(p.quantities())


def test_every_motor_law_is_probed_for_everything_it_has():
    shipped = set(EVERY)
    for name in ("mass", "inertia", "center_of_mass", "armature", "friction", "passive_damping"):
        assert shipped == {
            m for probe in PROBES.values() if name in probe.draws for m in probe.laws
        }


def test_motors_without_electrics_do_not_feel_the_supply(tmp_path, monkeypatch):
    benches = Benches(tmp_path, monkeypatch)
    for motor in ("ideal", "pd"):
        paths = []
        for draws in (None, {"volts": {"scale": (0.5, 0.5)}, "sag": {"value": (1.0, 1.0)}}):
            core = benches(law(motor), draws, supply=True)
            p.run(core, 50, 0.5)
            paths.append(p.angle(core))
        assert np.array_equal(*paths)


def test_a_pairs_contacts_have_the_friction_that_was_drawn(tmp_path, monkeypatch):
    """Row 000-07: what acts at run time is the pair, whatever the geom says."""
    draws = {"sliding_friction": {"of": "feet", "value": (0.3, 1.5)}}
    core = Benches(tmp_path, monkeypatch)("ideal", draws, text=BALL, contact=PAIRS)
    assert core.model.npair == 2
    drawn = p.of_sole(core, "geom_friction", 0)
    acting = p.contact_friction(core)
    assert np.ptp(drawn) > 0.3
    assert (acting[:, :, :2] == drawn[:, None, None]).all()
    assert np.allclose(acting[:, :, 2:], [0.02, 0.01, 0.01])


@pytest.mark.filterwarnings("ignore:.* acts as")  # 0.006 s is short for 5 ms steps
@pytest.mark.parametrize("terrain", [None, "wave:1"])
def test_every_pair_of_a_foot_with_the_ground_has_what_its_foot_has_drawn(terrain):
    core = Core("go2_flat", 3, threads=1, contact="B", terrain=terrain)
    core.seed(np.arange(3), np.arange(3, dtype=np.uint64))
    core.reset(np.arange(3))
    model, pairs = core.model, core.batch.expanded("pair_friction")
    drawn = core.batch.expanded("geom_friction")[:, core.at.foot_geom[0], 0]
    assert model.npair >= 4 and len(set(drawn.tolist())) == 3
    assert (pairs[:, :, :2] == drawn[:, None, None]).all()
    assert (pairs[:, :, 2:] == model.pair_friction[:, 2:]).all()


@pytest.mark.filterwarnings("ignore:.* acts as")
@pytest.mark.parametrize("terrain", [None, "wave:1"])
def test_each_foots_pairs_have_what_that_foot_has_drawn_in_every_direction(terrain):
    draw = {"of": "feet", "value": (0.001, 0.5), "each": True}
    kinds = ("sliding_friction", "torsional_friction", "rolling_friction")
    core = Core(
        "go2_flat",
        3,
        threads=1,
        contact="B",
        terrain=terrain,
        randomization=dict.fromkeys(kinds, draw)
        | {"contact_timeconst": draw | {"value": (0.01, 0.1)}},
    )
    core.seed(np.arange(3), np.arange(3, dtype=np.uint64))
    core.reset(np.arange(3))
    model, pairs = core.model, core.batch.expanded("pair_friction")
    drawn, times = (core.batch.expanded(f"geom_{name}") for name in ("friction", "solref"))
    assert len(np.unique(drawn[:, core.at.foot_geom])) == 3 * 4 * 3
    for pair in range(model.npair):
        ends = {int(model.pair_geom1[pair]), int(model.pair_geom2[pair])}
        (foot,) = ends & set(core.at.foot_geom.tolist())
        sliding, torsion, rolling = drawn[:, foot].T
        expected = np.stack([sliding, sliding, torsion, rolling, rolling], axis=1)
        assert np.array_equal(pairs[:, pair], expected)
        assert np.array_equal(core.batch.expanded("pair_solref")[:, pair, 0], times[:, foot, 0])


def test_a_few_servos_out_of_order_draw_for_themselves_and_leave_the_others():
    few = ["right_knee", "left_ankle"]
    draws = {
        "stiffness": {"of": few, "value": (50.0, 90.0), "each": True},
        "effort_limit": {"of": few[:1], "value": (0.1, 0.2)},
        "friction": {"of": few[1:], "scale": (3.0, 4.0)},
    }
    core = Core("microduck_flat", 2, threads=1, actuator="bam", randomization=draws)
    core.seed(np.arange(2), np.arange(2, dtype=np.uint64))
    core.reset(np.arange(2))
    live, joints = core.drive.randomizable(), list(core.robot.joints)
    right, left = (joints.index(name) for name in few)
    low_high = {"kp_fw": (50.0, 90.0), "effort_limit": (0.1, 0.2), "friction_scale": (3.0, 4.0)}
    for name, columns in (
        ("kp_fw", [right, left]),
        ("effort_limit", [right]),
        ("friction_scale", [left]),
    ):
        low, high = low_high[name]
        hit = (live[name] >= low) & (live[name] <= high)
        assert sorted(np.flatnonzero(hit.all(axis=0))) == sorted(columns), name
        assert hit.sum() == 2 * len(columns), name


def test_a_shift_of_gravity_tilts_the_way_a_limp_arm_hangs(tmp_path, monkeypatch):
    draws = {"gravity": {"offset": 3.0}, "passive_damping": {"value": (0.03, 0.03)}}
    core = Benches(tmp_path, monkeypatch)(law("ideal", limp=True), draws)
    hangs = p.hanging(core)
    pull = core.batch.expanded("opt.gravity")
    down = np.arctan2(pull[:, 2], pull[:, 0])
    assert np.ptp(down) > 0.2
    assert np.allclose(hangs, down, atol=0.02)


def test_the_encoder_reads_through_a_gap_of_any_width_and_the_motor_side_does_not(
    tmp_path, monkeypatch
):
    benches = Benches(tmp_path, monkeypatch)
    probe = PROBES["the play of a gear is what is lost when the load turns round"]
    travel = {}
    for encoder in ("output", "motor"):
        motor = law("pd", **probe.motor)
        core = benches(motor, {**probe.beside, **probe.draws}, backlash=True, encoder=encoder)
        travel[encoder] = p.lost_motion(core)
    assert (travel["output"] > 0.015).all() and (np.abs(travel["motor"]) < 0.003).all()
