from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from servogym import robots
from servogym.envs.core import Core
from servogym.learning.mirror import mirror_columns, mirror_joints
from servogym.learning.policy import rebuild
from tests.learning import duck

SCALES = dict(duck.PRESET.obs_scale)


def observations(n=200):
    return torch.randn(n, 61, generator=torch.Generator().manual_seed(0)) * 2.0


def widths(contract):
    return {slot.name: slot.size for slot in contract.slots}


def test_asked_to_walk_a_mirrored_observation_gives_the_mirrored_action():
    robot, actor = robots.get("microduck"), duck.policy().actor
    obs_index, obs_sign = mirror_columns(widths(duck.contract()), robot)
    action_index, action_sign = mirror_joints(robot)
    obs = observations()
    mirrored = obs[:, obs_index] * torch.tensor(obs_sign, dtype=torch.float32)
    with torch.no_grad():
        wanted = actor(obs)[:, action_index] * torch.tensor(action_sign, dtype=torch.float32)
        assert (actor(mirrored) - wanted).abs().max() < 1e-5
        assert wanted.std() > 0.1


def test_asked_to_stand_a_robot_may_have_a_favourite_leg():
    actor = duck.policy().actor
    index, sign = mirror_joints(robots.get("microduck"))
    upright = torch.zeros(1, 61)
    upright[0, 5] = -1.0
    walking = upright.clone()
    walking[0, 48] = 0.25

    def skew(obs):
        with torch.no_grad():
            action = actor(obs)
        return (action[:, index] * torch.tensor(sign, dtype=torch.float32) - action).abs().max()

    assert skew(upright) > 0.01
    assert skew(walking) < 1e-6


def test_told_to_stand_but_tipping_over_it_is_told_to_walk():
    preset = replace(duck.PRESET, tipping=0.5, catch=(-0.06, 0.0, 0.1))
    actor = duck.policy(preset=preset).actor
    gyro, command = (duck.contract().slices()[name] for name in ("base_ang_vel", "command"))
    obs = torch.zeros(5, 61)
    obs[:, 5] = -1.0
    obs[1, gyro] = torch.tensor([0.3, -0.3, 9.0])  # rolls and pitches slowly, yaws fast
    obs[2, gyro] = torch.tensor([0.3, -0.5, 0.0])
    obs[3, gyro] = torch.tensor([0.3, -0.5, 0.0])
    obs[3, command] = torch.tensor([0.2, 0.0, 0.0])
    obs[4, command] = torch.tensor([-0.06, 0.0, 0.1])
    told = actor.scaled(obs)
    assert told[:, -2].tolist() == pytest.approx([0.0, 0.0, 1.0, 1.0, 1.0])
    assert told[:, -1].tolist() == pytest.approx([1.0, 1.0, 1.0, 0.0, 0.0])
    assert torch.equal(told[2, command], told[4, command])
    assert told[3, command].tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert not told[:2, command].any()


def test_a_catch_that_is_no_twist_is_refused():
    with pytest.raises(ValueError, match=r"catch \(1\.0,\).*3 columns"):
        duck.network(replace(duck.PRESET, tipping=0.5, catch=(1.0,)))


def test_a_mirrored_robot_is_worth_as_much():
    policy, robot = duck.policy(), robots.get("microduck")
    slots = widths(duck.contract()) | duck.PRIVILEGED_SLOTS
    index, sign = mirror_columns(slots, robot)
    obs = torch.cat((observations(), torch.randn(200, duck.PRIVILEGED)), dim=1)
    mirrored = obs[:, index] * torch.tensor(sign, dtype=torch.float32)
    with torch.no_grad():
        values = policy.predict_values(obs)
        assert (policy.predict_values(mirrored) - values).abs().max() < 1e-4
        assert values.std() > 0.1


def test_what_the_critic_reads_has_a_mirror_image():
    core = Core("microduck_flat", 2, threads=1)
    assert mirror_columns(core.privileged_slots, core.robot)[0].size == core.privileged().shape[1]


