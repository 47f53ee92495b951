"""A law prepares the model: torque motors by joint name that nothing clamps."""

import mujoco
import numpy as np
import pytest

from servogym.actuators.bam import Bam
from servogym.actuators.ideal import IdealTorque
from servogym.actuators.pd import Pd

RIG = """<mujoco><compiler angle="radian" autolimits="true"/>
<default><general ctrlrange="-1 1" forcerange="-1 1"/></default><worldbody>
<body name="upper"><joint name="hip" axis="0 1 0" range="-1 1" damping=".3" frictionloss=".2"
  armature=".01"/><geom size=".05" mass=".2"/>
<body name="lower" pos="0 0 -.2"><joint name="knee" axis="0 1 0" range="-1 .5"/>
  <geom size=".04" mass=".1"/>
<body name="tyre" pos="0 0 -.1"><joint name="wheel" axis="0 1 0"/><geom size=".03" mass=".05"/>
</body></body></body></worldbody>
<actuator><position name="old_knee" joint="knee" kp="3" inheritrange="1"/>
<velocity name="spin" joint="wheel" kv="1"/></actuator>
<sensor><actuatorfrc name="effort" actuator="old_knee"/></sensor></mujoco>"""


def compiled(law, joints=("hip", "knee")) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(RIG)
    law.edit_spec(spec, joints)
    return spec.compile()


def pd(**more) -> Pd:
    return Pd(kp=0.5, kd=0.0, effort_limit=1.0, **more)


def test_each_joint_gets_one_motor_of_its_name_and_other_joints_keep_theirs():
    model = compiled(pd())
    assert [model.actuator(k).name for k in range(model.nu)] == ["spin", "hip", "knee"]


def test_motors_have_gear_one_and_no_limit_of_mujocos():
    model = compiled(pd())
    for joint in ("hip", "knee"):
        motor = model.actuator(joint)
        assert motor.gear.tolist() == [1, 0, 0, 0, 0, 0]
        assert not motor.ctrllimited[0]
        assert not motor.forcelimited[0]
        data = mujoco.MjData(model)
        data.ctrl[motor.id] = 50.0
        mujoco.mj_forward(model, data)
        assert data.qfrc_actuator[model.joint(joint).dofadr[0]] == 50.0


def test_damping_and_friction_of_the_file_give_way_to_the_laws_own():
    joint = compiled(pd(damping=0.02, frictionloss={"hip": 0.1, "knee": 0.0})).joint("hip")
    assert joint.damping.flat[0] == 0.02
    assert joint.frictionloss[0] == 0.1
    joint = compiled(pd()).joint("hip")
    assert joint.damping.flat[0] == joint.frictionloss[0] == 0.0


def test_armature_stays_the_files_unless_the_law_has_one():
    assert compiled(pd()).joint("hip").armature[0] == 0.01
    assert compiled(pd(armature=0.03)).joint("hip").armature[0] == 0.03
    assert compiled(Bam(servo="xl330")).joint("hip").armature[0] == 0.0018077432831600838


def test_a_sensor_of_a_replaced_actuator_reads_the_new_motor():
    model = compiled(pd())
    assert model.sensor("effort").objid[0] == model.actuator("knee").id


def test_a_wheel_without_a_range_is_no_problem():
    assert compiled(pd(), ("hip", "knee", "wheel")).nu == 3


def test_a_joint_the_model_lacks_is_named():
    with pytest.raises(LookupError, match=r"'elbow'.*'hip', 'knee', 'wheel'"):
        compiled(pd(), ("hip", "elbow"))


def test_a_target_beyond_the_joints_range_pulls_with_the_full_error(idle):
    law = pd()
    model = compiled(law)
    data = mujoco.MjData(model)
    at_limit = float(model.joint("knee").range[1])
    data.qpos[model.joint("knee").qposadr[0]] = at_limit
    law.bind(("hip", "knee"), 1, 0.005)
    measured, target = np.array([[0.0, at_limit]]), np.array([[0.0, at_limit + 0.5]])
    torque = law.compute(target, measured, np.zeros((1, 2)), idle(1, 2))
    assert torque[0, 1] == pytest.approx(0.5 * 0.5)
    data.ctrl[model.actuator("knee").id] = torque[0, 1]
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[model.joint("knee").dofadr[0]] == pytest.approx(0.25)


def test_an_ideal_motor_delivers_up_to_its_limit_at_any_speed(idle):
    law = IdealTorque(effort_limit={"hip": 2.0, "knee": 0.5})
    law.bind(("hip", "knee"), 1, 0.005)
    target, fast = np.array([[1.5, -9.0]]), np.full((1, 2), 1e3)
    assert law.compute(target, fast, fast, idle(1, 2)).tolist() == [[1.5, -0.5]]


def test_controls_of_a_keyframe_follow_their_joints_into_the_new_order():
    rig = RIG.replace("</mujoco>", '<keyframe><key ctrl=".3 .7"/></keyframe></mujoco>')
    spec = mujoco.MjSpec.from_string(rig)  # knee .3, wheel .7
    pd().edit_spec(spec, ("hip", "knee"))
    model = spec.compile()
    found = {model.actuator(k).name: model.key_ctrl[0, k] for k in range(model.nu)}
    assert found == {"spin": 0.7, "hip": 0.0, "knee": 0.3}
