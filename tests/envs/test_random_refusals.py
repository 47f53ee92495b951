"""What could have no effect, or makes no sense, is refused by name when the environment is made."""

import numpy as np
import pytest

from servogym.actuators.pd import Pd
from servogym.envs.core import Core
from servogym.envs.randomize import Randomization
from tests.envs.bench_robots import BALL, PAIRS, POST, Benches, law
from tests.envs.test_random_bits import core


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7.4, "needs a draw such as"),
        ("heavy", "needs a draw such as"),
        ([0.9, 1.1], "needs a draw such as"),
        ({"of": "base"}, "needs exactly one of scale, offset, value; has none"),
        ({"scale": (1, 2), "offset": 1}, "needs exactly one of"),
        ({"scale": (1.1, 0.9)}, r"scale is \(1.1, 0.9\); needs the smaller number first"),
        ({"scale": (0.9, np.nan)}, "needs two finite numbers"),
        ({"scale": (0.9, np.inf)}, "needs two finite numbers"),
        ({"scale": (0.9, True)}, "needs two finite numbers"),
        ({"scale": (0.9, np.True_)}, "needs two finite numbers"),
        ({"scale": 1.1}, "needs two finite numbers"),
        ({"scale": (0.9, 1.0, 1.1)}, "needs two finite numbers"),
        ({"value": ("a", "b")}, "needs two finite numbers"),
        ({"offset": -0.1}, "needs a finite number, 0 or more"),
        ({"offset": (0.0, 0.1)}, "needs a finite number, 0 or more"),
        ({"offset": {"before": 0.0}}, "a ramp needs before, after, start and end"),
        ({"scale": (0.9, 1.1), "off": "base"}, "needs no off; known: of, scale"),
        ({"scale": (0.9, 1.1), "of": []}, "needs a name or several names"),
        ({"scale": (0.9, 1.1), "of": [1]}, "needs a name or several names"),
        ({"scale": (0.9, 1.1), "each": 1}, "each is 1; needs True or False"),
    ],
)
def test_what_is_no_draw_is_refused_by_name(given, message):
    with pytest.raises(ValueError, match=message) as refusal:
        Randomization(mass=given)
    assert str(refusal.value).startswith(f"randomization: mass is {given!r}; ")
    with pytest.raises(ValueError, match=message):
        Core("microduck_flat", 1, randomization={"mass": given})


SCALE = {"scale": (0.9, 1.1)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"mass": SCALE | {"of": "trunk"}},
            "no body 'trunk'; groups: all, base, head, feet; .*neck",
        ),
        ({"mass": SCALE | {"of": "world"}}, "world has no mass"),
        (
            {"friction": SCALE | {"of": "left_nee"}},
            "no joint 'left_nee'; groups: all, servos, legs",
        ),
        ({"friction": SCALE | {"of": "trunk_base_freejoint"}}, "is not a servo joint or a gap"),
        ({"stiffness": SCALE | {"of": "trunk_base_freejoint"}}, "is not a servo joint; those are"),
        ({"gap_half_range": SCALE | {"of": "left_knee"}}, "left_knee is not a gap"),
        ({"sliding_friction": SCALE | {"of": "sole"}}, "no geom 'sole'; groups: all, feet, ground"),
        ({"mass": SCALE | {"of": ["base", "trunk_base"]}}, "trunk_base named twice"),
        ({"mass": [SCALE, SCALE | {"of": "base"}]}, "trunk_base has a draw already"),
        ({"volts": SCALE | {"of": "left_knee"}}, "there is one a robot; leave out of and each"),
        ({"gravity": SCALE | {"each": True}}, "there is one a robot"),
        ({"gravity": {"value": (9.0, 10.0)}}, "needs scale or offset, not value"),
        ({"center_of_mass": SCALE}, "needs offset, not scale"),
        ({"inertia": {"value": (1.0, 2.0)}}, "needs scale, not value"),
        ({"mass": {"scale": (0.0, 1.0)}}, "may get 0 kg; needs more than 0"),
        (
            {"mass": {"of": "base", "offset": 0.2}},
            "trunk_base may get -0.0007.* kg; needs more than 0",
        ),
        ({"inertia": {"scale": (-1.0, 1.0)}}, "needs more than 0"),
        (
            {"sliding_friction": {"of": "feet", "value": (-0.1, 1.0)}},
            "may get -0.1 1; needs at least",
        ),
        ({"armature": {"offset": 1.0}}, "kg·m²; needs more than 0 where gears have gaps"),
        ({"armature": {"of": "gaps", "value": (0.0, 1e-3)}}, "may get 0 kg·m²; needs more than 0"),
        ({"volts": {"value": (0.0, 8.0)}}, "may get 0 V; needs more than 0"),
        (
            {"contact_timeconst": {"of": "feet", "value": (0.004, 0.02)}},
            "0.004 s; needs at least 0.01",
        ),
        (
            {"torsional_friction": SCALE | {"of": "feet"}},
            "_foot_collision would not feel it: .*condim 4",
        ),
        (
            {"sliding_friction": SCALE | {"of": "floor"}},
            "floor would not feel it: .* higher priority",
        ),
        (
            {"friction": {"of": "servos", "value": (0.0, 0.1)}},
            "motor law 'bam' computes it .*scale",
        ),
        ({"damping": SCALE}, "motor law 'bam' has no kd; it has friction_scale"),
    ],
)
def test_what_would_have_no_effect_or_no_sense_is_refused_when_the_environment_is_made(
    options, message
):
    (name,) = options
    with pytest.raises(ValueError, match=rf"randomization: {name} \(.*\): .*{message}"):
        Core("microduck_flat", 1, backlash=True, randomization=options)


