"""When two runs part."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest

from servogym.gauge.divergence import main, partings, table

DT = 0.002


def apart(*events, t=1000, columns=19):
    """Two runs that differ by so much in a column from a sample on."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(t, columns))
    b = a.copy()
    for step, column, by in events:
        b[step:, column] = a[step:, column] + by
    return a, b


def test_the_three_times_of_two_runs_are_found():
    a, b = apart((30, 3, 2e-6), (87, 5, -2e-3), (347, 8, 0.2))
    found = partings(a, b, DT)
    assert [p.time for p in found] == pytest.approx([0.060, 0.174, 0.694])
    assert [p.threshold for p in found] == [1e-6, 1e-3, 0.1]
    assert [p.column for p in found] == ["column 3", "column 5", "column 8"]
    assert [p.difference for p in found] == pytest.approx([2e-6, 2e-3, 0.2])


def test_columns_go_by_their_names_and_time_by_its_start():
    a, b = apart((10, 1, 1.0), columns=2)
    (found,) = partings(a, b, DT, start=DT, thresholds=[0.5], names=["x", "left_knee"])
    assert (found.column, found.step) == ("left_knee", 10)
    assert found.time == pytest.approx(11 * DT)


def test_a_difference_of_just_the_threshold_is_none():
    a, b = np.zeros((5, 1)), np.full((5, 1), 0.1)
    assert partings(a, b, DT, thresholds=[0.1])[0].step is None
    assert partings(a, b, DT, thresholds=[0.0999])[0].step == 0


def test_equal_runs_never_part_and_the_largest_difference_is_told():
    a, b = apart((10, 0, 5e-4))
    never = partings(a, a, DT)
    assert all(p.time == np.inf and p.difference == 0.0 and p.column is None for p in never)
    small, large = partings(a, b, DT, thresholds=[1e-4, 1e-3])
    assert small.step == 10 and large.step is None
    assert large.difference == pytest.approx(5e-4)


def test_differences_come_and_go_but_the_first_counts():
    a, b = np.zeros((50, 1)), np.zeros((50, 1))
    b[7], b[30:] = 1e-4, 1.0
    assert [p.step for p in partings(a, b, DT)] == [7, 30, 30]


def test_a_number_against_none_is_a_parting_and_none_on_both_sides_is_not():
    a, b = np.zeros((9, 2)), np.zeros((9, 2))
    a[5, 1] = np.nan
    assert all(p.step == 5 and p.column == "column 1" for p in partings(a, b, DT))
    assert np.isnan(partings(a, b, DT)[0].difference)
    b[5, 1] = np.nan
    assert partings(a, b, DT)[0].step is None
    a[6, 0] = b[6, 0] = np.inf
    assert partings(a, b, DT)[0].step is None


def test_a_run_that_ends_early_is_compared_as_far_as_it_goes():
    a, b = apart((30, 3, 1.0))
    assert partings(a[:40], b, DT)[0].step == 30
    assert partings(a[:20], b, DT)[0].step is None


@pytest.mark.parametrize(
    ("a", "b", "more", "message"),
    [
        (np.zeros((5, 2)), np.zeros((5, 3)), {}, "shapes"),
        (np.zeros(5), np.zeros(5), {}, "shapes"),
        (np.zeros((0, 2)), np.zeros((5, 2)), {}, "0 and 5 samples"),
        (np.zeros((5, 2)), np.zeros((5, 2)), {"dt": 0.0}, "dt is 0"),
        (np.zeros((5, 2)), np.zeros((5, 2)), {"names": ["one"]}, "1 names for 2 columns"),
        (np.zeros((5, 2)), np.zeros((5, 2)), {"thresholds": [-1.0]}, "thresholds"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(a, b, more, message):
    with pytest.raises(ValueError, match=message):
        partings(a, b, **{"dt": DT, **more})


PENDULUM = """
<mujoco><option timestep="0.002"><flag contact="disable"/></option><worldbody>
  <body><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3"/>
    <body pos="0 0 -.3"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3"/></body></body>
</worldbody></mujoco>"""


def swing(nudge):
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    data.qpos[:] = [3.0 + nudge, 0.1]
    out = []
    for _ in range(6000):
        mujoco.mj_step(model, data)
        out.append(data.qpos.copy())
    return np.array(out)


def test_chaos_parts_two_pendulums_by_a_billionth_at_times_that_a_second_look_confirms():
    a, b = swing(0.0), swing(1e-9)
    found = partings(a, b, DT, start=DT, names=["a", "b"])
    times = [p.time for p in found]
    assert 0 < times[0] < times[1] < times[2] < 12.0
    for p in found:
        difference = np.abs(a - b).max(axis=1)
        assert difference[p.step] > p.threshold >= difference[: p.step].max()
    assert all(p.step is None for p in partings(a, swing(0.0), DT))


def test_the_tool_prints_when_two_files_part(tmp_path, capsys):
    a, b = apart((30, 3, 2e-6), (87, 5, -2e-3))
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    assert main([str(tmp_path / "a.npy"), str(tmp_path / "b.npy"), "--dt", "0.002"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == table(partings(a, b, DT)).splitlines()
    assert lines[0].startswith("> 1e-06  at 0.06 s (sample 30), column 3")
    assert lines[2] == "> 0.1  never; at most 0.002"


def test_a_file_that_is_no_run_is_refused_and_not_executed(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((5, 2)))
    np.save(tmp_path / "b.npy", np.array([{"evil": 1}], dtype=object), allow_pickle=True)
    (tmp_path / "c.npy").write_text("no array")
    (tmp_path / "d.npy").touch()
    (tmp_path / "e.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-8])
    np.savez(tmp_path / "f.npz", a=np.zeros((5, 2)))
    (tmp_path / "g.npz").write_bytes((tmp_path / "f.npz").read_bytes()[:60])
    np.save(tmp_path / "h.npy", np.zeros((5, 2), complex))
    np.save(tmp_path / "i.npy", np.full((5, 2), "x"))
    names = {path.name for path in tmp_path.iterdir()} - {"a.npy"}
    assert len(names) == 8
    for bad in sorted(names | {"missing.npy"}):
        assert main([str(tmp_path / "a.npy"), str(tmp_path / bad), "--dt", "0.002"]) == 1
        said = capsys.readouterr().err
        assert said.startswith("divergence: ") and bad in said


def test_a_start_that_is_no_time_is_refused(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((5, 2)))
    files = [str(tmp_path / "a.npy")] * 2
    assert main([*files, "--dt", "0.002", "--start", "nan"]) == 1
    assert "--start nan; needs a finite time" in capsys.readouterr().err


def test_the_tool_runs_as_a_module(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((5, 2)))
    files = [str(tmp_path / "a.npy")] * 2
    command = [sys.executable, "-m", "servogym.gauge.divergence", *files, "--dt", "0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count("never") == 3
