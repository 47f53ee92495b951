"""The page's ground is the physics' ground: the same heights at the same places."""

import mujoco
import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.scenes.terrain import Field, Terrain
from servogym.scenes.terrain.solids import Box, Hills
from servogym.viewer.figure import ROOT as ROBOT
from servogym.viewer.figure import Figure
from servogym.viewer.ground import REACH, ROAM, ROOT, STAIRS, Surroundings, patch
from tests.viewer.test_figure import Scene, turned


def hills(terrain) -> Hills:
    (found,) = [solid for solid in terrain.ground().solids if isinstance(solid, Hills)]
    return found


@pytest.mark.parametrize("terrain", [Terrain(kind="wave", level=7), Field(kinds=("rough",))])
def test_every_triangle_of_a_patch_lies_on_the_height_field(terrain):
    field = hills(terrain)
    x, y = np.add(field.corner, 0.5 * np.array(field.size))
    vertices, faces = patch(field, x, y)
    corners = vertices[faces]
    np.testing.assert_allclose(field.height(*vertices[:, :2].T), vertices[:, 2], atol=1e-9)
    middles = corners.mean(axis=1)
    np.testing.assert_allclose(field.height(*middles[:, :2].T), middles[:, 2], atol=1e-9)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] > 0).all()  # all of them are seen from above
    area = 0.5 * normals[:, 2].sum()
    assert area == pytest.approx(np.prod(np.ptp(vertices[:, :2], axis=0)), rel=1e-6)


@pytest.mark.parametrize("corner", [(0, 0), (1, 1), (9, -9)])
def test_a_patch_at_the_edge_of_a_field_or_beyond_ends_with_the_field(corner):
    field = hills(Field(kinds=("rough",), levels=2))
    low = np.array(field.corner)
    high = low + field.size
    vertices, faces = patch(field, *(low + np.array(corner) * field.size))
    assert len(faces) >= 2 and faces.max() == len(vertices) - 1
    assert (vertices[:, :2] >= low - 1e-9).all() and (vertices[:, :2] <= high + 1e-9).all()


def test_a_patch_reaches_as_far_as_promised():
    field = hills(Field(kinds=("rough",) * 3, levels=3))
    x, y = 3.0, 5.0
    vertices, _ = patch(field, x, y)
    for column, middle in enumerate((x, y)):
        assert vertices[:, column].min() == pytest.approx(middle - REACH, abs=field.cell[0])
        assert vertices[:, column].max() == pytest.approx(middle + REACH, abs=field.cell[0])


@pytest.mark.parametrize("kind", ["slope", "stairs", "obstacle"])
def test_boxes_are_where_mujoco_has_them_and_walls_are_not_drawn(kind):
    core = Core("go2_flat", 1, threads=1, terrain=f"{kind}:4")
    core.seed(np.arange(1), np.zeros(1, np.uint64))
    core.reset(np.arange(1))
    scene = Scene()
    Figure(scene, core)  # type: ignore[arg-type]
    model = core.looks
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    here = -scene.nodes[ROOT].position
    boxes = [solid for solid in core.footing.ground.solids if isinstance(solid, Box)]
    assert {box.shown for box in boxes} == {True, False}
    for box in boxes:
        if not box.shown:
            assert f"{ROOT}/{box.name}" not in scene.nodes
            continue
        drawn, geom = scene.nodes[f"{ROOT}/{box.name}"], model.geom(box.name).id
        np.testing.assert_allclose(drawn.position, data.geom_xpos[geom], atol=1e-9)
        corners = turned(drawn.wxyz, drawn.vertices)
        real = drawn.vertices @ data.geom_xmat[geom].reshape(3, 3).T
        np.testing.assert_allclose(corners, real, atol=1e-6)
        np.testing.assert_allclose(np.abs(drawn.vertices).max(axis=0), model.geom_size[geom])
    assert scene.nodes["/floor"].visible
    meshes = [name for name in scene.nodes if name.startswith(f"{ROBOT}/world/")]
    assert not meshes  # the ground is drawn once
    np.testing.assert_allclose(here[:2], core.state.base_pos[0, :2], atol=1e-9)


