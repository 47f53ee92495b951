"""MicroDuck's poses: the soles rest at HOME, and a mirrored pose is a mirrored duck."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym import robots

FIGURES = json.loads((Path(__file__).parent / "microduck_figures.json").read_text())
DUCK = robots.get("microduck")


@pytest.fixture(params=["walk", "ground"])
def model(request):
    return DUCK.spec(request.param).compile()


def posed(model, key="HOME"):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    mujoco.mj_forward(model, data)
    return data


def lowest_point(data, geom):
    box = data.geom(geom)
    return box.xpos[2] - np.abs(box.xmat.reshape(3, 3)[2]) @ data.model.geom(geom).size


def test_the_trunk_is_0_1171_m_high_when_the_soles_rest_on_the_floor(model):
    data = posed(model)
    soles = [lowest_point(data, foot.geom) for foot in DUCK.feet]
    np.testing.assert_allclose(soles, 0.0, atol=1e-6)
    assert data.body("trunk_base").xpos[2] == DUCK.spawn_height
    assert round(DUCK.spawn_height, 4) == 0.1171


def test_the_soles_are_level_at_home(model):
    data = posed(model)
    for foot in DUCK.feet:
        np.testing.assert_allclose(data.geom(foot.geom).xmat.reshape(3, 3), np.eye(3), atol=5e-5)


def test_home_is_the_published_pose_with_full_precision(model):
    data = posed(model)
    pose = np.array([data.joint(joint).qpos[0] for joint in DUCK.joints])
    np.testing.assert_array_equal(pose, DUCK.pose())
    left = [0.0, -np.deg2rad(5), -0.457924, -0.00494, 0.452984]
    head = [np.deg2rad(20), np.deg2rad(20), 0.0, 0.0]
    np.testing.assert_allclose(pose, [*left, *head, *(-x for x in left)], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(model.key("HOME").ctrl, pose)


def test_the_seat_and_the_fold_are_the_published_poses(model):
    seat = {"hip_roll": 0.0, "hip_pitch": -0.4079, "knee": 1.35, "ankle": 0.0}
    fold = {"hip_yaw": 0.0, "hip_roll": 0.0, "hip_pitch": 1.57, "knee": 1.57, "ankle": 0.0}
    for key, left, height in (("SIT", seat, 0.06), ("FOLD", fold, 0.07)):
        data = posed(model, key)
        assert data.qpos[2] == height
        for joint, angle in left.items():
            assert data.joint(f"left_{joint}").qpos[0] == angle
            assert data.joint(f"right_{joint}").qpos[0] == -angle


def test_derived_lengths_and_heights_at_home(model):
    data = posed(model)
    com, ankle = data.subtree_com[1], data.body("ankle_left").xpos
    figures = FIGURES
    assert com[0] - ankle[0] == pytest.approx(figures["com_minus_ankle_axis_x"], abs=1e-4)
    assert com[2] == pytest.approx(figures["com_height"], abs=1e-4)
    assert ankle[2] == pytest.approx(figures["ankle_axis_height"], abs=1e-4)
    assert data.site("left_foot").xpos[1] == pytest.approx(figures["foot_site_y"], abs=5e-5)
    assert data.site("right_foot").xpos[1] == pytest.approx(-figures["foot_site_y"], abs=5e-5)
    assert data.site("head_camera").xpos[2] == pytest.approx(
        figures["head_camera_height"], abs=5e-5
    )
    for upper, lower, length in (
        ("left_hip_pitch", "left_knee", figures["thigh"]),
        ("left_knee", "left_ankle", figures["shank"]),
    ):
        apart = data.joint(lower).xanchor - data.joint(upper).xanchor
        across = apart - (apart @ data.joint(upper).xaxis) * data.joint(upper).xaxis
        assert np.linalg.norm(across) == pytest.approx(length, abs=5e-5)


def test_the_head_is_level_at_home(model):
    axes = posed(model).body("jaw_soft").xmat.reshape(3, 3)
    np.testing.assert_allclose(axes[:, 2], [-1.0, 0.0, 0.0], atol=1e-5)  # its -z looks forward


def test_nothing_touches_anything_in_any_keyframe(model):
    for key in range(model.nkey):
        assert posed(model, model.key(key).name).ncon == 0, model.key(key).name


def test_a_mirrored_pose_gives_mirrored_feet_head_and_centre_of_mass(model):
    index, sign = DUCK.mirror_index()
    low, high = np.array([model.joint(joint).range for joint in DUCK.joints]).T
    flip = np.array([1.0, -1.0, 1.0])
    rng = np.random.default_rng(0)
    for _ in range(20):
        pose = rng.uniform(low, high)
        seen, mirrored = mujoco.MjData(model), mujoco.MjData(model)
        for data, angles in ((seen, pose), (mirrored, sign * pose[index])):
            for joint, angle in zip(DUCK.joints, angles, strict=True):
                data.joint(joint).qpos[0] = angle
            mujoco.mj_forward(model, data)
        # The published masses are not perfectly symmetric: 0.15 mm covers trunk and head.
        np.testing.assert_allclose(mirrored.subtree_com[1], flip * seen.subtree_com[1], atol=7e-4)
        for a, b in (("left_foot", "right_foot"), ("right_foot", "left_foot")):
            np.testing.assert_allclose(mirrored.site(a).xpos, flip * seen.site(b).xpos, atol=2e-6)
        np.testing.assert_allclose(
            mirrored.site("mouth_tip").xpos, flip * seen.site("mouth_tip").xpos, atol=2e-6
        )


def test_flipping_one_sign_of_the_mirror_map_would_show(model):
    index, sign = DUCK.mirror_index()
    wrong = sign.copy()
    wrong[DUCK.joints.index("head_yaw")] *= -1
    pose = np.full(14, 0.2)
    tips = []
    for angles in (pose, wrong * pose[index]):
        data = mujoco.MjData(model)
        for joint, angle in zip(DUCK.joints, angles, strict=True):
            data.joint(joint).qpos[0] = angle
        mujoco.mj_forward(model, data)
        tips.append(data.site("mouth_tip").xpos.copy())
    assert abs(tips[0][1] + tips[1][1]) > 0.005
