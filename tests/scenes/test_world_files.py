"""What a robot's own file says reaches the world, or the world is refused."""

import warnings
from dataclasses import replace

import mujoco
import pytest

from servogym import robots
from servogym.scenes import world
from servogym.scenes.terrain import Terrain

GO2 = robots.get("go2")
PAIR = (
    "<contact><pair name='grip' geom1='FL_foot' geom2='{}' condim='4' margin='0.002' "
    "friction='0.3 0.4 0.01 0.002 0.003' solref='0.03 0.9' solimp='0.8 0.9 0.002 0.5 2'/></contact>"
)


@pytest.fixture
def go2_with(tmp_path):
    """Go2 with something more at the end of its file."""

    def more(text):
        own = GO2.path().read_text(encoding="utf-8")
        (tmp_path / "go2.xml").write_text(own.replace("</mujoco>", f"{text}</mujoco>"))
        return replace(GO2, models={"walk": str(tmp_path / "go2.xml")})

    return more


def test_a_pair_with_the_floor_is_kept_as_it_is_without_a_scene(go2_with):
    robot = go2_with(PAIR.format("floor"))
    spec = robot.spec()
    spec.attach(Terrain().ground().spec(), prefix="ground/", frame=spec.worldbody.add_frame())
    spec.geom("ground/floor").name = "floor"
    by_hand = spec.compile()
    for backlash in (None, GO2.backlash):
        for lean in (False, True):
            model = world.build(robot, backlash=backlash, lean=lean)
            assert model.npair == by_hand.npair == 1
            assert model.pair(0).name == "grip"
            ends = {model.geom(int(model.pair(0).geom1[0])).name}
            ends |= {model.geom(int(model.pair(0).geom2[0])).name}
            assert ends == {"FL_foot", "floor"}
            for field in ("dim", "margin", "gap", "friction", "solref", "solimp", "solreffriction"):
                ours, theirs = (getattr(m, f"pair_{field}") for m in (model, by_hand))
                assert ours.tolist() == theirs.tolist(), field


def test_a_pair_with_a_floor_that_is_none_here_is_refused(go2_with):
    with pytest.raises(ValueError, match="pairs 'FL_foot' with 'flour', but there is no geom"):
        world.build(go2_with(PAIR.format("flour")))


def test_a_pair_with_the_floor_and_scheme_b_exclude_each_other(go2_with):
    with pytest.raises(ValueError, match="already; delete that pair"):
        world.build(go2_with(PAIR.format("floor")), contact="B:0.02,0.02")


def test_a_sensor_of_the_floor_is_refused_rather_than_left_out(go2_with):
    sensor = "<sensor><contact geom1='FL_foot' geom2='floor' data='force'/></sensor>"
    with pytest.raises(ValueError, match="sensor of 'FL_foot', 'floor': refers to something"):
        world.build(go2_with(sensor))


def test_a_velocity_limit_that_no_environment_keeps_is_refused(go2_with):
    limit = "<custom><numeric name='velocity_limit:FL_hip_joint' data='3'/></custom>"
    with pytest.raises(ValueError, match="limits the speed of FL_hip_joint; environments step"):
        world.build(go2_with(limit))


STRIPPED = """<mujoco><compiler {}/><worldbody><site name='up' pos='0 0 1'/>
<body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><freejoint/>
<geom name='seen' size='.1' contype='0' conaffinity='0'/><geom name='hit' size='.1'/>
<site name='s'/></body></worldbody>{}</mujoco>"""


@pytest.mark.parametrize(
    "compiler, rest, left",
    [
        ("", "", ["hit"]),
        ("inertiafromgeom='true'", "", ["seen", "hit"]),
        (
            "",
            "<tendon><spatial><site site='up'/><geom geom='seen'/><site site='s'/></spatial>"
            "</tendon>",
            ["seen", "hit"],
        ),
    ],
)
def test_a_lean_world_keeps_shapes_that_weigh_or_that_a_tendon_lies_around(compiler, rest, left):
    text = STRIPPED.format(compiler, rest)
    spec = mujoco.MjSpec.from_string(text)
    world._strip(spec, set())
    assert [geom.name for geom in spec.geoms] == left
    assert spec.compile().body("b").mass == mujoco.MjModel.from_xml_string(text).body("b").mass


def test_pains_73_no_shipped_robot_asks_for_more_than_it_gets():
    for name in ("microduck", "go2"):
        robot = robots.get(name)
        for model in robot.models:
            for backlash in (None, robot.backlash):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    world.build(robot, model=model, backlash=backlash)
