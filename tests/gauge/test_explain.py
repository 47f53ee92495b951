"""What the rewards pay: walking most, and a page that names the trap where it is otherwise."""

import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from servogym.cli import explain
from servogym.envs import registration
from servogym.gauge.pay import Aimless, Pay, Stage, aimless, stages
from servogym.gauge.reference import Steps
from servogym.gauge.trap import blind, idle, traps

IDS = sorted(registration.ids())
QUICK = 0.8
"""Swings of the second kind, in those of the first."""


@pytest.mark.parametrize("quick", [1.0, QUICK], ids=["usual", "quick"])
@pytest.mark.parametrize("env_id", IDS)
def test_walking_earns_a_third_more_than_not_walking_early_and_late(env_id, quick):
    options = registration.resolve(env_id)
    usual = Steps.of(registration.find(options["task"]).stride)
    found = stages(steps=replace(usual, swing=quick * usual.swing), **options)
    assert len(found) in (1, 2)
    for stage in found:
        stand, step, walk = (pay.total for pay in stage.asked_to_walk)
        assert walk >= 1.3 * step > 0 and walk >= 1.3 * stand > 0, stage.when
        assert step > stand, stage.when
        assert traps(stage) == []


@pytest.mark.parametrize("env_id", [name for name in IDS if name.startswith("MicroDuck")])
def test_in_the_end_a_duck_is_hardly_paid_for_steps_that_lead_nowhere(env_id):
    stand, step, walk = stages(**registration.resolve(env_id))[-1].asked_to_walk
    steps = [pay.terms["gait"] + pay.terms["underway"] for pay in (stand, step, walk)]
    assert 0 == steps[0] < steps[1] <= 0.1 * steps[2]


@pytest.mark.parametrize("env_id", IDS)
def test_asked_to_stand_standing_earns_most_early_and_late(env_id):
    for stage in stages(**registration.resolve(env_id)):
        stand, step, walk = (pay.total for pay in stage.asked_to_stand)
        assert stand > step and stand > walk, stage.when


def trapped() -> dict[str, float]:
    """Weights with nothing left that pays walking more than standing."""
    stand, _, walk = stages("microduck_flat")[-1].asked_to_walk
    return {name: 0.0 for name in walk.terms if walk.terms[name] > stand.terms[name]}


def test_a_reward_that_pays_standing_is_called_a_trap_with_the_term_that_pays(
    monkeypatch, capsys, tmp_path
):
    write_run(tmp_path, {"rewards": trapped()})
    assert run(monkeypatch, str(tmp_path)) == 0
    said = capsys.readouterr().out.partition("## The likely trap")[2]
    stand = stages("microduck_flat", rewards=trapped())[-1].asked_to_walk[0]
    most = max(stand.terms, key=lambda name: stand.terms[name])
    assert "'stand', asked for 0.338 m/s, earns more than walking earns" in said
    assert f"{most} pays it most" in said
    assert "No trap" not in said


def test_the_page_prints_every_term_for_every_motion_and_both_baselines(monkeypatch, capsys):
    assert run(monkeypatch, "MicroDuck-Flat-v0") == 0
    shown = capsys.readouterr().out
    rows = [line.strip("| ").split("|") for line in shown.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row] for row in rows]
    for name in registration.find("microduck_flat").rewards:
        assert max(len(row) for row in cells if row[0] == name) == 8, name
    heading = next(row for row in cells if row[0] == "term" and len(row) == 8)
    assert heading[1:4] == ["stand", "step in place", "walk"]
    assert heading[6:] == ["action 0", "random actions"]
    assert "No trap found" in shown


def test_the_page_of_a_run_is_about_its_own_rewards_and_shows_its_own_evaluations(
    monkeypatch, capsys, tmp_path
):
    own = {"head_pose_tracking": 123.0}
    write_run(tmp_path, {"rewards": own, "max_episode_steps": 5})
    (tmp_path / "evaluations.csv").write_text(
        "env_steps,policy,return,length,falls\n0,zero,43.75,160.8,1\n0,random,-11.2,23.6,1\n"
        "100,trained,50.5,200,0.5\n200,trained,77.5,300,0.25\n300,trained,60,250,0\n"
    )
    assert run(monkeypatch, str(tmp_path)) == 0
    shown = capsys.readouterr().out
    assert "| head_pose_tracking " in shown and "+123.00" in shown
    for words in ("zero", "43.8", "random", "-11.2", "at step 200", "77.5", "300", "25%"):
        assert words in shown
    assert "50.5" not in shown


