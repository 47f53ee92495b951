"""The terrain curriculum: who succeeds climbs, who falls comes back down, and nobody is stuck."""

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.curriculum import Curriculum
from servogym.envs.random import RowRandom
from servogym.scenes.terrain import Field

N, DT = 64, 0.02
FIELD = Field(kinds=("wave", "rough"), levels=10)
ROWS = np.arange(N)
ASKED = np.tile([0.6, 0.0, 0.3], (N, 1))


@pytest.fixture
def rng():
    rows = RowRandom(N)
    rows.seed(ROWS, ROWS.astype(np.uint64))
    return rows


def live(curriculum, rng, episodes, share, fell=False, steps=500):
    """Let robots make a share of the way they are asked for, episode after episode."""
    levels = []
    velocity = np.zeros((N, 3))
    velocity[:, 0] = 0.6 * share
    for _ in range(episodes):
        rng.begin_episode(ROWS)
        curriculum.begin(ROWS, True, rng)
        levels.append(curriculum.level.copy())
        for step in range(steps):
            curriculum.advance(velocity, ASKED, np.full(N, fell and step == steps - 1))
    return np.array(levels)


def test_an_agent_that_always_succeeds_climbs_a_level_an_episode_to_the_top(rng):
    levels = live(Curriculum(FIELD, N, DT), rng, 11, 1.0)
    assert (levels[:10] == np.arange(10)[:, None]).all()
    assert len(set(levels[10].tolist())) > 5  # past the top it draws any level


def test_an_agent_that_always_falls_returns_to_level_0(rng):
    curriculum = Curriculum(FIELD, N, DT)
    live(curriculum, rng, 8, 1.0)
    assert (curriculum.level == 7).all()
    levels = live(curriculum, rng, 12, 1.0, fell=True)
    assert (levels[-1] == 0).all() and (np.diff(levels[1:], axis=0) <= 0).all()


@pytest.mark.parametrize(("share", "last"), [(0.0, 0), (0.39, 0), (0.5, 5), (0.69, 5), (-1.0, 0)])
def test_standing_or_running_elsewhere_is_failure_and_half_the_way_is_neither(rng, share, last):
    curriculum = Curriculum(FIELD, N, DT)
    curriculum.level[:] = 5
    live(curriculum, rng, 1, 1.0, steps=0)
    assert (live(curriculum, rng, 8, share)[-1] == last).all()


def test_an_episode_that_asked_for_no_way_says_nothing(rng):
    curriculum = Curriculum(FIELD, N, DT)
    curriculum.level[:] = 3
    assert (live(curriculum, rng, 4, 0.0, steps=50) == 3).all()


def test_running_faster_than_asked_is_no_more_than_the_way(rng):
    curriculum = Curriculum(FIELD, N, DT)
    live(curriculum, rng, 1, 5.0)
    np.testing.assert_allclose(curriculum.made, curriculum.asked)


def test_a_robot_in_training_keeps_its_kind_of_ground_and_others_draw_one_each_time(rng):
    curriculum, seen = Curriculum(FIELD, N, DT), {True: [], False: []}
    for training, columns in seen.items():
        for _ in range(6):
            rng.begin_episode(ROWS)
            curriculum.begin(ROWS, training, rng)
            columns.append(curriculum.column.copy())
    assert (np.diff(seen[True], axis=0) == 0).all()
    assert 0.3 * N < seen[True][0].sum() < 0.7 * N
    assert (np.diff(seen[False], axis=0) != 0).any(axis=0).sum() > 0.8 * N


@pytest.mark.parametrize("training", [True, False])
def test_a_field_says_how_many_robots_begin_on_each_kind(training):
    many = 4000
    rows, rng = np.arange(many), RowRandom(many)
    rng.seed(rows, rows.astype(np.uint64))
    rng.begin_episode(rows)
    for shares, wanted in (((), (1 / 3,) * 3), ((1, 2, 1), (0.25, 0.5, 0.25))):
        curriculum = Curriculum(Field(kinds=("wave", "rough", "flat"), shares=shares), many, DT)
        curriculum.begin(rows, training, rng)
        found = np.bincount(curriculum.column, minlength=3) / many
        np.testing.assert_allclose(found, wanted, atol=0.03)


@pytest.mark.parametrize(
    ("share", "seconds"),  # 1.5 s ln((1 - share) / (0.1 - share))
    [(0.0, 3.45), (0.05, 4.42), (-1.0, 3.45), (0.11, None), (1.0, None)],
)
def test_who_gets_nowhere_is_stuck_after_a_while_and_who_creeps_is_not(share, seconds):
    curriculum = Curriculum(FIELD, N, DT)
    velocity = np.zeros((N, 3))
    velocity[:, 0] = 0.6 * share
    stuck = None
    for step in range(1, 1001):
        curriculum.advance(velocity, ASKED, np.zeros(N, bool))
        if curriculum.stuck.any():
            assert curriculum.stuck.all()
            stuck = stuck or step * DT
    assert stuck is None if seconds is None else stuck == pytest.approx(seconds, abs=0.15)


def test_nobody_is_stuck_who_is_not_asked_to_go_anywhere():
    curriculum = Curriculum(FIELD, N, DT)
    for _ in range(1000):
        curriculum.advance(np.zeros((N, 3)), np.tile([0.0, 0.0, 1.0], (N, 1)), np.zeros(N, bool))
    assert not curriculum.stuck.any()


