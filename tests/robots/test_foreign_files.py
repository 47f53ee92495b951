"""`Robot.from_mjcf` runs a file of Go2 that is not ours: other orders, motors, names, no meshes."""

import pickle
import xml.etree.ElementTree as ET

import gymnasium
import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.actuators import make
from servogym.envs.core import Core
from servogym.robots import Robot
from servogym.scenes.addresses import Addresses
from servogym.scenes.world import build
from tests.robots.stranger import SDK, named, planted, root, stranger, write

GO2 = robots.get("go2")
CALM = {"sensing": False, "randomization": False, "spawn": False, "threads": 1}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    return Robot.from_mjcf(stranger(tmp_path_factory.mktemp("file") / "go2.xml"), "go2")


def core(robot=None, **options):
    made = Core("go2_flat", 1, robot=robot, **CALM | options)
    made.seed(np.arange(1), np.zeros(1, np.uint64))
    return made


def test_contract_pose_and_wires_are_ours_and_body_and_feet_are_theirs(theirs):
    assert (theirs.name, theirs.title) == ("go2-go2", "Go2")
    assert theirs.joints == GO2.joints
    assert theirs.wire_orders == GO2.wire_orders
    np.testing.assert_array_equal(theirs.pose(), GO2.pose())
    assert theirs.base_body == "link_base"
    assert [foot.geom for foot in theirs.feet] == ["FL", "FR", "RL", "RR"]


def test_what_was_left_out_and_added_is_told(theirs):
    told = "\n".join(theirs.changed)
    assert "13 shapes to be seen, of 1 mesh files" in told
    for what in ("1 shapes of the world", "1 lights", "1 cameras", "site FL on the sole of FL"):
        assert what in told
    assert len(theirs.changed) == 8


def test_the_model_lists_the_joints_in_their_order_and_is_addressed_in_ours(theirs):
    model = build(theirs, actuator=make(None, theirs))
    listed = [model.joint(j).name for j in range(1, model.njnt)]
    assert listed == list(GO2.wire_orders["sdk"]) != list(GO2.joints)
    at = Addresses.of(model, theirs)
    assert [model.joint(int(model.dof_jntid[d])).name for d in at.servo_dof] == list(GO2.joints)
    assert [model.actuator(int(m)).name for m in at.motor] == list(GO2.joints)


def test_it_moves_as_ours_by_name_under_the_same_actions(theirs):
    ours, other = core(), core(theirs)
    rng, rows = np.random.default_rng(0), np.arange(1)
    seen = [c.reset(rows).copy() for c in (ours, other)]
    np.testing.assert_allclose(*seen, atol=1e-6)
    for _ in range(25):
        action = 0.2 * rng.normal(size=(1, 12))
        seen = [c.step(action).observation.copy() for c in (ours, other)]
        np.testing.assert_allclose(*seen, atol=1e-4)


@pytest.mark.parametrize("joint", GO2.joints)
def test_an_action_for_one_joint_moves_that_joint_alone(theirs, joint):
    made, rows = core(theirs), np.arange(1)
    made.reset(rows)
    qpos = made.batch.bind("qpos")
    qpos[0, made.at.base_qpos[2]] += 1.0  # in the air
    action = 0.2 / made.contract.scales() * (np.array(GO2.joints) == joint)
    for _ in range(8):
        made.step(action[None])
    way = {name: made.model.joint(name).qposadr[0] for name in GO2.joints}
    way = {name: qpos[0, place] - GO2.default_pose[name] for name, place in way.items()}
    assert way.pop(joint) > 0.1
    assert max(map(abs, way.values())) < 0.07


def test_our_limits_hold_whatever_limits_the_file_has(theirs):
    made, rng = core(theirs, actuator="dc-24v"), np.random.default_rng(0)
    made.reset(np.arange(1))
    force, limits = made.batch.bind("actuator_force"), made.actuator.torque_limits(GO2.joints)
    for _ in range(20):
        made.step(rng.uniform(-20.0, 20.0, (1, 12)))
        assert (np.abs(force[0, made.at.motor]) <= limits).all()


