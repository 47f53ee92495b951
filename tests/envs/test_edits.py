"""Every environment takes edits of its physics as plain data, acts on them, refuses the rest."""

import json
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from servogym.envs import edits as form
from servogym.envs import reach
from servogym.envs.built import Built
from servogym.envs.core import Core
from servogym.envs.sb3 import Sb3VecEnv
from servogym.scenes.scene import Scene
from servogym.scenes.terrain import Terrain

TRUNK = "/world/microduck/trunk_base"
LEG = f"{TRUNK}/yaw2roll/hip_l/upper_leg_left/leg"
KNEE, GAP = f"{LEG}/left_knee", f"{LEG}/passive_left_knee_backlash"
FOOT = f"{LEG}/ankle_left"
SOLE = f"{FOOT}/left_foot_collision"

HEAVY = {"set": "set_body_physics_properties", "path": TRUNK, "mass": 0.25}
STIFF = {"set": "set_actuator_physics_properties", "joint_path": KNEE, "stiffness": 150.0}
MOON = {"set": "set_scene_physics_properties", "gravity": [0.0, 0.0, -1.62]}


def duck(*edits, n=1, **options):
    return Core("microduck_flat", n, threads=1, edits=list(edits), **options)


def begin(core):
    rows = np.arange(core.n)
    core.seed(rows, rows.astype(np.uint64))
    return core.reset(rows)


def field(core, name, row=0):
    return np.array(getattr(core.batch.get_model(row), name))


def test_every_face_takes_edits_and_moves_alike():
    task, how = "MicroDuck-Flat-v0", {"edits": [HEAVY, STIFF]}
    one = gym.make(task, **how)
    many = gym.make_vec(task, num_envs=2, **how)
    learner = Sb3VecEnv(task, 2, seed=5, **how)
    halves = Sb3VecEnv(task, 64, seed=5, **how)
    for core in (one.unwrapped.core, many.core, learner.core, *halves.core.cores):
        assert core.model.body("trunk_base").mass == 0.25
        assert core.contract.edits == (HEAVY, STIFF)
    seen = [one.reset(seed=5)[0], many.reset(seed=5)[0][0], learner.reset()[0], halves.reset()[0]]
    action = np.full(14, 0.1)
    for _ in range(5):
        assert all(np.array_equal(other, seen[0]) for other in seen[1:])
        learner.step_async(np.tile(action, (2, 1)))
        halves.step_async(np.tile(action, (64, 1)))
        seen = [
            one.step(action)[0],
            many.step(np.tile(action, (2, 1)))[0][0],
            learner.step_wait()[0][0],
            halves.step_wait()[0][0],
        ]
    plain = Sb3VecEnv(task, 2, seed=5)
    plain.reset()
    for _ in range(5):
        plain.step_async(np.tile(action, (2, 1)))
        other = plain.step_wait()[0][0]
    assert not np.array_equal(other, seen[0])


def test_an_edited_robot_stands_with_its_edited_weight():
    go2 = {"terrain": False, "spawn": False, "sensing": False, "randomization": False}
    for mass, gravity in ((6.921, 9.81), (9.0, 5.0)):
        edits = [
            {"set": "set_body_physics_properties", "path": "/world/go2/base", "mass": mass},
            {"set": "set_scene_physics_properties", "gravity": [0.0, 0.0, -gravity]},
        ]
        core = Core("go2_flat", 1, threads=1, edits=edits, **go2)
        begin(core)
        for _ in range(100):
            core.step(np.zeros((1, 12)))
        weight = (15.206408 - 6.921 + mass) * gravity
        assert core.state.foot_force.sum() == pytest.approx(weight, rel=0.01)


def test_pictures_show_the_edited_robot_on_the_same_ground():
    core = duck(MOON)
    assert core.looks.opt.gravity[2] == core.model.opt.gravity[2] == -1.62
    quick = replace(core.task, timestep=0.002)
    built = Built.of(quick, None, actuator=None, backlash=False, edits=[MOON])
    assert built.scene().finalize().opt.timestep == 0.002


