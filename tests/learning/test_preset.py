import json
from dataclasses import asdict, replace

import pytest

from servogym import robots
from servogym.learning.network import Network
from servogym.learning.preset import PpoPreset
from tests.learning import duck


def test_a_leftover_minibatch_of_one_is_rejected_when_configured():
    with pytest.raises(ValueError, match=r"batch_size 32.*minibatch of 1"):
        PpoPreset(n_envs=3, n_steps=11, batch_size=32)


@pytest.mark.parametrize(
    "change", [{"batch_size": 1}, {"batch_size": 10**6}, {"n_envs": 0}, {"gamma": float("nan")}]
)
def test_impossible_numbers_are_rejected_by_name(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        replace(PpoPreset(), **change)


def test_a_scale_for_a_slot_that_is_not_there_is_rejected():
    preset = PpoPreset(obs_scale={**PpoPreset().obs_scale, "joint_poss": 1.0})
    with pytest.raises(ValueError, match=r"joint_poss.*joint_pos,"):
        Network.of(duck.contract(), preset, robots.get("microduck"))


def test_the_default_scales_serve_a_robot_without_a_head():
    contract, bare = duck.contract(), {"head_command", "body_command"}
    headless = replace(contract, slots=tuple(s for s in contract.slots if s.name not in bare))
    network = Network.of(headless, PpoPreset(), robots.get("microduck"))
    assert len(network.scale) == headless.obs_size == 51


def test_a_slot_without_a_scale_is_rejected():
    scale = dict(PpoPreset().obs_scale)
    del scale["joint_vel"]
    with pytest.raises(ValueError, match="joint_vel"):
        Network.of(duck.contract(), PpoPreset(obs_scale=scale), robots.get("microduck"))


def test_a_preset_survives_json():
    assert PpoPreset.from_dict(json.loads(json.dumps(asdict(PpoPreset())))) == PpoPreset()


@pytest.mark.parametrize("n_envs", [1, 2, 3, 8, 64, 512])
def test_fewer_robots_keep_the_number_of_minibatches(n_envs):
    preset = PpoPreset().sized(envs=n_envs)
    assert preset.n_envs * preset.n_steps / preset.batch_size == 4
