"""The five test terrains: their laws, their names, and heights that are MuJoCo's own."""

import warnings

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes.terrain import Field, Terrain, laws

DUCK = robots.get("microduck")
LEVELLED = ("slope", "wave", "stairs", "obstacle")
EVERY = [("flat", 1), *((kind, level) for kind in LEVELLED for level in laws.LEVELS)]


def compiled(ground):
    spec = mujoco.MjSpec()
    ground.lay(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def seen_from_above(model, data, x, y):
    """Height at places [m] by MuJoCo's ray caster, which knows nothing of ours."""
    geom, down = np.zeros(1, np.int32), np.array([0.0, 0.0, -1.0])
    tops = []
    for place in zip(x, y, strict=True):
        far = mujoco.mj_ray(model, data, np.array([*place, 60.0]), down, None, 1, -1, geom)
        tops.append(60.0 - far if far >= 0 else -np.inf)
    return np.array(tops)


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_its_height_anywhere_is_what_a_ray_from_above_hits(kind, level):
    ground = Terrain(kind=kind, level=level).ground()
    rng = np.random.default_rng(level)
    x, y = rng.uniform(-1.0, 11.0, 300), rng.uniform(-6.0, 6.0, 300)  # walls included
    np.testing.assert_allclose(
        ground.height(x, y), seen_from_above(*compiled(ground), x, y), rtol=0, atol=1e-9
    )


def test_beside_a_field_there_is_no_ground_for_the_ray_nor_for_us():
    ground = Field(levels=1, kinds=("rough",)).ground()
    (west, east), (south, north) = ground.bounds
    x, y = np.array([west - 0.01, east + 0.01, 0.0, 0.0]), np.array([0, 0, south - 1, north + 1])
    assert (ground.height(x, y) == -np.inf).all()
    assert (seen_from_above(*compiled(ground), x, y) == -np.inf).all()
    assert ground.outside(x, y).all()
    assert not ground.outside(np.array([0.0]), np.array([0.0])).any()


def test_slopes_rise_8_to_30_degrees_and_pass_through_robogauges_targets():
    for level, degrees in ((1, 8.363), (10, 29.683)):
        ground = Terrain(kind="slope", level=level).ground()
        low, high = ground.height(np.array([2.0, 9.0]), 0.0)
        assert np.degrees(np.arctan((high - low) / 7.0)) == pytest.approx(degrees, abs=5e-4)
        assert ground.height(4.8, 0.0) == pytest.approx(0.4 + 0.188 * level, abs=1e-9)
        np.testing.assert_allclose(ground.height(np.array([0.01, 0.8]), 0.0), 0.0, atol=1e-9)


def test_waves_swing_between_the_floor_and_four_amplitudes_through_robogauges_targets():
    for level in (1, 10):
        terrain = Terrain(kind="wave", level=level)
        ground = terrain.ground()
        hills = ground.solids[1].z
        assert hills.shape == (128, 128)
        assert 0.0 <= hills.min() < 4e-3 * level / 10
        assert 0.08 * level * 0.99 < hills.max() <= 0.08 * level
        assert ground.height(*terrain.start()) < 1e-3 * level  # a trough
        assert ground.height(*terrain.target()) > 0.075 * level  # near a crest
        assert ground.height(6.5, 0.0) > 0.079 * level
        along = ground.height(np.linspace(0.01, 9.99, 4001), 0.0)
        across = ground.height(6.5, np.linspace(-4.99, 4.99, 4001))
        for line, waves in ((along, 5), (across, 4)):
            upper = 0.4 * line.min() + 0.6 * line.max()
            assert np.count_nonzero(np.diff(line > upper)) == 2 * waves


def test_stairs_have_33_treads_of_31_centimetres_and_robogauges_risers():
    for level, riser in zip(
        laws.LEVELS, (0.08, 0.11, 0.14, 0.17, 0.18, 0.19, 0.20, 0.21, 0.22, 0.23), strict=True
    ):
        ground = Terrain(kind="stairs", level=level).ground()
        line = ground.height(np.linspace(0.1, 9.99, 98901), 1.0)
        jumps = np.flatnonzero(np.diff(line) > 1e-6)
        np.testing.assert_allclose(np.diff(line)[jumps], riser, atol=1e-9)
        np.testing.assert_allclose(np.diff(jumps) * 1e-4, 0.31, atol=2e-4)
        assert sum(name.startswith("step_") for name in ground.geoms) == 33


def test_obstacles_are_five_blocks_a_metre_long_with_a_metre_between_them():
    for level, height in ((1, 0.073), (10, 0.28)):
        ground = Terrain(kind="obstacle", level=level).ground()
        line = ground.height(np.arange(0.25, 10.0, 0.5), -4.9)
        np.testing.assert_allclose(line, np.tile([0, 0, height, height], 5), atol=1e-12)


@pytest.mark.parametrize("kind", LEVELLED)
def test_walls_stand_just_outside_the_patch_and_can_be_left_out(kind):
    walled, opened = (Terrain(kind=kind, walls=w).ground() for w in (True, False))
    walls = {"wall_left", "wall_right", "wall_top", "wall_bottom"}
    assert set(walled.geoms) - set(opened.geoms) == walls
    x, y = np.array([-0.01, 10.01, 5.0, 5.0]), np.array([0.0, 0.0, -5.01, 5.01])
    np.testing.assert_allclose(walled.height(x, y), 10.0)
    assert (opened.height(x, y) < 10.0).all()
    assert walled.bounds == opened.bounds == ((0.0, 10.0), (-5.0, 5.0))
    x, y = np.array([0.01, 9.99, 5.0, 5.0]), np.array([0.0, 0.0, -4.99, 4.99])
    assert (walled.height(x, y) < 10.0).all()


def test_every_geom_has_a_name_and_stays_out_of_the_way_of_the_robots():
    for kind, level in EVERY:
        spec = DUCK.spec()
        ground = Terrain(kind=kind, level=level).ground()
        ground.lay(spec)
        model = spec.compile()
        mine = [model.geom(i).name for i in range(model.ngeom) if model.geom_bodyid[i] == 0]
        assert tuple(mine) == ground.geoms and all(mine)


def test_the_robots_defaults_do_not_reach_the_ground_nor_the_grounds_the_robot():
    spec = DUCK.spec()
    spec.default.geom.friction = [0.1, 0.2, 0.3]
    Terrain(kind="obstacle").ground().lay(spec)
    model = spec.compile()
    np.testing.assert_array_equal(model.geom("block_1").friction, [1.0, 0.005, 0.0001])
    np.testing.assert_array_equal(model.geom("floor").friction, [1.0, 0.005, 0.0001])
    assert model.geom("left_foot_collision").priority == 1


def test_a_scaled_terrain_is_the_same_terrain_seen_from_further_away():
    for kind in LEVELLED:
        terrain, toy = Terrain(kind=kind, level=4), Terrain(kind=kind, level=4, scale=0.36)
        x, y = np.random.default_rng(1).uniform((0, -5), (10, 5), (200, 2)).T
        np.testing.assert_allclose(
            toy.ground().height(0.36 * x, 0.36 * y), 0.36 * terrain.ground().height(x, y), atol=1e-6
        )
        for place in ("start", "target", "middle"):
            np.testing.assert_allclose(
                getattr(toy, place)(), 0.36 * np.array(getattr(terrain, place)())
            )


def test_a_command_line_can_name_one():
    assert Terrain.parse("flat") == Terrain()
    assert Terrain.parse("stairs:10") == Terrain(kind="stairs", level=10)
    assert Terrain.parse("wave:3:open") == Terrain(kind="wave", level=3, walls=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("moon", "no terrain 'moon'; there are flat, slope, wave, stairs, obstacle"),
        ("wave:0", "levels are 1 to 10"),
        ("wave:11", "levels are 1 to 10"),
        ("wave:hard", "write it as kind:level"),
        ("wave:3:closed", "write it as kind:level"),
        ("wave:3:open:3", "write it as kind:level"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(text, said):
    with pytest.raises(ValueError, match=said):
        Terrain.parse(text)


@pytest.mark.parametrize("level", [0, 11, 2.0, 2.5])
def test_a_level_is_a_whole_number_from_1_to_10(level):
    with pytest.raises(ValueError, match=f"level {level} does not exist"):
        Terrain(kind="stairs", level=level)
    assert Terrain(kind="stairs", level=np.int64(4)) == Terrain(kind="stairs", level=4)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan])
def test_a_scale_must_be_a_positive_number(scale):
    with pytest.raises(ValueError, match="needs a positive number"):
        Terrain(scale=scale)


def test_ground_is_not_laid_over_ground():
    spec = DUCK.spec()
    Terrain().ground().lay(spec)
    with pytest.raises(ValueError, match=r"has geoms \['floor'\] already"):
        Terrain(kind="wave").ground().lay(spec)


def test_cells_smaller_than_half_a_foot_are_warned_about_with_the_size_to_ask_for():
    """Pains 70: many cells under one foot run out of contacts."""
    feet = tuple(foot.geom for foot in DUCK.feet)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Terrain(kind="wave").ground().lay(DUCK.spec(), feet)
        Field(scale=0.36).ground().lay(DUCK.spec(), feet)
    with pytest.warns(UserWarning, match=r"0.024 m, under half of the 0.054 m .* at least 0.027 m"):
        Field(scale=0.3).ground().lay(DUCK.spec(), feet)
    with pytest.raises(ValueError, match="no foot geom 'paw'"):
        Terrain().ground().lay(DUCK.spec(), ("paw",))


def test_the_example_of_the_page_runs_and_stands_where_it_says(checkout):
    page = (checkout / "docs" / "terrains.md").read_text()
    made = {}
    exec(page.split("```python")[1].split("```")[0], made)
    assert made["model"].ngeom > len(made["ground"].geoms) == 6
    assert 1.7 < made["z"] < 2.1  # 4.2 m up a slope of 0.382, and the height of a dog
    assert made["quat"] @ made["quat"] == pytest.approx(1.0)


def test_robots_begin_in_the_middle_where_that_is_asked():
    plain, middle = Terrain.parse("wave:3"), Terrain.parse("wave:3:middle")
    assert plain.start() != plain.middle() == middle.start() == middle.middle()
    assert middle.target() == plain.target() and middle.walls
    both = Terrain(kind="wave", level=3, walls=False, from_middle=True)
    assert Terrain.parse("wave:3:open:middle") == Terrain.parse("wave:3:middle:open") == both
    for text in ("wave:3:middle:middle", "wave:3:edge", "wave:middle"):
        with pytest.raises(ValueError, match="kind:level"):
            Terrain.parse(text)
