"""A regression of 20 % against a stored ratio is seen and named; a slower machine is not one."""

import copy
import json
import sys

import pytest

from benchmarks import compare
from tests.benchmarks.synthetic import result


def _with_ratio(share: float):
    new = copy.deepcopy(result())
    new["bare"][1]["ratio"]["median"] *= share
    return new


def test_a_ratio_that_fell_by_21_percent_is_named(capsys):
    assert compare.verdict(result(), _with_ratio(0.79)) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "slower by more than 20%: ours / bare, 512 of bam"


@pytest.mark.parametrize("share", [0.81, 1.0, 3.0])
def test_a_ratio_that_fell_by_less_or_rose_passes(share):
    assert compare.verdict(result(), _with_ratio(share)) == 0


def test_every_section_of_ours_is_compared():
    assert set(compare.ratios(result())) == {
        "ours / bare, 512 of dc",
        "ours / bare, 512 of bam",
        "training / alone, bam",
        "late / early, bam",
        "two cores / one, bam",
    }


def test_a_machine_half_as_fast_is_no_regression():
    slow = result(factor=0.5)
    assert slow["bare"][0]["ours"]["median"] < 0.6 * result()["bare"][0]["ours"]["median"]
    assert compare.verdict(result(), slow) == 0


def test_a_case_that_is_no_longer_measured_counts_as_fallen(capsys):
    new = result()
    del new["bare"][0]
    assert compare.verdict(result(), new) == 1
    assert "slower by more than 20%: ours / bare, 512 of dc" in capsys.readouterr().out


def test_results_with_other_thread_counts_are_refused_with_both(capsys):
    assert compare.verdict(result(cores=2), result(cores=8)) == 2
    assert "cores 2 then, 8 now" in capsys.readouterr().out


@pytest.mark.parametrize(("share", "status"), [(0.7, 1), (0.9, 0)])
def test_the_command_compares_two_files(share, status, tmp_path, monkeypatch):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(result()))
    new.write_text(json.dumps(_with_ratio(share)))
    monkeypatch.setattr(sys, "argv", ["compare", str(old), str(new)])
    with pytest.raises(SystemExit) as end:
        compare.main()
    assert end.value.code == status


def test_a_file_that_is_no_result_is_refused_with_what_it_lacks(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"machine": {}, "plan": {}}')
    with pytest.raises(ValueError, match="it has no bare, cores, others, training"):
        compare.load(path)