def test_the_log_probability_is_that_of_a_gaussian():
    policy, obs = duck.policy(), torch.randn(50, 61 + duck.PRIVILEGED)
    with torch.no_grad():
        actions, values, log_prob = policy(obs)
        expected = policy.get_distribution(obs).log_prob(actions)
        assert (log_prob - expected).abs().max() < 1e-3
        again = policy.evaluate_actions(obs, actions)
        assert torch.allclose(again[1], expected, atol=1e-3)
        assert torch.equal(again[0], values)
        assert again[2][0].item() == pytest.approx(policy.action_dist.entropy()[0].item())


def test_mirroring_twice_changes_nothing_and_follows_the_robot():
    index, sign = mirror_columns(widths(duck.contract()), robots.get("microduck"))
    assert (index[index] == np.arange(61)).all()
    assert (sign * sign[index] == 1).all()
    assert sign[0:6].tolist() == [-1, 1, -1, 1, -1, 1]
    assert sign[48:61].tolist() == [1, -1, -1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1]
    assert (index[6], sign[6]) == (6 + 9, -1)


def test_a_slot_without_a_known_mirror_is_named():
    contract = duck.contract(
        slots=(
            *duck.contract().slots[:-1],
            duck.Slot(
                name="barometer", size=6, unit="Pa", frame="-", sensor="-", low=0.0, high=1.0
            ),
        )
    )
    with pytest.raises(ValueError, match="barometer"):
        mirror_columns(widths(contract), robots.get("microduck"))


def test_upright_gravity_becomes_zero_and_nothing_else_is_shifted():
    obs = torch.zeros(1, 61)
    obs[0, 5] = -1.0
    assert duck.policy().actor.scaled(obs)[:, :-1].abs().max() == 0.0


def test_inputs_are_divided_by_the_scale_of_their_slot_and_clipped():
    actor, obs = duck.policy().actor, torch.zeros(1, 61)
    obs[0, 6], obs[0, 20], obs[0, 48] = 0.25, 6.0, 1e6
    scaled = actor.scaled(obs)[0]
    assert scaled[6].item() == pytest.approx(1.0)
    assert scaled[20].item() == pytest.approx(2.0)
    assert scaled[48].item() == pytest.approx(8.0)


def test_the_actor_ignores_privileged_columns_and_the_critic_does_not():
    policy = duck.policy()
    obs = torch.randn(5, 61 + duck.PRIVILEGED)
    other = obs.clone()
    other[:, 61:] += 1.0
    with torch.no_grad():
        assert torch.equal(
            policy.get_distribution(obs).mode(), policy.get_distribution(other).mode()
        )
        assert not torch.allclose(policy.predict_values(obs), policy.predict_values(other))


def test_a_fresh_policy_moves_little_and_explores_by_the_preset():
    policy = duck.blank(asdict(duck.network()))
    with torch.no_grad():
        upright = torch.zeros(1, 61)
        upright[0, 5], upright[0, 48] = -1.0, 0.4
        assert policy.actor(upright).abs().max() < 0.1
        assert policy.log_std.exp().tolist() == pytest.approx([0.28] * 14)


def test_weights_without_the_input_scales_do_not_load():
    policy = duck.policy()
    weights = duck.weights(policy)
    del weights["actor.scale"]
    with pytest.raises(ValueError, match=r"missing: actor\.scale"):
        rebuild(asdict(policy.network), 61 + duck.PRIVILEGED, weights)


def test_the_network_is_told_whether_anything_is_asked():
    policy = duck.policy()
    obs = torch.zeros(4, 61)
    columns = duck.contract().slices()["command"]
    obs[1, columns] = torch.tensor([0.06, 0.0, 0.0])
    obs[2, columns] = torch.tensor([0.0, -0.03, 0.0])
    obs[3, columns] = torch.tensor([-0.4, 0.3, 1.0])
    assert policy.actor.scaled(obs)[:, -2].tolist() == pytest.approx([0.0, 1.0, 0.5, 1.0])
    assert policy.actor.scaled(obs)[:, -1].tolist() == pytest.approx([1.0, 0.0, 0.5, 0.0], abs=1e-6)
