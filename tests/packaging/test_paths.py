"""`servogym paths` lists everything that can be edited, by the path that edits it."""

import re
import sys

import pytest

from servogym.cli import main, paths
from servogym.envs import registration
from servogym.envs.core import Core

TWIN = "MicroDuck-Flat-Backlash-v0"


def run(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["servogym", "paths", *words])
    return main.main(["paths", *words]), capsys.readouterr()


@pytest.mark.parametrize("env_id", [TWIN, "Go2-Flat-v0", "Go2-Rough-v0"])
def test_every_path_of_the_scene_stands_on_the_page_once(env_id):
    scene = Core(n=1, threads=1, **registration.resolve(env_id)).built.scene()
    listed = re.findall(r"^\| (body|joint|geom) +\| (\S+) ", paths.page(env_id), re.MULTILINE)
    known = [(kind, path) for kind in ("body", "joint", "geom") for path in scene.paths(kind)]
    assert listed == known and len(set(known)) == len(known) > 20


def test_a_word_picks_paths_and_their_numbers_are_shown(monkeypatch, capsys):
    status, told = run(monkeypatch, capsys, TWIN, "LEFT_KNEE")
    rows = [line for line in told.out.splitlines() if "/world/" in line]
    assert status == 0 and len(rows) == 2
    assert "-1.571 … 1.571, armature 0.001808" in rows[0]
    assert "passive_left_knee_backlash" in rows[1] and "-0.01745 … 0.01745" in rows[1]
    status, told = run(monkeypatch, capsys, TWIN, "trunk_base")
    assert "mass 0.199224 kg" in told.out and "friction 1, 0.005, 0.0001" in told.out
    assert "free" in told.out and "seen only" in told.out


def test_the_setters_and_what_they_take_are_named(monkeypatch, capsys):
    _, told = run(monkeypatch, capsys, "Go2-Flat-v0", "ground")
    assert "/world/ground/floor" in told.out
    assert "`set_contact_physics_properties`" in told.out and "sliding_friction" in told.out


def test_a_word_that_is_nowhere_and_an_id_that_is_none_are_said(monkeypatch, capsys):
    status, told = run(monkeypatch, capsys, TWIN, "wheel")
    assert status == 1 and told.err == f"no path of {TWIN} holds 'wheel'\n"
    status, told = run(monkeypatch, capsys, "MicroDuck-Flat-v7")
    assert status == 2 and "unknown environment 'MicroDuck-Flat-v7'" in told.err


def test_what_the_page_says_edits_what_it_lists():
    """Each body, joint and touching geom of the page can be given to a setter as it stands."""
    rows = re.findall(
        r"^\| (body|joint|geom) +\| (\S+) +\| (.*?) +\|$", paths.page(TWIN), re.MULTILINE
    )
    bodies = [path for kind, path, _ in rows if kind == "body"]
    joints = [path for kind, path, now in rows if kind == "joint" and now != "free"]
    geoms = [path for kind, path, now in rows if kind == "geom" and now != "seen only"]
    edits = [
        {"set": "set_bodies_physics_properties", "paths": bodies, "gravcomp": 0.5},
        {"set": "set_joints_physics_properties", "paths": joints, "armature": 0.01},
        {"set": "set_contact_physics_properties", "geom_paths": geoms, "margin": 0.001},
    ]
    core = Core(n=1, threads=1, edits=edits, **registration.resolve(TWIN))
    assert (core.model.body_gravcomp[1:] == 0.5).all()
    assert (core.model.dof_armature[6:] == 0.01).all()
    assert core.model.geom("floor").margin == 0.001
