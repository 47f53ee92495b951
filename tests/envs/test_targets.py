"""A target is the policy's own: nothing between it and the motor clips it to the joint's range."""

import numpy as np
import pytest

from servogym.envs.core import Core


def test_a_target_beyond_a_joints_range_pulls_with_the_full_error():
    c = Core("microduck_flat", 1, threads=1, actuator="pd", sensing=False, randomization=False)
    c.seed(np.array([0]), np.array([5], np.uint64))
    c.reset(np.array([0]))
    assert not c.model.actuator_ctrllimited.any()
    knee = c.robot.joints.index("left_knee")
    at_limit = c.model.joint("left_knee").range[1]
    c._qpos[0, c.at.servo_qpos[knee]] = at_limit
    c._qvel[:] = 0.0
    compute, torques = c.drive.law.compute, []

    def noted(*arguments):
        torques.append(compute(*arguments).copy())
        return torques[-1]

    c.drive.law.compute = noted
    action = np.zeros((1, 14))
    action[0, knee] = at_limit + 0.5 - c.robot.default_pose["left_knee"]
    c.step(action)
    assert torques[0][0, knee] == pytest.approx(0.5 * c.drive.law.kp, abs=1e-12)
    np.testing.assert_array_equal(c._ctrl[0, c.at.motor], torques[-1][0])