def test_doing_nothing_earns_here_what_it_earns_in_a_run_of_training():
    from servogym.envs.sb3 import Sb3VecEnv
    from servogym.learning.evaluation import evaluate
    from servogym.learning.run import EVALUATION_SEED

    judge = Sb3VecEnv("MicroDuck-Flat-v0", 3, max_episode_steps=70, threads=1)
    known = evaluate(judge, lambda obs: np.zeros((3, 14)), EVALUATION_SEED)
    nothing, chance = aimless("microduck_flat", robots=3, max_episode_steps=70)
    assert nothing.episode_return == pytest.approx(known.episode_return, rel=1e-6)
    assert (nothing.length, nothing.falls) == (known.length, known.falls)
    assert chance.length < 70 and chance.falls == 1.0
    earned = nothing.pay.total * nothing.length * 0.02
    assert earned == pytest.approx(nothing.episode_return, rel=1e-9)


def stage(walking=(6.0, 9.0, 17.0), standing=(20.0, 10.0, 5.0)) -> Stage:
    """What three motions earn, all of it through one term."""
    names = ("stand", "step in place", "walk")

    def pays(totals):
        return tuple(
            Pay(doing=n, terms={"a": t, "b": 0.0}) for n, t in zip(names, totals, strict=True)
        )

    return Stage(
        when="now",
        asked_to_walk=pays(walking),
        asked_to_stand=pays(standing),
        speed=0.3,
        episode_s=20.0,
    )


@pytest.mark.parametrize(
    ("walking", "standing", "says"),
    [
        ((6.0, 9.0, 17.0), (20.0, 10.0, 5.0), None),
        ((-1.0, -2.0, 0.5), (20.0, 10.0, 5.0), None),
        ((10.0, 9.0, 13.0), (20.0, 10.0, 5.0), None),
        ((11.0, 9.0, 13.0), (20.0, 10.0, 5.0), "'stand', asked for 0.3 m/s, earns 85%"),
        ((6.0, 16.0, 17.0), (20.0, 10.0, 5.0), "'step in place', asked for 0.3 m/s, earns 94%"),
        ((6.0, 18.0, 17.0), (20.0, 10.0, 5.0), "'step in place', .* more than walking earns"),
        ((-6.0, -4.0, -2.0), (20.0, 10.0, 5.0), r"falling early pays; a charges it most \(-2.00"),
        ((6.0, 9.0, 17.0), (9.0, 10.0, 5.0), "asked to stand, 'step in place' earns no less"),
    ],
)
def test_each_trap_is_told_from_what_is_none(walking, standing, says):
    found = traps(stage(walking, standing))
    if says is None:
        assert found == []
    else:
        (sentence,) = found
        assert re.search(says, sentence), sentence


@pytest.mark.parametrize(("earned", "trap"), [(-5.0, 0), (250.0, 0), (270.0, 1), (400.0, 1)])
def test_an_idle_robot_that_earns_like_a_walking_one_is_a_trap(earned, trap):
    nothing = Aimless(
        pay=Pay(doing="action 0", terms={}), episode_return=earned, length=1000.0, falls=0.0
    )
    assert len(idle(nothing, stage())) == trap


def test_a_term_that_steps_in_place_earn_in_full_is_named_and_others_are_not():
    def pay(**terms):
        return Pay(doing="-", terms=terms)

    paid = (
        pay(steps=0.0, progress=0.0, upright=5.0, tiny=0.0),
        pay(steps=4.0, progress=0.1, upright=5.0, tiny=0.01),
        pay(steps=4.2, progress=5.0, upright=5.0, tiny=0.01),
    )
    stage = Stage(when="now", asked_to_walk=paid, asked_to_stand=paid, speed=0.3, episode_s=20.0)
    assert blind(stage) == ["steps"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no config.json"),
        ("{", "config.json is not what a run writes"),
        ('{"task": "MicroDuck-Flat-v0"}', "overrides"),
        (
            '{"task": "MicroDuck-Flat-v7", "overrides": {}}',
            "unknown environment 'MicroDuck-Flat-v7'",
        ),
        (
            '{"task": "MicroDuck-Flat-v0", "overrides": {"rewards": {"charm": 1}}}',
            "rewards: unknown charm",
        ),
    ],
)
def test_a_folder_that_is_no_run_is_refused_by_name(monkeypatch, capsys, tmp_path, content, says):
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    assert run(monkeypatch, str(tmp_path)) == 2
    said = capsys.readouterr().err
    assert said.startswith("explain: ") and says in said


def test_neither_a_run_nor_an_environment_is_refused_with_the_known_ones(monkeypatch, capsys):
    assert run(monkeypatch, "runs/nowhere") == 2
    said = capsys.readouterr().err
    assert "'runs/nowhere'" in said and all(env_id in said for env_id in IDS)


def run(monkeypatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["servogym explain", *words])
    return explain.main()


def write_run(path, overrides) -> None:
    config = {"task": "MicroDuck-Flat-v0", "overrides": overrides}
    (path / "config.json").write_text(json.dumps(config))