def test_tables_pairs_and_their_json_build_the_same_model():
    pair = ("set_body_physics_properties", {"path": TRUNK, "mass": np.float64(0.25)})
    inertia = {**HEAVY, "inertia": np.diag([1e-4, 2e-4, 2e-4]), "gravcomp": None}
    cores = [duck(pair), duck(HEAVY), duck(*json.loads(json.dumps([HEAVY])))]
    assert {core.model.body("trunk_base").mass[0] for core in cores} == {0.25}
    assert all(core.contract.edits == (HEAVY,) for core in cores)
    (kept,) = form.plain(form.read([inertia]))
    assert kept["inertia"] == [[1e-4, 0.0, 0.0], [0.0, 2e-4, 0.0], [0.0, 0.0, 2e-4]]
    assert "gravcomp" not in kept and json.loads(json.dumps(kept)) == kept


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ("set_body", "edits is 'set_body'; a list of tables is needed"),
        (HEAVY, "a list of tables is needed, one a call"),
        ([3], "edit 0 is 3; a table is needed, set = the name of a setter"),
        ([HEAVY, {"path": TRUNK}], "edit 1: set is None; setters: set_actuator_physics"),
        ([{"set": "finalize"}], "edit 0: set is finalize; setters: set_actuator_physics"),
        ([{**HEAVY, "set": "set_body_physics_propertys"}], "did you mean set_body_physics_prop"),
        ([{**HEAVY, "mas": 1.0}], "takes no mas .did you mean mass.*; it takes path, mass, center"),
        ([{**HEAVY, "mass": None}], "needs mass or center_of_mass or inertia or gravcomp"),
        ([{"set": HEAVY["set"], "mass": 1.0}], "set_body_physics_properties needs path"),
        ([{**HEAVY, "mass": lambda: 1.0}], "edit 0: mass is .function.*a number, true or false"),
    ],
)
def test_what_is_no_edit_is_refused_with_what_would_be_one(edits, said):
    with pytest.raises(ValueError, match=said):
        Core("microduck_flat", 1, edits=edits)


def test_no_setter_is_forgotten():
    assert set(reach._SUBJECT) == set(form.setters()) == {n for n in dir(Scene) if n[:4] == "set_"}
    for paths, properties in form.setters().values():
        assert properties and not set(paths) & set(properties)


def test_what_a_robot_draws_starts_from_the_edited_one():
    core = duck(
        HEAVY,
        {**HEAVY, "center_of_mass": [0.0, 0.0, 0.5]},
        {"set": "set_joint_physics_properties", "path": KNEE, "armature": 0.004},
        STIFF,
        n=3,
        randomization={
            "mass": {"of": "base", "scale": [2.0, 2.0]},
            "center_of_mass": {"of": "base", "offset": 0.001},
            "armature": {"of": "servos", "scale": [3.0, 3.0]},
            "stiffness": {"of": "servos", "scale": [0.5, 0.5]},
        },
    )
    begin(core)
    trunk, knee = core.model.body("trunk_base").id, core.model.joint("left_knee").dofadr[0]
    for row in range(3):
        assert field(core, "body_mass", row)[trunk] == 0.5
        assert field(core, "body_ipos", row)[trunk] == pytest.approx([0, 0, 0.5], abs=0.001)
        assert field(core, "dof_armature", row)[knee] == pytest.approx(0.012)
    gains = core.drive.randomizable()["kp_fw"]
    assert gains[:, core.robot.joints.index("left_knee")].tolist() == [75.0] * 3
    assert gains[:, core.robot.joints.index("right_knee")].tolist() == [100.0] * 3


SLIPPERY = {
    "set": "set_contact_physics_properties",
    "body_paths": [FOOT],
    "sliding_friction": 0.3,
}


@pytest.mark.parametrize(
    ("edit", "draw", "named"),
    [
        (SLIPPERY, {}, "randomization.sliding_friction .feet = 0.7"),
        ({"set": SLIPPERY["set"], "geom_paths": [SOLE], "sliding_friction": 0.3}, {}, SOLE),
        (HEAVY, {"mass": {"of": "base", "value": (0.2, 0.3)}}, "randomization.mass"),
        (HEAVY, {"mass": [{"of": "all", "value": (0.2, 0.3)}]}, "randomization.mass"),
        (STIFF, {"stiffness": {"of": "legs", "value": (90, 99)}}, "randomization.stiffness"),
        (
            {"set": "set_joint_physics_properties", "path": GAP, "limit_upper": 0.01},
            {"gap_half_range": {"value": (0.01, 0.02)}},
            "limit_upper.*randomization.gap_half_range",
        ),
    ],
)
def test_a_draw_by_value_that_leaves_nothing_of_an_edit_is_named(edit, draw, named):
    with pytest.raises(ValueError, match="which leaves nothing of the edit") as refused:
        duck(edit, backlash=True, randomization=draw)
    assert refused.match(named)
    off = dict.fromkeys(("sliding_friction", *draw))
    duck(edit, backlash=True, randomization=off)


