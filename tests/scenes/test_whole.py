"""What a file refers to is there, or somebody is told: copies of specs lose it in silence."""

import mujoco
import pytest

from servogym.scenes.scene import Scene

HINGE = (
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='.1'/>"
    "<site name='s'/></body></worldbody>{}</mujoco>"
)
LOST = {
    "<actuator><motor name='m' joint='zz'/></actuator>": "actuator 'm' of 'zz'",
    "<actuator><motor site='s' refsite='zz'/></actuator>": "actuator of 's', 'zz'",
    "<sensor><jointpos name='q' joint='zz'/></sensor>": "sensor 'q' of 'zz'",
    "<sensor><framepos objtype='site' objname='s' reftype='body' refname='zz'/></sensor>": (
        "sensor of 's', 'zz'"
    ),
    "<tendon><fixed name='t'><joint joint='zz' coef='1'/></fixed></tendon>": "tendon 't'",
    "<equality><joint joint1='j' joint2='zz'/></equality>": "equality of 'j', 'zz'",
    "<contact><pair geom1='g' geom2='zz'/></contact>": "contact pair of 'g', 'zz'",
    "<contact><exclude body1='b' body2='zz'/></contact>": "contact exclude of 'b', 'zz'",
    "<custom><tuple name='p'><element objtype='body' objname='zz' prm='1'/></tuple></custom>": (
        "tuple 'p' of 'zz'"
    ),
}


def spec(part=""):
    return mujoco.MjSpec.from_string(HINGE.format(part))


@pytest.mark.parametrize("part", LOST)
def test_mujoco_refuses_it_and_a_copy_of_the_spec_loses_it_which_is_why(part):
    with pytest.raises(ValueError):
        spec(part).compile()
    spec(part).copy().compile()


@pytest.mark.parametrize("given", ["text", "spec", "file"])
@pytest.mark.parametrize("part", LOST)
def test_a_source_that_refers_to_nothing_is_refused_by_name(part, given, tmp_path):
    source = {"text": HINGE.format(part), "spec": spec(part), "file": tmp_path / "a.xml"}[given]
    (tmp_path / "a.xml").write_text(HINGE.format(part))
    for others in ([], ["<mujoco/>"]):
        scene = Scene()
        for other in others:
            scene.add("other", other)
        with pytest.raises(ValueError) as error:
            scene.add("it", source)
        assert f": {LOST[part]}: refers to something that is not there" in str(error.value)
        assert scene.paths("body") == ()


def test_what_is_there_is_not_complained_of_whatever_its_kind():
    parts = "".join(LOST).replace("'zz'", "'j'").replace("geom2='j'", "geom2='h'")
    parts = parts.replace("body2='j'", "body2='c'").replace("joint2='j'", "joint2='k'")
    parts = parts.replace("refsite='j'", "refsite='o'").replace("refname='j'", "refname='c'")
    parts = parts.replace("objname='j'", "objname='c'")
    text = HINGE.format(parts).replace(
        "<worldbody>",
        "<worldbody><site name='o'/><body name='c'><joint name='k'/><geom name='h' size='.1'/>"
        "</body>",
    )
    scene = Scene()
    scene.add("it", text)
    model, alone = scene.finalize(), mujoco.MjModel.from_xml_string(text)
    for count in ("nu", "nsensor", "ntendon", "neq", "npair", "nexclude", "ntuple"):
        assert getattr(model, count) == getattr(alone, count) > 0, count


@pytest.mark.parametrize(
    "change",
    [
        lambda spec: setattr(spec.joint("j"), "name", "renamed"),
        lambda spec: spec.delete(spec.joint("j")),
    ],
)
def test_a_change_that_leaves_an_actuator_behind_is_refused_and_changes_nothing(change):
    scene = Scene()
    scene.add("it", HINGE.format("<actuator><motor name='m' joint='j'/></actuator>"))
    before = scene.xml()
    with pytest.raises(ValueError, match="after this change: actuator 'm' of 'j': refers to"):
        scene.apply(change)
    assert scene.xml() == before and scene.finalize().nu == 1
