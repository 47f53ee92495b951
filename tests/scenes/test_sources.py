"""What a scene can be made of, and how it says no to the rest."""

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes import sources
from servogym.scenes.scene import Scene

BALL = "<mujoco><worldbody><body name='b'><geom size='0.1'/></body></worldbody></mujoco>"

INERTIAL = (
    "<inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
)
URDF = f"""<?xml version="1.0"?>
<!-- <mujoco> is not what follows -->
<robot name="arm">
  <link name="base">{INERTIAL}</link>
  <link name="upper">{INERTIAL}
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="flange">{INERTIAL}</link>
  <link name="wheel">{INERTIAL}</link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="30" velocity="3"/></joint>
  <joint name="bolted" type="fixed"><parent link="upper"/><child link="flange"/>
    <limit velocity="4"/></joint>
  <joint name="spin" type="continuous"><parent link="flange"/><child link="wheel"/>
    <axis xyz="0 1 0"/><limit effort="5" velocity="0"/></joint>
</robot>
"""


@pytest.mark.parametrize(
    "source",
    [
        BALL,
        "\n <!-- <robot/> -->\n" + BALL,
        mujoco.MjSpec.from_string(BALL),
        robots.get("microduck"),
        robots.get("microduck").path(),
        str(robots.get("microduck").path("ground")),
    ],
)
def test_mjcf_comes_as_text_file_spec_or_robot(source):
    assert sources.read(source).kind == "mjcf"


def test_urdf_is_told_by_its_first_element_whatever_the_file_is_called(tmp_path):
    assert sources.read(URDF).kind == "urdf"
    (tmp_path / "arm.xml").write_text(URDF, encoding="utf-8")
    assert sources.read(tmp_path / "arm.xml").kind == "urdf"
    assert sources.read(str(tmp_path / "arm.xml")).kind == "urdf"


def test_a_spec_is_copied_so_that_the_callers_own_never_changes():
    spec = mujoco.MjSpec.from_string(BALL)
    spec.compile()
    before = spec.to_xml()
    scene = Scene()
    scene.add("first", spec)
    scene.add("second", spec, pos=[1, 0, 0])
    scene.set_body_physics_properties("/world/first/b", mass=3.0)
    scene.set_body_physics_properties("/world/second/b", mass=5.0)
    model = scene.finalize()
    assert (model.body("b").mass[0], model.body("second/b").mass[0]) == pytest.approx((3.0, 5.0))
    spec.compile()
    assert spec.to_xml() == before


def test_links_on_fixed_joints_keep_their_path_and_their_mass():
    for others in ((), ("<mujoco/>",)):
        scene = Scene()
        for number, other in enumerate(others):
            scene.add(f"other{number}", other)
        scene.add("arm", URDF)
        scene.set_body_physics_properties("/world/arm/base/upper/flange", mass=0.25)
        model = scene.finalize()
        prefix = "arm/" if others else ""
        assert model.body(prefix + "flange").mass == 0.25
        assert model.body(prefix + "upper").mass == 1.0


def test_002_24_the_velocity_limits_of_a_urdf_which_mujoco_does_not_read_are_kept():
    read = sources.read(URDF)
    assert read.velocity_limits == {"shoulder": 3.0}  # and 0 is what exporters write for unknown
    scene = Scene()
    scene.add("table", BALL)
    scene.add("arm", URDF)
    model = scene.finalize()
    assert model.numeric("velocity_limit:arm/shoulder").data == 3.0
    assert model.nnumeric == 1


def test_a_spec_that_limits_a_joint_it_has_not_is_refused_before_it_enters_the_scene():
    spec = mujoco.MjSpec.from_string(BALL)
    spec.add_numeric(name="velocity_limit:wrist", data=[1.0], size=1)
    scene = Scene()
    with pytest.raises(ValueError, match=r"limits the speed of \['wrist'\]"):
        scene.add("ball", spec)
    assert scene.paths("body") == ()


@pytest.mark.parametrize("element", ["<xacro:property name='pi' value='3'/>", "<!-- a -- b -->"])
def test_a_urdf_that_only_mujoco_can_read_is_refused_because_its_limits_are_lost(element):
    with pytest.raises(ValueError, match=r"the text is no well-formed XML: .* xacro first"):
        sources.read(URDF.replace('<link name="base">', f'{element}<link name="base">', 1))


@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_an_empty_string_is_no_source(nothing):
    with pytest.raises(ValueError, match="accepted: an MJCF or URDF file"):
        Scene().add("arm", nothing)


