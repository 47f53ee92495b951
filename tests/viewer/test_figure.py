"""What the page draws is what MuJoCo has: the same shapes, at the same places."""

import mujoco
import numpy as np
import pytest

from servogym.viewer.figure import ASKED, ROOT, Figure, seen, surface

SHAPES = """
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0  .1 0 0  0 .2 0  0 0 .3"/></asset>
  <worldbody>
    <geom type="sphere" size=".1"/>
    <geom type="ellipsoid" size=".1 .2 .3"/>
    <geom type="box" size=".1 .2 .3"/>
    <geom type="cylinder" size=".1 .3"/>
    <geom type="capsule" size=".1 .3"/>
    <geom type="mesh" mesh="wedge"/>
    <geom type="plane" size="1 1 1"/>
  </worldbody>
</mujoco>
"""


class Node:
    """What a scene gives back: a thing with a place."""

    def __init__(self, **what) -> None:
        self.position, self.wxyz, self.visible = np.zeros(3), np.array([1.0, 0, 0, 0]), True
        vars(self).update(what)


class Scene:
    """Remembers what was added, by name."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}

    def _add(self, name, **what) -> Node:
        self.nodes[name] = Node(**what)
        return self.nodes[name]

    add_grid = add_frame = _add

    def add_mesh_simple(self, name, vertices, faces, **what) -> Node:
        return self._add(name, vertices=vertices, faces=faces, **what)

    def add_arrows(self, name, points, colors, **what) -> Node:
        return self._add(name, points=points, colors=colors, **what)


def turned(quat, points):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quat, float))
    return points @ matrix.reshape(3, 3).T


@pytest.mark.parametrize(
    ("geom", "half"),
    [
        (0, (0.1, 0.1, 0.1)),
        (1, (0.1, 0.2, 0.3)),
        (2, (0.1, 0.2, 0.3)),
        (3, (0.1, 0.1, 0.3)),
        (4, (0.1, 0.1, 0.4)),
    ],
)
def test_a_surface_has_the_size_of_its_geom_around_its_middle(geom, half):
    model = mujoco.MjModel.from_xml_string(SHAPES)
    vertices, faces = surface(model, geom)
    np.testing.assert_allclose(vertices.max(axis=0), half, rtol=0.02)
    np.testing.assert_allclose(vertices.min(axis=0), np.negative(half), rtol=0.02)
    assert faces.max() < len(vertices)


def test_a_mesh_is_drawn_as_it_is():
    model = mujoco.MjModel.from_xml_string(SHAPES)
    vertices, faces = surface(model, 5)
    assert len(vertices) == 4 and len(faces) == 4
    assert np.prod(np.ptp(turned(model.geom_quat[5], vertices), axis=0)) == pytest.approx(0.006)


def test_what_cannot_be_drawn_is_named():
    model = mujoco.MjModel.from_xml_string(SHAPES)
    with pytest.raises(ValueError, match="geom 6 is a mjGEOM_PLANE"):
        surface(model, 6)


def test_every_visual_geom_and_no_collision_shape_is_where_mujoco_has_it(live):
    scene, core = Scene(), live.core
    figure = Figure(scene, core)  # type: ignore[arg-type]
    live.command({"command": np.array([0.3, 0.0, 0.0])})
    for _ in range(80):
        live.step()
    figure.show(np.zeros(3))
    model = core.looks
    data = mujoco.MjData(model)
    data.qpos[:] = core.batch.bind("qpos")[0]
    mujoco.mj_kinematics(model, data)
    here = np.array((*core.state.base_pos[0, :2], 0.0))
    for geom in seen(model):
        name = f"{ROOT}/{model.body(model.geom_bodyid[geom]).name}"
        body, shape = scene.nodes[name], scene.nodes[f"{name}/{geom}"]
        place = body.position + turned(body.wxyz, np.asarray(shape.position))
        np.testing.assert_allclose(place, data.geom_xpos[geom] - here, atol=1e-9)
    meshes = [node for node in scene.nodes.values() if "vertices" in vars(node)]
    assert len(meshes) == len(seen(model)) == sum(model.geom_group == 2)


def test_the_floor_moves_under_the_robot_and_shows_where_it_is(live):
    scene = Scene()
    figure = Figure(scene, live.core)  # type: ignore[arg-type]
    live.core.batch.bind("qpos")[0, :2] = (1.2, -0.3)
    figure.show(np.zeros(3))
    np.testing.assert_allclose(scene.nodes["/floor"].position, [-0.2, -0.2, 0.0], atol=1e-9)


def test_blue_arrows_show_what_is_asked_green_ones_what_is_done(live):
    scene = Scene()
    figure = Figure(scene, live.core)  # type: ignore[arg-type]
    arrows = {name: node for name, node in scene.nodes.items() if name.startswith("/arrows")}
    assert not any(node.visible for node in arrows.values())
    live.command({"command": np.array([0.3, 0.0, 0.0])})
    figure.show(np.array([0.2, 0.0, 0.0]))
    shown = {name for name, node in arrows.items() if node.visible}
    assert shown == {"/arrows/asked/flat", "/arrows/done/flat"}
    assert arrows["/arrows/asked/flat"].colors == ASKED
    lengths = [
        np.linalg.norm(np.diff(arrows[f"/arrows/{which}/flat"].points[0], axis=0))
        for which in ("asked", "done")
    ]
    assert lengths[0] / lengths[1] == pytest.approx(1.5, rel=1e-4)
