"""The records metrics are made of refuse what does not fit, and the rules differ by name."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from servogym.gauge.metrics import (
    drift,
    feet,
    limits,
    outcome,
    posture,
    power,
    smoothness,
)
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import (
    DEFAULT,
    GO2_FLAT,
    GO2_TERRAIN,
    OURS,
    ROBOGAUGE,
    RULES,
    WEIGHTS,
    Scales,
)
from servogym.gauge.metrics.samples import stack
from tests.gauge.seen import DT, GO2, still


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("quat", np.zeros((100, 1, 3)), r"quat has shape \(100, 1, 3\); needs \(100, 1, 4\)"),
        ("torque", np.zeros((100, 1, 11)), r"torque has shape"),
        ("alive", np.ones((100, 1)), "alive holds float64; needs bool"),
        ("lin_vel", np.zeros((100, 1, 3), np.float32), "lin_vel holds float32; needs float64"),
        ("dt", 0.0, "dt is 0.0"),
        ("dt", float("nan"), "dt is nan"),
    ],
)
def test_samples_that_do_not_fit_together_are_refused(field, value, message):
    with pytest.raises(ValueError, match=message):
        replace(still(), **{field: value})


def test_samples_without_a_moment_or_with_half_a_moment_are_refused():
    with pytest.raises(ValueError, match="0 moments"):
        stack([], DT)
    with pytest.raises(ValueError, match=r"misses.*'quat'"):
        stack([{"alive": np.ones(1, bool)}], DT)


def test_rules_differ_in_named_fields_and_ours_weigh_one_metric_more():
    assert set(RULES) == {"servogym", "robogauge"}
    assert ROBOGAUGE.weights == WEIGHTS and sum(WEIGHTS.values()) == 10.0
    assert DEFAULT.weights == OURS == {**WEIGHTS, "follow": 2.0}
    same = {"sample_dt", "support_gap"}
    for name in vars(DEFAULT):
        assert (getattr(DEFAULT, name) == getattr(ROBOGAUGE, name)) == (name in same), name


def test_scales_of_any_robot_are_robogauges_for_go2_and_shrink_with_the_robot():
    go2 = replace(GO2, mass=15.206, gravity=9.81, height=0.2884)
    assert vars(Scales.of(go2, (2.0, 1.0, 2.0))) == pytest.approx(vars(GO2_FLAT))
    assert vars(Scales.of(go2, (1.0, 1.0, 1.5))) == pytest.approx(vars(GO2_TERRAIN))
    half = replace(go2, mass=15.206 / 8, height=0.2884 / 2)  # same density, half as long
    small = Scales.of(half, (2.0, 1.0, 2.0))
    assert small.torque == pytest.approx(30 / 2**4) and small.power == pytest.approx(100 / 2**3.5)
    assert small.lin_vel == GO2_FLAT.lin_vel
    assert small.ang_vel == pytest.approx(1.5 * np.sqrt(2))  # legs half as long swing faster
    assert Scales.of(half, (2.0, 1.0, 3.0)).ang_vel == 3.0


def test_a_scale_of_zero_is_refused():
    with pytest.raises(ValueError, match=r"scale lin_vel is 0"):
        Scales.of(GO2, (0.0, 0.0, 1.0))
    with pytest.raises(ValueError, match=r"scale power is nan"):
        replace(GO2_FLAT, power=float("nan"))


def test_a_physique_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match=r"'FL_hip'.*no range"):
        replace(GO2, low=np.array([2.0] + [-1.0] * 11))
    with pytest.raises(ValueError, match="effort has shape"):
        replace(GO2, effort=np.ones(3))
    with pytest.raises(ValueError, match="mass is 0"):
        replace(GO2, mass=0.0)
    assert isinstance(GO2, Physique) and GO2.spread == pytest.approx(0.5) and GO2.weight == 150.0


def test_the_page_of_metrics_tells_every_rule_metric_weight_and_constant(checkout):
    page = (checkout / "docs" / "metrics.md").read_text("utf-8")
    for name in {*vars(DEFAULT), *OURS} - {"name"}:
        assert f"`{name}`" in page, name
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for name, weight in OURS.items():
        assert rows[name].split(" | ")[2] == f"{weight:g}", name
    families = (drift, feet, limits, outcome, posture, power, smoothness)
    quiet = {"gravity", "fallen", "counted", "distance", "arrival_time", "target_distance"}
    for family in families:
        for name, function in vars(family).items():
            own = getattr(function, "__module__", "") == family.__name__
            if own and not name.startswith("_") and name not in quiet:
                assert f"{name}`" in page, name


def test_scores_and_goals_need_no_simulator():
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "from servogym.gauge import divergence, quality\n"
        "from servogym.gauge.goals import grid, head, pushes, settle, target, velocity\n"
        "from servogym.gauge.metrics import feet, outcome, penetration, scored, tracking\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_single_simulations_are_recorded_without_mujocos_batch():
    code = (
        "import sys; sys.modules['mujoco.batch'] = None\n"
        "from servogym.gauge import contacts, recorder\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
