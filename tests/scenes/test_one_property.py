"""002-28: a call that gives one property changes the numbers of that property and no others."""

import inspect

import numpy as np
import pytest

from servogym.scenes.scene import Scene

ARM = """
<mujoco><option timestep="0.002"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction="0.9 0.02 0.003" margin="0.01" gap="0.005"/>
  <body name="a" gravcomp="0.25"><geom name="ga" size="0.1" friction="0.8 0.03 0.004" margin="0.02"
      gap="0.01" condim="6"/>
    <inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.12 0.15"/>
    <joint name="ja" axis="0 1 0" range="-90 90" damping="0.3" frictionloss="0.2" armature="0.05"
      stiffness="1.5" springref="10"/>
    <body name="b" pos="0 0 1" gravcomp="0.5"><geom name="gb" size="0.1" friction="0.7 0.01 0.001"
        margin="0.03" gap="0.02"/>
      <joint name="jb" axis="1 0 0" range="-60 60" damping="0.4" frictionloss="0.1"
        armature="0.03"/>
    </body></body>
  </worldbody>
  <actuator>
    <position name="pa" joint="ja" kp="20" kv="2" forcerange="-9 9" ctrlrange="-1 1"/>
    <velocity name="vb" joint="jb" kv="3" forcerange="-8 8"/>
  </actuator>
  <keyframe><key name="initial" qpos="0.1 0.2" qvel="0.3 0.4" ctrl="0.5 0.6"/></keyframe>
</mujoco>
"""
# What MuJoCo works out of the rest when it compiles.
DERIVED = {"body_invweight0", "dof_invweight0", "dof_M0", "actuator_acc0", "actuator_length0"}
DERIVED |= {"body_subtreemass", "body_contype", "body_conaffinity", "body_margin", "body_sameframe"}
DERIVED |= {"dof_length", "nbuffer", "narena"}
A, JA, GA = "/world/it/a", "/world/it/a/ja", "/world/it/a/ga"

# Setter, its target, the value, and what of the model it may and must change.
CASES = {
    "sliding_friction": ("contact", 0.5, {"geom_friction": [0]}),
    "torsional_friction": ("contact", 0.5, {"geom_friction": [1]}),
    "rolling_friction": ("contact", 0.5, {"geom_friction": [2]}),
    "collision_enabled": ("contact", False, {"geom_contype": [0], "geom_conaffinity": [0]}),
    "collision_group": ("contact", 3, {}),
    "margin": ("contact", 0.5, {"geom_margin": [0]}),
    "gap": ("contact", 0.001, {"geom_gap": [0]}),
    "mass": ("body", 4.0, {"body_mass": [0], "body_inertia": [0, 1, 2]}),
    "center_of_mass": ("body", [0.0, 0.2, 0.3], {"body_ipos": [0, 1, 2]}),
    "inertia": ("body", np.diag([0.3, 0.2, 0.25]), {"body_inertia": [0, 1, 2]}),
    "gravcomp": ("body", 0.75, {"body_gravcomp": [0]}),
    "limit_lower": ("joint", -0.5, {"jnt_range": [0]}),
    "limit_upper": ("joint", 0.5, {"jnt_range": [1]}),
    "velocity_limit": ("joint", 2.0, {}),  # one more number of the model, tested elsewhere
    "passive_damping": ("joint", 0.7, {"dof_damping": [0]}),
    "friction": ("joint", 0.7, {"dof_frictionloss": [0]}),
    "armature": ("joint", 0.7, {"dof_armature": [0]}),
    "initial_position": ("joint", 0.7, {"key_qpos": [0]}),
    "initial_velocity": ("joint", 0.7, {"key_qvel": [0]}),
    "stiffness": ("actuator", 30.0, {"actuator_gainprm": [0], "actuator_biasprm": [1]}),
    "damping": ("actuator", 4.0, {"actuator_biasprm": [2]}),
    "target_position": ("actuator", 0.7, {"key_ctrl": [0]}),
    "effort_limit": ("actuator", 5.0, {"actuator_forcerange": [0, 1]}),
    "gravity": ("scene", [0.1, 0.2, -9.0], {"opt.gravity": [0, 1, 2]}),
    "timestep": ("scene", 0.001, {"opt.timestep": [0]}),
}


def arrays(model):
    """The numbers of a model by field, except for names and for what follows from others."""
    found = {}
    for owner, prefix in ((model, ""), (model.opt, "opt.")):
        for name in dir(owner):
            foreign = any(part in name for part in ("bvh", "name", "numeric"))
            if foreign or name.startswith("_") or prefix + name in DERIVED:
                continue
            value = getattr(owner, name)
            if isinstance(value, np.ndarray | float | int):
                found[prefix + name] = np.atleast_1d(np.array(value))
    return found


def built(name=None):
    """The arm with one property set, or none."""
    scene = Scene()
    scene.add("it", ARM)
    if name is not None:
        setter, value, _ = CASES[name]
        target = {"contact": {"geom_paths": [GA]}, "body": {"path": A}, "joint": {"path": JA}}
        target |= {"actuator": {"joint_path": JA}, "scene": {}}
        call = getattr(scene, f"set_{setter}_physics_properties")
        call(**target[setter], **{name: value})
    return scene.finalize()


@pytest.mark.parametrize("name", CASES)
def test_002_28_one_property_changes_its_own_numbers_of_its_own_element_and_no_others(name):
    before, after = arrays(built()), arrays(built(name))
    wanted = CASES[name][2]
    changed = {
        field: np.argwhere(~(after[field] == before[field]))
        for field in before
        if not np.array_equal(after[field], before[field], equal_nan=True)
    }
    assert set(changed) == set(wanted)
    row = {"geom": 1, "body": 1, "jnt": 0, "dof": 0, "key": 0, "actuator": 0}  # of A, JA, GA
    for field, columns in wanted.items():
        places = changed[field]
        if field.startswith("opt."):
            assert sorted(places[:, 0]) == columns
            continue
        assert set(places[:, 0]) == {row[field.split("_")[0]]}, field
        touched = [0] if places.shape[1] == 1 else sorted(places[:, 1])
        assert touched == columns, field


def test_002_28_every_property_of_every_setter_is_among_them():
    paths = {"self", "path", "paths", "joint_path", "joint_paths", "body_paths", "geom_paths"}
    # These change what an element is, or how it begins, and have tests of their own.
    others = {"mode", "target_velocity", "starts_asleep"}
    for setter in (name for name in dir(Scene) if name.startswith("set_")):
        names = set(inspect.signature(getattr(Scene, setter)).parameters) - paths - others
        assert names <= set(CASES), setter
