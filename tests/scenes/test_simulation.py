"""Running a finished scene: targets by joint path, and nothing that happens by itself."""

import mujoco
import numpy as np
import pytest

from servogym.scenes.scene import Scene
from servogym.scenes.simulation import Simulation

LEFT, RIGHT = "/world/left/base/upper", "/world/right/base/upper"


def column(sim, name, path):
    return sim.data["control"][name][sim.column(path)]


def test_columns_are_scene_paths_and_a_joint_without_such_a_servo_has_nan(scene):
    scene.finalize()
    sim = scene.simulation()
    assert sim.joints[:3] == (
        f"{LEFT}/shoulder",
        f"{LEFT}/lower/elbow",
        f"{LEFT}/lower/tip/push",
    )
    assert len(sim.joints) == 6  # the two ball joints are not among them
    np.testing.assert_array_equal(
        sim.data["control"]["joint_target_pos"], [0.0, np.nan, np.nan] * 2
    )
    np.testing.assert_array_equal(
        sim.data["control"]["joint_target_vel"], [np.nan, 0.0, np.nan] * 2
    )


def test_002_24_a_target_set_at_build_time_moves_no_joint_and_is_there_at_the_start(scene):
    scene.set_actuator_physics_properties(f"{RIGHT}/shoulder", target_position=0.4)
    scene.set_actuator_physics_properties(f"{RIGHT}/lower/elbow", target_velocity=-0.2)
    model = scene.finalize()
    assert (model.qpos0[[0, 1, 2]] == 0.0).all()
    sim = scene.simulation()
    assert (sim.data["state"]["joint_pos"] == 0.0).all()
    assert column(sim, "joint_target_pos", f"{RIGHT}/shoulder") == 0.4
    assert column(sim, "joint_target_vel", f"{RIGHT}/lower/elbow") == -0.2
    assert sim.mj_data.actuator("right/turn").ctrl == 0.4
    assert sim.mj_data.actuator("turn").ctrl == 0.0
    sim.step(5)
    assert sim.data["state"]["joint_vel"][sim.column(f"{RIGHT}/shoulder")] > 0.0


def test_002_24_a_target_written_at_run_time_waits_for_the_upload(scene):
    scene.finalize()
    sim, idle = scene.simulation(), scene.simulation()
    sim.data["control"]["joint_target_pos"][sim.column(f"{LEFT}/shoulder")] = 0.5
    sim.step(3)
    idle.step(3)
    assert np.array_equal(sim.mj_data.qpos, idle.mj_data.qpos)
    sim.upload()
    assert np.array_equal(sim.mj_data.qpos, idle.mj_data.qpos)
    sim.step(400)
    reached = sim.data["state"]["joint_pos"][sim.column(f"{LEFT}/shoulder")]
    assert reached == sim.mj_data.joint("shoulder").qpos[0]
    assert 0.3 < reached < 0.9


def test_targets_are_at_the_joint_whatever_the_gear():
    scene = Scene()
    scene.add(
        "it",
        "<mujoco><worldbody><body name='b'><joint name='j' axis='0 0 1' damping='1'/>"
        "<geom size='.1'/></body></worldbody>"
        "<actuator><position joint='j' kp='10' kv='1' gear='-3'/></actuator></mujoco>",
    )
    scene.finalize()
    sim = scene.simulation()
    sim.data["control"]["joint_target_pos"][0] = 0.2
    sim.upload()
    sim.step(5000)
    np.testing.assert_allclose(sim.data["state"]["joint_pos"], 0.2, atol=1e-6)


@pytest.mark.parametrize(
    "index, value, words",
    [
        (0, np.nan, "shoulder' is nan; a finite number"),
        (0, np.inf, "shoulder' is inf; a finite number"),
        (1, 0.0, "elbow' is 0.0, but no such servo drives it"),
        (None, np.zeros(3), r"shape \(3,\); \(6,\) is needed"),
    ],
)
def test_an_upload_with_one_bad_target_hands_nothing_over(scene, index, value, words):
    scene.finalize()
    sim = scene.simulation()
    sim.data["control"]["joint_target_vel"][1] = 0.7
    if index is None:
        sim.data["control"]["joint_target_pos"] = value
    else:
        sim.data["control"]["joint_target_pos"][index] = value
    with pytest.raises(ValueError, match=words):
        sim.upload()
    assert not sim.mj_data.ctrl.any()


def test_a_reset_brings_back_the_initial_state_and_the_targets_of_the_build(scene):
    scene.set_joint_physics_properties(
        f"{LEFT}/shoulder", initial_position=0.3, initial_velocity=-1.0
    )
    scene.set_actuator_physics_properties(f"{LEFT}/shoulder", target_position=0.3)
    scene.finalize()
    sim = scene.simulation()
    assert sim.data["state"]["joint_pos"][0] == 0.3
    assert sim.data["state"]["joint_vel"][0] == -1.0
    sim.step(50)
    sim.data["control"]["joint_target_pos"][0] = 1.0
    sim.upload()
    sim.reset()
    assert sim.mj_data.time == 0.0
    assert sim.data["state"]["joint_pos"][0] == 0.3
    assert sim.data["control"]["joint_target_pos"][0] == 0.3
    assert sim.mj_data.actuator("turn").ctrl == 0.3


def test_002_24_a_velocity_limit_holds_in_the_simulation(scene):
    paths = [f"{LEFT}/shoulder", f"{RIGHT}/shoulder"]
    scene.set_joint_physics_properties(paths[1], velocity_limit=0.25)
    scene.set_actuators_physics_properties(paths, target_position=1.2)
    scene.finalize()
    sim = scene.simulation()
    fastest = np.zeros(6)
    for _ in range(300):
        sim.step()
        fastest = np.maximum(fastest, np.abs(sim.data["state"]["joint_vel"]))
    assert fastest[sim.column(paths[1])] == 0.25
    assert fastest[sim.column(paths[0])] > 0.5


def test_a_saved_and_reloaded_model_keeps_its_limits_and_its_beginning(scene, tmp_path):
    path = f"{RIGHT}/shoulder"
    scene.set_joint_physics_properties(path, velocity_limit=0.25, initial_position=0.5)
    model = scene.finalize()
    mujoco.mj_saveModel(model, str(tmp_path / "scene.mjb"))
    sim = Simulation(mujoco.MjModel.from_binary_path(str(tmp_path / "scene.mjb")))
    here = sim.column("right/shoulder")
    assert sim.data["state"]["joint_pos"][here] == 0.5
    sim.step(100)
    assert abs(sim.data["state"]["joint_vel"][here]) <= 0.25


def test_a_simulation_that_blows_up_says_so_instead_of_starting_over(scene):
    scene.finalize()
    sim = scene.simulation()
    sim.mj_data.qvel[0] = 1e12
    with pytest.raises(FloatingPointError, match="mjWARN_BAD"):
        sim.step(2)


def test_an_unknown_column_is_answered_with_the_known_ones(scene):
    scene.finalize()
    with pytest.raises(LookupError, match="no joint 'shoulder'; joints: /world/left/base/upper/sh"):
        scene.simulation().column("shoulder")


def test_a_joint_that_the_model_has_not_is_refused(scene):
    with pytest.raises(LookupError, match="no joint 'wrist'"):
        Simulation(scene.finalize(), {"/world/left/wrist": "wrist"})
