"""Where robots begin on ground, and where the ground ends (pains 75, 77)."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from servogym.envs import registration
from servogym.envs.core import Core
from servogym.envs.sb3 import Sb3VecEnv
from servogym.envs.vector import RobotVectorEnv
from servogym.scenes.terrain import laws

COURSES = [
    "flat",
    *(f"{kind}:{n}" for kind in ("slope", "wave", "stairs", "obstacle") for n in laws.LEVELS),
]
FIELDS = ("go2_wave", "go2_slope", "go2_stairs", "go2_obstacle", "go2_rough")


def begun(task, n=20, **options):
    core = Core(task, n, threads=1, **options)
    rows = np.arange(n)
    core.seed(rows, rows.astype(np.uint64) + 11)
    core.reset(rows)
    return core


def clearance(core):
    """Height of each robot's lowest sole point above the ground, by geometry of its own [m]."""
    batch, at = core.batch, core.at
    centre = batch.bind("geom_xpos")[:, at.foot_geom]
    radius = core.model.geom_size[at.foot_geom, 0]
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    best = np.full(core.n, np.inf)
    for tilt in np.linspace(0.0, 1.2, 13):
        for angle in turn:
            out = np.array(
                [np.sin(tilt) * np.cos(angle), np.sin(tilt) * np.sin(angle), -np.cos(tilt)]
            )
            points = centre + radius[:, None] * out
            best = np.minimum(best, (points[..., 2] - core.footing.height(points)).min(axis=1))
    return best


def fits(core, rows=slice(None)):
    """The lowest sole of each row is at most 1 mm in the ground and 2 cm above it."""
    gap = clearance(core)[rows]
    assert gap.min() > -1e-3 and gap.max() < 20e-3 + 1e-4, (gap.min(), gap.max())


class Scales:
    """Weighs what the ground puts on all feet of a robot, in every physics step of a core [N]."""

    def __init__(self, core):
        self.sensors, self.at = core.batch.bind("sensordata"), core.at
        self.peak = np.zeros(core.n)
        core.aside = self

    def __enter__(self):
        pass

    def __exit__(self, *_):
        force = self.sensors[:, self.at.foot_force_vector].reshape(len(self.peak), -1, 3)
        np.maximum(self.peak, np.linalg.norm(force.sum(axis=1), axis=1), out=self.peak)


def lands(core):
    """Standing for a tenth of a second, nobody is pressed with five weights in any step."""
    weight, scales = core.model.body_subtreemass[core.at.base_body] * 9.81, Scales(core)
    for _ in range(5):
        core.step(np.zeros((core.n, 12)))
    peak = scales.peak / weight
    assert peak.max() < 5.0 and np.median(peak) > 0.5, (np.median(peak), peak.max())


@pytest.mark.parametrize("where", COURSES)
def test_75_nobody_begins_in_a_test_terrain_or_in_the_sky_or_is_thrown(where):
    core = begun("go2_flat", terrain=where)
    for _ in range(3):
        core.reset(np.arange(core.n))
        fits(core)
    lands(core)


@pytest.mark.parametrize("task", FIELDS)
def test_75_nobody_begins_in_a_tile_or_in_the_sky_or_is_thrown(task):
    """About 20 robots a level and kind of ground, three resets long."""
    kinds = registration.find(task).terrain.kinds
    core = begun(task, n=200 * len(kinds))
    for _ in range(3):
        assert (np.bincount(core.levels)[1:] > 10 * len(kinds)).sum() == 10
        assert set(core.footing.curriculum.column) == set(range(len(kinds)))
        fits(core)
        core.reset(np.arange(core.n))
    lands(core)


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_75_resets_of_vectorised_environments_put_robots_onto_the_ground_as_well(mode):
    """Looked at in the very step that resets, with robots that have walked off it before."""
    env = RobotVectorEnv("go2_rough", num_envs=20, max_episode_steps=10, autoreset_mode=mode)
    env.reset(seed=1)
    rng, fresh = np.random.default_rng(0), 0
    for _ in range(34):
        elapsed = env.core.state.elapsed.copy()
        env.step(rng.normal(0.0, 0.5, (20, 12)))
        begun = np.flatnonzero((env.core.state.elapsed == 0) & (elapsed > 0))
        if len(begun):
            fits(env.core, begun)
            fresh += len(begun)
    assert fresh >= 60
    env.close()


