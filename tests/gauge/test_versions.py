"""The version matrix: plain scenes, a worker that is the clean room, and cells that may die."""

import json
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym import actuators, robots
from servogym.deploy.cleanroom.room import CleanRoom
from servogym.gauge.versions import __main__ as command
from servogym.gauge.versions import (
    cells,
    compare,
    homes,
    jobs,
    matrix,
    page,
    plain,
    quality,
    worker,
)
from servogym.gauge.versions.jobs import Case
from servogym.scenes import world
from servogym.scenes.terrain import Terrain
from tests.gauge import versions

HERE = Path(sys.executable)
LEFT_OUT = {"body_geomadr", "body_geomnum", "dof_length"}  # count shapes, or measure them to sleep


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    return versions.policy(tmp_path_factory.mktemp("policy"))


def model(terrain="flat", contact="native", name="go2"):
    robot = robots.get(name)
    law = actuators.make("pd", robot)
    ground = Terrain.parse(terrain).ground()
    return world.build(robot, actuator=law, ground=ground, contact=contact, lean=True)


def load(scene: plain.Plain, folder: Path) -> mujoco.MjModel:
    folder.mkdir(exist_ok=True)
    (folder / "scene.xml").write_text(scene.xml)
    for name, content in scene.assets.items():
        (folder / name).write_bytes(content)
    return mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))


@pytest.mark.filterwarnings("ignore:contact")
@pytest.mark.parametrize(
    ("name", "terrain", "contact"),
    [
        ("go2", "flat", "native"),
        ("go2", "wave:3:open", "C"),
        ("go2", "stairs:2:open", "B"),
        ("microduck", "flat", "C"),
    ],
)
def test_a_plain_scene_compiles_to_the_same_numbers_to_the_last_bit(
    tmp_path, name, terrain, contact
):
    ours = model(terrain, contact, name)
    theirs = load(plain.write(ours), tmp_path)
    kept = plain.touching(ours)
    for field in dir(ours):
        kind = field.partition("_")[0]
        mine = getattr(ours, field)
        if kind not in ("body", "jnt", "dof", "geom", "actuator", "pair", "hfield", "qpos0"):
            continue
        if not isinstance(mine, np.ndarray) or field in LEFT_OUT:
            continue
        if kind == "geom":
            mine = mine[kept]
        if field in ("pair_geom1", "pair_geom2"):
            mine = np.searchsorted(kept, mine)
        said = getattr(theirs, field)
        if field not in _SEEN_ONLY and mine.shape == said.shape:
            np.testing.assert_array_equal(mine, said, err_msg=field)
    for option in (
        "timestep",
        "gravity",
        "cone",
        "impratio",
        "iterations",
        "tolerance",
        "jacobian",
    ):
        assert np.array_equal(getattr(ours.opt, option), getattr(theirs.opt, option)), option


_SEEN_ONLY = {
    "geom_matid",
    "geom_rgba",
    "geom_group",
    "geom_bodyid",
    "geom_dataid",
    "hfield_pathadr",
    "body_bvhadr",
    "body_bvhnum",
}


def test_a_plain_scene_moves_as_the_scene_does_to_the_last_bit(tmp_path):
    ours = model("wave:3:open", "C")
    theirs = load(plain.write(ours), tmp_path)
    theirs.opt.disableflags = ours.opt.disableflags
    one, two = mujoco.MjData(ours), mujoco.MjData(theirs)
    rng = np.random.default_rng(0)
    for _ in range(200):
        one.ctrl[:] = two.ctrl[:] = rng.normal(0.0, 4.0, ours.nu)
        mujoco.mj_step(ours, one)
        mujoco.mj_step(theirs, two)
    assert one.ncon > 0
    np.testing.assert_array_equal(one.qpos, two.qpos)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("<tendon><fixed><joint joint='j' coef='1'/></fixed></tendon>", "ntendon is 1"),
        ("<actuator><position joint='j' kp='2'/></actuator>", "no motor whose control"),
        ("<actuator><motor joint='j'/></actuator><equality><joint joint1='j'/></equality>", "neq"),
    ],
)
def test_what_a_plain_scene_cannot_say_is_refused_by_name(change, said):
    text = f"""<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1"/></body>
      </worldbody>{change}</mujoco>"""
    with pytest.raises(ValueError, match=said):
        plain.write(mujoco.MjModel.from_xml_string(text))