def test_draws_of_other_parts_numbers_or_ways_leave_an_edit_alone():
    duck(HEAVY, randomization={"mass": {"of": "head", "value": (0.02, 0.03)}})
    duck({**SLIPPERY, "body_paths": [TRUNK]})
    duck({"set": SLIPPERY["set"], "body_paths": [FOOT], "margin": 0.001})
    slides = duck(SLIPPERY, randomization={"sliding_friction": {"of": "feet", "scale": (2, 2)}})
    begin(slides)
    frictions = field(slides, "geom_friction")[slides.at.foot_geom, 0]
    assert frictions.tolist() == [0.6, pytest.approx(2 * 1.0)]


def torque(core, error):
    """What the left knee's motor does about an error of its angle [N·m]."""
    begin(core)
    knee = core.robot.joints.index("left_knee")
    action = np.zeros((1, len(core.robot.joints)))
    action[0, knee] = error
    core.step(action)
    return core.state.torque[0, knee]


CALM = {"randomization": False, "sensing": False, "spawn": False}


def test_edits_of_servos_reach_the_motor_law():
    stiff = {**STIFF, "stiffness": 4.0, "damping": 0.0}
    weak = {**STIFF, "stiffness": 4.0, "effort_limit": 0.05}
    soft = torque(duck(actuator="pd", **CALM), 0.3)
    assert torque(duck(stiff, actuator="pd", **CALM), 0.3) > soft
    assert torque(duck(weak, actuator="pd", **CALM), 0.3) == 0.05
    for law, gain in (("pd", "kp"), ("dc", "kp"), ("bam", "kp_fw")):
        core = duck(STIFF, actuator=law)
        gains = core.contract.motor["parameters"][gain]
        nominal = duck(actuator=law).contract
        assert gains["left_knee"] == 150.0
        assert {v for k, v in gains.items() if k != "left_knee"} == {
            nominal.motor["parameters"][gain] or nominal.firmware[gain]
        }
        assert core.contract.actuator == law and core.contract.firmware[gain] == gains


def test_one_gain_for_all_servos_stays_one_number():
    joints = [path for path in duck().built.scene().paths("joint")[1:]]
    edit = {"set": "set_actuators_physics_properties", "joint_paths": joints, "stiffness": 90.0}
    assert duck(edit).contract.firmware == {"kp_fw": 90.0}


@pytest.mark.parametrize(
    ("edit", "law", "said"),
    [
        ({**STIFF, "mode": "velocity"}, "pd", "mode cannot be set here; the motor law 'pd' drives"),
        ({**STIFF, "damping": 1.0}, "bam", "stiffness cannot be set here; the motor law 'bam'"),
        ({**STIFF, "target_position": 0.0}, "pd", "the motor law 'pd' drives this joint"),
        ({**STIFF, "joint_path": GAP}, "pd", "only the motor law drives joints, and not this one"),
        ({**STIFF, "stiffness": -1.0}, "pd", "stiffness is -1.0; accepted: a finite number >= 0"),
        ({**HEAVY, "starts_asleep": True}, "pd", "see the task's `spawn`"),
        ({**SLIPPERY, "collision_group": 2}, "pd", "a label here, which changes no contact"),
    ],
)
def test_what_an_environment_would_override_is_refused(edit, law, said):
    with pytest.raises(ValueError, match=said):
        duck(edit, actuator=law, backlash=True, randomization=False)


def test_sections_take_lists_and_tables_as_json_has_them():
    ramp = {"before": 0.0, "after": 1.0, "start": 10, "end": 20}
    plain = {"sensing": {"imu_lag": [0, 2]}, "randomization": {"push": ramp}}
    core = duck(
        **json.loads(json.dumps(plain)), rewards={"cost_of_transport": dict(ramp, after=-1.0)}
    )
    assert core.task.sensing.imu_lag == (0, 2)
    assert core.task.randomization.push.after == 1.0
    assert core.task.rewards["cost_of_transport"].weight.after == -1.0
    with pytest.raises(ValueError, match=r"randomization: push is .*; a ramp needs a number"):
        duck(randomization={"push": {**ramp, "after": "x"}})


def test_a_task_can_be_put_onto_the_endless_floor():
    assert isinstance(Core("go2_flat", 1, threads=1).task.terrain, Terrain)
    for task in ("go2_flat", "go2_wave"):
        floor = Core(task, 1, threads=1, terrain=False, spawn=False)
        assert floor.task.terrain is None and floor.footing.ground is None
        begin(floor)
        assert floor.state.base_pos[0].tolist() == [0.0, 0.0, floor.robot.spawn_height]