def over_the_edge(core):
    """Put row 0 beyond the ground, half a metre up."""
    (_, east), _ = core.footing.ground.bounds
    core.batch.bind("qpos")[0, core.at.base_qpos[:3]] = [east + 0.01, 0.0, 0.5]


def test_77_over_the_edge_an_episode_is_cut_off_not_failed_and_nothing_is_lost():
    core, endless = (begun("go2_flat", n=2, terrain="wave:2:open") for _ in range(2))
    over_the_edge(core)
    over_the_edge(endless)
    everywhere = ((-np.inf, np.inf), (-np.inf, np.inf))
    endless.footing.ground = replace(endless.footing.ground, bounds=everywhere)
    out, same = core.step(np.zeros((2, 12))), endless.step(np.zeros((2, 12)))
    assert out.truncated.tolist() == [True, False] and not out.terminated.any()
    assert core.reason.tolist() == ["out_of_bounds", ""]
    assert np.isfinite(out.observation).all() and np.isfinite(out.reward).all()
    assert not same.truncated.any() and endless.reason.tolist() == ["", ""]
    np.testing.assert_array_equal(out.reward, same.reward)  # where nothing ends there


def test_77_every_face_says_out_of_bounds():
    options = {"terrain": "wave:2:open", "disable_env_checker": True}
    env = gymnasium.make("Go2-Flat-v0", **options)
    env.reset(seed=0)
    over_the_edge(env.unwrapped.core)
    observation, reward, terminated, truncated, info = env.step(np.zeros(12, np.float32))
    assert truncated and not terminated and info["reason"] == "out_of_bounds"
    assert np.isfinite(observation).all()
    assert reward == pytest.approx(sum(info["reward_terms"].values()), abs=1e-12)
    assert env.reset()[1]["reason"] == ""

    envs = RobotVectorEnv("go2_flat", 2, terrain="wave:2:open", autoreset_mode="SameStep")
    envs.reset(seed=0)
    over_the_edge(envs.core)
    _, _, terminated, truncated, infos = envs.step(np.zeros((2, 12), np.float32))
    assert truncated.tolist() == [True, False] and not terminated.any()
    assert infos["reason"].tolist() == infos["final_info"]["reason"].tolist()
    assert infos["reason"].tolist() == ["out_of_bounds", ""]
    assert envs.step(np.zeros((2, 12), np.float32))[4]["reason"].tolist() == ["", ""]

    sb3 = Sb3VecEnv("Go2-Flat-v0", 2, seed=0, terrain="wave:2:open")
    sb3.reset()
    over_the_edge(sb3.core)
    _, _, done, dicts = sb3.step(np.zeros((2, 12), np.float32))
    assert done.tolist() == [True, False] and dicts[1] == {}
    assert dicts[0]["reason"] == "out_of_bounds" and dicts[0]["TimeLimit.truncated"]


def test_an_endless_floor_ends_after_50_metres():
    core = begun("go2_flat", n=2)
    core.batch.bind("qpos")[0, core.at.base_qpos[0]] = 50.1
    assert core.step(np.zeros((2, 12))).truncated.tolist() == [True, False]


def test_heights_are_above_the_ground_below_not_above_zero():
    core = begun("go2_slope", level=10)
    assert np.abs(core.state.base_height - core.robot.spawn_height).max() < 0.06
    assert (core.state.foot_height < 0.06).all() and np.abs(core.state.base_pos[:, 2]).max() > 0.5
