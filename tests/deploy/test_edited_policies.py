"""A policy trained on an edited robot carries the edits, and is proven on them or not at all."""

import json
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import onnx
import pytest

from servogym.cli import verify
from servogym.deploy.cleanroom.room import CleanRoom
from servogym.deploy.contract import LATER, Contract
from servogym.deploy.metadata import metadata
from servogym.deploy.policy import Policy
from servogym.deploy.trial import population, proof, replay
from servogym.deploy.trial.fields import contracts
from servogym.envs import registration
from servogym.envs.core import Core
from servogym.export import contract_of
from servogym.scenes.contact import parse, written
from tests.deploy import files, nets
from tests.learning import duck

DUCK = "/world/microduck/trunk_base"
GO2 = "/world/go2/base"
HEAVY = {"set": "set_body_physics_properties", "path": DUCK, "mass": 0.25}
KNEE = f"{DUCK}/yaw2roll/hip_l/upper_leg_left/leg/left_knee"
GAP = f"{DUCK}/yaw2roll/hip_l/upper_leg_left/leg/passive_left_knee_backlash"
STIFF = {"set": "set_actuator_physics_properties", "joint_path": KNEE, "stiffness": 150.0}
MOON = {"set": "set_scene_physics_properties", "gravity": [0.0, 0.0, -4.0]}
FLOOR = {
    "set": "set_contact_physics_properties",
    "geom_paths": ["/world/ground/floor"],
    "margin": 0.001,
}
DUCKS = [
    HEAVY,
    MOON,
    FLOOR,
    STIFF,
    {"set": "set_joint_physics_properties", "path": KNEE, "armature": 0.004},
]
DOGS = [
    {"set": "set_body_physics_properties", "path": GO2, "mass": 9.0},
    {
        "set": "set_joints_physics_properties",
        "paths": [f"{GO2}/FL_hip/FL_hip_joint"],
        "friction": 0.7,
    },
    {
        "set": "set_actuator_physics_properties",
        "joint_path": f"{GO2}/FR_hip/FR_hip_joint",
        "effort_limit": 15.0,
    },
]


def said(env_id, **options) -> Contract:
    return Core(n=1, threads=1, **registration.resolve(env_id), **options).contract


def walking(folder, env_id="MicroDuck-Flat-v0", **options):
    """The shipped walking network in a file that says it was trained with these options."""
    return files.write(folder / "walk.onnx", said(env_id, **options))


def lively(folder, env_id, **options):
    """A random network for any robot."""
    contract = said(env_id, **options)
    width, actions = contract.obs_size, contract.action_size
    path = nets.write(folder / "net.onnx", width, actions, loud=0.3, contract=contract)
    model = onnx.load(path)
    onnx.helper.set_model_props(model, metadata(contract, "runs/some"))
    onnx.save(model, path)
    return path


@pytest.mark.parametrize(
    ("env_id", "options"),
    [
        ("MicroDuck-Flat-v0", {"edits": DUCKS}),
        ("MicroDuck-Flat-v0", {"contact": "C"}),
        (
            "MicroDuck-Flat-Backlash-v0",
            {"edits": [{"set": "set_joint_physics_properties", "path": GAP, "limit_upper": 0.03}]},
        ),
    ],
)
def test_an_edited_duck_moves_alone_as_in_training_to_the_last_bit(env_id, options, tmp_path):
    path = walking(tmp_path, env_id, **options)
    found = replay.replay(path, needed=100)
    assert found.passed and (found.observation, found.action) == (0.0, 0.0)
    plain = replay.replay(path, needed=100, overrides={})
    assert not plain.passed  # the edits matter: the unedited robot does something else


@pytest.mark.parametrize("env_id", ["Go2-Flat-v0", "Go2-Rough-v0", "Go2-Wave-Backlash-v0"])
@pytest.mark.parametrize("options", [{}, {"edits": DOGS}, {"contact": "B:0.02,none"}])
def test_a_go2_moves_alone_as_on_flat_ground_whatever_its_own_ground(env_id, options, tmp_path):
    found = replay.replay(lively(tmp_path, env_id, **options), needed=60)
    assert found.passed and (found.observation, found.action) == (0.0, 0.0)


