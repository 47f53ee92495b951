"""What stays of a servo and what goes when an edit makes another kind of servo of it."""

import mujoco
import pytest

from servogym.scenes.edits import actuator as actuators
from servogym.scenes.edits.target import JointTarget
from servogym.scenes.edits.write import commit

ARM = """<mujoco><option gravity="0 0 0"/><worldbody>
<body name="a"><joint name="elbow" axis="0 1 0" range="-90 45"/><geom size=".1"/></body>
</worldbody><actuator>{actuator}</actuator>{rest}</mujoco>"""

POSITION = '<position name="drive" joint="elbow" kp="40" kv="3"/>'


def arm(actuator="", rest=""):
    return mujoco.MjSpec.from_string(ARM.format(actuator=actuator, rest=rest))


def target(spec):
    return JointTarget(path="/world/elbow", element=spec.joint("elbow"))


def edit(spec, *targets, **values):
    commit(actuators.plan(spec, targets or [target(spec)], **values))


def torque(spec, *, q=0.0, v=0.0, ctrl=0.0):
    """What the servo puts on the joint."""
    model = spec.compile()
    data = mujoco.MjData(model)
    data.joint("elbow").qpos[0], data.joint("elbow").qvel[0] = q, v
    data.ctrl[:] = ctrl
    mujoco.mj_forward(model, data)
    return data.joint("elbow").qfrc_actuator[0]


def test_from_position_to_velocity_the_damping_goes_along_and_the_stiffness_goes():
    """The rule for what the document leaves open: a stale stiffness is dropped."""
    spec = arm(POSITION.replace("kp", 'ctrlrange="-1 1" kp'))
    aimed = target(spec)
    edit(spec, aimed, target_position=0.3)
    edit(spec, aimed, mode="velocity", target_velocity=8.0)
    assert torque(spec, q=0.3, v=0.5, ctrl=8.0) == pytest.approx(3 * 7.5)
    assert (aimed.notes.target_position, aimed.notes.target_velocity) == (None, 8.0)
    edit(spec, aimed, mode="position", stiffness=80)
    assert torque(spec, q=0.1, v=0.5, ctrl=0.3) == pytest.approx(80 * 0.2 - 3 * 0.5)
    assert aimed.notes.target_velocity is None


@pytest.mark.parametrize("gains", ['kp="40"', 'kp="40" dampratio="1"'])
def test_from_position_to_velocity_a_damping_that_is_none_does_not_go_along(gains):
    spec = arm(f'<position joint="elbow" {gains}/>')
    with pytest.raises(ValueError, match="velocity mode needs damping"):
        actuators.plan(spec, [target(spec)], mode="velocity")
    edit(spec, mode="velocity", damping=2.0)
    assert torque(spec, v=0.5, ctrl=1.5) == pytest.approx(2.0)


def test_a_damping_ratio_of_the_file_stays_until_a_damping_is_given():
    spec = arm('<position joint="elbow" kp="40" dampratio="1"/>')
    once = spec.compile().actuator_biasprm[0, 2]
    edit(spec, stiffness=160)
    assert spec.compile().actuator_biasprm[0, 2] == pytest.approx(2 * once)
    edit(spec, damping=1.5)
    assert spec.compile().actuator_biasprm[0, :3].tolist() == [0, -160, -1.5]


def test_a_filter_of_the_control_stays():
    spec = arm('<position joint="elbow" kp="40" kv="1" timeconst="0.1"/>')
    edit(spec, stiffness=80)
    edit(spec, mode="velocity", damping=2)
    model = spec.compile()
    assert model.na == 1
    assert model.actuator_dynprm[0, 0] == 0.1


def test_a_switch_of_modes_warns_where_keyframes_keep_their_controls():
    spec = arm(POSITION, rest='<keyframe><key name="bent" ctrl="0.5"/></keyframe>')
    with pytest.warns(UserWarning, match=r"\['/world/elbow'\].*keyframes"):
        edit(spec, mode="velocity", damping=2)


def test_servos_without_gains_are_still_servos():
    spec = arm()
    aimed = target(spec)
    edit(spec, aimed, mode="velocity", damping=0.0)
    assert torque(spec, v=3.0, ctrl=1.0) == 0.0
    edit(spec, aimed, damping=2.0)
    assert torque(spec, v=3.0, ctrl=4.0) == pytest.approx(2.0)
    edit(spec, aimed, mode="position", stiffness=0.0, damping=0.0)
    edit(spec, aimed, stiffness=5.0)
    assert torque(spec, q=0.1, ctrl=0.3) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "source",
    [
        '<intvelocity joint="elbow" kp="4" actrange="-1 1"/>',
        '<motor joint="elbow" gear="3" ctrlrange="-1 1"/>',
        '<general joint="elbow" dyntype="integrator" gainprm="9" biastype="affine" biasprm="1 2"/>',
    ],
)
def test_nothing_of_an_actuator_that_was_no_servo_acts_on(source):
    spec = arm(source)
    edit(spec, mode="position", stiffness=80, damping=2)
    gear = spec.actuators[0].gear[0]
    model = spec.compile()
    assert model.na == 0
    assert not model.actuator_ctrllimited[0]
    assert torque(spec, q=0.1, v=0.5, ctrl=3.0 * gear) == pytest.approx(80 * 2.9 - 2 * 0.5)
