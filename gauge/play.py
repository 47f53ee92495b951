"""Plays a cell with a policy and scores it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from servogym.deploy.trial.fields import Difference, contracts
from servogym.envs import registration
from servogym.envs.core import Core
from servogym.gauge import flags, tally
from servogym.gauge.cell import Cell
from servogym.gauge.judgement import versions
from servogym.gauge.measure import Played, measure
from servogym.gauge.metrics import rules as all_rules
from servogym.gauge.metrics import tracking
from servogym.gauge.metrics.physique import Physique
from servogym.gauge.metrics.rules import RULES, Rules, Scales
from servogym.gauge.metrics.tracking import Bin, Twist
from servogym.gauge.plan import core_options, errands, ranges
from servogym.gauge.recorder import physique
from servogym.gauge.rollout import play as roll
from servogym.gauge.score import Score
from servogym.gauge.subject import Subject
from servogym.scenes.terrain import Terrain
from servogym.scenes.touchable import touchable

_VITAL = (
    "robot",
    "joints",
    "default_pose",
    "slots",
    "slot order",
    "action_scale",
    "action_clip",
    "command",
    "control_dt",
)
"""Fields of a contract in which policy and world must agree."""
WAVE = 96
"""Robots side by side: more need more memory and are no faster."""


def play(cell: Cell, subject: Subject, *, threads: int = 0) -> Score:
    """Play a cell; the same cell, policy and versions give the same bytes, whatever the threads.

    Args:
        cell: what is played.
        subject: who plays: `subject.load`, `subject.zero`, `subject.random`, `subject.controller`.
        threads: physics threads; 0 uses every CPU.

    Raises:
        LookupError: for an unknown task, motor law or terrain.
        ValueError: when the policy is not for this robot, its rate or its observations, or an
            option does not fit.
    """
    rules, options = RULES[cell.rules], core_options(cell)
    task = registration.find(options["task"])
    wanted = sorted(enumerate(errands(cell)), key=lambda pair: (pair[1].seconds, pair[0]))
    top = ranges(cell, task).top
    played: dict[int, Played] = {}
    world: dict[str, Any] = {}
    for first in range(0, len(wanted), WAVE):
        numbers = [number for number, _ in wanted[first : first + WAVE]]
        wave = [errand for _, errand in wanted[first : first + WAVE]]
        seen, core = roll(
            subject.act,
            wave,
            seed=cell.seed,
            settling=rules.score_settling,
            fits=lambda core: _check(subject, core),
            every=rules.sample_dt,
            threads=threads,
            **options,
        )
        who = physique(core.model, core.robot)
        scales = _scales(core, who, top, rules)
        order = {id(errand): number for number, errand in zip(numbers, wave, strict=True)}
        for group in seen:
            for one in measure(group, who, scales, rules, core.robot):
                played[order[id(one.errand)]] = one
        world = world or describe(core, subject, scales)
    found = [played[number] for number in range(len(wanted))]
    goals = {
        goal: tally.goal(mine)
        for goal in cell.goals
        if (mine := [one for one in found if one.errand.goal == goal])
    }
    bins = _bins(found, top)
    return Score(
        cell=cell.record(),
        subject=subject.record(),
        world=world,
        rules=rules.name,
        metrics=tally.overall(goals),
        goals=goals,
        bins=bins,
        flags=flags.of(goals, bins),
        bad=tally.bad(found),
        played=tuple(tally.episode(one) for one in found),
    )


def check(cell: Cell, subject: Subject) -> None:
    """Refuse at once what `play` would refuse, before others have played.

    Raises:
        LookupError: as for `play`.
        ValueError: as for `play`.
    """
    errands(cell)
    _check(subject, Core(n=1, threads=1, **core_options(cell)))


def mismatch(subject: Subject, core: Core) -> tuple[list[Difference], list[Difference]]:
    """Say where a policy's contract and a world differ: what forbids to play, and what else does.

    Motors, gears, battery, encoders, delays and physics step may differ: that is what cells are
    for. Observations, joints, the meaning of actions and the control rate may not.
    """
    found = [
        each
        for each in contracts(subject.contract, core.contract)
        if not each.field.endswith((".low", ".high"))
    ]
    bad = [
        each
        for each in found
        if each.field.partition(".")[0] in _VITAL and not each.field.endswith(".delay")
    ]
    return bad, [each for each in found if each not in bad]


def describe(core: Core, subject: Subject, scales: Scales) -> dict[str, Any]:
    """Say on what is played: robot, motors, contacts, geoms that collide, scales and versions."""
    return {
        "robot": core.robot.name,
        "actuator": core.contract.actuator,
        "backlash": core.contract.backlash,
        "encoder": core.contract.encoder,
        "terrain": repr(core.task.terrain) if core.task.terrain else "flat",
        "contact": repr(core.task.contact),
        "collides": (geoms := list(touchable(core.model, core.robot))),
        "feet_only": set(geoms) <= {foot.geom for foot in core.robot.feet},
        "differs": [str(each) for each in mismatch(subject, core)[1]],
        "scales": vars(scales),
        "versions": versions(subject.library),
    }


def _check(subject: Subject, core: Core) -> None:
    if wrong := mismatch(subject, core)[0]:
        raise ValueError(
            f"{subject.name} does not fit {core.contract.task}: "
            + "; ".join(str(each) for each in wrong[:3])
        )


def _scales(core: Core, who: Physique, top: Twist, rules: Rules) -> Scales:
    """RoboGauge's own for the robot they are for, else those that are as strict."""
    if rules is all_rules.ROBOGAUGE and core.robot.name == "go2":
        flat = core.task.terrain in (None, Terrain())
        return all_rules.GO2_FLAT if flat else all_rules.GO2_TERRAIN
    return Scales.of(who, top)


def _bins(played: Sequence[Played], top: Twist) -> tuple[Bin, ...]:
    """Sort robots by what they were asked for all of the time, or else at first."""
    plain = [one for one in played if one.errand.first is not None]
    held = [one for one in plain if one.errand.twist is not None]
    chosen = held if any(any(one.errand.first or ()) for one in held) else plain
    if not chosen:
        return ()
    still = tuple(all_rules.SLOW * (size or 1.0) for size in top)
    velocity = np.array([one.velocity for one in chosen])
    lost = np.array([one.fell for one in chosen]) | ~np.isfinite(velocity).all(axis=1)
    asked = np.array([one.errand.first for one in chosen], float)
    return tuple(tracking.bins(velocity, lost, asked, still=(still[0], still[1], still[2])))
