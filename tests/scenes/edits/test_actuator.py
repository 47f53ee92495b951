"""Edits of servos, judged by the torque that MuJoCo makes of them."""

import itertools
import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servogym.scenes.edits import actuator as actuators
from servogym.scenes.edits import joint as joints
from servogym.scenes.edits.target import JointTarget
from servogym.scenes.edits.write import commit

ARM = """<mujoco><option gravity="0 0 0"/>{defaults}<worldbody>
<body name="a"><joint name="elbow" axis="0 1 0" range="-90 45" damping="0.3"/><geom size=".1"/>
<body name="b"><joint name="wrist" type="slide" actuatorfrcrange="-5 5"/><geom size=".1"/>
</body></body>
<body name="e"><joint name="ball" type="ball"/><geom size=".1"/></body>
</worldbody><actuator>{actuator}</actuator>{rest}</mujoco>"""

POSITION = '<position name="drive" joint="elbow" kp="40" kv="3"/>'
VELOCITY = '<velocity name="drive" joint="elbow" kv="3"/>'
GENERAL = '<general name="drive" joint="elbow" biastype="affine" gainprm="40" biasprm="0 -40 -3"/>'
MOTOR = '<motor name="drive" joint="elbow" gear="3" ctrlrange="-24 24" forcerange="-9 9"/>'

URDF = """<robot name="r"><link name="base"/><link name="l"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="7" velocity="3"/></joint></robot>"""


def arm(actuator="", defaults="", rest=""):
    return mujoco.MjSpec.from_string(ARM.format(actuator=actuator, defaults=defaults, rest=rest))


def urdf():
    spec = mujoco.MjSpec.from_string(URDF)
    spec.compiler.fusestatic = False  # which else rebuilds the spec when it is written out
    return spec


def target(spec, name="elbow", **fields):
    return JointTarget(path=f"/world/{name}", element=spec.joint(name), **fields)


def edit(spec, *targets, **values):
    commit(actuators.plan(spec, targets or [target(spec)], **values))


def torque(spec, *, q=0.0, v=0.0, ctrl=0.0, joint="elbow"):
    """What the actuators put on a joint, passive damping aside."""
    model = spec.compile()
    data = mujoco.MjData(model)
    data.joint(joint).qpos[0], data.joint(joint).qvel[0] = q, v
    data.ctrl[:] = ctrl
    mujoco.mj_forward(model, data)
    return data.joint(joint).qfrc_actuator[0]


def refused(spec, held, error, words, *targets, **values):
    before = held(spec)
    targets = targets or (target(spec),)
    notes = [repr(each.notes) for each in targets]
    with pytest.raises(error, match=words):
        actuators.plan(spec, targets, **values)
    assert held(spec) == before
    assert [repr(each.notes) for each in targets] == notes


@pytest.mark.parametrize("source", [POSITION, GENERAL])
def test_002_19_mode_and_gains_of_a_position_servo_are_derived(source):
    spec = arm(source)
    edit(spec, stiffness=80)
    assert torque(spec, q=0.1, v=0.5, ctrl=0.3) == pytest.approx(80 * 0.2 - 3 * 0.5)
    edit(spec, damping=0.0)
    assert torque(spec, q=0.1, v=0.5, ctrl=0.3) == pytest.approx(80 * 0.2)
    assert len(spec.actuators) == 1


def test_002_19_mode_and_damping_of_a_velocity_servo_are_derived():
    spec = arm(VELOCITY)
    edit(spec, target_velocity=0.7)
    assert torque(spec, q=0.1, v=0.5, ctrl=0.7) == pytest.approx(3 * 0.2)
    edit(spec, damping=5.0)
    assert torque(spec, q=0.1, v=0.5, ctrl=0.7) == pytest.approx(5 * 0.2)


@pytest.mark.parametrize("source", [POSITION, VELOCITY, MOTOR, ""])
@pytest.mark.parametrize("mode", ["position", "velocity"])
def test_002_20_all_given_makes_any_joint_follow(source, mode):
    spec = arm(source)
    edit(spec, mode=mode, damping=2.0, **({"stiffness": 80} if mode == "position" else {}))
    gear = spec.actuators[0].gear[0]
    expected = 80 * 0.2 - 2 * 0.05 if mode == "position" else 2 * (0.3 - 0.05)
    assert torque(spec, q=0.1, v=0.05, ctrl=0.3 * gear) == pytest.approx(expected)