def test_motors_of_another_transmission_give_way_and_those_of_other_joints_are_told(tmp_path):
    def edit(tree):
        motors = tree.find("actuator")
        for motor in motors:
            motor.set("jointinparent", motor.attrib.pop("joint"))
        tail = ET.SubElement(named(tree, "body", "base"), "body", {"name": "tail"})
        ET.SubElement(tail, "joint", {"name": "wag"})
        ET.SubElement(tail, "inertial", {"pos": "0 0 0", "mass": "1", "diaginertia": "1 1 1"})
        ET.SubElement(motors, "motor", {"name": "wagger", "joint": "wag"})
        tree.remove(tree.find("keyframe"))

    robot = Robot.from_mjcf(planted(tmp_path / "go2.xml", edit), "go2")
    model = build(robot, actuator=make(None, robot))
    assert {model.actuator(k).name for k in range(model.nu)} == {*GO2.joints, "wagger"}
    assert "no servo joint: wagger" in robot.changed[-1]
    extra = [d.theirs for d in robot.differences() if d.what == "further joints"]
    assert extra == ["wag"]


def test_a_file_without_motors_gets_ours(tmp_path):
    def edit(tree):
        tree.remove(tree.find("actuator"))
        for key in tree.iter("key"):
            del key.attrib["ctrl"]

    robot = Robot.from_mjcf(planted(tmp_path / "go2.xml", edit), "go2")
    assert core(robot).model.nu == 12
    assert {d.what for d in robot.differences()} == {"motors"}


def test_it_can_be_sent_to_another_process(theirs):
    again = pickle.loads(pickle.dumps(theirs))
    assert again == theirs
    assert again.spec().compile().names == theirs.spec().compile().names


def test_its_keyframe_is_kept_and_controls_follow_their_joints(tmp_path):
    def number(tree):
        key = tree.find("keyframe")[0]
        values = " ".join(str(0.01 * (k + 1)) for k in range(12))  # in the order of the motors
        key.set("ctrl", values)
        legs = " ".join(f"{0.1 * k} 0.9 -1.8" for k in range(4))  # in the order of the joints
        key.set("qpos", f"0 0 0.27 1 0 0 0 {legs}")

    path = stranger(tmp_path / "go2.xml")
    tree = ET.parse(path).getroot()
    number(tree)
    robot = Robot.from_mjcf(write(path, tree), "go2")
    model = build(robot, actuator=make(None, robot), backlash=robot.backlash)
    key = model.key("home")
    for k, joint in enumerate(GO2.wire_orders["sdk"]):
        assert key.ctrl[model.actuator(joint).id] == pytest.approx(0.01 * (k + 1))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, key.id)
    for k, leg in enumerate(SDK):
        assert data.joint(f"{leg}_hip_joint").qpos[0] == pytest.approx(0.1 * k)
        assert data.joint(f"{leg}_calf_joint").qpos[0] == -1.8


def test_it_spawns_with_its_own_feet_on_the_floor(theirs, tmp_path):
    assert theirs.spawn_height == pytest.approx(GO2.spawn_height, abs=1e-6)
    small = planted(
        tmp_path / "small.xml",
        lambda tree: [
            g.set("size", "0.0175") for g in tree.iter("geom") if g.get("class") == "foot"
        ],
    )
    height = Robot.from_mjcf(small, "go2").spawn_height
    assert height == pytest.approx(GO2.spawn_height - 0.0045, abs=1e-6)


def test_its_passive_figures_come_first_and_ours_stay_at_hand(tmp_path):
    def menagerie(tree):
        tree.find("default").find("joint").set("damping", "2")

    robot = Robot.from_mjcf(planted(tmp_path / "go2.xml", menagerie), "go2")
    assert list(robot.passives) == ["file", "unitree", "identified", "menagerie"]
    for motor, damping in {"pd": 2.0, "pd+file": 2.0, "pd+unitree": 0.1}.items():
        made = core(robot, actuator=motor)
        np.testing.assert_array_equal(made.model.dof_damping[made.at.servo_dof], damping)
    assert core(robot).contract.actuator == "pd"


