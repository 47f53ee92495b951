"""Joint velocity limits: what they do to a motion, and what they leave alone."""

import mujoco
import numpy as np
import pytest

from servogym.scenes import velocity_limits
from servogym.scenes.velocity_limits import VelocityLimits


def model_of(xml: str, limits: dict[str, float]) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(xml)
    velocity_limits.write(spec, limits)
    return spec.compile()


def run(model, steps, ctrl=None, start=None):
    data = mujoco.MjData(model)
    if start is not None:
        data.qvel[:] = start
    limits, path = VelocityLimits(model), []
    for _ in range(steps):
        if ctrl is not None:
            data.ctrl[:] = ctrl
        mujoco.mj_step(model, data)
        limits.keep(data)
        path.append(np.concatenate((data.qpos, data.qvel)))
    return data, np.array(path)


CART = """
<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body>
  <joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody>
  <actuator><motor joint="x"/></actuator></mujoco>
"""


def test_002_24_a_pushed_cart_gathers_speed_to_its_limit_and_keeps_it():
    _, path = run(model_of(CART, {"x": 0.3}), 1000, ctrl=[1.0])
    speed = path[:, 1]
    np.testing.assert_allclose(speed, np.minimum(0.5 * 0.002 * np.arange(1, 1001), 0.3), atol=1e-12)
    np.testing.assert_allclose(path[:, 0], np.cumsum(speed) * 0.002, atol=1e-12)


def test_it_turns_round_as_fast_as_without_a_limit():
    model = model_of(CART, {"x": 0.3})
    _, path = run(model, 10, ctrl=[-1.0], start=[0.3])
    assert path[-1, 1] == pytest.approx(0.3 - 0.5 * 0.02)


def test_a_limit_of_zero_holds_the_joint_where_it_is():
    _, path = run(model_of(CART, {"x": 0.0}), 500, ctrl=[5.0])
    np.testing.assert_allclose(path, 0.0, atol=1e-15)


PENDULUM = """
<mujoco><option timestep="0.001"/><worldbody><body>
  <joint name="a" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0"/>
  <body pos="0.4 0 0"><joint name="b" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0"/></body></body></worldbody></mujoco>
"""


def test_below_the_limit_the_motion_is_mujocos_to_the_last_bit():
    _, free = run(model_of(PENDULUM, {}), 400)
    _, watched = run(model_of(PENDULUM, {"a": 1e3, "b": 1e3}), 400)
    assert np.array_equal(free, watched)
    assert np.abs(free[:, 2:]).max() > 4.0


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit", "RK4"])
def test_a_falling_chain_never_exceeds_its_limits(integrator):
    xml = PENDULUM.replace('timestep="0.001"', f'timestep="0.001" integrator="{integrator}"')
    _, path = run(model_of(xml, {"a": 1.5, "b": 2.5}), 1000)
    speed = np.abs(path[:, 2:])
    assert (speed <= [1.5, 2.5]).all()
    assert (speed.max(axis=0) == [1.5, 2.5]).all()
    step = np.abs(np.diff(path[:, :2], axis=0))
    slack = 1e-6 if integrator == "RK4" else 1e-12  # RK4 steps by a mean of four velocities
    assert (step <= np.array([1.5, 2.5]) * 0.001 + slack).all()


def test_the_brake_is_a_joint_torque_within_the_step():
    # A chain falls from rest; the torque that keeps joint b at its limit, applied by hand through
    # qfrc_applied, must give the very motion that the limit gives.
    model = model_of(PENDULUM, {"b": 0.5})
    watched, by_hand = mujoco.MjData(model), mujoco.MjData(model)
    limits, braked = VelocityLimits(model), 0
    for _ in range(300):
        mujoco.mj_step(model, watched)
        limits.keep(watched)
        by_hand.qfrc_applied[:] = 0.0
        torques = []
        for torque in (0.0, 1.0):  # the speed reached is linear in the torque
            trial = mujoco.MjData(model)
            trial.qpos[:], trial.qvel[:] = by_hand.qpos, by_hand.qvel
            trial.qfrc_applied[1] = torque
            mujoco.mj_step(model, trial)
            torques.append(trial.qvel[1])
        if abs(torques[0]) > 0.5:
            wanted = np.clip(torques[0], -0.5, 0.5)
            by_hand.qfrc_applied[1] = (wanted - torques[0]) / (torques[1] - torques[0])
            braked += 1
        mujoco.mj_step(model, by_hand)
    assert braked > 50
    np.testing.assert_allclose(watched.qpos, by_hand.qpos, atol=1e-9)
    np.testing.assert_allclose(watched.qvel, by_hand.qvel, atol=1e-9)


FLOATING = """
<mujoco><option timestep="0.001" gravity="0 0 0" integrator="Euler"/><worldbody><body>
  <freejoint name="base"/><geom type="box" size="0.1 0.1 0.1" mass="2"/>
  <body pos="0.1 0 0"><joint name="arm" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0.1" mass="1"/></body></body></worldbody>
  <actuator><motor joint="arm"/></actuator></mujoco>
"""


def momentum(model, data):
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_subtreeVel(model, data)
    linear = data.subtree_linvel[1] * model.body_subtreemass[1]
    return np.concatenate((linear, data.subtree_angmom[1]))


def test_a_robot_in_space_cannot_push_itself_off_its_own_limit():
    data, path = run(model_of(FLOATING, {"arm": 0.8}), 500, ctrl=[0.5])
    free, _ = run(model_of(FLOATING, {}), 500, ctrl=[0.5])
    assert path[-1, -1] == 0.8 and free.qvel[-1] > 2.0
    model = model_of(FLOATING, {})
    np.testing.assert_allclose(momentum(model, data), 0.0, atol=1e-3)
    assert np.abs(data.qvel[:6]).max() > 0.1  # the base does move, against the arm
    bare = mujoco.MjData(model)  # clipping the speed alone would have left this much
    bare.qpos[:], bare.qvel[:] = free.qpos, free.qvel
    bare.qvel[-1] = 0.8
    assert np.abs(momentum(model, bare)).max() > 0.05


def test_limits_travel_with_the_model_and_come_off_a_spec():
    spec = mujoco.MjSpec.from_string(PENDULUM)
    velocity_limits.write(spec, {"a": 1.5, "b": 0.0})
    assert velocity_limits.read(spec.compile()) == {"a": 1.5, "b": 0.0}
    assert velocity_limits.take(spec) == {"a": 1.5, "b": 0.0}
    assert velocity_limits.read(spec.compile()) == {}


def test_a_limit_on_what_cannot_have_one_is_refused():
    with pytest.raises(LookupError, match="'nobody'"):
        VelocityLimits(model_of(CART, {"nobody": 1.0}))
    with pytest.raises(ValueError, match="no hinge or slide"):
        VelocityLimits(model_of(FLOATING, {"base": 1.0}))
