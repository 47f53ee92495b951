"""Where robots begin on ground, and where the ground ends (pains 75, 77)."""

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.vector import RobotVectorEnv

COURSES = [
    f"{kind}:{level}" for kind in ("slope", "wave", "stairs", "obstacle") for level in (1, 5, 10)
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


@pytest.mark.parametrize("where", COURSES)
def test_nobody_begins_inside_a_test_terrain_or_in_the_sky_three_resets_long(where):
    core = begun("go2_flat", terrain=where)
    for _ in range(3):
        gap = clearance(core)
        assert gap.min() > -1e-3 and gap.max() < 20e-3 + 1e-3, (gap.min(), gap.max())
        core.reset(np.arange(core.n))


@pytest.mark.parametrize("level", [1, 4, 7, 10])
@pytest.mark.parametrize("task", FIELDS)
def test_nobody_begins_inside_a_tile_or_in_the_sky(task, level):
    gap = clearance(begun(task, level=level))
    assert gap.min() > -1e-3 and gap.max() < 20e-3 + 1e-3, (gap.min(), gap.max())


@pytest.mark.parametrize("task", ["go2_rough", "go2_stairs"])
def test_the_first_tenth_of_a_second_presses_with_less_than_five_weights(task):
    core = begun(task, level=10, randomization=False, sensing=False)
    weight = core.model.body_subtreemass[core.at.base_body] * 9.81
    peak = 0.0
    for _ in range(5):
        core.step(np.zeros((core.n, 12)))
        peak = max(peak, core.state.foot_force.sum(axis=1).max())
    assert 0.5 * weight < peak < 5 * weight


def test_resets_of_vectorised_environments_put_robots_onto_the_ground_as_well():
    env = RobotVectorEnv("go2_rough", num_envs=4, max_episode_steps=3)
    env.reset(seed=1)
    for _ in range(8):
        env.step(np.zeros((4, 12)))
    core = env.core.cores[0] if hasattr(env.core, "cores") else env.core
    core.reset(np.arange(core.n))
    assert (clearance(core) > -1e-3).all()
    env.close()


def test_over_the_edge_an_episode_is_cut_off_not_failed_and_nothing_is_lost():
    core = begun("go2_flat", n=2, terrain="wave:2:open")
    (_, east), _ = core.footing.ground.bounds
    core.batch.bind("qpos")[0, core.at.base_qpos[:3]] = [east + 0.01, 0.0, 0.5]
    out = core.step(np.zeros((2, 12)))
    assert out.truncated.tolist() == [True, False] and not out.terminated.any()
    assert np.isfinite(out.observation).all() and np.isfinite(out.reward).all()


def test_an_endless_floor_ends_after_50_metres():
    core = begun("go2_flat", n=2)
    core.batch.bind("qpos")[0, core.at.base_qpos[0]] = 50.1
    assert core.step(np.zeros((2, 12))).truncated.tolist() == [True, False]


def test_heights_are_above_the_ground_below_not_above_zero():
    core = begun("go2_slope", level=10)
    assert np.abs(core.state.base_height - core.robot.spawn_height).max() < 0.06
    assert (core.state.foot_height < 0.06).all() and np.abs(core.state.base_pos[:, 2]).max() > 0.5