def test_a_body_that_is_carried_against_gravity_is_refused_by_name():
    text = """<mujoco><worldbody><body gravcomp="1"><joint/><geom size=".1"/></body></worldbody>
      </mujoco>"""
    with pytest.raises(ValueError, match="body_gravcomp"):
        plain.write(mujoco.MjModel.from_xml_string(text))


def play(prepared: jobs.Prepared, loop: str, **how) -> dict[str, np.ndarray]:
    told = {"native": True, "multi": None, **how}
    job = json.loads(jobs.write(prepared, loop, loop=loop, **told).read_text())
    robot = worker.Robot(job, prepared.folder)
    return {**worker.play(robot, job, prepared.folder), "depth": np.array(robot.depths)}


@pytest.fixture(scope="module")
def prepared(policy, tmp_path_factory):
    case = Case(policy=policy, seconds=1.0, starts=2)
    return jobs.prepare(case, tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def closed(prepared):
    found = play(prepared, "closed")
    file = prepared.folder / "record.npz"
    np.savez(file, **found)
    return found, file


def test_the_worker_is_the_clean_room_to_the_last_bit(policy, tmp_path):
    """It has the clean room's observations, motors and order of things, without our code."""
    room = CleanRoom(policy)
    room.command({"command": np.array([0.5, 0.0, 0.0])})
    case = jobs.prepare(Case(policy=policy, seconds=1.0, starts=1), tmp_path)
    case.job["qpos"] = [room._bodies[0].data.qpos.tolist()]
    found = play(case, "closed")
    for step in range(50):
        room.step(room.act(room.observe()))
        np.testing.assert_array_equal(room._bodies[0].data.qpos, found["qpos"][0, step])


def test_the_worker_imports_nothing_of_ours():
    text = Path(worker.__file__).read_text()
    names = [line for line in text.splitlines() if line.strip().startswith(("import", "from"))]
    assert names and not [line for line in names if "servogym" in line]


def test_open_loop_plays_the_closed_loop_back_to_the_last_bit(prepared, closed):
    found = play(prepared, "open", record=closed[1])
    np.testing.assert_array_equal(found["qpos"], closed[0]["qpos"])


def test_steps_begin_where_the_record_is_and_not_where_the_last_step_ended(prepared, closed):
    """A record in which a step is elsewhere moves that step and the next one, and no third."""
    one = play(prepared, "step", record=closed[1])
    moved = {name: np.array(value) for name, value in closed[0].items()}
    moved["qpos"][0, 20, 0] += 0.5
    file = prepared.folder / "moved.npz"
    np.savez(file, **moved)
    two = play(prepared, "step", record=file)
    apart = np.abs(one["qpos"] - two["qpos"]).max(axis=-1)
    assert np.flatnonzero(apart[0] > 0.1).tolist() == [21]
    assert apart[1].max() == 0.0


def test_a_nudge_is_as_small_as_it_says_and_everywhere(prepared):
    starts = [
        np.array(json.loads(jobs.write(prepared, "n", loop="closed", native=True, multi=None,
                                       nudge=nudge).read_text())["qpos"])
        for nudge in (False, True)
    ]  # fmt: skip
    apart = starts[1] - starts[0]
    assert (np.abs(apart).max(axis=1) > 0).all()
    assert np.abs(apart).max() == pytest.approx(jobs.NUDGE, rel=1e-5)


def test_a_state_that_blows_up_is_noticed_although_mujoco_says_nothing(prepared):
    job = json.loads(jobs.write(prepared, "x", loop="closed", native=True, multi=None).read_text())
    robot = worker.Robot(job, prepared.folder)
    robot.begin(np.array(job["qpos"][0]), np.zeros(robot.model.nv))
    assert robot.obey(robot.pose)
    robot.begin(np.array(job["qpos"][0]), np.full(robot.model.nv, 1e12))
    assert not robot.obey(robot.pose)


def test_features_are_switched_by_the_names_a_version_has_for_them(prepared, monkeypatch):
    model = mujoco.MjModel.from_xml_path(str(prepared.folder / jobs.SCENE))
    native = int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    worker.flags(model, native=False, multi=None)
    assert model.opt.disableflags & native
    worker.flags(model, native=True, multi=None)
    assert not model.opt.disableflags & native
    assert model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ISLAND)

    class Enable:  # as 3.2.3 has it
        mjENBL_NATIVECCD = 1 << 6

    class Disable:
        pass

    monkeypatch.setattr(mujoco, "mjtEnableBit", Enable)
    monkeypatch.setattr(mujoco, "mjtDisableBit", Disable)
    model.opt.enableflags = model.opt.disableflags = 0
    worker.flags(model, native=True, multi=None)
    assert (model.opt.enableflags, model.opt.disableflags) == (1 << 6, 0)
    worker.flags(model, native=False, multi=False)
    assert model.opt.enableflags == 0
    with pytest.raises(ValueError, match="has no multiccd"):
        worker.flags(model, native=False, multi=True)


