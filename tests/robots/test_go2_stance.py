"""Go2's poses: the feet are on the floor and not in it, a mirrored pose is a mirrored robot."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.actuators import make
from servogym.actuators.base import Signals
from servogym.scenes.addresses import Addresses
from servogym.scenes.world import build

FIGURES = json.loads((Path(__file__).parent / "go2_figures.json").read_text())
GO2 = robots.get("go2")
RADIUS = FIGURES["foot"]["radius"]
IDLE = Signals(dt=0.005, external_torque=np.zeros((1, 12)), motor_torque=np.zeros((1, 12)))


@pytest.fixture(scope="module")
def world():
    return build(GO2)


def posed(model, key):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    mujoco.mj_forward(model, data)
    return data


def lowest(data):
    """Height of the lowest point of each foot above the floor [m]."""
    return np.array([data.geom(foot.geom).xpos[2] for foot in GO2.feet]) - RADIUS


def test_at_home_all_four_feet_are_on_the_floor_and_not_in_it(world):
    data = posed(world, "HOME")
    np.testing.assert_allclose(lowest(data), 0.0, atol=1e-6)
    pose = [data.joint(joint).qpos[0] for joint in GO2.joints]
    np.testing.assert_array_equal(pose, GO2.pose())
    pitch = np.degrees(np.arcsin(-data.body("base").xmat.reshape(3, 3)[2, 0]))
    assert -pitch == pytest.approx(1.22, abs=0.01)  # nose up


def test_under_a_level_trunk_at_spawn_height_the_front_feet_touch(world):
    data = posed(world, "LEVEL")
    data.qpos[2] = GO2.spawn_height
    mujoco.mj_forward(world, data)
    assert abs(lowest(data).min()) < 1e-6
    np.testing.assert_allclose(lowest(data), [0, 0, 0.0096, 0.0096], atol=5e-5)
    np.testing.assert_allclose(data.qpos, world.key("LEVEL").qpos, atol=1e-12)


@pytest.mark.parametrize("key", ["HOME", "LEVEL", "STAND", "LIE"])
def test_nothing_penetrates_the_floor_in_any_keyframe(world, key):
    data = posed(world, key)
    assert data.ncon > 0
    assert min(contact.dist for contact in data.contact) > -1e-4


@pytest.mark.parametrize("key", FIGURES["poses"])
def test_feet_and_height_of_the_published_poses(world, key):
    figures, data = FIGURES["poses"][key], posed(world, key)
    np.testing.assert_array_equal([data.joint(j).qpos[0] for j in GO2.joints], figures["q"])
    assert data.qpos[2] == pytest.approx(max(figures["height"]), abs=6e-5)
    for foot in GO2.feet:
        apart = data.geom(foot.geom).xpos - data.body("base").xpos
        np.testing.assert_allclose(apart, figures["feet"][foot.site], atol=6e-6)


def test_each_site_is_the_lowest_point_of_its_foot_under_a_level_trunk(world):
    data = posed(world, "LEVEL")
    for foot, height in zip(GO2.feet, lowest(data), strict=True):
        below = data.geom(foot.geom).xpos - [0.0, 0.0, RADIUS]
        np.testing.assert_allclose(data.site(foot.site).xpos, below, atol=1e-7)
        assert data.site(foot.site).xpos[2] == pytest.approx(height, abs=1e-7)


def test_a_mirrored_pose_gives_mirrored_feet_and_centre_of_mass(world):
    index, sign = GO2.mirror_index()
    low, high = np.array([world.joint(joint).range for joint in GO2.joints]).T
    flip, rng = np.array([1.0, -1.0, 1.0]), np.random.default_rng(0)
    partner = {"FL": "FR", "FR": "FL", "RL": "RR", "RR": "RL"}
    for _ in range(20):
        pose = rng.uniform(low, high)
        seen, mirrored = mujoco.MjData(world), mujoco.MjData(world)
        for data, angles in ((seen, pose), (mirrored, sign * pose[index])):
            for joint, angle in zip(GO2.joints, angles, strict=True):
                data.joint(joint).qpos[0] = angle
            mujoco.mj_forward(world, data)
        np.testing.assert_allclose(mirrored.subtree_com[1], flip * seen.subtree_com[1], atol=1e-9)
        for foot, other in partner.items():
            np.testing.assert_allclose(
                mirrored.geom(f"{foot}_foot").xpos, flip * seen.geom(f"{other}_foot").xpos
            )


def held(seconds, *, motor="pd", key="HOME", cone="elliptic", impratio=100.0, backlash=None):
    """Let the motors hold the default pose: (place and upright cosine of the base (t, 4), data)."""
    law = make(motor, GO2)
    model = build(GO2, actuator=law, backlash=backlash, lean=True)
    model.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    model.opt.impratio = impratio
    law.bind(GO2.joints, 1, model.opt.timestep)
    law.reset(np.array([0]), None)
    at, data, path = Addresses.of(model, GO2), posed(model, key), []
    for _ in range(round(seconds / model.opt.timestep)):
        gap = 0.0 if at.play_qpos is None else data.qpos[at.play_qpos]
        measured, speed = data.qpos[at.servo_qpos] + gap, data.qvel[at.servo_dof]
        data.ctrl[at.motor] = law.compute(GO2.pose()[None], measured[None], speed[None], IDLE)[0]
        mujoco.mj_step(model, data)
        path.append((*data.qpos[:3], data.body("base").xmat[8]))
    assert sum(warning.number for warning in data.warning) == 0
    return np.array(path), data


@pytest.mark.parametrize("motor", ["pd", "dc", "dc-24v", "pd+identified", "pd+menagerie"])
@pytest.mark.parametrize("backlash", [None, GO2.backlash])
def test_it_stands_by_itself_on_its_default_gains_and_comes_to_rest(motor, backlash):
    path, data = held(4.0, motor=motor, backlash=backlash)
    assert path[:, 3].min() > np.cos(np.radians(5.0))
    assert path[:, 2].min() > 0.24
    assert np.abs(data.qvel[:6]).max() < 0.02
    assert {data.model.geom(c.geom[1]).name for c in data.contact} == {f.geom for f in GO2.feet}


def test_a_stiff_elliptic_cone_keeps_the_feet_from_creeping_apart():
    """Pyramidal at impratio 1 lets the stance widen and the trunk sink, second by second."""
    soft, _ = held(6.0, cone="pyramidal", impratio=1.0)
    firm, _ = held(6.0)
    assert soft[-1, 2] < firm[-1, 2] - 0.015
    assert soft[-201, 2] - soft[-1, 2] > 4 * (firm[-201, 2] - firm[-1, 2])


@pytest.mark.parametrize("roll", [90.0, 180.0])
def test_a_toppled_robot_lies_on_the_floor_and_does_not_sink_into_it(world, roll):
    model = build(GO2, lean=True)
    data = posed(model, "LIE")
    data.qpos[2] = 0.4
    half = np.radians(roll) / 2
    data.qpos[3:7] = np.cos(half), np.sin(half), 0.0, 0.0
    for _ in range(600):
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        assert data.body("base").xpos[2] > 0.04
    assert np.abs(data.qvel).max() < 1.0
    touching = {model.geom(contact.geom[1]).name for contact in data.contact}
    assert touching - {foot.geom for foot in GO2.feet}  # it is not the feet that bear it
