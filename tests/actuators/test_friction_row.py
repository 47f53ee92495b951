"""FrictionRow gives the force MuJoCo's solver keeps in efc_force, without seeing it."""

import mujoco
import numpy as np
import pytest
from mujoco.batch import Batch

from servogym.actuators.bam import STIFF_SOLIMP, STIFF_SOLREF
from servogym.actuators.friction_row import FrictionRow

LEG = """<body pos="{x} 0 0"><joint name="hip{x}" axis="1 0 0" frictionloss=".2" damping=".02"
  armature=".002"/><geom type="capsule" fromto="0 0 0 0 0 -.1" size=".015" mass=".1"/>
<body pos="0 0 -.1"><joint name="knee{x}" axis="0 1 0" frictionloss=".1" armature=".002"
  range="-1 1"/><geom type="capsule" fromto="0 0 0 0 0 -.1" size=".015" mass=".05"/></body></body>
"""
CRAWLER = f"""<mujoco><compiler angle="radian" autolimits="true"/>
<option timestep="0.005" integrator="{{integrator}}" solver="{{solver}}" iterations="10"
  ls_iterations="20" jacobian="dense"/>
<worldbody><geom type="plane" size="5 5 .1"/><body pos="0 0 .25"><freejoint/>
<geom type="box" size=".1 .06 .04" mass="2"/>
{"".join(LEG.format(x=x) for x in (0.1, -0.1, 0.0))}</body></worldbody></mujoco>"""
SOFTNESS = {
    "default": (None, None),
    "bam": (STIFF_SOLREF, STIFF_SOLIMP),
    "too stiff for the step": ((0.001, 1.0), None),
    "no width": (None, (0.8, 0.9, 0.0, 0.5, 2.0)),
    "out of bounds": (None, (0.9, 1.5, 0.001, 0.5, 2.0)),
}


def crawler(softness: str, integrator: str = "implicitfast", solver: str = "Newton"):
    spec = mujoco.MjSpec.from_string(CRAWLER.format(integrator=integrator, solver=solver))
    solref, solimp = SOFTNESS[softness]
    for joint in spec.joints[1:]:
        if solref:
            joint.solref_friction = solref
        if solimp:
            joint.solimp_friction = solimp
    return spec.compile()


def row_of(model: mujoco.MjModel, dofs: np.ndarray) -> FrictionRow:
    return FrictionRow.of(
        model.dof_solref[dofs], model.dof_solimp[dofs], model.dof_invweight0[dofs],
        model.opt.timestep,
    )  # fmt: skip


def true_force(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    force = np.zeros(model.nv)
    rows = np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
    force[data.efc_id[rows]] = data.efc_force[rows]
    return force


@pytest.mark.parametrize("softness", SOFTNESS)
@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("integrator", ["implicitfast", "Euler"])
def test_the_force_is_the_solvers_own_in_random_motion_with_contacts(integrator, solver, softness):
    model = crawler(softness, integrator, solver)
    data, dofs = mujoco.MjData(model), np.arange(6, model.nv)
    row, rng = row_of(model, dofs), np.random.default_rng(0)
    contacts = sticking = slipping = 0
    for step in range(300):
        if step % 30 == 0:
            mujoco.mj_resetData(model, data)
            data.qpos[2] = rng.uniform(0.15, 0.3)
            data.qpos[7:] = rng.normal(0, 0.5, 6)
            data.qvel[:] = rng.normal(0, 2.0 if step % 60 else 0.001, model.nv)
        model.dof_frictionloss[dofs] = rng.uniform(0, 0.3, 6)
        data.qfrc_applied[dofs] = rng.normal(0, 0.2, 6)
        before = data.qvel[dofs].copy()
        mujoco.mj_step(model, data)
        wanted = true_force(model, data)[dofs]
        found = row.force(data.qacc[None, dofs], before[None], model.dof_frictionloss[None, dofs])
        np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-10)
        limit = np.abs(wanted) >= model.dof_frictionloss[dofs] * (1 - 1e-9)
        contacts += data.ncon
        slipping += limit.sum()
        sticking += (~limit).sum()
    assert min(contacts, slipping, sticking) > 50, "the motion must show all cases"


@pytest.mark.parametrize("softness", ["default", "bam"])
def test_in_a_batch_with_randomised_inertia_it_is_each_rows_own(softness):
    model, n = crawler(softness), 8
    dofs, rng = np.arange(6, model.nv), np.random.default_rng(3)
    batch = Batch(model, n, 1)
    armature, loss = batch.expand("dof_armature"), batch.expand("dof_frictionloss")
    armature[:, dofs] *= rng.uniform(0.5, 2.0, (n, 6))
    batch.set_const()
    weight = np.array(batch.expanded("dof_invweight0"))[:, dofs]
    row = FrictionRow.of(model.dof_solref[dofs], model.dof_solimp[dofs], weight, 0.005)
    qpos, qvel, qacc = (batch.bind(name) for name in ("qpos", "qvel", "qacc"))
    qpos[:, 2] = 0.2
    qvel[:] = rng.normal(0, 0.5, qvel.shape)
    for _ in range(20):
        loss[:, dofs] = rng.uniform(0.0, 0.2, (n, 6))
        twins = []
        for k in range(n):
            twin = batch.get_data(k)
            own = batch.get_model(k)
            mujoco.mj_forward(own, twin)
            twins.append(true_force(own, twin)[dofs])
        before = qvel[:, dofs].copy()
        batch.step()
        found = row.force(qacc[:, dofs], before, loss[:, dofs])
        np.testing.assert_allclose(found, twins, rtol=0, atol=1e-9)


def test_a_solref_of_mixed_signs_is_refused():
    with pytest.raises(ValueError, match="both numbers positive"):
        FrictionRow.of((0.02, -1.0), STIFF_SOLIMP, np.ones(3), 0.005)
