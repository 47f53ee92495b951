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