@pytest.mark.parametrize("training", [True, False])
def test_in_training_a_stuck_robot_has_failed_and_elsewhere_it_may_go_on_trying(training):
    core = Core("go2_rough", 2, threads=1, trained_steps=np.array(0.0) if training else None)
    rows = np.arange(2)
    core.seed(rows, rows.astype(np.uint64))
    core.reset(rows)
    core.hold(rows, [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    core.footing.curriculum.level[:] = 4
    ended = np.zeros(2, bool)
    for _ in range(200):
        ended |= core.step(np.zeros((2, 12))).terminated
    assert ended.tolist() == [training, False]
    if training:
        core.reset(rows)
        assert core.levels.tolist() == [4, 5]


@pytest.mark.parametrize("training", [True, False])
def test_in_training_an_episode_ends_with_the_tile_and_a_crossed_one_counts_at_once(training):
    core = Core("go2_rough", 3, threads=1, trained_steps=np.array(0.0) if training else None)
    rows = np.arange(3)
    core.seed(rows, rows.astype(np.uint64))
    core.reset(rows)
    climb, where = core.footing.curriculum, core.batch.bind("qpos")
    level = climb.level.copy()
    middle = climb.middle.copy()
    np.testing.assert_allclose(core.state.base_pos[:, :2], middle, atol=1.0)
    half = core.task.terrain.side / 2
    where[:, :2] = middle + np.array([(half - 0.1, 0.0), (half + 0.1, 0.0), (0.0, -half - 0.1)])
    climb.asked[:], climb.made[:] = 5.0, [4.9, 4.9, 2.5]
    outcome = core.step(np.zeros((3, 12)))
    assert outcome.truncated.tolist() == ([False, True, True] if training else [False] * 3)
    assert not outcome.terminated.any()
    if training:
        core.reset(np.array([1, 2]))
        assert (climb.level - level).tolist() == [0, 1, 0]  # who made half the way stays


def test_where_nobody_trains_every_level_is_as_likely_and_a_fixed_one_is_kept(rng):
    curriculum = Curriculum(FIELD, N, DT)
    drawn = []
    for _ in range(40):
        rng.begin_episode(ROWS)
        curriculum.begin(ROWS, False, rng)
        drawn.append(curriculum.level.copy())
    counts = np.bincount(np.concatenate(drawn), minlength=10)
    assert counts.min() > 0.7 * counts.mean() and counts.max() < 1.3 * counts.mean()
    fixed = Curriculum(FIELD, N, DT, level=4)
    places = fixed.begin(ROWS, True, rng)
    assert (fixed.level == 3).all()
    np.testing.assert_array_equal(FIELD.tile(*places.T)[0], 4)


@pytest.mark.parametrize("level", [0, 11])
def test_a_level_that_is_not_there_is_refused(level):
    with pytest.raises(ValueError, match=f"level {level}: the field has levels 1 to 10"):
        Curriculum(FIELD, N, DT, level)


def test_a_level_without_a_field_is_refused():
    with pytest.raises(ValueError, match="level 3: the task has no field of levels, but the terr"):
        Core("go2_flat", 1, level=3)
    with pytest.raises(ValueError, match="an endless floor; a test terrain's level stands behind"):
        Core("microduck_flat", 1, level=3)


def test_levels_survive_saving_and_a_trainer_makes_robots_climb():
    trained = np.array(0.0)
    core = Core("go2_rough", 4, threads=1, trained_steps=trained)
    rows = np.arange(4)
    core.seed(rows, rows.astype(np.uint64))
    core.reset(rows)
    assert (core.footing.curriculum.level == 0).all()
    core.footing.curriculum.asked[:] = core.footing.curriculum.made[:] = [9.0, 9.0, 0.0, 9.0]
    core.footing.curriculum.fell[3] = True
    saved = core.get_state()
    core.reset(rows)
    assert core.footing.curriculum.level.tolist() == [1, 1, 0, 0]
    first = core.state.base_pos.copy()
    core.set_state(saved)
    core.reset(rows)
    np.testing.assert_array_equal(core.state.base_pos, first)


@pytest.mark.parametrize("task", ["go2_wave", "go2_stairs"])
def test_in_an_environment_who_goes_where_it_is_told_climbs_to_the_top_and_who_falls_comes_down(
    task,
):
    """Scripted robots: carried along as commanded, then thrown onto their backs."""
    n = 6
    core = Core(task, n, threads=1, trained_steps=np.array(1.0), max_episode_steps=200)
    rows, at = np.arange(n), core.at
    core.seed(rows, rows.astype(np.uint64))
    core.hold(rows, (0.6, 0.0, 0.0))
    qpos, qvel = core.batch.bind("qpos"), core.batch.bind("qvel")
    core.reset(rows)
    best, resets = core.levels.copy(), 0
    for _ in range(2400):
        x, y = qpos[:, at.base_qpos[0]], qpos[:, at.base_qpos[1]]
        qpos[:, at.base_qpos[2]] = core.footing.height(np.stack((x, y), axis=1)) + 1.0
        qpos[:, at.base_qpos[3:7]] = (1.0, 0.0, 0.0, 0.0)
        qvel[:] = 0.0
        qvel[:, at.base_dof[0]] = 0.6
        out = core.step(np.zeros((n, 12)))
        assert not out.terminated.any()
        over = np.flatnonzero(out.truncated)
        if len(over):
            assert set(core.reason[over]) <= {"crossed", "time"}
            core.reset(over)
            resets += len(over)
            best = np.maximum(best, core.levels)
    assert resets > 10 * n and (best == 10).all()
    for _ in range(12):
        qpos[:, at.base_qpos[3:7]] = (0.0, 1.0, 0.0, 0.0)
        out = core.step(np.zeros((n, 12)))
        assert out.terminated.all() and set(core.reason) == {"fallen"}
        before = core.levels.copy()
        core.reset(rows)
        np.testing.assert_array_equal(core.levels, np.maximum(before - 1, 1))
    assert (core.levels == 1).all()