def test_a_worker_of_this_version_runs_in_a_process_of_its_own(prepared):
    job = jobs.write(prepared, "alone", loop="closed", native=True, multi=None)
    out = prepared.folder / "alone.npz"
    assert cells.run(HERE, job, out).outcome == "ran"
    found = cells.load(out)
    np.testing.assert_array_equal(found["qpos"], play(prepared, "closed")["qpos"])
    assert json.loads(str(found["versions"]))["mujoco"] == mujoco.__version__


def test_single_steps_that_end_elsewhere_are_counted_and_measured():
    one = {"qpos": np.zeros((1, 10, 3))}
    two = {"qpos": one["qpos"].copy()}
    two["qpos"][0, 3, 1] = 1e-4
    two["qpos"][0, 4, 1] = 1e-12
    found = compare.steps(one, two)
    assert found == {"share": 0.1, "median": 0.0, "p99": 1e-12, "max": 1e-4}
    two["qpos"][0, 5] = np.nan
    assert compare.steps(one, two)["max"] == np.inf
    both = {"qpos": np.full((1, 4, 3), np.nan)}
    both["qpos"][0, 0] = 0.0
    assert compare.steps(both, both)["share"] == 0.0


def test_partings_are_the_median_over_the_starts():
    one = {"qpos": np.zeros((3, 10, 2))}
    two = {"qpos": one["qpos"].copy()}
    two["qpos"][0, 2:] = 0.01
    two["qpos"][1, 4:] = 0.01
    found = compare.times(one, two, 0.02)
    assert found == {"1e-06": pytest.approx(0.1), "0.001": pytest.approx(0.1), "0.1": np.inf}


def test_quality_is_0_from_the_fall_on_and_looks_at_the_states_of_the_run(prepared, closed):
    run = {name: np.array(value) for name, value in closed[0].items()}
    how = (prepared.robot, prepared.model, 0.02, (0.0, 0.0, 0.0), (1.0, 0.5, 1.0))
    long = {
        name: np.concatenate([value] * 3, axis=1) if value.ndim == 3 else value
        for name, value in run.items()
    }
    long["end"] = np.array([150, 150])
    whole = quality.of(long, *how)
    assert all(0.1 < value < 1.0 for value in whole)
    fallen = {**long, "fell": np.array([True, False]), "end": np.array([100, 150])}
    for name in ("qpos", "qvel", "torque", "target", "action"):
        fallen[name] = long[name].copy()
        fallen[name][0, 100:] = np.nan
    half = quality.of(fallen, *how)
    assert half[1] == whole[1] and half[0] == pytest.approx(0.5 * whole[0], abs=0.05)


@pytest.fixture(scope="module")
def record(policy, tmp_path_factory):
    """Three versions of a made-up engine: dead in one detector, elsewhere in another."""
    folder = tmp_path_factory.mktemp("matrix")
    odd = versions.made_up(
        folder,
        acts={"old-native": "crash", "old-legacy-open": "fail"},
        moves={
            "new-legacy": (("closed",), 1e-2),
            "mid-native": (("closed", "open", "step"), 1e-2),
            "mid-legacy": (("closed", "open", "step"), 1e-4),
        },
        other=("geom_friction",),
    )
    pythons = {"old": HERE, "mid": HERE, "new": HERE}
    case = Case(policy=policy, seconds=2.0, starts=2)
    return matrix.run([case], pythons, "new", folder / "runs", worker=odd)


def cell(record, version, detector):
    (found,) = (
        c
        for c in record["cases"][0]["cells"]
        if (c["version"], c["detector"]) == (version, detector)
    )
    return found


def test_a_cell_that_dies_is_a_cell_with_its_return_code(record):
    dead = cell(record, "old", "native")
    assert {end["code"] for end in dead["ends"].values()} == {-11}
    assert dead["ends"]["closed"]["text"] == "crashed: SIGSEGV (return code -11)"
    half = cell(record, "old", "legacy")
    assert half["ends"]["open"]["outcome"] == "failed"
    assert "the scene does not load" in half["ends"]["open"]["text"]
    assert half["ends"]["closed"]["outcome"] == "ran" and "closed_parting" in half
    assert len(record["cases"][0]["cells"]) == 6


