"""The friction margin is 0 where MuJoCo's contacts slide, and a card can say what may touch."""

import mujoco
import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.gauge.metrics import zmp
from servogym.gauge.metrics.friction import friction_margin
from servogym.gauge.metrics.rules import DEFAULT, ROBOGAUGE
from servogym.gauge.recorder import Recorder, physique
from servogym.scenes import world
from servogym.scenes.addresses import Addresses
from servogym.scenes.touchable import touchable
from tests.gauge.animals import dog, place, sled


def slide(robot, cone, direction, pull=0.7, time=0.15):
    """Pull a resting sled with this share of its weight; what slides hops a little in MuJoCo."""
    model = world.build(robot)
    model.opt.cone = cone
    at = Addresses.of(model, robot)
    data, body = place(model, robot, at), physique(model, robot)
    mujoco.mj_step(model, data, 200)
    data.xfrc_applied[at.base_body, :2] = pull * body.weight * np.array(direction)
    recorder = Recorder(robot, model, [data], 0.01, every=1)
    for _ in range(round(time / 0.01)):
        mujoco.mj_step(model, data, 2)
        recorder.look(action=np.zeros((1, 1)), command=np.zeros((1, 3)), alive=np.ones(1, bool))
    return recorder.footing(), body


CONES = {
    "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC,
    "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL,
}


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.8, 0.8)])
def test_a_sliding_sole_has_no_margin_left_in_either_cone(tmp_path, cone, direction):
    footing, body = slide(sled(tmp_path), CONES[cone], direction)
    margin = friction_margin(footing, body, DEFAULT)
    assert footing.cone == cone and np.isfinite(margin).sum() >= 5
    assert np.nanmax(margin) < 1e-6


def test_a_sliding_pyramid_seems_to_have_friction_left_by_robogauges_rule(tmp_path):
    footing, body = slide(sled(tmp_path), CONES["pyramidal"], (0.8, 0.8))
    loaded = footing.normal.sum(axis=2) > 10
    theirs = friction_margin(footing, body, ROBOGAUGE)[loaded]
    assert len(theirs) >= 5 and theirs == pytest.approx(1 - np.sqrt(0.5), abs=1e-6)


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("rules", [DEFAULT, ROBOGAUGE], ids=["ours", "robogauge"])
def test_a_sole_that_holds_has_left_what_is_not_pulled_for(tmp_path, cone, rules):
    footing, body = slide(sled(tmp_path), CONES[cone], (1.0, 0.0), pull=0.24, time=1.0)
    assert friction_margin(footing, body, rules)[-1, 0] == pytest.approx(1 - 0.24 / 0.6, abs=0.02)


def test_a_resting_sole_has_all_its_margin(tmp_path):
    footing, body = slide(sled(tmp_path), CONES["elliptic"], (0.0, 0.0))
    assert friction_margin(footing, body, DEFAULT)[-1, 0] > 0.999
    assert zmp.zmp_margin(footing, body, DEFAULT)[-1, 0] == pytest.approx(1.0, abs=0.02)


def test_history_the_friction_is_that_of_the_contact_and_not_of_the_geom(tmp_path):
    """RoboGauge's friction was once 0.4 times what it said; a pair leaves geoms unasked."""
    for pair, wanted in ((None, 0.6), (0.3, 0.3)):
        robot = sled(tmp_path, pair=pair)
        footing, body = slide(robot, CONES["elliptic"], (1.0, 0.0))
        assert set(footing.friction[footing.touching][:, 0].tolist()) == {wanted}
        drag, load = -footing.force[..., 0].sum(axis=2), footing.normal.sum(axis=2)
        assert drag == pytest.approx(wanted * load)
        assert np.nanmax(friction_margin(footing, body, DEFAULT)) < 1e-6


def test_what_can_touch_the_ground_is_told(tmp_path):
    """A fallen robot of which the feet alone can touch sinks in; a card must say so."""
    assert touchable(world.build(sled(tmp_path)), sled(tmp_path)) == ("sole",)
    assert touchable(world.build(sled(tmp_path, pair=0.3)), sled(tmp_path)) == ("sole",)
    robot = dog(tmp_path)
    found = touchable(world.build(robot), robot)
    assert {"trunk", "fl_foot", "a geom of rr_hip"} <= set(found)
    assert not {name for name in found if "calf" in name or "thigh" in name}
    duck = Core("microduck_flat", 1, threads=1)
    assert set(touchable(duck.model, duck.robot)) == {
        "left_foot_collision",
        "right_foot_collision",
    }