def test_the_feet_stand_on_the_ground_that_is_drawn():
    field = Field(kinds=("rough", "wave", "slope_up"))
    core = Core("go2_rough", 1, threads=1, level=6, terrain=field)
    core.seed(np.arange(1), np.full(1, 5, np.uint64))
    core.reset(np.arange(1))
    for _ in range(100):
        core.step(np.zeros((1, 12)))
    scene = Scene()
    Figure(scene, core)  # type: ignore[arg-type]
    assert not scene.nodes["/floor"].visible
    (ground,) = [node for name, node in scene.nodes.items() if name.startswith(f"{ROOT}/")]
    shown = ground.vertices + scene.nodes[ROOT].position
    trunk = scene.nodes[f"{ROBOT}/base"].position
    near = np.hypot(*(shown[:, :2] - trunk[:2]).T).argmin()
    height = trunk[2] - shown[near, 2]
    assert height == pytest.approx(core.state.base_height[0], abs=0.05)


def test_the_stairs_of_a_field_are_drawn_where_they_are():
    field = Field(kinds=("stairs_up", "stairs_down"), levels=2)
    ground, scene = field.ground(), Scene()
    Surroundings(scene, ground)  # type: ignore[arg-type]
    drawn = scene.nodes[f"{ROOT}/{STAIRS}"]
    corners = drawn.vertices[drawn.faces]
    middles = corners.mean(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    tops = normals[:, 2] > 1e-9
    stairs = ground.solids[1]
    assert tops.sum() == 2 * len(stairs.names)
    found = stairs.height(*middles[tops, :2].T)  # of pyramids the upper boxes hide the lower ones
    assert (found >= middles[tops, 2] - 1e-6).all()
    pits = middles[tops, 1] < 4.0
    np.testing.assert_allclose(found[pits], middles[tops, 2][pits], atol=1e-6)


def test_hills_are_drawn_again_when_the_robot_has_gone_some_way():
    field = Field(kinds=("rough",) * 3, levels=3)
    scene = Scene()
    around = Surroundings(scene, field.ground())  # type: ignore[arg-type]
    name = f"{ROOT}/{hills(field).name}"
    around.show(np.array([3.0, 5.0, 0.2]))
    first = scene.nodes[name]
    around.show(np.array([3.0 + 0.9 * ROAM, 5.0, 0.1]))
    assert scene.nodes[name] is first
    np.testing.assert_allclose(scene.nodes[ROOT].position, [-3.0 - 0.9 * ROAM, -5.0, -0.1])
    around.show(np.array([3.0 + 1.1 * ROAM, 5.0, 0.1]))
    assert scene.nodes[name] is not first
    assert scene.nodes[name].vertices[:, 0].max() > first.vertices[:, 0].max() + ROAM


def test_a_robot_that_leaves_the_field_for_a_step_does_not_take_the_picture_along():
    core = Core("go2_rough", 1, threads=1, level=2)
    core.seed(np.arange(1), np.zeros(1, np.uint64))
    core.reset(np.arange(1))
    scene = Scene()
    figure = Figure(scene, core)  # type: ignore[arg-type]
    qpos = core.batch.bind("qpos")
    home = qpos[0, 0]
    qpos[0, 0] = core.footing.ground.bounds[0][1] + 1.0
    assert core.footing.height(qpos[0]) == -np.inf
    figure.show(np.zeros(3))
    assert np.isfinite(scene.nodes[ROOT].position).all()
    qpos[0, 0] = home
    figure.show(np.zeros(3))
    height = core.footing.height(qpos[0])
    assert scene.nodes[ROOT].position[2] == pytest.approx(-height, abs=1e-9)
