"""A critic may see the ground around a robot on a field; the policy sees nothing of it."""

import numpy as np
import pytest

from servogym.envs.core import Core

ROWS = np.arange(6)
PLACES = [(ahead, left) for ahead in (-0.4, -0.2, 0.0, 0.2, 0.4) for left in (0.2, 0.0, -0.2)]
"""In metres from the trunk, along its heading."""


def begun(task, **options):
    core = Core(task, len(ROWS), threads=1, **options)
    core.seed(ROWS, ROWS.astype(np.uint64) + 3)
    core.reset(ROWS)
    return core


def seen(core, name):
    """Columns of a privileged slot, (n, its width)."""
    begin = 0
    for slot, width in core.privileged_slots.items():
        if slot == name:
            return core.privileged()[:, begin : begin + width]
        begin += width
    raise KeyError(name)


@pytest.mark.parametrize("task", ["go2_rough", "go2_stairs"])
def test_it_sees_how_high_the_ground_is_at_15_places_in_front_of_and_beside_the_trunk(task):
    core = begun(task, level=8)
    yaw = np.linspace(-3.0, 3.0, len(ROWS))
    qpos, at = core.batch.bind("qpos"), core.at.base_qpos
    qpos[:, at[0]] += np.linspace(1.0, 2.5, len(ROWS))  # off the platform, onto what is built
    qpos[:, at[2]] += 1.0
    qpos[:, at[3:7]] = np.stack((np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)), axis=1)
    core.step(np.zeros((len(ROWS), 12)))
    assert core.privileged_slots["ground_below"] == 15
    found = seen(core, "ground_below") / 5.0
    state = core.state
    below, (w, x, y, z) = core.footing.height(state.base_pos), state.base_quat.T
    angle = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y**2 + z**2))
    np.testing.assert_allclose(angle, yaw, atol=0.05)
    for column, (ahead, left) in enumerate(PLACES):
        x = state.base_pos[:, 0] + ahead * np.cos(angle) - left * np.sin(angle)
        y = state.base_pos[:, 1] + ahead * np.sin(angle) + left * np.cos(angle)
        wanted = core.footing.height(np.stack((x, y), axis=1)) - below
        np.testing.assert_allclose(found[:, column], wanted, atol=1e-5)
    assert np.abs(found).max() > 0.1


def test_on_the_flat_there_is_nothing_to_see():
    assert "ground_below" not in begun("go2_flat").privileged_slots


@pytest.mark.parametrize("task", ["go2_rough", "go2_flat"])
def test_the_policy_is_blind_45_numbers_that_robots_have_sensors_for(task):
    core = begun(task)
    sizes = {slot.name: slot.size for slot in core.contract.slots}
    assert sizes == {
        "base_ang_vel": 3,
        "projected_gravity": 3,
        "joint_pos": 12,
        "joint_vel": 12,
        "actions": 12,
        "command": 3,
    }
    assert core.reset(ROWS).shape == (len(ROWS), 45)
