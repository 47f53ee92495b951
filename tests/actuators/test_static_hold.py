"""A servo holds a load by friction alone instead of creeping down."""

import mujoco
import numpy as np

from servogym.actuators.bam import STIFF_SOLIMP, STIFF_SOLREF, Bam
from servogym.actuators.base import Signals
from servogym.actuators.friction_row import FrictionRow

RIG = """<mujoco><option timestep="0.005" integrator="implicitfast" iterations="10"/><worldbody>
<body><joint name="joint" axis="0 1 0"/><geom type="sphere" pos=".12 0 0" size=".01" mass=".04"/>
</body></worldbody></mujoco>"""


def rig(law: Bam | None) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec.from_string(RIG)
    (law or Bam(servo="xl330", model="m1")).edit_spec(spec, ["joint"])
    if law is None:
        spec.joint("joint").solref_friction = (0.02, 1.0)
        spec.joint("joint").solimp_friction = (0.9, 0.95, 0.001, 0.5, 2.0)
    model = spec.compile()
    model.dof_damping[:] = 0.0
    return model, mujoco.MjData(model)


def drift(law: Bam | None) -> float:
    """Angle lost in two seconds under 0.047 N*m, friction 0.1 N*m, motor off [rad]."""
    model, data = rig(law)
    model.dof_frictionloss[:] = 0.1
    for _ in range(400):
        mujoco.mj_step(model, data)
    return float(abs(data.qpos[0]))


def test_edit_spec_makes_the_friction_rows_stiff():
    model, _ = rig(Bam(servo="xl330"))
    assert tuple(model.dof_solref[0]) == STIFF_SOLREF
    assert tuple(model.dof_solimp[0]) == STIFF_SOLIMP


def test_a_held_load_creeps_twenty_times_less_than_with_mujocos_defaults():
    stiff, soft = drift(Bam(servo="xl330")), drift(None)
    assert 1e-4 < stiff < 0.0025
    assert soft > 0.02
    assert soft > 15 * stiff


def test_a_powerless_servo_holds_what_its_own_load_friction_can_hold():
    """The whole loop: external torque -> m6 budget -> solver; a light arm stays, a heavy falls."""
    dofs = np.zeros(1, int)
    dropped = {}
    for mass in (0.0035, 0.04):
        law = Bam(servo="xl330", kp_fw=0.0)
        law.bind(("joint",), 1, 0.005)
        spec = mujoco.MjSpec.from_string(RIG.replace('mass=".04"', f'mass="{mass}"'))
        law.edit_spec(spec, ["joint"])
        model = spec.compile()
        data = mujoco.MjData(model)
        row = FrictionRow.of(
            model.dof_solref, model.dof_solimp, model.dof_invweight0, model.opt.timestep
        )
        signals = Signals(dt=0.005, external_torque=np.zeros((1, 1)), motor_torque=np.zeros((1, 1)))
        for _ in range(200):
            velocity = data.qvel[None, dofs].copy()
            loss, damping = law.friction(velocity, signals)
            model.dof_frictionloss[:], model.dof_damping[:] = loss[0], damping[0]
            mujoco.mj_step(model, data)
            own = row.force(data.qacc[None, dofs], velocity, loss)
            signals.external_torque = (data.qfrc_constraint - data.qfrc_bias)[None] - own
        dropped[mass] = abs(float(data.qpos[0]))
        np.testing.assert_allclose(
            signals.external_torque, -data.qfrc_bias[None], rtol=0, atol=1e-12
        )
    assert dropped[0.0035] < 1e-3
    assert dropped[0.04] > 0.5
