"""What bad input gets: the name of the thing, and what would have been accepted."""

import gymnasium
import numpy as np
import pytest

import servogym  # noqa: F401
from servogym.envs import fleet
from servogym.envs.fleet import SMALL
from servogym.envs.ramp import Ramp
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.single import RobotEnv
from servogym.envs.vector import RobotVectorEnv


def same(a, b):
    return set(a) == set(b) and all(np.array_equal(a[k], b[k]) for k in a)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_action_that_is_not_finite_names_its_joint_and_moves_nothing(bad):
    env = RobotEnv("microduck_flat")
    env.reset(seed=0)
    before = env.get_state()
    action = np.zeros(14)
    action[env.core.robot.joints.index("left_knee")] = bad
    with pytest.raises(ValueError, match="left_knee"):
        env.step(action)
    assert same(before, env.get_state())


@pytest.mark.parametrize("shape", [(13,), (15,), (), (1, 14)])
def test_an_action_of_the_wrong_shape_names_the_joints_and_moves_nothing(shape):
    env = RobotEnv("microduck_flat")
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(ValueError, match=r"left_hip_yaw.*right_ankle"):
        env.step(np.zeros(shape))
    assert same(before, env.get_state())


def test_one_bad_row_of_a_batch_is_named_and_no_row_moves():
    envs = RobotVectorEnv("microduck_flat", 3)
    envs.reset(seed=0)
    before = envs.get_state()
    actions = np.zeros((3, 14), np.float32)
    actions[2, 13] = np.nan
    joint = envs.core.robot.joints[13]
    with pytest.raises(ValueError, match=f"{joint}.* 2"):
        envs.step(actions)
    with pytest.raises(ValueError, match="left_hip_yaw"):
        envs.step(actions[:2])
    assert same(before, envs.get_state())


def test_sb3_actions_are_checked_alike():
    envs = Sb3VecEnv("MicroDuck-Flat-v0", 2, seed=0)
    envs.reset()
    with pytest.raises(ValueError, match=envs.core.robot.joints[3]):
        envs.step(np.where(np.arange(14) == 3, np.nan, np.zeros((2, 14))))


@pytest.mark.parametrize(
    ("make", "error", "known"),
    [
        (lambda: RobotEnv("microduck_flap"), LookupError, "microduck_flat"),
        (lambda: Sb3VecEnv("MicroDuck-Flap-v0", 1), LookupError, "MicroDuck-Flat-v0"),
        (lambda: gymnasium.make("MicroDuck-Flap-v0"), gymnasium.error.Error, "MicroDuck-Flat"),
        (lambda: RobotEnv("microduck_flat", actuator="steam"), LookupError, "bam"),
        (lambda: RobotEnv("microduck_flat", sensing={"gyro": 1}), ValueError, "gyro_noise"),
        (lambda: RobotEnv("microduck_flat", rewards={"style": 1}), ValueError, "pace"),
        (lambda: RobotEnv("microduck_flat", commands={"speed": 1}), ValueError, "twist"),
        (lambda: RobotEnv("microduck_flat", spawn={"hight": 1}), ValueError, "drop"),
        (lambda: RobotEnv("microduck_flat", randomization={"m": 1}), ValueError, "armature"),
        (lambda: RobotEnv("microduck_flat", commands=False), ValueError, "commands"),
        (lambda: RobotEnv("microduck_flat", render_mode="ascii"), ValueError, "rgb_array"),
        (lambda: RobotVectorEnv("microduck_flat", 2, render_mode="human"), ValueError, "rgb_arr"),
        (lambda: RobotVectorEnv("microduck_flat", 0), ValueError, "at least 1"),
        (lambda: RobotVectorEnv("microduck_flat", 2, autoreset_mode="Never"), ValueError, "Never"),
        (lambda: RobotEnv("microduck_flat", max_episode_steps=0), ValueError, "1 or more"),
        (
            lambda: RobotVectorEnv("microduck_flat", 2, max_episode_steps=-5),
            ValueError,
            "1 or more",
        ),
    ],
)
def test_what_does_not_exist_is_answered_with_what_does(make, error, known):
    with pytest.raises(error, match=known):
        make()


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("commands", "twist", 3),
        ("commands", "body", 0.1),
        ("commands", "twist", (np.nan, 0.0, 0.0)),
        ("sensing", "gyro_noise", "0.1"),
        ("sensing", "joint_vel_lag", 1.5),
        ("randomization", "volts", 7.4),
        ("randomization", "command_delay", (1.5, 2.0)),
        ("randomization", "push", np.inf),
        ("spawn", "drop", None),
        ("rewards", "gait", np.nan),
        ("rewards", "gait", "much"),
    ],
)
def test_a_setting_of_the_wrong_kind_or_size_is_refused_by_name(section, name, value):
    with pytest.raises(ValueError, match=rf"{section}: {name} is .*; needs"):
        RobotEnv("microduck_flat", **{section: {name: value}})


