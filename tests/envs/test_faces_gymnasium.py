"""What Gymnasium expects of an environment, through every door it has."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers import vector as vector_wrappers

import servogym  # noqa: F401
from servogym.envs import registration
from servogym.envs.opengl import NoDisplay
from servogym.envs.single import RobotEnv
from servogym.envs.vector import RobotVectorEnv

IDS = sorted(registration.ids())
ID = "MicroDuck-Flat-Backlash-v0"


def make_plain(**options):
    """Without shadows and antialiasing, whose pictures take three times as long."""
    env = RobotEnv("microduck_flat", render_mode="rgb_array", **options)
    quality = env.core.looks.vis.quality
    quality.offsamples = quality.shadowsize = 0
    return env


@pytest.fixture
def gl():
    env = make_plain()
    env.reset(seed=0)
    try:
        env.render()
    except NoDisplay as reason:
        pytest.skip(str(reason))
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_checker_finds_nothing_but_that_actions_are_radians(env_id):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(gymnasium.make(env_id).unwrapped, skip_render_check=True)
    said = [str(w.message) for w in caught]
    assert all("symmetric and normalized space" in text for text in said), said


@pytest.mark.parametrize("door", [ID, f"servogym:{ID}"])
def test_gym_make_opens_by_id_with_and_without_the_module(door):
    env = gymnasium.make(door)
    observation, info = env.reset(seed=0)
    assert observation.shape == (61,) and observation.dtype == np.float32
    assert env.action_space.shape == (14,)
    observation, reward, terminated, truncated, info = env.step(np.zeros(14, np.float32))
    assert type(reward) is float and type(terminated) is bool and type(truncated) is bool
    assert sum(info["reward_terms"].values()) == pytest.approx(reward, abs=1e-12)


@pytest.mark.parametrize("mode", [None, "vector_entry_point", "sync", "async"])
def test_make_vec_gives_the_same_first_step_natively_in_turn_and_in_processes(mode):
    native = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point")
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode=mode)
    assert isinstance(envs.unwrapped, RobotVectorEnv) == (mode in (None, "vector_entry_point"))
    actions = np.full((2, 14), 0.1, np.float32)
    try:
        np.testing.assert_array_equal(envs.reset(seed=3)[0], native.reset(seed=3)[0])
        for ours, theirs in zip(envs.step(actions)[:4], native.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(ours, theirs)
    finally:
        envs.close()


def test_the_twin_with_backlash_differs_in_nothing_but_the_gap():
    plain, twin = (gymnasium.make(i).unwrapped for i in ("MicroDuck-Flat-v0", ID))
    assert plain.core.task == twin.core.task
    assert plain.observation_space == twin.observation_space
    assert plain.action_space == twin.action_space
    assert twin.core.model.nq - plain.core.model.nq == 14
    assert plain.core.contract.actuator_hash == twin.core.contract.actuator_hash


def test_record_episode_statistics_counts_what_the_episode_paid():
    env = RecordEpisodeStatistics(gymnasium.make(ID))
    env.reset(seed=0)
    paid, steps, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(np.full(14, 1.5))
        paid, steps, over = paid + reward, steps + 1, terminated or truncated
    assert info["episode"]["l"] == steps
    assert info["episode"]["r"] == pytest.approx(paid)


def test_record_episode_statistics_counts_every_row_of_a_batch():
    envs = vector_wrappers.RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=3))
    envs.reset(seed=0)
    lengths = {}
    for _ in range(150):
        infos = envs.step(np.full((3, 14), 1.5, np.float32))[-1]
        for row in np.flatnonzero(infos.get("_episode", np.zeros(3, bool))):
            lengths.setdefault(int(row), int(infos["episode"]["l"][row]))
    for row in range(3):
        alone = RobotEnv("microduck_flat", backlash=True)
        alone.reset(seed=row)
        steps = 1
        while not alone.step(np.full(14, 1.5))[2]:
            steps += 1
        assert lengths[row] == steps


def playable(folder):
    """Return the frames of the only film in a folder."""
    from moviepy import VideoFileClip

    (film,) = folder.glob("*.mp4")
    with VideoFileClip(str(film)) as clip:
        assert clip.fps == 50
        return [frame.copy() for frame in clip.iter_frames()]


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")
def test_record_video_writes_a_film_that_plays(gl, tmp_path):
    env = RecordVideo(make_plain(), str(tmp_path), video_length=10, disable_logger=True)
    env.reset(seed=0)
    for _ in range(15):
        env.step(np.full(14, 0.3))
    env.close()
    frames = playable(tmp_path)
    assert len(frames) == 10 and frames[0].shape == (480, 640, 3)
    assert (frames[0] != frames[-1]).any()


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")
def test_record_video_films_a_batch(gl, tmp_path):
    envs = RobotVectorEnv("microduck_flat", 2, render_mode="rgb_array")
    quality = envs.core.looks.vis.quality
    quality.offsamples = quality.shadowsize = 0
    films = vector_wrappers.RecordVideo(
        envs, str(tmp_path), video_length=5, video_aspect_ratio=(1, 1), disable_logger=True
    )
    films.reset(seed=0)
    for _ in range(8):
        films.step(np.zeros((2, 14), np.float32))
    films.close()
    frames = playable(tmp_path)
    assert 5 <= len(frames) <= 6 and frames[0].shape == (480, 1280, 3)