def test_two_limited_joints_on_one_path_are_refused_before_they_enter_the_scene():
    text = (
        "<mujoco><custom><numeric name='velocity_limit:j' data='1'/></custom><worldbody>"
        "<body name='a'><joint name='b/j'/><geom size='.1'/><body name='b'><joint name='j'/>"
        "<geom size='.1'/></body></body></worldbody></mujoco>"
    )
    for others in ((), ("<mujoco/>",)):
        scene = Scene()
        for other in others:
            scene.add("other", other)
        before = scene.xml()
        with pytest.raises(ValueError, match="'it': '/world/it/a/b/j' means two joints"):
            scene.add("it", text)
        assert scene.xml() == before and scene.paths("body") == ()
        scene.add("it", BALL)
        assert scene.paths("body") == ("/world/it/b",)


@pytest.mark.parametrize("written", ["-1", "fast", "nan"])
def test_a_urdf_velocity_limit_that_is_none_is_refused(written):
    with pytest.raises(ValueError, match=f"'shoulder': velocity limit '{written}'"):
        sources.read(URDF.replace('velocity="3"', f'velocity="{written}"'))


def test_limits_that_an_earlier_scene_wrote_are_found_again(arm, image):
    scene = Scene()
    scene.add("arm", arm)
    scene.set_joint_physics_properties("/world/arm/base/upper/shoulder", velocity_limit=0.5)
    spec = mujoco.MjSpec.from_string(scene.xml())
    again = Scene()
    again.add("table", BALL)
    again.add("arm", spec)
    model = again.finalize()
    assert [model.numeric(i).name for i in range(model.nnumeric)] == ["velocity_limit:arm/shoulder"]


@pytest.mark.parametrize("suffix", ["usd", "usda", "usdc", "usdz", "USDA"])
def test_usd_is_refused_by_name_and_the_message_says_what_to_do(tmp_path, suffix):
    path = tmp_path / f"arm.{suffix}"
    path.write_bytes(b"anything")
    with pytest.raises(ValueError, match="Export the model as MJCF or URDF"):
        Scene().add("arm", path)


@pytest.mark.parametrize("content", [b"#usda 1.0\n", b"PXR-USDC\x00\x08"])
def test_usd_is_refused_by_content_under_any_name(tmp_path, content):
    (tmp_path / "arm.xml").write_bytes(content)
    with pytest.raises(ValueError, match="USD is not read here"):
        Scene().add("arm", tmp_path / "arm.xml")


def test_mujoco_itself_has_no_usd_decoder_which_is_why(tmp_path):
    # Should this fail one day, a wheel reads USD, and sources.py can too.
    (tmp_path / "a.usda").write_text('#usda 1.0\n(defaultPrim="a")\ndef Xform "a" {}\n')
    with pytest.raises(ValueError, match="decoder"):
        mujoco.MjSpec.from_file(str(tmp_path / "a.usda"))


@pytest.mark.parametrize(
    "source, error, words",
    [
        (b"<mujoco/>", TypeError, "bytes is no source"),
        (None, TypeError, "NoneType is no source"),
        ([BALL], TypeError, "list is no source"),
        (mujoco.MjSpec.from_string(BALL).compile(), TypeError, r"use Scene.inject\(model\)"),
        ("<mujocoinclude/>", ValueError, "begins with <mujocoinclude>"),
        ("<html></html>", ValueError, "begins with <html>; MJCF begins with <mujoco>, URDF with"),
        ("<mujoco><nonsense/></mujoco>", ValueError, "the text: MuJoCo cannot read it"),
        ("no_such_file.xml", FileNotFoundError, "no_such_file.xml"),
    ],
)
def test_anything_else_is_refused_and_nothing_enters_the_scene(source, error, words):
    scene = Scene()
    scene.add("ball", BALL)
    before = scene.xml()
    with pytest.raises(error, match=words):
        scene.add("other", source)
    assert scene.xml() == before and scene.paths("body") == ("/world/ball/b",)


def test_a_compiled_file_and_a_picture_are_no_sources(tmp_path):
    (tmp_path / "a.mjb").write_bytes(b"\x00\x01")
    with pytest.raises(ValueError, match="is a compiled model"):
        sources.read(tmp_path / "a.mjb")
    (tmp_path / "a.xml").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(ValueError, match="is no text"):
        sources.read(tmp_path / "a.xml")


def test_a_broken_file_is_named_in_the_error(tmp_path):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody></mujoco>")
    with pytest.raises(ValueError, match=r"bad\.xml: MuJoCo cannot read it"):
        sources.read(tmp_path / "bad.xml")


def test_a_file_of_its_own_folder_finds_its_includes(tmp_path):
    (tmp_path / "part.xml").write_text(
        "<mujoco><worldbody><body name='inside'><geom size='0.1'/></body></worldbody></mujoco>"
    )
    (tmp_path / "whole.xml").write_text("<mujoco><include file='part.xml'/></mujoco>")
    scene = Scene()
    scene.add("it", tmp_path / "whole.xml")
    assert scene.paths("body") == ("/world/it/inside",)
    np.testing.assert_allclose(scene.finalize().body("inside").mass, 4.18879, rtol=1e-5)