def test_a_dog_that_sits_down_fell_in_neither_simulation(tmp_path, monkeypatch):
    """Its task ends there, but the clean room knows nothing of ends, only of leaning."""
    path = lively(tmp_path, "Go2-Flat-v0")
    sit = np.tile([0.0, 0.6, -1.2], 4)
    monkeypatch.setattr(CleanRoom, "act", lambda room, obs: np.tile(sit, (len(obs), 1)))
    core = replay.training(CleanRoom(path).contract, 3)
    core.reset(np.arange(3))
    ends = [core.step(np.tile(sit, (3, 1))).terminated for _ in range(50)]
    assert np.all(np.any(ends, axis=0))
    assert not population.in_training(path, n=3, seconds=1.0).fell.any()
    noise, reach = population.noise_of(core), core.contract.command_ranges
    assert not population.in_the_room(path, noise, reach, n=3, seconds=1.0).fell.any()


def test_what_training_really_changed_goes_before_what_the_file_says(tmp_path):
    path = walking(tmp_path, edits=[HEAVY])
    assert replay.replay(path, needed=20, overrides={"edits": [HEAVY]}).passed
    lied = replay.training(CleanRoom(path).contract, 1, {"edits": [{**HEAVY, "mass": 0.3}]})
    (wrong,) = contracts(CleanRoom(path).contract, lied.contract)
    assert wrong.field == "edits"


@pytest.fixture
def brief(monkeypatch):
    """A trial like the real one, only shorter."""
    for name in ("in_training", "in_the_room"):
        short = partial(getattr(population, name), n=3, seconds=2.2)
        monkeypatch.setattr(population, name, short)
    monkeypatch.setattr(proof, "SECONDS", 0.0)
    monkeypatch.setattr(proof, "replay", partial(replay.replay, needed=20))


def verified(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["servogym verify", str(path)])
    return verify.main(), capsys.readouterr()


def test_verify_proves_an_edited_file_and_says_what_nobody_else_can_judge(
    brief, tmp_path, capsys, monkeypatch
):
    path = walking(tmp_path, edits=[HEAVY, MOON], contact="C")
    code, told = verified(path, capsys, monkeypatch)
    assert code == 0 and "**verified**" in told.out
    for edit in (HEAVY, MOON):
        assert f"edit {json.dumps(edit)}" in told.out
    assert "contact 'C:0.01' ('native' is the task's)" in told.out
    code, told = verified(lively(tmp_path, "Go2-Wave-v0", edits=DOGS), capsys, monkeypatch)
    assert code == 0 and f"edit {json.dumps(DOGS[-1])}" in told.out


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({**HEAVY, "path": "/world/microduck/backpack"}, "no body '/world/microduck/backpack'"),
        ({**HEAVY, "set": "set_body_colour"}, "no setter 'set_body_colour'"),
        ({**HEAVY, "mass": "much"}, "mass is 'much'; accepted: a finite number > 0"),
        ({**HEAVY, "weight": 1.0}, "weight"),
        ({"set": HEAVY["set"], "mass": 1.0}, "path"),
        ({**STIFF, "stiffness": "much"}, "stiffness is 'much'; accepted"),
        ({**STIFF, "joint_path": 4}, "joint_path"),
        ({**STIFF, "joint_path": f"{DUCK}/tail"}, "no joint"),
        ({"set": "__init__"}, "no setter '__init__'"),
    ],
)
def test_a_copy_that_cannot_make_an_edit_verifies_nothing(
    edit, why, brief, tmp_path, capsys, monkeypatch
):
    path = files.write(tmp_path / "odd.onnx", replace(said("MicroDuck-Flat-v0"), edits=(edit,)))
    code, told = verified(path, capsys, monkeypatch)
    assert code == 1 and why in told.err and told.err.startswith("verify: ")
    assert told.err.count("\n") == 1


def test_edits_of_servos_that_the_motor_law_does_not_show_are_found(
    brief, tmp_path, capsys, monkeypatch
):
    contract = replace(said("MicroDuck-Flat-v0"), edits=(STIFF,))
    code, told = verified(files.write(tmp_path / "odd.onnx", contract), capsys, monkeypatch)
    assert code == 1 and "contract: motor.parameters.kp_fw is" in told.out


