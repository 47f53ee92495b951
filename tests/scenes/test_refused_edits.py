"""An edit that was refused leaves nothing behind, not even what no XML shows."""

import mujoco
import numpy as np
import pytest

from servogym.scenes.scene import Scene

UPPER = "/world/left/base/upper"
BOUNDED = (
    "<mujoco><compiler boundmass='0.01' boundinertia='0.001' fusestatic='true'/><worldbody>"
    "<body name='a'><joint name='j'/><geom size='.1'/><body name='dummy'/>"
    "<body name='light' pos='0 0 1'><joint name='k'/><geom size='.01' density='1'/></body></body>"
    "</worldbody></mujoco>"
)


def rules(scene):
    """The compiler settings of every body, which no XML shows once a thing is attached."""
    return [
        (body.name, body.compiler.boundmass, body.compiler.boundinertia, body.compiler.fusestatic)
        for body in scene._spec.bodies
    ]


def test_002_29_to_weigh_a_body_leaves_the_compiler_of_an_attached_file_alone():
    # A copy of a spec shares that compiler with the spec; a bound written to one is in both.
    scene, plain = Scene(), Scene()
    for each in (scene, plain):
        each.add("first", "<mujoco/>")
        each.add("it", BOUNDED)
    before = rules(scene)
    scene.set_body_physics_properties("/world/it/a", mass=1.25)
    assert rules(scene) == before
    with pytest.raises(ValueError):
        scene.set_bodies_physics_properties(
            ["/world/it/a", "/world/it/a/light"], mass=0.5, gravcomp=2.0
        )
    assert rules(scene) == before
    model, other = scene.finalize(), plain.finalize()
    assert model.body("it/a").mass == 1.25
    for body in ("it/dummy", "it/light"):
        assert model.body(body).mass == other.body(body).mass == 0.01
        np.testing.assert_array_equal(model.body(body).inertia, other.body(body).inertia)


def test_002_29_a_weighing_that_fails_puts_the_compiler_back_too():
    scene = Scene()
    scene.add("first", "<mujoco/>")
    scene.add("it", BOUNDED)
    scene.apply(lambda spec: void(spec.worldbody.add_body(name="ghost").add_joint(name="g")))
    before = rules(scene)
    with pytest.raises(ValueError, match="does not compile"):
        scene.set_body_physics_properties("/world/it/a", mass=1.25)
    assert rules(scene) == before


def void(_):
    return None


def test_002_29_and_30_the_model_does_not_depend_on_what_was_refused_or_in_which_order(arm, image):
    paths = [f"{UPPER}/shoulder", f"{UPPER}/lower/elbow"]
    models = []
    for attempts in ([], [paths[1]], paths[::-1]):
        scene = Scene()
        scene.add("left", arm)
        for path in attempts:
            with pytest.raises(ValueError):
                scene.set_joint_physics_properties(path, velocity_limit=-1.0)
        scene.set_joints_physics_properties(paths, velocity_limit=2.0, initial_position=0.1)
        models.append(image(scene.finalize()))
    scene = Scene()
    scene.add("left", arm)
    scene.set_joints_physics_properties(paths[::-1], velocity_limit=2.0, initial_position=0.1)
    models.append(image(scene.finalize()))
    assert len(set(models)) == 1


def test_a_joint_that_an_edit_was_refused_for_may_be_taken_away(scene):
    with pytest.raises(ValueError):
        scene.set_joint_physics_properties(f"{UPPER}/lower/tip/push", armature=-1.0)

    def cut(spec):
        spec.delete(spec.actuator("shove"))
        spec.delete(spec.joint("push"))

    scene.apply(cut)
    assert scene.finalize().nu == 5


def test_nameless_shapes_that_an_edit_was_refused_for_may_become_more(scene):
    with pytest.raises(ValueError):
        scene.set_contact_physics_properties(body_paths=[UPPER], sliding_friction=-1.0)
    ball = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [0.1, 0, 0]}
    scene.apply(lambda spec: void(spec.body("upper").add_geom(**ball)))
    scene.set_contact_physics_properties(body_paths=[UPPER], sliding_friction=0.5)
    model = scene.finalize()
    body = model.body("upper")
    own = range(body.geomadr[0], body.geomadr[0] + body.geomnum[0])
    assert [model.geom_friction[i, 0] for i in own] == [0.5] * 3
