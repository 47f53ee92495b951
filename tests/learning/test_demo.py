import subprocess
import sys

import numpy as np
import pytest

from servogym.envs.opengl import NoDisplay
from servogym.export import export_policy
from servogym.learning import demo, playback
from servogym.learning.playback import Scene, play
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


@pytest.mark.parametrize(
    ("trouble", "words"),
    [(NoDisplay("no GL here"), "no GL here"), (ImportError("pip install servogym[video]"), "pip")],
)
def test_without_a_display_or_encoder_the_policy_is_still_played(
    exported, tmp_path, monkeypatch, capsys, trouble, words
):
    def dark(*_):
        raise trouble

    monkeypatch.setattr("servogym.learning.video.Video.add", dark)
    assert demo._film(exported, tmp_path / "video.mp4", 0.4) is None
    printed = capsys.readouterr().out
    assert words in printed.splitlines()[0] and "forward" in printed
    assert not (tmp_path / "video.mp4").exists()


def test_the_demo_leaves_a_policy_a_curve_and_a_run_and_says_where(tmp_path):
    options = "--minutes 0.001 --envs 2 --seconds 0.4 --out d --threads 1"
    done = subprocess.run(
        [sys.executable, "-m", "servogym.learning.demo", *options.split()],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "differ by at most" in done.stdout
    for name in ("policy.onnx", "learning_curve.png", "README.md"):
        assert (tmp_path / "d" / name).is_file()
    assert "d/policy.onnx" in done.stdout and "d/learning_curve.png" in done.stdout
    assert (tmp_path / "d" / "video.mp4").is_file() or "no video:" in done.stdout
