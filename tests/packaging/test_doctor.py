"""`servogym doctor` names what is broken and how to mend it."""

import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from servogym.cli.doctor import graphics, installation, main, packages
from servogym.cli.doctor.finding import Finding
from servogym.cli.doctor.imports import failures
from servogym.cli.doctor.probe import probe


def _fake_package(folder: Path, name: str, version: str, code: str) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(code)
    record = folder / f"{name}-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_a_healthy_installation_passes_from_any_folder():
    command = [sys.executable, "-m", "servogym", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Training can work." in done.stdout
    for subject in ("Python", "cores", "mujoco", "torch", "moviepy", "rendering"):
        assert subject in done.stdout


def test_a_package_that_does_not_import_is_broken_and_has_a_cure(tmp_path, monkeypatch):
    _fake_package(tmp_path, "halfthere", "1.0", "raise ImportError('libhalf.so: cannot open')")
    monkeypatch.syspath_prepend(tmp_path)
    errors = failures(["json", "halfthere"])
    assert errors == {"halfthere": "ImportError: libhalf.so: cannot open"}
    finding = packages._package(Requirement("halfthere>=1"), errors["halfthere"])
    assert finding.state == "broken"
    assert "libhalf.so: cannot open" in finding.detail
    assert "pip install --force-reinstall 'halfthere==1.0'" in finding.cure


def test_a_package_that_kills_the_interpreter_is_told_from_the_healthy_ones(tmp_path, monkeypatch):
    _fake_package(tmp_path, "killer", "1.0", "import os; os.abort()")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(failures(["json", "killer"])) == ["killer"]


def test_a_version_outside_the_supported_range_is_broken(tmp_path, monkeypatch):
    _fake_package(tmp_path, "tooold", "0.3", "")
    monkeypatch.syspath_prepend(tmp_path)
    finding = packages._package(Requirement("tooold>=1,<2"), None)
    assert finding.state == "broken"
    assert "0.3" in finding.detail and "pip install 'tooold<2,>=1'" in finding.cure


def test_a_missing_video_writer_is_worth_a_note_and_never_stops_training():
    finding = packages._package(Requirement('no-such-writer>=1; extra == "video"'), None)
    assert finding.state == "note"
    assert "servogym[video]" in finding.cure


@pytest.mark.parametrize(
    ("look", "answer", "subject"),
    [
        ("_mujoco_halves", (True, "1.0.0"), "mujoco halves"),
        ("_torch", (False, "RuntimeError: Numpy is not available"), "torch with numpy"),
        ("_torch", (True, "cuda"), "torch build"),
        ("_ffmpeg", (False, "RuntimeError: No ffmpeg exe could be found"), "ffmpeg"),
    ],
)
def test_two_packages_that_break_each_other_are_found(look, answer, subject, monkeypatch):
    monkeypatch.setattr(packages, "probe", lambda code: answer)
    (finding,) = getattr(packages, look)()
    assert finding.subject == subject and finding.cure


def test_a_machine_that_cannot_draw_still_trains(monkeypatch):
    monkeypatch.setattr(graphics, "probe", lambda code, variables: (False, "no EGL"))
    monkeypatch.setenv("MUJOCO_GL", "egl")
    (finding,) = graphics.check()
    assert finding.state == "note" and "no EGL" in finding.detail and finding.cure


def test_a_backend_chosen_by_hand_that_does_not_draw_is_named(monkeypatch):
    works = lambda code, variables: (variables["MUJOCO_GL"] == "egl", "no display")  # noqa: E731
    monkeypatch.setattr(graphics, "probe", works)
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    *_, finding = graphics.check()
    assert "'glfw'" in finding.detail and finding.cure == "export MUJOCO_GL=egl"


def test_a_checkout_that_hides_an_installed_copy_is_pointed_out(tmp_path, monkeypatch):
    _fake_package(tmp_path, "servogym", "0.0.1", "")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = {finding.subject: finding for finding in installation.check()}
    assert str(tmp_path) in found["two copies"].detail


def test_a_probe_survives_a_crash():
    works, said = probe("import os; os.abort()")
    assert not works and "exit code" in said


def test_the_exit_code_is_1_only_for_what_breaks_training(monkeypatch, capsys):
    finding = Finding(subject="torch", state="broken", detail="gone", cure="pip install torch")
    monkeypatch.setattr(sys, "argv", ["servogym doctor"])
    for room in (main.machine, main.installation, main.graphics):
        monkeypatch.setattr(room, "check", lambda: [])
    monkeypatch.setattr(main.packages, "check", lambda: [finding])
    assert main.main() == 1
    said = capsys.readouterr().out
    assert "Training cannot work: torch." in said and "`pip install torch`" in said
