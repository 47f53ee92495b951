import json

import numpy as np
import pytest

from servogym.deploy.contract import Contract
from tests.learning import duck


def test_a_contract_survives_json_to_the_last_bit():
    contract = duck.contract(default_pose=tuple(np.random.default_rng(0).normal(size=14).tolist()))
    assert Contract.from_json(contract.to_json()) == contract


def test_slots_become_columns_in_order():
    slices = duck.contract().slices()
    assert slices["joint_vel"] == slice(20, 34)
    assert slices["body_command"] == slice(55, 61)
    assert duck.contract().obs_size == 61


def test_action_zero_asks_for_the_default_pose_or_for_no_torque():
    assert duck.contract().offset() == pytest.approx(duck.contract().default_pose)
    assert not duck.contract(command="torque").offset().any()


@pytest.mark.parametrize("field", ["joints", "action_clip", "slots", "firmware"])
def test_a_missing_field_is_named(field):
    data = json.loads(duck.contract().to_json())
    del data[field]
    with pytest.raises(ValueError, match=field):
        Contract.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "change",
    [
        {"control_dt": 0.01},
        {"action_clip": float("inf")},
        {"command": "velocity"},
        {"default_pose": (0.0,)},
        {"joints": ("a", "a")},
    ],
)
def test_a_contradiction_is_refused_by_name(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        duck.contract(**change)


def changed(**changes) -> str:
    return json.dumps(json.loads(duck.contract().to_json()) | changes)


def slot(**changes) -> dict:
    return {"slots": [json.loads(duck.contract().to_json())["slots"][0] | changes]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"schema": 1}, "schema 1, only 2 is understood"),
        ({"schema": None}, "schema None"),
        ({"jonits": []}, "not understood: jonits"),
        ({"joints": 3}, "joints 3: a list is needed"),
        ({"task": ["x"]}, r"task \['x'\]: a text is needed"),
        ({"decimation": "4"}, "decimation '4': a whole number is needed"),
        ({"control_dt": True}, "control_dt True: a finite number is needed"),
        ({"firmware": {"kp_fw": "x"}}, r"firmware\['kp_fw'\] 'x'"),
        ({"command_ranges": {"command": [1.0, "b", 1.0]}}, r"command_ranges\['command'\]\[1\]"),
        ({"skill": {"kind": "perpetual"}}, "skill: field.s. missing: slot"),
        ({"encoder": "both"}, "encoder 'both': 'output' or 'motor'"),
        ({"motor": {"law": "bam"}}, "actuator_hash is not that of motor"),
        (slot(lwo=0.0), r"slots\[0\]: field.s. not understood: lwo"),
        (slot(low="a"), r"slots\[0\]: low 'a': a finite number"),
        (slot(scale=[1.0, 2.0]), "scale .1.0, 2.0."),
        (slot(scale=0), "scale 0; one finite number that is not 0"),
        (slot(low=3.0, high=-3.0), r"bounds \[3\.0, -3\.0\] must be finite, low < high"),
        (slot(high=float("inf")), "high inf: a finite number"),
        (slot(size=0), "size 0, 1 to 65536 is accepted"),
        (slot(size=10**9), "size 1000000000, 1 to 65536 is accepted"),
        (slot(size=10**400), r"size 1000.*\.\.\.: a whole number"),
        ({"action_clip": 10**400}, r"action_clip 1000.*\.\.\.: a finite number"),
        ({"decimation": 10**400}, r"decimation 1000.*\.\.\.: a whole number"),
        ({"motor": {"kt": float("nan")}}, "motor: no JSON of finite numbers"),
        ({"slots": [5]}, r"slots\[0\]: an object is needed|slots\[0\]: a JSON object"),
    ],
)
def test_an_old_foreign_or_edited_contract_is_refused_by_its_field(change, named):
    with pytest.raises(ValueError, match=named):
        Contract.from_json(changed(**change))


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", duck.contract().to_json()[:-20], DEEP, f'{{"motor": {DEEP}', "9" * 5000],
    ids=range(7),
)
def test_a_text_that_is_no_contract_is_refused(text):
    with pytest.raises(ValueError, match="contract: "):
        Contract.from_json(text)


def test_only_a_contract_by_hand_may_leave_out_what_has_a_default():
    data = json.loads(duck.contract().to_json())
    for name in ("firmware", "motor", "skill", "versions", "input_name"):
        del data[name]
    with pytest.raises(ValueError, match="missing: firmware, motor, skill, input_name, versions"):
        Contract.from_json(json.dumps(data))
    read = Contract.from_json(json.dumps(data), by_hand=True)
    assert read == duck.contract(firmware={})
    del data["joints"]
    with pytest.raises(ValueError, match="missing: joints"):
        Contract.from_json(json.dumps(data), by_hand=True)