def test_settings_may_come_as_the_lists_that_json_makes_of_them():
    settings = {
        "commands": {"twist": [0.2, 0, 0.5], "standing": Ramp(0.0, 0.5, 0.0, 1e6)},
        "randomization": {"command_delay": [1, 2], "volts": None, "push": 0},
        "rewards": {"gait": 1},
    }
    assert np.isfinite(RobotEnv("microduck_flat", **settings).reset(seed=0)[0]).all()


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({"comand": (0, 0, 0)}, "command, head, body"),
        ({"command": (0, 0)}, "3 finite numbers"),
        ({"command": (0, 0, np.nan)}, "3 finite numbers"),
        ({"head": (0, 0, 0, 0)}, "need 'command'"),
        ({"command": (0, 0, 0), "head": (0, 0)}, "4 finite numbers"),
    ],
)
def test_reset_options_that_make_no_sense_change_nothing(options, known):
    env = RobotEnv("microduck_flat")
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(ValueError, match=known):
        env.reset(options=options)
    assert same(before, env.get_state())


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        ({"seed": [1, 2]}, "2 seeds for 3"),
        ({"options": {"reset_mask": np.ones(2, bool)}}, "needs \\(3,\\) bool"),
        ({"options": {"reset_mask": np.ones(3)}}, "needs \\(3,\\) bool"),
    ],
)
def test_a_batch_refuses_seeds_and_masks_that_do_not_fit(arguments, known):
    envs = RobotVectorEnv("microduck_flat", 3)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=known):
        envs.reset(**arguments)


@pytest.mark.parametrize("n", [3, SMALL])
def test_a_mask_that_picks_no_row_resets_none(n):
    envs = RobotVectorEnv("microduck_flat", n)
    observation, _ = envs.reset(seed=0)
    before = envs.get_state()
    again, _ = envs.reset(options={"reset_mask": np.zeros(n, bool)})
    np.testing.assert_array_equal(again, observation)
    assert same(before, envs.get_state())


@pytest.mark.parametrize("n", [3, SMALL])
def test_every_row_may_be_held_at_a_command_of_its_own(n):
    robots = fleet.make("microduck_flat", n)
    rows = np.arange(n)
    twists = 0.001 * np.arange(3 * n).reshape(n, 3)
    robots.seed(rows, rows.astype(np.uint64))
    robots.hold(rows, twists)
    command = robots.reset(rows)[:, robots.contract.slices()["command"]]
    np.testing.assert_array_equal(command, twists.astype(np.float32))


def test_a_state_of_another_shape_is_refused_by_name_and_changes_nothing():
    env, pair = RobotEnv("microduck_flat"), RobotVectorEnv("microduck_flat", 2)
    env.reset(seed=0)
    pair.reset(seed=0)
    before = env.get_state()
    with pytest.raises(ValueError, match=r"1 robots.*physics\.qpos"):
        env.set_state(pair.core.get_state())
    assert same(before, env.get_state())


def test_an_unknown_option_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match="unknown options gravity; known: task, backlash, actuator, robot, encoder"
    ):
        gymnasium.make("MicroDuck-Flat-v0", gravity=1.6)


@pytest.mark.parametrize("n", [2, SMALL])
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"backlash": "no"}, "backlash is 'no'; needs True or False"),
        ({"backlash": 1}, "backlash is 1; needs True or False"),
        ({"threads": -1}, "threads is -1; needs a number of threads, or 0 for every CPU"),
        ({"threads": 1.5}, "threads is 1.5; needs a number of threads"),
    ],
)
def test_what_only_looks_like_an_option_is_refused(n, option, said):
    with pytest.raises(ValueError, match=said):
        RobotVectorEnv("microduck_flat", n, **option)


@pytest.mark.parametrize("face", ["vector", "sb3"])
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(face):
    env = (
        RobotVectorEnv("microduck_flat", 2)
        if face == "vector"
        else Sb3VecEnv("MicroDuck-Flat-v0", 2, seed=0)
    )
    env.reset()
    before = env.get_state()
    with pytest.raises(ValueError, match="missing or of another shape"):
        env.set_state({})
    after = env.get_state()
    assert all(np.array_equal(before[name], after[name]) for name in before)
