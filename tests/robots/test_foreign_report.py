"""The report on a foreign file names every number that differs, and nothing else."""

import xml.etree.ElementTree as ET

import pytest

from servogym import robots
from servogym.robots import Robot
from servogym.robots.compare import differences
from servogym.robots.foreign import main
from tests.robots.stranger import joined, named, planted, split, stranger, turned

GO2 = robots.get("go2")


def found(path):
    return {
        (d.where, d.what): (d.theirs, d.ours) for d in Robot.from_mjcf(path, "go2").differences()
    }


def test_our_own_file_differs_in_nothing(tmp_path):
    assert found(planted(tmp_path / "go2.xml", lambda tree: None)) == {}


def test_a_strangers_file_differs_in_its_orders_motors_and_keyframes_alone(tmp_path):
    seen = found(stranger(tmp_path / "go2.xml"))
    orders = {
        ("robot", "order of joints"): (" ".join(GO2.wire_orders["sdk"]), " ".join(GO2.joints)),
        ("robot", "order of motors"): (" ".join(GO2.wire_orders["sdk"]), " ".join(GO2.joints)),
    }
    keys = {
        (f"keyframe {key}", "lowest foot above the floor"): ("none", "0.0000")
        for key in ("HOME", "LEVEL", "STAND", "LIE")
    }
    keys["keyframe home", "lowest foot above the floor"] = ("-0.0184", "none")
    law = "gain fixed 1", "gain fixed 20, bias affine 0 -20 -0.5"
    motors = {}
    for joint in GO2.joints:
        limit = "-45.43 45.43" if "calf" in joint else "-23.7 23.7"
        motors[joint, "motor"] = law
        motors[joint, "motor ctrlrange"] = (limit, "none")
        motors[joint, "motor forcerange"] = ("none", limit)
    assert seen == orders | keys | motors


def setting(tag, name, **fields):
    return lambda tree: named(tree, tag, name).attrib.update(fields)


def inertial(body, **fields):
    return lambda tree: named(tree, "body", body).find("inertial").attrib.update(fields)


def option(**fields):
    return lambda tree: ET.SubElement(tree, "option", fields)


def adding(section, tag, **fields):
    def edit(tree):
        place = tree.find(section)
        ET.SubElement(ET.SubElement(tree, section) if place is None else place, tag, fields)

    return edit


def key_angle(tree):
    key = named(tree, "key", "HOME")
    key.set("qpos", key.get("qpos").replace("-0.1 0.8", "-0.1 0.9"))