@pytest.mark.parametrize("gear", [3.0, 0.5, -2.0])
def test_gains_are_at_the_joint_whatever_the_gear(gear):
    spec = arm(POSITION.replace("kp", f'gear="{gear}" kp'))
    edit(spec, damping=1.0)
    found = torque(spec, q=0.1, v=0.05, ctrl=0.3 * gear)
    assert found == pytest.approx(40 * gear**2 * 0.2 - 0.05)
    edit(spec, stiffness=80, effort_limit=4.0)
    assert torque(spec, q=0.1, v=0.05, ctrl=0.11 * gear) == pytest.approx(80 * 0.01 - 0.05)
    assert torque(spec, q=0.1, ctrl=0.6 * gear) == pytest.approx(4.0)


def test_a_new_actuator_bears_the_joints_name_and_no_default_of_the_file():
    defaults = '<default><motor gear="50" ctrlrange="-1 1" forcerange="-2 2"/></default>'
    spec = arm(defaults=defaults)
    edit(spec, mode="position", stiffness=80, damping=0)
    assert [each.name for each in spec.actuators] == ["elbow"]
    model = spec.compile()
    assert model.actuator("elbow").gear[0] == 1.0
    assert not model.actuator_ctrllimited[0]
    assert torque(spec, q=0.1, ctrl=0.3) == pytest.approx(16.0)


def test_a_new_actuator_whose_name_is_taken_is_refused(held):
    spec = arm('<motor name="elbow" joint="wrist"/>')
    words = "actuator 'elbow' is there already"
    refused(spec, held, ValueError, words, mode="velocity", damping=1)


@pytest.mark.parametrize(
    ("source", "values", "words"),
    [
        ("", {"stiffness": 1, "damping": 1}, "no servo yet, so mode is needed"),
        ("", {"mode": "position"}, "needs stiffness and damping, which neither"),
        ("", {"mode": "position", "stiffness": 1}, "needs damping"),
        ("", {"mode": "position", "damping": 1}, "needs stiffness"),
        ("", {"mode": "velocity"}, "needs damping"),
        (MOTOR, {"effort_limit": 3}, "mode is needed"),
        (MOTOR, {"mode": "position", "damping": 1}, "needs stiffness"),
        (VELOCITY, {"mode": "position"}, "needs stiffness"),
        (GENERAL.replace('"0 -40', '"1 -40'), {"damping": 1}, "mode is needed"),
        (GENERAL.replace("0 -40", "0 -30"), {"damping": 1}, "mode is needed"),
        (
            '<intvelocity joint="elbow" kp="4" actrange="-1 1"/>',
            {"damping": 1},
            "mode is needed",
        ),
    ],
)
def test_002_20_nothing_is_invented(held, source, values, words):
    refused(arm(source), held, ValueError, words, **values)


@pytest.mark.parametrize(
    ("source", "values", "words"),
    [
        (POSITION, {"target_velocity": 1}, "target_velocity does not belong to position"),
        (VELOCITY, {"target_position": 1}, "target_position does not belong to velocity"),
        (VELOCITY, {"stiffness": 1}, "stiffness does not belong to velocity"),
        (VELOCITY, {"stiffness": 0.0}, "stiffness does not belong to velocity"),
        (POSITION, {"mode": "velocity", "target_position": 1}, "does not belong to velocity"),
        (POSITION, {"mode": "velocity", "stiffness": 1}, "does not belong to velocity"),
    ],
)
def test_002_21_what_belongs_to_the_other_mode_is_refused(held, source, values, words):
    refused(arm(source), held, ValueError, words, **values)


@pytest.mark.parametrize(
    ("mode", "error"),
    [("torque", ValueError), ("Position", ValueError), ("", ValueError), (1, TypeError)],
)
def test_002_19_a_mode_is_one_of_two_words(held, mode, error):
    refused(arm(POSITION), held, error, "accepted: position, velocity", mode=mode)


def test_002_19_urdf_knows_position_mode_only(held):
    spec = urdf()
    aimed = target(spec, source="urdf")
    words = r"mode is 'velocity'; accepted: position \(its file is URDF\)"
    refused(spec, held, ValueError, words, aimed, mode="velocity", damping=1)
    refused(spec, held, ValueError, "needs damping", aimed, stiffness=80)
    edit(spec, aimed, stiffness=80, damping=1)
    assert torque(spec, q=0.1, ctrl=0.15) == pytest.approx(4.0)
    edit(spec, aimed, target_position=0.5)
    assert aimed.notes.mode == "position"


