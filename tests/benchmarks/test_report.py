"""The page and the picture show every case of a result, the absent ones with the reason."""

import json

import pytest

from benchmarks import compare, peers, plot, report
from benchmarks.__main__ import RESULTS
from benchmarks.contestant import SCRIPTS, Absent
from benchmarks.plan import Plan
from tests.benchmarks.synthetic import result


def test_the_page_names_the_machine_its_threads_and_every_case():
    text = report.page(result(), "x.json")
    for words in (
        "Example 9000, 2 cores, 16 GB",
        "physics 2",
        "mujoco 9.9",
        "| dc | 512 | 8,000 | 10,000 | 0.80 |",
        "| bam | 5,000 | 9,000 | 1.80 |",
        "| servogym, bam | MicroDuck-Flat-v0 | 512 | 7,000 |",
        "| bam | 10,000 | 28,571 | 0.35 |",
    ):
        assert words in text


def test_a_peer_that_is_absent_is_listed_with_the_reason():
    line = "| mjlab | not installed: python -m benchmarks.peers install mjlab |"
    assert line in report.page(result(), "x.json")


def test_writing_a_page_keeps_what_stands_above_the_marker(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(report, "PICTURE", tmp_path / "picture.png")
    report.PAGE.write_text(f"# Speed\n\n{report.MARKER}\nold")
    report.write(result(), "x.json")
    report.write(result(), "x.json")
    text = report.PAGE.read_text()
    assert text == f"# Speed\n\n{report.MARKER}\n\n{report.page(result(), 'x.json')}"
    assert report.PICTURE.read_bytes().startswith(b"\x89PNG")


def test_a_result_without_a_second_core_or_any_peer_can_be_drawn(tmp_path):
    lonely = result(cores=1)
    lonely["cores"] = [{"case": "bam", "absent": "only CPU 0 may be used"}]
    plot.draw(lonely, tmp_path / "x.png")
    assert "only CPU 0 may be used" in report.page(lonely, "x.json")


def test_the_committed_page_says_what_the_committed_result_says():
    measured = report.PAGE.read_text().partition(report.MARKER)[2]
    (path,) = [p for p in RESULTS.glob("*.json") if f"benchmarks/results/{p.name}" in measured]
    text = report.page(compare.load(path), path.name)
    assert measured.strip() == text.strip(), path.name


@pytest.mark.parametrize("name", peers.PEERS)
def test_a_peer_that_is_not_installed_says_how_to_install_it(name, tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "FOLDER", tmp_path)
    with pytest.raises(Absent, match=f"not installed: python -m benchmarks.peers install {name}"):
        peers.start(name, {})


@pytest.mark.parametrize("name", peers.PEERS)
def test_a_peer_has_a_contestant_and_options_that_survive_json(name):
    peer = peers.PEERS[name]
    assert (SCRIPTS / peer.script).is_file()
    assert json.loads(json.dumps(peer.options(Plan()))) == peer.options(Plan())


@pytest.mark.parametrize(("cpus", "workers"), [(1, [2]), (2, [2]), (6, [2, 4, 6]), (8, [2, 4, 8])])
def test_processes_with_one_robot_each_go_from_two_to_every_core(cpus, workers):
    assert Plan(cpus=tuple(range(cpus))).workers == workers
