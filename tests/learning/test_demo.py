import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from servogym.envs.opengl import NoDisplay
from servogym.export import export_policy
from servogym.learning import demo, film, playback, ship, walk
from servogym.learning.playback import Scene, play
from servogym.learning.video import Video
from tests.learning import duck


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "policy.onnx"
    return export_policy(duck.policy(), duck.contract(action_clip=0.3), path).path


def scenes(seconds=0.2):
    return [
        Scene(name="forward", seconds=seconds, twist=(0.2, 0.0, 0.0)),
        Scene(name="stop", seconds=seconds, twist=(0.0, 0.0, 0.0)),
    ]


def test_the_file_is_played_under_each_command_in_turn(exported, monkeypatch):
    seen = []

    class Spy(playback.Policy):
        def __call__(self, obs):
            if obs.ndim == 1:  # opening a file asks it about many at once
                seen.append(obs[self.contract.slices()["command"]].tolist())
            return super().__call__(obs)

    monkeypatch.setattr(playback, "Policy", Spy)
    played = play(exported, scenes())
    assert [each.scene.name for each in played] == ["forward", "stop"]
    assert seen[5] == pytest.approx([0.2, 0.0, 0.0]) and seen[-1] == [0.0, 0.0, 0.0]
    assert len(seen) == 20


def test_a_policy_that_falls_starts_again_and_is_counted(exported, monkeypatch):
    class Wild(playback.Policy):
        def __call__(self, obs):
            return np.random.default_rng(0).uniform(-3.0, 3.0, 14)

    monkeypatch.setattr(playback, "Policy", Wild)
    assert play(exported, scenes(2.0))[0].falls >= 1


@pytest.mark.parametrize(("ending", "fps"), [(".mp4", 25.0), (".gif", 12.5)])
def test_a_film_shows_the_robot_in_real_time(exported, tmp_path, monkeypatch, ending, fps):
    shown = []

    def add(self, picture):
        shown.append(self.fps)
        self.path.write_bytes(b"film")

    monkeypatch.setattr(Video, "add", add)
    monkeypatch.setattr(
        "servogym.envs.single.RobotEnv.render", lambda self: np.zeros((2, 2, 3), np.uint8)
    )
    film.film(exported, tmp_path / f"walk{ending}", 4.0)
    assert set(shown) == {fps} and len(shown) == pytest.approx(4.0 * fps, abs=4)


@pytest.mark.parametrize("trouble", [NoDisplay("no GL here"), ImportError("pip install it")])
def test_a_film_that_cannot_be_made_leaves_the_old_one(exported, tmp_path, monkeypatch, trouble):
    def dark(*_):
        raise trouble

    (tmp_path / "walk.mp4").write_bytes(b"the old one")
    monkeypatch.setattr("servogym.envs.single.RobotEnv.render", dark)
    with pytest.raises(type(trouble), match=str(trouble)):
        film.film(exported, tmp_path / "walk.mp4", 0.4)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"the old one"]


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_a_film_of_either_kind_opens(tmp_path, ending):
    import imageio_ffmpeg

    path = tmp_path / f"walk{ending}"
    film_ = Video(path, 12.5)
    for shade in range(10):
        film_.add(np.full((480, 640, 3), 25 * shade, np.uint8))
    film_.close()
    pictures = list(imageio_ffmpeg.read_frames(str(path)))
    assert len(pictures) == 1 + 10
    dark, bright = (np.frombuffer(pictures[i], np.uint8).mean() for i in (1, -1))
    assert dark < 20 and bright > 180


def test_a_film_of_an_unknown_kind_is_refused(exported, tmp_path):
    with pytest.raises(ValueError, match=r"'\.avi'; \.mp4, \.gif is accepted"):
        film.film(exported, tmp_path / "walk.avi", 0.4)


def test_the_line_leaves_everything_and_ends_with_what_was_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ship, "EPISODES", 1)
    brief = walk.Options(minutes=0.001, envs=2, seconds=0.4, threads=1)
    assert walk.walk(brief, tmp_path / "d") == 0
    printed = capsys.readouterr().out
    assert "differ by at most" in printed
    for name in ("policy.onnx", "policy.json", "policy.md", "policy", "learning_curve.png"):
        assert (tmp_path / "d" / name).exists()
        assert f"{tmp_path}/d/{name}\n" in printed
    assert (tmp_path / "d" / "policy.mp4").is_file() or "no film:" in printed
    assert printed.splitlines()[-1].startswith("Not yet a MicroDuck that walks forward.")


def test_the_demo_is_the_same_line_with_less_time(monkeypatch):
    asked = {}
    monkeypatch.setattr(walk, "walk", lambda options, out: asked.update(o=options, out=out) or 0)
    for main in (walk.main, demo.main):
        monkeypatch.setattr(sys, "argv", ["it", "--seed", "3"])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0
        asked[main] = asked["o"], asked["out"].name.partition("-")[0]
    (whole, name), (brief, other) = asked[walk.main], asked[demo.main]
    assert whole.minutes is None and brief == replace(whole, minutes=demo.MINUTES)
    assert (name, other) == ("walk", "demo") and whole.seed == 3


@pytest.mark.parametrize("command", ["walk", "demo", "ship", "film"])
def test_every_command_says_how_it_is_called(command):
    call = [sys.executable, "-m", f"servogym.learning.{command}", "--help"]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0 and f"servogym.learning.{command}" in done.stdout
