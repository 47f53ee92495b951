"""What an edit changes is said in the setters' own words, with the compiled numbers."""

import numpy as np
import pytest

from servogym.envs import edits as form
from servogym.envs.changes import Change, changes
from servogym.envs.core import Core
from servogym.scenes.readout import READ, number_of, read

TRUNK = "/world/microduck/trunk_base"
LEG = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg"
KNEE, FOOT = f"{LEG}/left_knee", f"{LEG}/ankle_left"

NEW = {
    "body": {
        "mass": 0.3,
        "center_of_mass": [0.01, 0.02, 0.03],
        "inertia": [[3e-4, 1e-5, 0.0], [1e-5, 4e-4, 0.0], [0.0, 0.0, 5e-4]],
        "gravcomp": 0.5,
    },
    "joint": {
        "limit_lower": -1.25,
        "limit_upper": 1.125,
        "passive_damping": 0.02,
        "friction": 0.03,
        "armature": 0.004,
    },
    "shape": {
        "sliding_friction": 0.6,
        "torsional_friction": 0.02,
        "rolling_friction": 0.001,
        "collision_enabled": False,
        "margin": 0.002,
        "gap": 0.001,
    },
    "scene": {"gravity": [0.0, 1.0, -3.0]},
}
CALL = {
    "body": {"set": "set_bodies_physics_properties", "paths": [TRUNK]},
    "joint": {"set": "set_joints_physics_properties", "paths": [KNEE]},
    "shape": {"set": "set_contact_physics_properties", "body_paths": [FOOT]},
    "scene": {"set": "set_scene_physics_properties"},
}
ELEMENT = {"body": TRUNK, "joint": KNEE, "shape": f"{FOOT}/left_foot_collision", "scene": "/world"}
EDITS = [CALL[subject] | values for subject, values in NEW.items()]


def duck(**options):
    return Core("microduck_flat", 1, threads=1, actuator="pd", randomization=False, **options)


@pytest.fixture(scope="module")
def usual():
    return duck()


@pytest.fixture(scope="module")
def found(usual):
    return {change.what: change for change in changes(usual, duck(edits=EDITS))}


@pytest.mark.parametrize(("subject", "prop"), [(s, p) for s, known in READ.items() for p in known])
def test_every_property_is_read_back_as_it_was_set(subject, prop, found, usual):
    change = found[f"{ELEMENT[subject]} {prop}"]
    np.testing.assert_allclose(change.after, NEW[subject][prop], atol=1e-12)
    assert change.unit == READ[subject][prop][0]
    name = ELEMENT[subject].rpartition("/")[2]
    plain = usual.built.scene().finalize()
    element = number_of(plain, subject, name)
    assert change.before == read(plain, subject, element, prop) != change.after


def test_nothing_else_is_listed(found):
    assert len(found) == sum(map(len, NEW.values()))


def test_readable_properties_are_those_that_an_environment_lets_be_set():
    refused = {
        "body": {"starts_asleep"},
        "joint": {"velocity_limit", "initial_position", "initial_velocity"},
        "shape": {"collision_group"},
        "scene": {"timestep"},
    }
    for subject, call in CALL.items():
        known = set(form.setters()[call["set"]][1])
        assert known == set(READ[subject]) | refused[subject]


def test_a_joint_without_limits_has_infinite_ones(usual):
    plain = usual.built.scene().finalize()
    free = [j for j in range(plain.njnt) if not plain.jnt_limited[j]]
    assert read(plain, "joint", free[0], "limit_upper") == np.inf


def test_what_no_model_has_is_refused_by_name(usual):
    with pytest.raises(
        LookupError, match="no joint of a model has 'velocity_limit'; there are lim"
    ):
        read(usual.model, "joint", 0, "velocity_limit")
    with pytest.raises(LookupError, match="the model has no body 'tail'"):
        number_of(usual.model, "body", "tail")


def test_the_last_of_two_edits_of_a_number_is_said_once(usual):
    heavy, heavier = (
        {"set": "set_body_physics_properties", "path": TRUNK, "mass": m} for m in (1.0, 2.0)
    )
    (change,) = changes(usual, duck(edits=[heavy, heavier]))
    assert str(change) == f"{TRUNK} mass: 0.199224 -> 2 kg"


def test_servos_are_said_as_the_law_has_them(usual):
    edit = {"set": "set_actuator_physics_properties", "joint_path": KNEE, "damping": 0.1}
    (change,) = changes(usual, duck(edits=[edit]))
    before = usual.contract.motor["parameters"]["kd"]
    assert str(change) == f"{KNEE} damping (kd): {before:g} -> 0.1 N·m·s/rad"


def test_numbers_without_a_unit_have_none():
    assert str(Change(what="a", before=(1, 2.0), after=None, unit="1")) == "a: (1, 2) -> off"