def test_why_runs_part_follows_from_single_steps(record):
    said = {
        (c["version"], c["detector"]): page.verdict(c, record) for c in record["cases"][0]["cells"]
    }
    assert said == {
        ("old", "native"): "dead",
        ("old", "legacy"): "dead",
        ("mid", "native"): "physics",
        ("mid", "legacy"): "tolerance",
        ("new", "native"): "reference",
        ("new", "legacy"): "chaos",
    }
    assert cell(record, "mid", "native")["group"] != cell(record, "new", "native")["group"]
    assert cell(record, "mid", "legacy")["group"] == cell(record, "new", "native")["group"]


def test_a_model_that_is_read_otherwise_is_named(record):
    assert cell(record, "old", "legacy")["other_model"] == ["geom_friction"]
    assert cell(record, "mid", "native")["other_model"] == []


def test_the_page_tells_the_dead_the_different_and_the_nudged(record):
    text = page.write(record, "python -m servogym.gauge.versions")
    assert "old native: crashed: SIGSEGV (return code -11)." in text
    assert "Have other physics: mid native." in text
    assert "old legacy in geom_friction" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 6 + 1  # head, cells, nudged
    width = rows[0].count("|")
    assert {row.count("|") for row in rows} == {width}
    assert sum("*nudged*" in row for row in rows) == 1


def test_the_same_runs_give_the_same_bytes(record, policy, tmp_path):
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_a_worker_that_hangs_is_stopped_and_leaves_nothing(prepared, tmp_path):
    hangs = versions.made_up(tmp_path, acts={"slow": "hang"})
    job = jobs.write(prepared, "slow", loop="closed", native=True, multi=None)
    out = tmp_path / "slow.npz"
    out.write_bytes(b"of an earlier time")
    ending = cells.run(HERE, job, out, limit=1.0, worker=hangs)
    assert str(ending) == "timeout: stopped after 1 s"
    assert not out.exists() and not list(tmp_path.glob(".*"))


def test_a_reference_that_does_not_run_ends_it_all(policy, tmp_path):
    dies = versions.made_up(tmp_path, acts={"reference": "crash"})
    case = Case(policy=policy, seconds=0.2, starts=1)
    with pytest.raises(RuntimeError, match="the reference, MuJoCo new, closed loop: crashed"):
        matrix.run([case], {"new": HERE}, "new", tmp_path / "runs", worker=dies)
    with pytest.raises(LookupError, match="reference 'other'"):
        matrix.run([case], {"new": HERE}, "other", tmp_path / "runs", worker=dies)


def test_height_fields_are_played_with_three_detectors_and_other_ground_with_two(policy):
    assert matrix.detectors(Case(policy=policy, terrain="wave:2")) == ("native", "legacy", "bare")
    assert matrix.detectors(Case(policy=policy, terrain="slope:2")) == ("native", "legacy")


def test_the_command_asks_for_a_policy_and_for_environments(policy, tmp_path, capsys):
    assert command.main(["--write", str(tmp_path / "v")]) == 1
    assert "give --go2 or --duck" in capsys.readouterr().err
    empty = ["--environments", str(tmp_path / "none"), "--write", str(tmp_path / "v")]
    assert command.main(["--go2", str(policy), *empty]) == 1
    assert "no environment of MuJoCo 3.2.3" in capsys.readouterr().err
    assert not homes.present(tmp_path / "none", "3.2.3")


def test_the_command_plays_the_grounds_of_the_issue(policy):
    options = command.Options(go2=policy, duck=policy)
    told = [(c.terrain.partition(":")[0], c.contact, c.margin) for c in command.cases(options)]
    assert told == [
        ("flat", "native", None),
        ("slope", "native", None),
        ("wave", "native", None),
        ("wave", "C", None),
        ("wave", "C", 0.0),
        ("stairs", "native", None),
        ("obstacle", "native", None),
        ("flat", "native", None),
    ]


def test_the_command_on_the_page_holds_what_was_asked_and_no_place_of_this_machine():
    args = ["--go2", "g.onnx", "--environments", "/e", "--processes=3", "--runs", "/r"]
    assert command._asked([*args, "--starts", "2"]) == ["--go2", "g.onnx", "--starts", "2"]
