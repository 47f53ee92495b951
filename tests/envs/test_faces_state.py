"""`get_state` and `set_state` continue an episode bit for bit, wherever it is continued."""

import subprocess
import sys

import numpy as np
import pytest

from servogym.envs.fleet import SMALL
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.single import RobotEnv
from servogym.envs.vector import RobotVectorEnv

ACTIONS = np.random.default_rng(1).uniform(-1.2, 1.2, (160, 3, 14)).astype(np.float32)
"""Falls on both sides of the moment at which the state is taken."""
MIDDLE, END = 45, 150
OFTEN = {
    "randomization": {"push_interval": (0.1, 0.3)},
    "commands": {"twist_interval": (0.1, 0.3), "pose_interval": (0.1, 0.3)},
    "sensing": {"imu_lag_period": 5},
}
"""Everything that happens every few seconds happens within the steps compared."""


class Single:
    def __init__(self, **options):
        self.env = RobotEnv("microduck_flat", **options)
        self.paid = []

    def reset(self):
        self.env.reset(seed=0)

    def step(self, k):
        observation, *rest, info = self.env.step(ACTIONS[k, 0])
        if rest[1] or rest[2]:
            after, _ = self.env.reset()
            return (observation, after, *rest, *info["reward_terms"].values())
        return (observation, *rest, *info["reward_terms"].values())


class Batch:
    def __init__(self, **options):
        self.env = RobotVectorEnv("microduck_flat", 3, **options)

    def reset(self):
        self.env.reset(seed=0)

    def step(self, k):
        *rest, infos = self.env.step(ACTIONS[k])
        return (*rest, *infos["reward_terms"].values())


class Sb3:
    def __init__(self, backlash=False, **options):
        twin = "-Backlash" if backlash else ""
        self.env = Sb3VecEnv(f"MicroDuck-Flat{twin}-v0", 3, seed=0, privileged=True, **options)

    def reset(self):
        self.env.reset()

    def step(self, k):
        observation, reward, done, infos = self.env.step(ACTIONS[k])
        sums = [x for i in infos if i for x in (i["episode"]["r"], *i["reward_terms"].values())]
        return (observation, reward, done, np.array(sums))


def follow(face, start, end):
    return [face.step(k) for k in range(start, end)]


def assert_same(ours, theirs):
    for step, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=f"{step} steps after the state was taken")


@pytest.mark.parametrize("actuator", ["bam", "dc", "pd", "ideal"])
@pytest.mark.parametrize("face", [Single, Batch, Sb3])
def test_an_episode_continues_in_the_same_and_in_a_fresh_object(face, actuator):
    options = {"backlash": True, "actuator": actuator, **OFTEN}
    first = face(**options)
    first.reset()
    follow(first, 0, MIDDLE)
    state = first.env.get_state()
    expected = follow(first, MIDDLE, END)
    first.env.set_state(state)
    assert_same(follow(first, MIDDLE, END), expected)
    fresh = face(**options)
    fresh.env.set_state(state)
    assert_same(follow(fresh, MIDDLE, END), expected)


def test_a_state_is_a_copy_that_later_steps_do_not_touch():
    face = Batch(backlash=True)
    face.reset()
    follow(face, 0, 10)
    state = face.env.get_state()
    kept = {name: array.copy() for name, array in state.items()}
    follow(face, 10, 20)
    for name, array in state.items():
        np.testing.assert_array_equal(array, kept[name])


def test_an_episode_of_a_batch_in_two_halves_continues_too():
    first, fresh = (RobotVectorEnv("microduck_flat", 2 * SMALL, **OFTEN) for _ in range(2))
    first.reset(seed=0)
    actions = np.tile(ACTIONS[:40], (1, 2 * SMALL // 3 + 1, 1))[:, : 2 * SMALL]
    for k in range(15):
        first.step(actions[k])
    fresh.set_state(first.get_state())
    for k in range(15, 40):
        for ours, theirs in zip(
            fresh.step(actions[k])[:4], first.step(actions[k])[:4], strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)


CONTINUE = """
import sys
import numpy as np
from servogym.envs.single import RobotEnv
env = RobotEnv("microduck_flat", backlash=True)
env.set_state(dict(np.load(sys.argv[1])))
print(np.array([env.step(np.full(14, 0.1))[0] for _ in range(40)]).tobytes().hex())
"""


def test_an_episode_continues_in_a_new_process(tmp_path):
    env = RobotEnv("microduck_flat", backlash=True)
    env.reset(seed=2)
    for _ in range(20):
        env.step(np.full(14, 0.1))
    np.savez(tmp_path / "state.npz", **env.get_state())
    expected = np.array([env.step(np.full(14, 0.1))[0] for _ in range(40)])
    done = subprocess.run(
        [sys.executable, "-c", CONTINUE, str(tmp_path / "state.npz")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected.tobytes().hex()