def test_a_copy_of_before_refuses_a_file_that_says_more_than_it_knows(tmp_path, monkeypatch):
    from servogym.deploy import record

    def fields(kind, known=record.fields):
        return tuple(f for f in known(kind) if f.name not in LATER)

    edited = said("MicroDuck-Flat-v0", edits=[HEAVY]).to_json()
    of_before = replace(said("MicroDuck-Flat-v0"), contact="").to_json()
    monkeypatch.setattr(record, "fields", fields)
    data = {k: v for k, v in json.loads(edited).items() if k != "schema"}
    with pytest.raises(ValueError, match="not understood: contact, edits"):
        record.rebuild(Contract, data, "contract")
    data = {k: v for k, v in json.loads(of_before).items() if k != "schema"}
    assert record.rebuild(Contract, data, "contract").edits == ()


def test_a_file_of_before_is_read_and_taken_for_what_it_was():
    now = said("MicroDuck-Flat-v0")
    data = json.loads(now.to_json())
    assert data.pop("contact") == "native" and "edits" not in data
    before = Contract.from_json(json.dumps(data))
    assert (before.contact, before.edits) == ("", ())
    assert json.loads(before.to_json()) == data and contracts(before, now) == []
    rough = said("Go2-Rough-v0")
    (wrong,) = contracts(replace(rough, contact=""), rough)
    assert (wrong.field, wrong.file, wrong.here) == ("contact", "native", "C:0.01")


@pytest.mark.parametrize(
    ("task", "overrides", "contact"),
    [
        ("MicroDuck-Flat-v0", {}, ""),
        ("Go2-Rough-v0", {}, "C:0.01"),
        ("Go2-Rough-v0", {"contact": "native"}, ""),
        ("MicroDuck-Flat-v0", {"contact": "B"}, "B:0.006,0.02"),
    ],
)
def test_a_checkpoint_of_before_is_exported_with_the_contacts_it_had(task, overrides, contact):
    before = replace(duck.bundle(duck.policy()), task=task, overrides=overrides)
    assert contract_of(before).contact == contact
    now = replace(before, contract=replace(before.contract, contact="A:0.006"))
    assert contract_of(now) is now.contract


def test_shipped_files_of_before_say_nothing_new():
    for path in files.SHIPPED.glob("*.onnx"):
        text = next(p.value for p in onnx.load(path).metadata_props if p.key == "servogym")
        contract = Policy(path).contract
        assert json.loads(contract.to_json()) == json.loads(text)


def test_the_contract_keeps_edits_contacts_and_the_hash_of_the_unedited_file(tmp_path):
    usual, edited = said("MicroDuck-Flat-v0"), said("MicroDuck-Flat-v0", edits=DUCKS, contact="B")
    assert edited.edits == tuple(DUCKS) and edited.contact == "B:0.006,0.02"
    assert edited.model_hash == usual.model_hash
    assert edited.actuator == usual.actuator and edited.actuator_hash != usual.actuator_hash
    assert Contract.from_json(edited.to_json()) == edited
    room = CleanRoom(files.write(tmp_path / "walk.onnx", edited))
    assert room.contract == edited
    assert room._bodies[0].model.body("trunk_base").mass == 0.25


def test_edits_of_ground_that_an_endless_floor_lacks_stay_out_of_the_contract(tmp_path):
    waves = {**FLOOR, "geom_paths": ["/world/ground/wave", "/world/ground/floor"]}
    crest = {**FLOOR, "geom_paths": ["/world/ground/wave"]}
    options = {"terrain": "wave:2", "edits": [crest, waves, HEAVY]}
    contract = said("MicroDuck-Flat-v0", **options)
    assert contract.edits == (FLOOR, HEAVY)
    path = files.write(tmp_path / "walk.onnx", contract)
    assert replay.replay(path, needed=20, overrides=options).passed


@pytest.mark.parametrize("edits", [[{}], [{"set": 3}], [3], {"set": "x"}])
def test_a_contract_whose_edits_are_none_is_refused_by_name(edits):
    data = json.loads(said("MicroDuck-Flat-v0").to_json()) | {"edits": edits}
    with pytest.raises(ValueError, match="edits"):
        Contract.from_json(json.dumps(data))


@pytest.mark.parametrize("text", ["native", "A:0.0061", "B:0.006,none", "B:none,0.02", "C:0.1"])
def test_a_contact_setting_survives_being_written_to_the_last_bit(text):
    assert written(parse(text)) == text
    odd = replace(parse("C"), everywhere=0.1 + 0.2)
    assert parse(written(odd)) == odd