def test_002_20_a_urdf_effort_limit_holds_until_another_is_given():
    spec = urdf()
    edit(spec, target(spec, source="urdf"), stiffness=80, damping=1)
    assert torque(spec, ctrl=1.0) == pytest.approx(7.0)
    edit(spec, target(spec, source="urdf"), effort_limit=9)
    assert torque(spec, ctrl=1.0) == pytest.approx(9.0)
    assert torque(spec, ctrl=-1.0) == pytest.approx(-9.0)


def test_an_effort_limit_is_what_the_joint_gets_also_past_its_own_limit():
    spec = arm('<position joint="wrist" kp="100" kv="1"/>')
    assert torque(spec, ctrl=1.0, joint="wrist") == 5.0
    edit(spec, target(spec, "wrist"), effort_limit=8.0)
    assert torque(spec, ctrl=1.0, joint="wrist") == 8.0
    edit(spec, target(spec, "wrist"), effort_limit=2.0)
    assert torque(spec, ctrl=1.0, joint="wrist") == 2.0


def test_an_effort_limit_of_zero_is_a_limit_and_survives_a_text():
    spec = arm(POSITION)
    edit(spec, effort_limit=0)
    assert abs(torque(spec, ctrl=1.0)) <= actuators.NO_FORCE
    again = mujoco.MjSpec.from_string(spec.to_xml())
    assert abs(torque(again, ctrl=1.0)) <= actuators.NO_FORCE


@pytest.mark.parametrize(
    "name",
    ["stiffness", "damping", "target_position", "target_velocity", "effort_limit"],
)
@pytest.mark.parametrize("value", [math.nan, math.inf, True, np.True_, np.array(1.0), "1"])
def test_002_32_every_value_is_a_number(held, name, value):
    refused(arm(POSITION), held, (TypeError, ValueError), f"elbow': {name}", **{name: value})


@pytest.mark.parametrize("name", ["stiffness", "damping", "effort_limit"])
def test_002_32_gains_and_limits_are_not_negative(held, name):
    refused(arm(POSITION), held, ValueError, f"{name} is -1; accepted: .*>= 0", **{name: -1})


def test_002_18_two_actuators_on_a_joint_are_refused(held):
    spec = arm(POSITION + VELOCITY.replace("drive", "brake"))
    refused(spec, held, ValueError, r"2 actuators drive it \('drive', 'brake'\)", damping=1)


def test_002_18_an_actuator_on_a_tendon_is_not_the_joints():
    rest = '<tendon><fixed name="t"><joint joint="elbow" coef="1"/></fixed></tendon>'
    spec = arm('<motor name="pull" tendon="t"/>', rest=rest)
    edit(spec, mode="position", stiffness=80, damping=1)
    assert [each.name for each in spec.actuators] == ["pull", "elbow"]


def test_002_14_only_hinges_and_slides_have_servos_here(held):
    spec = arm()
    aimed = target(spec, "ball")
    refused(spec, held, TypeError, "kind ball", aimed, mode="velocity", damping=1)


def test_a_joint_without_a_name_is_refused(held):
    spec = arm()
    nameless = spec.body("b").add_joint(type=mujoco.mjtJoint.mjJNT_HINGE)
    aimed = JointTarget(path="/world/e/0", element=nameless)
    refused(spec, held, ValueError, "the joint has no name", aimed, mode="velocity", damping=1)


def test_a_keyframe_of_the_file_still_compiles_with_one_actuator_more():
    spec = arm('<motor joint="wrist"/>', rest='<keyframe><key name="bent" ctrl="0.5"/></keyframe>')
    edit(spec, mode="velocity", damping=2)
    assert spec.compile().key("bent").ctrl.tolist() == [0.5, 0.0]


def test_002_23_damping_of_servo_and_joint_are_two_numbers():
    spec = arm(POSITION)
    edit(spec, damping=7.0)
    model = spec.compile()
    assert model.dof_damping[0] == 0.3
    commit(joints.plan([target(spec)], passive_damping=0.0))
    model = spec.compile()
    assert model.dof_damping[0] == 0.0
    assert model.actuator_biasprm[0, 2] == -7.0


def test_002_24_targets_move_nothing_when_the_scene_is_built(held):
    spec = arm(POSITION)
    aimed = target(spec)
    before = spec.compile()
    edit(spec, aimed, target_position=0.3)
    after = spec.compile()
    assert aimed.notes.target_position == 0.3
    for field in ("qpos0", "jnt_range", "actuator_gainprm", "actuator_ctrlrange"):
        assert np.array_equal(getattr(before, field), getattr(after, field)), field
    assert mujoco.MjData(after).qpos[0] == 0.0