class Sticky(Pd):
    """A law that computes its friction and lets nobody scale it."""

    name = "sticky"

    def friction(self, velocity, signals):
        return np.full_like(velocity, 0.1), np.full_like(velocity, 0.01)


@pytest.mark.parametrize("quantity", ["friction", "passive_damping"])
def test_friction_that_a_law_would_overwrite_is_refused_naming_the_law(
    quantity, tmp_path, monkeypatch
):
    benches = Benches(tmp_path, monkeypatch)
    sticky = Sticky(kp=1.0, kd=0.1, effort_limit=1.0)
    for of in ("all", "servos", "arm"):
        with pytest.raises(ValueError, match=rf"{quantity} .*motor law 'sticky' sets it"):
            benches(sticky, {quantity: SCALE | {"of": of}}, backlash=True)
    benches(sticky, {quantity: {"of": "gaps", "value": (0.0, 0.1)}}, backlash=True)  # the model's


def test_a_law_without_gains_or_a_task_without_supply_is_named(tmp_path, monkeypatch):
    benches = Benches(tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="motor law 'ideal' has no kp or kp_fw; it has effort"):
        benches(law("ideal"), {"stiffness": SCALE})
    for quantity in ("volts", "sag"):
        with pytest.raises(ValueError, match=f"{quantity} .*the task has no supply"):
            benches(law("dc"), {quantity: SCALE})


def test_an_unlimited_motor_takes_a_value_and_no_factor(tmp_path, monkeypatch):
    benches, free = Benches(tmp_path, monkeypatch), Pd(kp=1.0, kd=0.1, effort_limit=np.inf)
    with pytest.raises(ValueError, match="arm is inf; needs value"):
        benches(free, {"effort_limit": SCALE})
    made = benches(free, {"effort_limit": {"value": (0.1, 0.2)}})
    assert (made.drive.randomizable()["effort_limit"] < 0.2).all()


class OneForAll(Pd):
    """A law with a single gain for all servos."""

    name = "one_for_all"

    def bind(self, joints, n, dt):
        super().bind(joints, n, dt)
        self._one = np.ones((n, 1))

    def reset(self, rows, rng):
        super().reset(rows, rng)
        self._one[rows] = 1.0

    def randomizable(self):
        return super().randomizable() | {"kp": self._one}


def test_a_law_with_one_number_for_all_servos_cannot_draw_for_some():
    motor = OneForAll(kp=1.0, kd=0.1, effort_limit=1.0)
    made = core([1, 2], actuator=motor, randomization={"stiffness": SCALE})
    assert np.ptp(made.drive.randomizable()["kp"]) > 0
    for draw in (SCALE | {"of": "legs"}, SCALE | {"each": True}):
        with pytest.raises(ValueError, match="motor law 'one_for_all' has one for all servos"):
            core([1], actuator=motor, randomization={"stiffness": draw})


def test_both_shapes_of_a_written_pair_cannot_be_drawn(tmp_path, monkeypatch):
    both = {"of": ["left", "floor"], "value": (0.5, 0.6)}
    with pytest.raises(ValueError, match="both geoms of a contact pair are named"):
        benches = Benches(tmp_path, monkeypatch)
        benches("ideal", {"sliding_friction": both}, text=BALL, contact=PAIRS)


def test_a_direct_solref_has_no_time_constant(tmp_path, monkeypatch):
    text = BALL.replace('condim="6"', 'condim="6" solref="-100 -1"')
    with pytest.raises(ValueError, match="solref of left is in the direct form"):
        Benches(tmp_path, monkeypatch)(
            "ideal", {"contact_timeconst": {"of": "feet", "value": (0.02, 0.03)}}, text=text
        )


def test_a_group_that_a_robot_lacks_is_skipped(tmp_path, monkeypatch):
    """A task and its backlash twin differ in nothing else, and not every robot has a head."""
    benches = Benches(tmp_path, monkeypatch)
    absent = {
        "gap_half_range": SCALE,
        "mass": SCALE | {"of": "head"},
        "friction": SCALE | {"of": "gaps"},
        "armature": SCALE | {"of": ["servos", "gaps", "passive_arm_backlash"]},
    }
    made = benches("ideal", absent, text=POST)
    assert set(made.randomizer.state()) == {"dof_armature"}
    with pytest.raises(ValueError, match="passive_arm_backlash named twice"):
        benches("ideal", absent, text=POST, backlash=True)
