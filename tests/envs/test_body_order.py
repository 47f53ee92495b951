"""The order in which a robot's file lists its limbs and motors is seen by nobody."""

import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from servogym import robots
from servogym.envs.core import Core

DUCK = robots.get("microduck")


@pytest.fixture
def shuffled(tmp_path):
    """The duck with its right leg written before its left one and its motors backwards."""
    folder = DUCK.path().parent
    shutil.copy(DUCK.path(), tmp_path)
    tree = ET.parse(folder / "body.xml")
    root = tree.getroot()
    trunk, motors = root.find("worldbody/body"), root.find("actuator")
    assert trunk is not None and motors is not None
    limbs = trunk.findall("body")
    for limb in limbs:
        trunk.remove(limb)
    trunk.extend(reversed(limbs))
    motors[:] = list(reversed(motors))
    for keyframe in root.findall("keyframe"):  # positional; environments use none
        root.remove(keyframe)
    tree.write(tmp_path / "body.xml")
    return replace(DUCK, models={"walk": str(tmp_path / DUCK.path().name)})


@pytest.mark.parametrize("actuator", ["bam", "pd"])
@pytest.mark.parametrize("backlash", [False, True])
def test_observations_and_actions_go_by_name(backlash, actuator, shuffled, monkeypatch):
    # In the air: MuJoCo's contact solver stops at a tolerance that depends on the order.
    options = {"backlash": backlash, "actuator": actuator, "spawn": {"drop": (1.0, 1.0)}}
    plain = Core("microduck_flat", 2, threads=1, **options)
    monkeypatch.setattr(robots, "get", lambda _: shuffled)
    other = Core("microduck_flat", 2, threads=1, **options)
    assert (plain.at.servo_qpos != other.at.servo_qpos).any()
    rows, seen = np.arange(2), []
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (20, 2, 14))
    for core in (plain, other):
        core.seed(rows, rows.astype(np.uint64))
        first = core.reset(rows)
        seen.append([first, *(core.step(action).observation for action in actions)])
    np.testing.assert_allclose(seen[0], seen[1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(plain.terms, other.terms, rtol=0, atol=1e-6)
