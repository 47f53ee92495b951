"""The tables of a run folder: a row an iteration, also after a crash."""

from servogym.learning.callbacks.table import append, read, rewind


def steps(path):
    return [int(row["env_steps"]) for row in read(path)]


def test_a_resumed_run_drops_the_rows_it_will_make_again(tmp_path):
    path = tmp_path / "progress.csv"
    for made in (100, 200, 300):
        append(path, {"env_steps": made, "reward": 0.5})
    rewind(path, 200)
    append(path, {"env_steps": 300, "reward": 0.25})
    assert steps(path) == [100, 200, 300]
    assert read(path)[-1]["reward"] == "0.25"


def test_a_row_cut_short_by_a_full_disk_does_not_swallow_the_next_one(tmp_path):
    path = tmp_path / "progress.csv"
    append(path, {"env_steps": 1000, "reward": 0.5})
    with path.open("a") as file:
        file.write("20")
    rewind(path, 1000)
    append(path, {"env_steps": 2000, "reward": 0.25})
    assert steps(path) == [1000, 2000]


def test_a_table_that_was_never_begun_or_has_half_a_header_begins_anew(tmp_path):
    path = tmp_path / "progress.csv"
    rewind(path, 0)
    path.write_text("env_st")
    rewind(path, 0)
    append(path, {"env_steps": 100, "reward": 0.5})
    assert steps(path) == [100]
