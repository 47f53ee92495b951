"""`play.py` serves its page, films without a screen, and says in one sentence why it cannot."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from servogym import play
from servogym.envs.opengl import NoDisplay
from servogym.envs.single import RobotEnv
from servogym.viewer import choice
from tests.learning import duck
from tests.viewer.made_files import PLAIN, contract


@pytest.fixture
def taken():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def refusal(monkeypatch, *words: str) -> str:
    """Run the command line, which must end in a sentence; give the sentence."""
    monkeypatch.setattr(sys, "argv", ["play.py", *words])
    with pytest.raises(SystemExit) as ended:
        play.main()
    said = ended.value.code
    assert isinstance(said, str) and "\n" not in said
    return said


def test_what_is_not_there_is_named(monkeypatch):
    assert refusal(monkeypatch, "no.onnx") == "play: no.onnx: no such file or folder"


def test_a_file_that_is_no_model_is_named(monkeypatch, tmp_path):
    (tmp_path / "notes.onnx").write_text("not a network")
    assert "notes.onnx" in refusal(monkeypatch, str(tmp_path / "notes.onnx"))


def test_a_model_without_a_contract_is_named(monkeypatch, tmp_path, plain):
    model = onnx.load(plain)
    del model.metadata_props[:]
    onnx.save(model, tmp_path / "bare.onnx")
    said = refusal(monkeypatch, str(tmp_path / "bare.onnx"))
    assert "bare.onnx" in said and "contract" in said


def test_a_folder_without_a_checkpoint_is_named(monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "no checkpoint" in refusal(monkeypatch, str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--video", "film.txt"), "--video film.txt: a file that ends in .mp4 or .gif is accepted"),
        (("--video", "film.mp4", "--seconds", "nan"), "--seconds nan: a finite number above 0"),
        (("--video", "film.mp4", "--seconds", "-1"), "--seconds -1.0: a finite number above 0"),
    ],
)
def test_a_film_that_cannot_be_is_refused_before_anything_is_exported(words, part, monkeypatch):
    monkeypatch.setattr(play, "_as_file", lambda _: pytest.fail("opened for nothing"))
    assert part in refusal(monkeypatch, "runs/some", *words)


def test_a_port_that_is_taken_is_named_and_what_takes_another(monkeypatch, plain, taken):
    monkeypatch.setattr("servogym.viewer.page.Page.run", lambda page: None)
    said = refusal(monkeypatch, str(plain), "--port", str(taken))
    assert said.startswith(f"play: cannot listen on 127.0.0.1, port {taken}: ")
    assert said.endswith("--port takes another one")


@pytest.mark.parametrize(
    ("package", "extra", "words"),
    [("viser", "viewer", ()), ("imageio_ffmpeg", "video", ("--video", "film.mp4"))],
)
def test_a_missing_extra_is_one_line_that_says_what_to_install(
    package, extra, words, monkeypatch, plain
):
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("page", "plots"):
        monkeypatch.delitem(sys.modules, f"servogym.viewer.{name}", raising=False)
    if words and not draws():
        pytest.skip("no OpenGL on this machine")
    said = refusal(monkeypatch, str(plain), *words)
    assert said == f"play: {package} is missing: pip install 'servogym[{extra}]'"


def test_without_words_the_shipped_policies_are_opened(monkeypatch):
    opened = []

    def stop(paths):
        opened.extend(paths)
        raise ValueError("enough")

    monkeypatch.setattr(choice, "open_all", stop)
    assert refusal(monkeypatch) == "play: enough"
    assert opened == choice.shipped()


def draws() -> bool:
    env = RobotEnv("microduck_flat", render_mode="rgb_array")
    try:
        env.reset(seed=0)
        env.render()
    except NoDisplay:
        return False
    finally:
        env.close()
    return True


def test_a_run_folder_is_filmed_without_a_screen(monkeypatch, tmp_path, capsys):
    import imageio_ffmpeg

    if not draws():
        pytest.skip("no OpenGL on this machine")
    today = contract(PLAIN)
    replace(duck.bundle(duck.policy()), contract=today).save(tmp_path / "run" / "best")
    words = ("--video", "new/out.mp4", "--seconds", "0.8")
    monkeypatch.setattr(sys, "argv", ["play.py", str(tmp_path / "run"), *words])
    play.main()
    Path("new/out.mp4").rename("out.mp4")
    Path("new").rmdir()
    assert "out.mp4" in capsys.readouterr().out
    pictures = imageio_ffmpeg.read_frames("out.mp4")
    about = next(pictures)
    shown = [np.frombuffer(picture, np.uint8) for picture in pictures]
    assert len(shown) == round(0.8 * about["fps"])
    assert not np.array_equal(shown[0], shown[-1])
    assert [path.name for path in tmp_path.iterdir() if path.name != "out.mp4"] == ["run"]


def _as_on_a_terminal() -> None:
    """Let Ctrl-C through: whoever runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_page_is_served_until_ctrl_c(checkout, plain):
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(checkout / "play.py"), str(plain), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
        preexec_fn=_as_on_a_terminal,
    )
    try:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{port}"
        assert process.stdout.readline() == f"open {url} in a browser; Ctrl-C ends it\n"
        with urllib.request.urlopen(url) as answer:
            assert b"<html" in answer.read()
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=120)
    finally:
        process.kill()  # a page nobody ends would go on walking
    assert (process.returncode, said, complaints) == (0, "", "")