def test_joints_called_otherwise_are_given_our_names(tmp_path):
    tree, theirs = root(), {joint: joint.removesuffix("_joint").lower() for joint in GO2.joints}
    for element in tree.iter():
        for field in ("name", "joint"):
            if element.get(field) in theirs and element.tag in ("joint", "position"):
                element.set(field, theirs[element.get(field)])
    path = write(tmp_path / "go2.xml", tree)
    robot = Robot.from_mjcf(path, "go2", joints=theirs)
    assert robot.differences() == ()
    assert core(robot).contract.joints == GO2.joints
    with pytest.raises(LookupError, match=r"no joints \['FL_hip_joint'.*it has .*'fl_hip'"):
        Robot.from_mjcf(path, "go2")
    with pytest.raises(LookupError, match=r"\['FL_wing'\] are not among those of go2"):
        Robot.from_mjcf(path, "go2", joints={"FL_wing": "fl_hip"})
    with pytest.raises(ValueError, match="two of ours are the same joint"):
        Robot.from_mjcf(path, "go2", joints={**theirs, "FR_hip_joint": "fl_hip"})


def without_feet(tree):
    for geom in tree.iter("geom"):
        if geom.get("class") == "foot":
            geom.set("name", geom.get("name").replace("foot", "ball"))


def test_feet_called_otherwise_are_asked_for_by_the_geoms_there_are(tmp_path):
    path = planted(tmp_path / "go2.xml", without_feet)
    with pytest.raises(LookupError, match=r"'FL' has no geom called 'FL_foot' or 'FL'.*'FL_ball'"):
        Robot.from_mjcf(path, "go2")
    feet = {leg: f"{leg}_ball" for leg in ("FL", "FR", "RL", "RR")}
    assert Robot.from_mjcf(path, "go2", feet=feet).differences() == ()


def mesh_that(body, **attributes):
    def edit(tree):
        ET.SubElement(tree.find("asset"), "mesh", {"name": "m", "file": "away.stl"})
        shape = {"type": "mesh", "mesh": "m", **attributes}
        ET.SubElement(named(tree, "body", body), "geom", shape)

    return edit


def guessed(tree):
    mesh_that("base", contype="0", conaffinity="0")(tree)
    tree.find("compiler").set("inertiafromgeom", "true")


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (mesh_that("FL_calf"), r"'away.stl'.*'FL_calf' is missing.*touches things"),
        (guessed, r"'away.stl'.*'base' is missing.*mass comes from its shapes"),
        (
            lambda tree: named(tree, "joint", "FL_hip_joint").set("damping", "0.1 0.3"),
            r"damping of 'FL_hip_joint' is not linear",
        ),
    ],
)
def test_a_file_whose_physics_could_not_be_kept_is_refused(tmp_path, edit, told):
    with pytest.raises(ValueError, match=told):
        Robot.from_mjcf(planted(tmp_path / "go2.xml", edit), "go2")


def test_a_file_that_is_missing_or_no_mjcf_is_refused_by_its_path(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"away\.xml"):
        Robot.from_mjcf(tmp_path / "away.xml", "go2")
    (tmp_path / "page.xml").write_text("<html/>")
    with pytest.raises(ValueError, match=r"page\.xml: no MJCF"):
        Robot.from_mjcf(tmp_path / "page.xml", "go2")
    (tmp_path / "post.xml").write_text("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    with pytest.raises(LookupError, match="bodies with a free joint are"):
        Robot.from_mjcf(tmp_path / "post.xml", "go2")


def test_gym_make_takes_it_and_it_stands_as_ours_does(theirs):
    def stood(**options):
        env = gymnasium.make("Go2-Flat-v0", **CALM | options)
        observation, _ = env.reset(seed=4, options={"command": (0.0, 0.0, 0.0)})
        heights = []
        for _ in range(50):
            observation, _, terminated, _, info = env.step(np.zeros(12, np.float32))
            heights.append(float(env.unwrapped.core.state.base_height[0]))
            assert not terminated and info["reason"] == ""
        return observation, np.array(heights)

    (mine, ours), (yours, others) = stood(), stood(robot=theirs)
    assert mine.shape == yours.shape == (45,)
    np.testing.assert_allclose(others, ours, atol=2e-3)
    np.testing.assert_allclose(yours[:6], mine[:6], atol=2e-2)