@pytest.mark.parametrize("gear", [1.0, 2.0, -2.0])
def test_a_target_that_the_control_range_would_clip_is_refused(held, gear):
    spec = arm(POSITION.replace("kp", f'ctrlrange="-1 0.5" gear="{gear}" kp'))
    ends = sorted((-1 / gear, 0.5 / gear))
    words = f"accepted: {ends[0]:g} to {ends[1]:g}"
    refused(spec, held, ValueError, words, target_position=ends[1] + 0.01)
    edit(spec, target_position=ends[1])


def test_a_target_beyond_an_inherited_control_range_is_refused(held):
    spec = arm(POSITION.replace("kp", 'inheritrange="1" kp'))
    assert np.allclose(spec.compile().actuator_ctrlrange[0], np.radians([-90, 45]))
    refused(spec, held, ValueError, "accepted: -1.5708 to 0.785398", target_position=0.8)
    edit(spec, target_position=math.pi / 4)


def test_a_gear_of_zero_is_refused(held):
    spec = arm(MOTOR.replace('gear="3"', 'gear="0"'))
    refused(spec, held, ValueError, "gear 0", mode="velocity", damping=1)


def test_an_actuator_of_a_plugin_is_refused():
    spec = arm(MOTOR)
    spec.actuators[0].plugin.active = True
    with pytest.raises(ValueError, match="plugin's, which decides its force"):
        actuators.plan(spec, [target(spec)], mode="velocity", damping=1)


def test_an_edit_of_nothing_changes_nothing_but_checks_its_targets(held):
    spec = arm(MOTOR)
    assert actuators.plan(spec, [target(spec)]) == []
    two = arm(POSITION + VELOCITY.replace("drive", "brake"))
    refused(two, held, ValueError, "2 actuators")


def test_002_27_one_joint_named_twice_is_refused(held):
    spec = arm(POSITION)
    alias = JointTarget(path="/world/alias", element=spec.joint("elbow"))
    refused(spec, held, ValueError, "are the same element", target(spec), alias, damping=1)


def test_002_28_and_29_a_batch_keeps_what_is_left_out_and_stops_at_the_first_that_lacks_it(held):
    spec = arm(POSITION + '<velocity joint="wrist" kv="9"/>')
    both = target(spec), target(spec, "wrist")
    refused(spec, held, ValueError, "'/world/wrist': stiffness does not", *both, stiffness=1)
    edit(spec, *both, effort_limit=1.0)
    assert torque(spec, ctrl=9.0) == 1.0
    assert torque(spec, ctrl=[0.0, 0.1], joint="wrist") == pytest.approx(0.9)


def test_a_servo_survives_a_text():
    spec = arm(MOTOR)
    edit(spec, mode="position", stiffness=80, damping=2, effort_limit=4)
    again = mujoco.MjSpec.from_string(spec.to_xml())
    for q, v, ctrl in itertools.product((0.0, 0.2), (0.0, 0.5), (0.0, 0.3, 3.0)):
        state = {"q": q, "v": v, "ctrl": ctrl}
        assert torque(again, **state) == pytest.approx(torque(spec, **state), rel=1e-5)


SIGNED = st.one_of(st.none(), st.floats(-2, 2))
POSITIVE = st.one_of(st.none(), st.floats(0, 20))


@settings(deadline=None, max_examples=80)
@given(
    st.sampled_from([POSITION, VELOCITY, MOTOR, ""]),
    st.lists(
        st.fixed_dictionaries(
            {
                "mode": st.sampled_from([None, "position", "velocity"]),
                "stiffness": POSITIVE,
                "damping": POSITIVE,
                "target_position": SIGNED,
                "target_velocity": SIGNED,
                "effort_limit": POSITIVE,
            }
        ),
        max_size=5,
    ),
)
def test_002_30_a_batch_is_as_many_single_edits_or_none(source, edits):
    wrist = source.replace("elbow", "wrist").replace("drive", "push")
    together, apart = arm(source + wrist), arm(source + wrist)
    names = ("elbow", "wrist")
    batch = [target(together, name) for name in names]
    singles = [target(apart, name) for name in names]
    for values in edits:
        plans, failed = [], False
        for each in singles:
            try:
                plans.append(actuators.plan(apart, [each], **values))
            except ValueError:
                failed = True
        before = together.to_xml(), repr(batch)
        try:
            edit(together, *batch, **values)
        except ValueError:
            assert failed
            assert (together.to_xml(), repr(batch)) == before
            continue
        assert not failed
        for plan in plans:
            commit(plan)
        assert together.to_xml() == apart.to_xml()
        assert [each.notes for each in batch] == [each.notes for each in singles]
        together.compile()
