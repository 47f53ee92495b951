"""`python -m servogym.robots.backlash IN OUT` writes a twin file that lost no digit."""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.robots.backlash import add_backlash, main
from tests.robots.crane import UNITS, crane

DUCK = robots.get("microduck")


@pytest.mark.parametrize("name", sorted(DUCK.models))
def test_the_twin_file_is_the_twin_to_the_last_digit(name, tmp_path):
    target = tmp_path / "twin.xml"
    assert main([str(DUCK.path(name)), str(target)]) == 0
    written = mujoco.MjModel.from_xml_path(str(target))
    wanted = add_backlash(DUCK.spec(name), half_range=DUCK.backlash).compile()
    for field in ("body_mass", "body_inertia", "jnt_range", "key_qpos", "key_ctrl", "geom_size"):
        np.testing.assert_array_equal(getattr(written, field), getattr(wanted, field), field)
    plain = DUCK.spec(name).compile()
    np.testing.assert_array_equal(written.body_mass, plain.body_mass)
    data, before = mujoco.MjData(written), mujoco.MjData(plain)
    for k in range(plain.nkey):
        mujoco.mj_resetDataKeyframe(written, data, k)
        mujoco.mj_resetDataKeyframe(plain, before, k)
        for joint in DUCK.joints:
            assert abs(data.joint(joint).qpos[0] - before.joint(joint).qpos[0]) < 1e-9


@pytest.mark.parametrize("unit", UNITS)
def test_foreign_files_get_twins_too(unit, tmp_path):
    source, target = tmp_path / "crane.xml", tmp_path / "crane_backlash.xml"
    source.write_text(crane(unit))
    assert main([str(source), str(target), "--half-range", "0.02"]) == 0
    twin = mujoco.MjModel.from_xml_path(str(target))
    np.testing.assert_allclose(twin.joint("passive_two_backlash").range, [-0.02, 0.02], rtol=1e-12)
    assert twin.joint("passive_one_backlash").id == twin.joint("one").id + 1


def test_comments_and_spelling_of_the_source_are_kept(tmp_path):
    target = tmp_path / "twin.xml"
    main([str(DUCK.path()), str(target)])
    text = target.read_text()
    assert text.startswith("<!-- MicroDuck for walking:") and text.endswith("</mujoco>\n")
    assert "<!-- left thigh: hip pitch and knee servos -->" in text
    assert "-0.08726646259971647" in text


def test_meshes_are_still_found_from_another_folder(tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "in.xml").write_text(
        """<mujoco><compiler meshdir="parts"/><asset><mesh name="m" file="m.obj"/></asset>
        <worldbody><body><joint name="j"/><geom type="mesh" mesh="m"/></body></worldbody>
        <actuator><motor joint="j"/></actuator></mujoco>"""
    )
    (tmp_path / "out").mkdir()
    assert main([str(tmp_path / "in.xml"), str(tmp_path / "out" / "twin.xml")]) == 0


def test_one_half_range_per_joint_and_a_choice_of_joints(tmp_path):
    target = tmp_path / "twin.xml"
    words = ["--joints", "left_knee", "right_knee"]
    words += ["--half-range", "left_knee=0.01", "right_knee=0.02"]
    assert main([str(DUCK.path()), str(target), *words]) == 0
    twin = mujoco.MjModel.from_xml_path(str(target))
    assert twin.njnt == 17
    assert twin.joint("passive_right_knee_backlash").range[1] == 0.02


def test_an_existing_file_is_overwritten_only_by_force(tmp_path, capsys):
    target = tmp_path / "twin.xml"
    target.write_text("precious")
    assert main([str(DUCK.path()), str(target)]) == 2
    assert target.read_text() == "precious"
    assert "--force" in capsys.readouterr().err
    assert main([str(DUCK.path()), str(target), "--force"]) == 0
    assert "passive_left_knee_backlash" in target.read_text()


def test_the_source_is_never_overwritten(tmp_path):
    source = tmp_path / "duck.xml"
    source.write_text(crane("degree"))
    assert main([str(source), str(source), "--force"]) == 2
    assert source.read_text() == crane("degree")


@pytest.mark.parametrize(
    "words",
    [
        ["--joints", "left_wing"],
        ["--half-range", "nan"],
        ["--half-range", "wide"],
        ["--half-range", "left_knee=0.01"],
    ],
)
def test_a_refusal_is_one_line_and_leaves_no_file(words, tmp_path, capsys):
    assert main([str(DUCK.path()), str(tmp_path / "twin.xml"), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["<mujoco><worldbody></mujoco>", "<mujoco><wings/></mujoco>", ""])
def test_a_broken_source_is_one_line_too(text, tmp_path, capsys):
    source = tmp_path / "broken.xml"
    source.write_text(text)
    assert main([str(source), str(tmp_path / "twin.xml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_it_runs_as_a_module(tmp_path):
    command = [sys.executable, "-m", "servogym.robots.backlash", str(DUCK.path()), "twin.xml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "14 joints with backlash" in done.stdout
    assert Path(tmp_path / "twin.xml").is_file()
