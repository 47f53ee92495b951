"""A policy is played on the robot it was trained on, or on the one that a configuration says."""

import sys

import numpy as np
import pytest

from servogym import play
from servogym.viewer.choice import open_all
from servogym.viewer.live import Live
from tests.viewer.made_files import PLAIN, TWIN, contract, file

TRUNK = "/world/microduck/trunk_base"
HEAVY = {"set": "set_body_physics_properties", "path": TRUNK, "mass": 0.25}
GAP = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg/passive_left_knee_backlash"
WIDE = {"set": "set_joint_physics_properties", "path": GAP, "limit_upper": 0.03}


def trained(folder, task=PLAIN, **options):
    return file(folder, "microduck-walk", contract(task, **options))


def test_a_policy_finds_the_robot_it_was_trained_on(tmp_path):
    live = Live(open_all([trained(tmp_path, edits=[HEAVY], contact="C")]))
    assert live.core.model.body("trunk_base").mass == 0.25
    assert live.core.contract.contact == "C:0.01"
    assert live.core.task.randomization.push is None
    assert live.core.task.randomization.mass is not None
    live.step()


def test_a_configuration_counts_instead(tmp_path):
    options = {"randomization": {"mass": None}, "edits": [{**HEAVY, "mass": 0.5}]}
    live = Live(open_all([trained(tmp_path, edits=[HEAVY])]), options=options)
    assert live.core.model.body("trunk_base").mass == 0.5
    assert live.core.task.randomization.mass is live.core.task.randomization.push is None
    live.set_backlash(True)
    assert live.core.model.body("trunk_base").mass == 0.5


def test_gears_whose_gap_is_edited_keep_it(tmp_path):
    live = Live(open_all([trained(tmp_path, TWIN, edits=[WIDE])]))
    np.testing.assert_allclose(live.core.model.joint(GAP.rpartition("/")[2]).range[1], 0.03)
    before = live.core
    with pytest.raises(LookupError, match=r"no joint .*passive_left_knee_backlash"):
        live.set_backlash(False)
    assert live.core is before and live.backlash
    live.step()


@pytest.fixture
def heavy(tmp_path):
    path = tmp_path / "heavy.toml"
    path.write_text(f'[[edit]]\nset = "{HEAVY["set"]}"\npath = "{TRUNK}"\nmass = 0.25\n')
    return path


def started(monkeypatch, *words):
    """Run `play.py` until the robot is made; give it."""
    made = []

    class Ready(Exception):
        pass

    def page(live, *_):
        made.append(live)
        raise Ready

    monkeypatch.setattr("servogym.viewer.page.Page", page)
    monkeypatch.setattr(sys, "argv", ["play.py", *map(str, words)])
    with pytest.raises(Ready):
        play.main()
    return made[0]


def test_play_takes_a_configuration_and_says_what_it_changes(plain, heavy, monkeypatch, capsys):
    live = started(monkeypatch, plain, "--config", heavy)
    assert live.core.model.body("trunk_base").mass == 0.25
    said = capsys.readouterr().out
    assert f"{heavy} changes\n  {TRUNK} mass: 0.199224 -> 0.25 kg\n" in said


def test_a_film_is_of_the_configured_robot(plain, heavy, monkeypatch, tmp_path):
    asked = []

    def film(policy, out, seconds, options):
        asked.append(options)
        out.write_bytes(b"")
        return []

    monkeypatch.setattr("servogym.learning.film.film", film)
    words = ["play.py", str(plain), "--video", str(tmp_path / "x.mp4")]
    for more in ([], ["--config", str(heavy)]):
        monkeypatch.setattr(sys, "argv", [*words, *more])
        play.main()
    assert asked == [None, {"edits": [HEAVY]}]


def test_a_wrong_configuration_is_one_sentence(plain, heavy, monkeypatch):
    heavy.write_text(heavy.read_text().replace("0.25", "'much'"))
    monkeypatch.setattr(sys, "argv", ["play.py", str(plain), "--config", str(heavy)])
    with pytest.raises(SystemExit) as ended:
        play.main()
    said = str(ended.value.code)
    assert said.startswith(f"play: {heavy}: body '{TRUNK}': mass is 'much'; accepted")
    assert "\n" not in said
