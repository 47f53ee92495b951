"""`servogym list` and `describe` tell what the code is, and the committed pages tell the same."""

import sys

import pytest

from servogym.cli import describe
from servogym.cli import list as list_command
from servogym.cli.describe import page
from servogym.envs import registration
from servogym.envs.core import Core

IDS = sorted(registration.ids())


def _run(command, monkeypatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["servogym", *words])
    return command.main()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {env_id: page(env_id) for env_id in IDS}


@pytest.mark.parametrize("env_id", IDS)
def test_the_committed_page_is_what_describe_says_today(env_id, pages, checkout):
    cure = f"run: servogym describe {' '.join(IDS)} --write docs/tasks"
    committed = checkout / "docs" / "tasks" / f"{env_id}.md"
    assert committed.is_file() and committed.read_text("utf-8") == pages[env_id] + "\n", cure


@pytest.mark.parametrize("env_id", IDS)
def test_a_page_names_every_slot_joint_reward_and_end_and_says_what_it_is(env_id, pages):
    rows = {}
    for line in pages[env_id].splitlines():
        cells = [cell.strip() for cell in line.replace(r"\|", "/").strip("|").split("|")]
        if line.startswith("| "):
            rows |= {cell: cells for cell in cells[:2]}
    core = Core(n=1, **registration.resolve(env_id))
    ends = (*core.task.terminations, *core.task.truncations)
    for name in (
        *(slot.name for slot in core.contract.slots),
        *core.contract.joints,
        *core.task.rewards,
        *ends,
    ):
        assert all(rows[name]), f"{name}: {rows[name]}"


def test_every_slot_that_a_sensor_fills_shows_its_noise():
    core = Core(n=1, sensing={"lin_vel_noise": 0.1}, **registration.resolve(IDS[0]))
    measured = {
        slot.name
        for slot in core.contract.slots
        if slot.sensor not in ("operator", "previous network output")
    }
    assert measured == set(describe.NOISE)
    assert all(hasattr(core.task.sensing, field) for field in describe.NOISE.values())


def test_twins_differ_on_their_pages_in_name_and_gap_only(pages):
    plain = pages["MicroDuck-Flat-v0"].splitlines()
    twin = pages["MicroDuck-Flat-Backlash-v0"].splitlines()
    different = [
        line for line, other in zip(twin, plain, strict=True) if line.split() != other.split()
    ]
    assert [line for line in different if "MicroDuck-Flat" not in line] == [
        next(line for line in twin if "gap of the gears" in line)
    ]


def test_describe_writes_the_page_where_it_is_told_to(monkeypatch, tmp_path, pages):
    assert _run(describe, monkeypatch, IDS[0], "--write", str(tmp_path / "pages")) == 0
    assert (tmp_path / "pages" / f"{IDS[0]}.md").read_text("utf-8") == pages[IDS[0]] + "\n"


def test_describe_refuses_an_unknown_id_with_the_known_ones(monkeypatch, capsys):
    assert _run(describe, monkeypatch, "MicroDuck-Flat-v7") == 2
    said = capsys.readouterr().err
    assert "'MicroDuck-Flat-v7'" in said and all(env_id in said for env_id in IDS)


def test_list_shows_every_environment(monkeypatch, capsys):
    assert _run(list_command, monkeypatch) == 0
    shown = capsys.readouterr().out
    assert all(f"| {env_id} " in shown for env_id in IDS)


def test_list_with_a_keyword_shows_only_what_matches(monkeypatch, capsys):
    assert _run(list_command, monkeypatch, "BACKLASH") == 0
    shown = capsys.readouterr().out
    assert "MicroDuck-Flat-Backlash-v0" in shown and "MicroDuck-Flat-v0" not in shown


def test_list_without_a_match_says_what_there_is(monkeypatch, capsys):
    assert _run(list_command, monkeypatch, "submarine") == 1
    assert "MicroDuck-Flat-v0" in capsys.readouterr().err
