"""Physics that explodes and numbers that are not finite: one row pays, once, and nobody else."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from servogym.envs import registration
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.single import RobotEnv
from servogym.envs.task import Term
from servogym.envs.vector import RobotVectorEnv

TASK, N = "microduck_flat", 4
ACTIONS = np.random.default_rng(2).uniform(-0.2, 0.2, (60, N, 14)).astype(np.float32)
SICK, WELL = 2, [0, 1, 3]


def finite(out, infos):
    observation, reward, *_ = out
    assert np.isfinite(observation).all() and np.isfinite(reward).all()
    assert all(np.isfinite(v).all() for v in infos["reward_terms"].values())


@pytest.mark.filterwarnings("ignore:.*is not finite")
@pytest.mark.parametrize("value", [1e5, 1e12, np.nan, np.inf])
@pytest.mark.parametrize("array", ["qvel", "qpos"])
@pytest.mark.parametrize(("at", "backlash"), [(0, False), (10, True)])
def test_a_row_that_explodes_ends_as_diverged_and_the_others_do_not_notice(
    array, value, at, backlash
):
    sick, well = (
        RobotVectorEnv(TASK, N, backlash=backlash, autoreset_mode="SameStep") for _ in range(2)
    )
    sick.reset(seed=0)
    well.reset(seed=0)
    for k, actions in enumerate(ACTIONS[: at + 25]):
        if k == at:
            where = sick.core.at.servo_dof if array == "qvel" else sick.core.at.servo_qpos
            getattr(sick.core, f"_{array}")[SICK, where[4]] = value
        *ours, infos = sick.step(actions)
        *theirs, _ = well.step(actions)
        finite(ours, infos)
        for x, y in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(x[WELL], y[WELL])
        if k == at:
            _, reward, terminated, truncated = ours
            assert terminated[SICK] and not truncated[SICK] and reward[SICK] == 0.0
            final = infos["final_info"]
            assert final["diverged"].tolist() == [row == SICK for row in range(N)]
            assert np.isfinite(infos["final_obs"][SICK]).all()
            for term in final["reward_terms"].values():
                assert not term[SICK] or term.dtype == bool
            fresh = RobotEnv(TASK, backlash=backlash)
            fresh.reset(seed=SICK)
            expected, _ = fresh.reset()
        if k >= at:
            np.testing.assert_array_equal(ours[0][SICK], expected)
            expected = fresh.step(ACTIONS[k + 1, SICK])[0]


@pytest.mark.filterwarnings("ignore:.*is not finite")
def test_a_single_environment_and_sb3_say_diverged_too():
    env, envs = RobotEnv(TASK), Sb3VecEnv("MicroDuck-Flat-v0", 2, seed=0)
    env.reset(seed=0)
    envs.reset()
    env.core._qvel[0, 8] = np.nan
    envs.core._qvel[1, 8] = np.nan
    observation, reward, terminated, truncated, info = env.step(np.zeros(14))
    assert info["diverged"] and terminated and not truncated and reward == 0.0
    assert np.isfinite(observation).all()
    _, _, done, infos = envs.step(np.zeros((2, 14)))
    assert done.tolist() == [False, True] and infos[1]["diverged"]
    assert not infos[1]["TimeLimit.truncated"]
    assert np.isfinite(infos[1]["terminal_observation"]).all()
    assert infos[1]["episode"]["r"] == 0.0


def test_a_row_that_explodes_is_put_to_rest_before_a_critic_looks_at_it():
    envs = Sb3VecEnv("MicroDuck-Flat-v0", 2, seed=0, privileged=True)
    envs.reset()
    envs.core._qvel[1, 8] = 1e7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        infos = envs.step(np.zeros((2, 14)))[-1]
    assert np.abs(infos[1]["terminal_observation"]).max() < 1e3


@pytest.mark.filterwarnings("ignore:.*is not finite")
def test_a_broken_sensor_does_not_reach_a_critic_either():
    envs = Sb3VecEnv("MicroDuck-Flat-v0", 2, seed=0, privileged=True)
    envs.reset()
    read = envs.core._read_state

    def read_a_broken_foot(*rows):
        read(*rows)
        if not rows:
            envs.core.state.foot_vel[1] = np.nan

    envs.core._read_state = read_a_broken_foot
    observation, reward, done, infos = envs.step(np.zeros((2, 14)))
    assert done.tolist() == [False, True] and infos[1]["diverged"]
    assert np.isfinite(observation).all() and np.isfinite(reward).all()
    assert np.isfinite(infos[1]["terminal_observation"]).all()


@pytest.mark.parametrize("term", sorted(registration.find(TASK).rewards))
def test_a_reward_term_that_is_not_finite_is_named_once_and_never_learnt_from(term, monkeypatch):
    task = registration.find(TASK)
    real = task.rewards[term].function

    def poisoned(moment):
        value = np.array(real(moment), float)
        value[SICK] = np.nan if (moment.state.elapsed[SICK] == 5) else value[SICK]
        return value

    rewards = {**task.rewards, term: Term(poisoned, task.rewards[term].weight)}
    monkeypatch.setattr(registration, "find", lambda _: replace(task, rewards=rewards))
    envs = RobotVectorEnv(TASK, N, autoreset_mode="SameStep")
    envs.reset(seed=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(20):
            *out, infos = envs.step(ACTIONS[k])
            finite(out, infos)
            ended = [SICK] if k % 5 == 4 else []
            assert np.flatnonzero(out[2]).tolist() == ended
    said = [str(w.message) for w in caught]
    assert len(said) == 1 and term in said[0] and f"row {SICK}" in said[0]


SOURCES = {
    "base_ang_vel": lambda state: state.base_ang_vel,
    "projected_gravity": lambda state: state.projected_gravity,
    "joint_vel": lambda state: state.joint_vel,
}


@pytest.mark.parametrize(
    "slot", [*SOURCES, "joint_pos", "actions", "command", "head_command", "body_command"]
)
def test_an_observation_that_is_not_finite_is_named_once_and_the_next_episode_is_clean(slot):
    envs = RobotVectorEnv(TASK, N, sensing=False, rewards={}, autoreset_mode="SameStep")
    envs.reset(seed=0)
    core = envs.core
    read, encoders, advance = core._read_state, core._reading, core.commander.advance

    def poison_the_encoders():
        angles = encoders()
        if slot == "joint_pos" and core.state.elapsed[SICK] == 5:
            angles[SICK, 7] = np.nan
        return angles

    def poison_state(*rows):
        read(*rows)
        if slot in SOURCES and core.state.elapsed[SICK] == 4:
            SOURCES[slot](core.state)[SICK, 0] = np.nan

    def poison_the_rest(rng):
        advance(rng)
        commands = {"command": "twist", "head_command": "head", "body_command": "body"}
        if slot in commands and core.state.elapsed[SICK] == 5:
            getattr(core.commander, commands[slot])[SICK, 1] = np.nan
        if slot == "actions" and core.state.elapsed[SICK] == 5:
            core.state.action[SICK, 3] = np.inf

    core._read_state, core.commander.advance = poison_state, poison_the_rest
    core._reading = poison_the_encoders
    fresh = RobotEnv(TASK, sensing=False)
    fresh.reset(seed=SICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(9):
            *out, infos = envs.step(ACTIONS[k])
            finite(out, infos)
            assert np.flatnonzero(out[2]).tolist() == ([SICK] if k == 4 else [])
            if k == 4:
                np.testing.assert_array_equal(out[0][SICK], fresh.reset()[0])
            elif k > 4:
                np.testing.assert_array_equal(out[0][SICK], fresh.step(ACTIONS[k, SICK])[0])
    named = [str(w.message) for w in caught if f"observation {slot} is" in str(w.message)]
    assert len(named) == 1 and f"row {SICK}" in named[0]


def test_sensordata_that_is_not_finite_reaches_nobody_and_the_next_episode_is_clean():
    envs = RobotVectorEnv(TASK, N, autoreset_mode="SameStep")
    envs.reset(seed=0)
    core = envs.core
    read, sound = core._read_state, core._seen

    def read_broken_feet(*rows):
        if not rows and core.state.elapsed[SICK] == 4:
            sensordata = sound["sensordata"].copy()
            sensordata[SICK, core.at.foot_force] = np.nan
            sensordata[SICK, core.at.foot_velocity] = np.nan
            core._seen = {**sound, "sensordata": sensordata}
        read(*rows)
        core._seen = sound

    core._read_state = read_broken_feet
    fresh = RobotEnv(TASK)
    fresh.reset(seed=SICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(9):
            *out, infos = envs.step(ACTIONS[k])
            finite(out, infos)
            assert np.flatnonzero(out[2]).tolist() == ([SICK] if k == 4 else [])
            if k == 4:
                assert infos["final_info"]["diverged"][SICK]
                np.testing.assert_array_equal(out[0][SICK], fresh.reset()[0])
            elif k > 4:
                observation, reward, *_ = fresh.step(ACTIONS[k, SICK])
                np.testing.assert_array_equal(out[0][SICK], observation)
                assert out[1][SICK] == reward
    said = [str(w.message) for w in caught]
    assert said and len(said) == len(set(said))