PLANTED = [
    (inertial("RL_thigh", mass="1.2"), "RL_thigh_joint", "mass", "1.2", "1.152"),
    (inertial("base", mass="7"), "base", "mass", "7", "6.921"),
    (
        inertial("base", pos="0.03 0 -0.005366"),
        "base",
        "com",
        "0.03 0 -0.005366",
        "0.021112 0 -0.005366",
    ),
    (
        setting("body", "FL_calf", pos="0 0 -0.22"),
        "FL_calf_joint",
        "place",
        "0 0 -0.22",
        "0 0 -0.213",
    ),
    (setting("joint", "RR_hip_joint", axis="-1 0 0"), "RR_hip_joint", "axis", "-1 0 0", "1 0 0"),
    (
        setting("joint", "FR_thigh_joint", range="-1.5708 1.5708"),
        "FR_thigh_joint",
        "range",
        "-1.5708 1.5708",
        "-1.5708 3.4907",
    ),
    (setting("joint", "FL_hip_joint", damping="2"), "FL_hip_joint", "damping", "2", "0.1"),
    (
        setting("joint", "FL_calf_joint", frictionloss="0.9132"),
        "FL_calf_joint",
        "frictionloss",
        "0.9132",
        "0.2",
    ),
    (
        setting("joint", "RR_calf_joint", armature="0.0322"),
        "RR_calf_joint",
        "armature",
        "0.0322",
        "0.01",
    ),
    (setting("joint", "FL_hip_joint", stiffness="3"), "FL_hip_joint", "stiffness", "3", "0"),
    (
        setting("joint", "FL_hip_joint", actuatorfrcrange="-20 20"),
        "FL_hip_joint",
        "torque range",
        "-20 20",
        "none",
    ),
    (setting("geom", "FL_foot", size="0.0175"), "foot FL", "size", "0.0175 0 0", "0.022 0 0"),
    (
        setting("geom", "RR_foot", friction="0.8 0.02 0.01"),
        "foot RR",
        "friction",
        "0.8 0.02 0.01",
        "0.4 0.02 0.01",
    ),
    (setting("geom", "RR_foot", condim="3"), "foot RR", "condim", "3", "6"),
    (setting("geom", "RR_foot", priority="0"), "foot RR", "priority", "0", "1"),
    (setting("geom", "RR_foot", margin="0"), "foot RR", "margin", "0", "0.001"),
    (setting("geom", "RR_foot", contype="1"), "foot RR", "contype", "1", "0"),
    (setting("geom", "RR_foot", solref="0.01 1"), "foot RR", "solref", "0.01 1", "0.02 1"),
    (
        setting("geom", "RR_foot", solimp="0.015 1 0.022"),
        "foot RR",
        "solimp",
        "0.015 1 0.022 0.5 2",
        "0.9 0.95 0.001 0.5 2",
    ),
    (
        setting("geom", "head_collision", size="0.05"),
        "base capsule",
        "size",
        "0.05 0.0352278 0",
        "0.048 0.0352278 0",
    ),
    (
        setting("geom", "FL_thigh_collision", type="cylinder"),
        "FL_thigh_joint",
        "shapes that touch",
        "cylinder",
        "capsule",
    ),
    (
        setting("site", "imu", pos="0 0 0.04232"),
        "imu",
        "place",
        "0 0 0.04232",
        "-0.02557 0 0.04232",
    ),
    (
        setting("position", "FL_hip_joint", kp="25"),
        "FL_hip_joint",
        "motor",
        "gain fixed 25, bias affine 0 -25 -0.5",
        "gain fixed 20, bias affine 0 -20 -0.5",
    ),
    (
        setting("position", "FL_calf_joint", forcerange="-35.55 35.55"),
        "FL_calf_joint",
        "motor forcerange",
        "-35.55 35.55",
        "-45.43 45.43",
    ),
    (option(timestep="0.005"), "options", "timestep", "0.005", "0.002"),
    (option(cone="elliptic"), "options", "cone", "elliptic", "pyramidal"),
    (option(impratio="100"), "options", "impratio", "100", "1"),
    (option(gravity="0 0 -9.8"), "options", "gravity", "0 0 -9.8", "0 0 -9.81"),
    (option(integrator="implicitfast"), "options", "integrator", "implicitfast", "euler"),
    (key_angle, "keyframe HOME", "FR_thigh_joint angle", "0.9", "0.8"),
    (
        adding("contact", "exclude", body1="FL_calf", body2="base"),
        "robot",
        "contact exclusions",
        "1",
        "0",
    ),
]


@pytest.mark.parametrize(
    ("edit", "where", "what", "theirs", "ours"), PLANTED, ids=[f"{p[1]}-{p[2]}" for p in PLANTED]
)
def test_one_number_changed_is_the_one_difference(tmp_path, edit, where, what, theirs, ours):
    assert found(planted(tmp_path / "go2.xml", edit)) == {(where, what): (theirs, ours)}


SITE = ("foot FL", "site seen from the middle")


