"""All or nothing, and a batch is its singles: whatever is thrown at a scene."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servogym.scenes.scene import Scene

ARM = """
<mujoco><compiler angle="degree"/><option timestep="0.002"/><worldbody>
  <body name="a"><geom name="ga" size="0.1"/><geom size="0.05" pos="0 0 0.1"/>
    <joint name="ja" axis="0 1 0" range="-90 90"/>
    <body name="b" pos="0 0 1"><geom name="gb" size="0.1" friction="0.6 0.01 0.001"/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <joint name="jb" axis="1 0 0"/>
      <body name="c" pos="0 0 1"><geom name="gc" type="box" size="0.1 0.1 0.2"/>
        <joint name="jc" type="slide" axis="0 0 1" range="-0.5 0.5"/></body></body></body>
  </worldbody><actuator><position joint="ja" kp="20" kv="2"/><velocity joint="jb" kv="3"/>
    <motor joint="jc" gear="2"/></actuator></mujoco>
"""
CHAIN = ("a", "a/b", "a/b/c")
BODIES = [f"/world/{arm}/{body}" for arm in ("one", "two") for body in CHAIN]
JOINTS = [f"{path}/j{path[-1]}" for path in BODIES]
GEOMS = [f"{path}/g{path[-1]}" for path in BODIES]


def build() -> Scene:
    scene = Scene()
    scene.add("one", ARM)
    scene.add("two", ARM, pos=[1.0, 0.0, 0.0])
    return scene


def number(low: float, high: float):
    return st.floats(low, high)


def some(**values):
    """Any choice of these, each perhaps left out or None."""
    return st.fixed_dictionaries({}, optional={k: st.none() | v for k, v in values.items()})


SETTERS = {
    "set_bodies_physics_properties": (
        BODIES,
        some(
            mass=number(0.1, 9.0),
            center_of_mass=st.tuples(*[number(-0.1, 0.1)] * 3),
            gravcomp=number(0.0, 1.0),
        ),
    ),
    "set_joints_physics_properties": (
        JOINTS,
        some(
            limit_lower=number(-1.0, 0.2),
            limit_upper=number(-0.1, 1.0),
            velocity_limit=number(0.0, 2.0),
            passive_damping=number(0.0, 2.0),
            friction=number(0.0, 2.0),
            armature=number(0.0, 2.0),
            initial_position=number(-0.5, 0.5),
            initial_velocity=number(-2.0, 2.0),
        ),
    ),
    "set_actuators_physics_properties": (
        JOINTS,
        some(
            mode=st.sampled_from(["position", "velocity"]),
            stiffness=number(0.0, 90.0),
            damping=number(0.1, 9.0),
            target_position=number(-0.4, 0.4),
            target_velocity=number(-1.0, 1.0),
            effort_limit=number(0.0, 9.0),
        ),
    ),
    "geom_paths": (
        GEOMS,
        some(
            sliding_friction=number(0.0, 3.0),
            torsional_friction=number(0.0, 0.1),
            rolling_friction=number(0.0, 0.1),
            collision_enabled=st.booleans(),
            collision_group=st.integers(0, 99),
            margin=number(0.0, 0.1),
            gap=number(0.0, 0.1),
        ),
    ),
}
SETTERS["body_paths"] = (BODIES, SETTERS["geom_paths"][1])


@st.composite
def calls(draw):
    """One call of a setter: its name, its targets, its values."""
    setter = draw(st.sampled_from(sorted(SETTERS)))
    paths, values = SETTERS[setter]
    chosen = draw(st.lists(st.sampled_from(paths), min_size=1, max_size=4, unique=True))
    return setter, chosen, draw(values)


def make(scene: Scene, setter: str, paths: list[str], values: dict) -> None:
    if setter in ("geom_paths", "body_paths"):
        scene.set_contact_physics_properties(**{setter: paths}, **values)
    else:
        getattr(scene, setter)(paths, **values)


def make_singly(scene: Scene, setter: str, paths: list[str], values: dict) -> None:
    for path in paths:
        if setter in ("geom_paths", "body_paths"):
            scene.set_contact_physics_properties(**{setter: [path]}, **values)
        else:
            single = setter.replace("bodies", "body").replace("ts_", "t_").replace("ors_", "or_")
            getattr(scene, single)(path, **values)


def outcome(change, *arguments) -> type | None:
    """The kind of error a call ends in; None if it does not."""
    try:
        change(*arguments)
    except (TypeError, ValueError, LookupError) as error:
        return type(error)
    return None


def bits(scene: Scene) -> bytes:
    """Everything the scene would build, notes included."""
    model = scene.finalize()
    buffer = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


@settings(deadline=None, max_examples=60)
@given(st.lists(calls(), min_size=1, max_size=5))
def test_002_30_a_batch_is_as_many_singles(history):
    together, apart = build(), build()
    for setter, paths, values in history:
        trial = outcome(make, together, setter, paths, values)
        if trial is None:
            make_singly(apart, setter, paths, values)
        else:
            alike = build_like(history, setter, paths)
            assert outcome(make_singly, alike, setter, paths, values) is not None
    assert bits(together) == bits(apart)


def build_like(history, setter, paths) -> Scene:
    """A scene with those calls of a history that came before one and were accepted."""
    scene = build()
    for call in history:
        if call[0] == setter and call[1] is paths:
            break
        outcome(make, scene, *call)
    return scene


BAD = {
    "set_bodies_physics_properties": [
        ("mass", 0.0),
        ("mass", -1.0),
        ("mass", True),
        ("mass", float("nan")),
        ("center_of_mass", (0.0, 0.0)),
        ("inertia", np.diag([1.0, 1.0, 3.0])),
        ("gravcomp", 1.01),
        ("starts_asleep", 1),
    ],
    "set_joints_physics_properties": [
        ("limit_lower", 1e9),
        ("velocity_limit", -1.0),
        ("passive_damping", float("inf")),
        ("friction", np.True_),
        ("armature", -0.1),
        ("initial_position", 1e9),
        ("initial_velocity", float("nan")),
    ],
    "set_actuators_physics_properties": [
        ("mode", "torque"),
        ("mode", 3),
        ("stiffness", -1.0),
        ("damping", float("nan")),
        ("target_position", "0"),
        ("effort_limit", -1.0),
    ],
    "geom_paths": [
        ("sliding_friction", -1.0),
        ("torsional_friction", True),
        ("margin", float("inf")),
        ("rolling_friction", np.array(0.1)),
        ("gap", -1e-9),
        ("collision_enabled", 0),
        ("collision_group", 2.0),
        ("collision_group", -1),
    ],
}
BAD["body_paths"] = BAD["geom_paths"]


@settings(deadline=None, max_examples=80)
@given(st.lists(calls(), max_size=3), calls(), st.data())
def test_002_29_a_batch_with_one_bad_value_changes_nothing(history, call, data):
    scene, untouched = build(), build()
    for earlier in history:
        outcome(make, scene, *earlier)
        outcome(make, untouched, *earlier)
    setter, paths, values = call
    name, value = data.draw(st.sampled_from(BAD[setter]))
    before = scene.xml()
    error = outcome(make, scene, setter, paths, {**values, name: value})
    assert error is not None, (setter, paths, name, value)
    assert scene.xml() == before
    assert bits(scene) == bits(untouched)


@settings(deadline=None, max_examples=60)
@given(calls(), st.sampled_from(["/world/one/nothing", "/world/one", "/world/two/a/b/c/d", "one"]))
def test_002_29_a_batch_whose_last_path_is_wrong_changes_nothing(call, wrong):
    scene = build()
    setter, paths, values = call
    with pytest.raises(LookupError):
        make(scene, setter, [*paths, wrong], values)
    assert bits(scene) == bits(build())


@pytest.mark.parametrize(
    "setter, good, bad, values",
    [
        # each value suits every target but the last
        ("set_joints_physics_properties", JOINTS[:2], JOINTS[2], {"initial_position": 0.6}),
        ("set_joints_physics_properties", [JOINTS[0]], JOINTS[1], {"limit_upper": 1.0}),
        ("set_actuators_physics_properties", [JOINTS[0]], JOINTS[1], {"stiffness": 5.0}),
        ("set_actuators_physics_properties", [JOINTS[0], JOINTS[3]], JOINTS[2], {"damping": 1.0}),
        (
            "set_bodies_physics_properties",
            [BODIES[0], BODIES[3]],
            BODIES[1],
            {"starts_asleep": True},
        ),
    ],
)
def test_002_29_a_batch_that_does_not_suit_its_last_target_changes_nothing(
    setter, good, bad, values
):
    scene, untouched = build(), build()
    before = scene.xml()
    with pytest.raises(ValueError):
        make(scene, setter, [*good, bad], values)
    assert scene.xml() == before and bits(scene) == bits(untouched)
    accepted = build()
    make(accepted, setter, good, values)
    assert bits(accepted) != bits(build())
