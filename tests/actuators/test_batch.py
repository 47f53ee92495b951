"""Friction written per physics step stays in its row, and a batch equals single models."""

import mujoco
import numpy as np
from mujoco.batch import Batch

from servogym.actuators.bam import Bam
from servogym.actuators.drive import Drive
from servogym.actuators.friction_row import FrictionRow

JOINTS = ("shoulder", "elbow")
ARM = """<mujoco><option timestep="0.005" integrator="implicitfast" iterations="10"/><worldbody>
<geom type="plane" size="2 2 .1" pos="0 0 -.25"/>
<body name="upper"><joint name="shoulder" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 .12 0 0" size=".01" mass=".05"/>
<body name="lower" pos=".12 0 0"><joint name="elbow" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 .12 0 0" size=".01" mass=".05"/></body></body>
</worldbody></mujoco>"""
LOAD = np.array([0.4, 0.2])


def arm() -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(ARM)
    Bam(servo="xl330", kp_fw=200).edit_spec(spec, JOINTS)
    return spec.compile()


def drive(n: int) -> Drive:
    made = Drive(Bam(servo="xl330", kp_fw=200), JOINTS, n, 0.005)
    made.reset(np.arange(n), None)
    return made


def friction(made: Drive, *load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = made.friction(*load)
    assert found is not None
    return found


def target(step: int) -> np.ndarray:
    return np.array([0.8 * np.sin(0.03 * step), 0.5 * np.sin(0.05 * step)])


def run_batch(loads: list[float], steps: int = 200) -> dict[str, np.ndarray]:
    """Angles, speeds and friction of every row at the end; row k carries loads[k] times LOAD."""
    n, model = len(loads), arm()
    batch, made = Batch(model, n, 1), drive(n)
    loss, damping = batch.expand("dof_frictionloss"), batch.expand("dof_damping")
    qpos, qvel, ctrl, applied, bias, constraint, qacc = (
        batch.bind(k)
        for k in (
            "qpos", "qvel", "ctrl", "qfrc_applied", "qfrc_bias", "qfrc_constraint", "qacc",
        )
    )  # fmt: skip
    row = FrictionRow.of(model.dof_solref, model.dof_solimp, model.dof_invweight0, 0.005)
    applied[:] = np.outer(loads, LOAD)
    external, motor = np.zeros((2, n, 2))
    for k in range(steps):
        velocity = qvel.copy()
        torque = made.substep(
            np.tile(target(k), (n, 1)), qpos.copy(), None, velocity, external, motor, None
        )
        loss[:], damping[:] = friction(made, velocity, external, motor)
        ctrl[:] = torque
        batch.step()
        own = row.force(qacc, velocity, loss)
        external[:] = constraint - bias - own
        motor[:] = torque
    return {"qpos": qpos.copy(), "qvel": qvel.copy(), "loss": loss.copy()}


def run_single(load: float, steps: int = 200) -> np.ndarray:
    """The same from MuJoCo's own constraint forces: the way BAM's controller does it."""
    model, made = arm(), drive(1)
    data = mujoco.MjData(model)
    data.qfrc_applied[:] = load * LOAD
    external, motor = np.zeros((2, 1, 2))
    for k in range(steps):
        velocity = data.qvel[None].copy()
        torque = made.substep(
            target(k)[None], data.qpos[None].copy(), None, velocity, external, motor, None
        )
        loss, damping = friction(made, velocity, external, motor)
        model.dof_frictionloss[:], model.dof_damping[:], data.ctrl[:] = loss[0], damping[0], torque
        mujoco.mj_step(model, data)
        own = np.zeros(2)
        rows = np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
        own[data.efc_id[rows]] = data.efc_force[rows]
        external[:] = data.qfrc_constraint - data.qfrc_bias - own
        motor[:] = data.qfrc_actuator
    return data.qpos.copy()


def test_a_heavily_loaded_robot_changes_nothing_in_the_one_beside_it():
    pair, alone = run_batch([1.0, 0.0]), run_batch([0.0])
    assert np.abs(pair["qpos"][0] - pair["qpos"][1]).max() > 0.1
    assert np.abs(pair["loss"][0] - pair["loss"][1]).max() > 0.01
    for name in ("qpos", "qvel", "loss"):
        assert np.array_equal(pair[name][1], alone[name][0]), name


def test_a_batch_moves_as_a_single_model_with_the_solvers_own_friction_forces():
    found = run_batch([0.0, 0.5])["qpos"]
    for row, load in enumerate((0.0, 0.5)):
        np.testing.assert_allclose(found[row], run_single(load), rtol=0, atol=1e-9)