@pytest.mark.parametrize(
    ("edit", "places"),
    [
        (inertial("RL_hip", diaginertia="0.0009 0.0006 0.0005"), {("RL_hip_joint", "inertia")}),
        (inertial("RL_thigh", quat="1 0 0 0"), {("RL_thigh_joint", "inertia")}),
        (setting("site", "imu", euler="0 0 0.01"), {("imu", "axes")}),
        (setting("site", "FL", pos="-0.002 0 -0.235"), {SITE}),
        (
            setting("geom", "FL_foot", pos="0 0 -0.213"),
            {("foot FL", "middle seen from the joint"), SITE},
        ),
        (setting("geom", "trunk_collision", euler="0 0.1 0"), {("base box", "axes")}),
        (setting("body", "RR_hip", gravcomp="1"), {("RR_hip_joint", "gravity compensation")}),
        (setting("joint", "RR_hip_joint", springref="0.1"), {("RR_hip_joint", "spring")}),
        (setting("position", "FL_hip_joint", gear="2"), {("FL_hip_joint", "motor gear")}),
        (
            setting("key", "STAND", ctrl="1 " * 12),
            {("keyframe STAND", f"{joint} control") for joint in GO2.joints},
        ),
        (
            adding("contact", "pair", geom1="FL_foot", geom2="FR_foot"),
            {("robot", "contact pairs")},
        ),
        (adding("equality", "joint", joint1="FL_hip_joint"), {("robot", "equalities")}),
    ],
    ids=lambda value: "-".join(sorted(value)[0]) if isinstance(value, set) else "",
)
def test_every_other_kind_of_number_is_told_by_its_place(tmp_path, edit, places):
    assert set(found(planted(tmp_path / "go2.xml", edit))) == places


def test_a_shifted_zero_of_a_joint_is_told_by_what_it_turns_and_by_nothing_else(tmp_path):
    seen = found(planted(tmp_path / "go2.xml", setting("joint", "RR_thigh_joint", ref="0.1")))
    assert ("RR_calf_joint", "place") in seen
    assert {where.split()[0] for where, _ in seen} <= {"RR_thigh_joint", "RR_calf_joint", "foot"}
    assert not any("FL" in where or "FR" in where or "RL" in where for where, _ in seen)


def test_many_numbers_changed_are_all_told(tmp_path):
    edits = [PLANTED[k] for k in (0, 3, 5, 6, 12, 21, 23, 25, 29)]

    def edit(tree):
        for change, *_ in edits:
            change(tree)

    wanted = {(where, what): (theirs, ours) for _, where, what, theirs, ours in edits}
    assert found(planted(tmp_path / "go2.xml", edit)) == wanted


def test_a_link_split_into_welded_bodies_is_compared_as_one(tmp_path):
    one = Robot.from_mjcf(planted(tmp_path / "one.xml", joined), "go2")
    two = Robot.from_mjcf(planted(tmp_path / "two.xml", split), "go2")
    assert differences(one, two) == ()
    assert {d.what for d in two.differences()} == {"com", "inertia"}


def test_another_way_to_turn_the_body_frames_is_no_difference(tmp_path):
    assert found(planted(tmp_path / "go2.xml", turned)) == {}


def test_robots_with_other_joints_or_feet_are_not_compared():
    with pytest.raises(ValueError, match=r"microduck has joints .*go2 has"):
        differences(robots.get("microduck"), GO2)


def test_the_command_prints_each_difference_once_with_all_its_places(tmp_path, capsys):
    path = stranger(tmp_path / "theirs.xml")
    assert main([str(path), "--like", "go2"]) == 0
    out = capsys.readouterr().out
    lines = [line for line in out.splitlines() if line.startswith("| motor ")]
    assert len(lines) == 5
    assert "every joint" in next(line for line in lines if "gain fixed 1 " in line)
    assert "-0.0184" in out
    assert "left out: 13 shapes to be seen" in out
    assert f"{2 + 5 + 36} differences" in out


def test_the_command_tells_an_error_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path / "away.xml"), "--like", "go2"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main([str(GO2.path()), "--like", "goat"]) == 2
    assert "known: go2, microduck" in capsys.readouterr().err
