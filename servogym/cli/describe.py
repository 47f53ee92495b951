"""`servogym describe ID`: all of one environment in tables, generated from contract and task."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import docstring_parser
import numpy as np

from servogym.cli.text import show, table
from servogym.envs import registration
from servogym.envs.core import Core
from servogym.scenes.contact import Contact, written

NOISE = {
    "base_lin_vel": "lin_vel_noise",
    "base_ang_vel": "gyro_noise",
    "projected_gravity": "gravity_noise",
    "joint_pos": "joint_pos_noise",
    "joint_vel": "joint_vel_noise",
}
"""Which field of `Sensing` is the noise of an observation slot."""


def main() -> int:
    """Print the pages of the ids given, or write them into a folder.

    Returns:
        2 for an id that does not exist, else 0.
    """
    parser = argparse.ArgumentParser(prog="servogym describe", description=__doc__)
    parser.add_argument("ids", nargs="+", metavar="ID", help="as `servogym list` gives it")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write FOLDER/ID.md instead")
    words = parser.parse_args()
    for env_id in words.ids:
        try:
            registration.resolve(env_id)
        except LookupError as error:
            print(error.args[0], file=sys.stderr)
            return 2
        if words.write is None:
            show(page(env_id))
        else:
            words.write.mkdir(parents=True, exist_ok=True)
            path = words.write / f"{env_id}.md"
            path.write_text(page(env_id) + "\n", "utf-8")
            print(path)
    return 0


def page(env_id: str) -> str:
    """Write the Markdown page of one environment.

    Raises:
        LookupError: No such environment; the message lists the known ones.
    """
    core = Core(n=1, **registration.resolve(env_id))
    sections = (
        _heading,
        _observation,
        _action,
        _rewards,
        _ends,
        *(_section(name) for name in ("commands", "stride", "sensing", "randomization", "spawn")),
    )
    return "\n\n".join(part for section in sections for part in section(core))


def _heading(core: Core) -> Iterator[str]:
    contract, task = core.contract, core.task
    yield f"# {contract.task}"
    yield task.summary
    yield f"Written by `servogym describe {contract.task} --write docs/tasks`; not edited by hand."
    gap = f"±{core.robot.backlash:.4g} rad" if core.backlash else "none"
    firmware = ", ".join(f"{name} = {_value(value)}" for name, value in contract.firmware.items())
    motor = contract.actuator.partition("+")[0]
    others = [*core.robot.motors, *(f"{motor}+{passive}" for passive in core.robot.passives)]
    yield table(
        ("what", "value"),
        [
            ("robot", contract.robot),
            ("motor law", contract.actuator + (f" ({firmware})" if firmware else "")),
            ("other motors", ", ".join(name for name in others if name != contract.actuator)),
            ("parameter hash", contract.actuator_hash[:16]),
            ("gap of the gears", gap),
            ("ground", "endless floor" if task.terrain is None else _spelled(task.terrain)),
            ("contact", _contact(task.contact)),
            ("control step", f"{contract.control_dt:g} s"),
            ("physics step", f"{contract.sim_dt:g} s, {contract.decimation} a control step"),
            ("episode", f"{task.episode_s:g} s, {task.max_episode_steps} control steps"),
        ],
    )


def _contact(contact: Contact) -> str:
    """Say a contact setting as options take it, then what its numbers are."""
    said = written(contact)
    return f"{said} ({_spelled(contact)})" if ":" in said else said


def _spelled(record: Any) -> str:
    """Say a setting's record in a line: its kind, and its fields."""
    parts = [f"{f.name} {_value(getattr(record, f.name))}" for f in fields(record)]
    return f"{type(record).__name__}: {', '.join(parts)}" if parts else type(record).__name__


def _observation(core: Core) -> Iterator[str]:
    contract = core.contract
    yield f"## Observation: {contract.obs_size} numbers, float32"
    rows = []
    for slot, columns in zip(contract.slots, contract.slices().values(), strict=True):
        noise = getattr(core.task.sensing, NOISE[slot.name]) if slot.name in NOISE else 0.0
        rows.append(
            (
                f"{columns.start}:{columns.stop}",
                slot.name,
                slot.unit,
                slot.frame,
                slot.sensor,
                f"±{noise:g}" if noise else "-",
                f"{slot.low:.5g} … {slot.high:.5g}",
            )
        )
    yield table(("columns", "slot", "unit", "frame", "from", "noise", "clipped to"), rows)


def _action(core: Core) -> Iterator[str]:
    contract = core.contract
    unit = "rad" if contract.command == "position" else "N·m"
    yield f"## Action: {contract.action_size} numbers"
    offset = "default + " if contract.command == "position" else ""
    scale = contract.action_scale
    factor = "scale" if isinstance(scale, Mapping) else f"{scale:g}"
    yield (
        f"{contract.command} command [{unit}] = {offset}{factor} · "
        f"clip(action, ±{contract.action_clip:.5g})"
    )
    ranges = core.model.jnt_range[core.model.dof_jntid[core.at.servo_dof]]
    torques = core.actuator.torque_limits(contract.joints)
    yield table(
        ("column", "joint", "default [rad]", "range [rad]", "torque limit [N·m]"),
        [
            (column, joint, f"{angle:.4f}", f"{low:.4f} … {high:.4f}", f"±{torque:.4g}")
            for column, (joint, angle, (low, high), torque) in enumerate(
                zip(contract.joints, contract.default_pose, ranges, torques, strict=True)
            )
        ],
    )


def _rewards(core: Core) -> Iterator[str]:
    yield "## Rewards"
    yield "A step earns the sum of weight · term · control step."
    yield table(
        ("term", "weight [1/s]", "what it is"),
        [
            (name, _value(term.weight), _first_line(term.function))
            for name, term in core.task.rewards.items()
        ],
    )


def _ends(core: Core) -> Iterator[str]:
    yield "## Ends of an episode"
    kinds = {"terminated": core.task.terminations, "truncated": core.task.truncations}
    rows = [
        (name, kind, _first_line(function))
        for kind, functions in kinds.items()
        for name, function in functions.items()
    ]
    rows.append(("diverged", "terminated", "Whether the physics of this robot left all bounds."))
    rows.append(("time", "truncated", f"After {core.task.episode_s:g} s."))
    yield table(("end", "kind", "when"), rows)


def _section(name: str) -> Callable[[Core], Iterator[str]]:
    """Give the writer of one record of the task: every field, its value and its sentence."""

    def write(core: Core) -> Iterator[str]:
        record = getattr(core.task, name)
        said = {
            entry.arg_name: " ".join((entry.description or "").split())
            for entry in docstring_parser.parse_from_object(type(record)).params
        }
        yield f"## {name.capitalize()}"
        yield table(
            ("field", "value", "what it is"),
            [(f.name, _value(getattr(record, f.name)), said[f.name]) for f in fields(record)],
        )

    return write


def _value(value: Any) -> str:
    if value is None:
        return "off"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value(each)}" for key, each in value.items())
    if isinstance(value, (tuple, np.ndarray)):
        return "(" + ", ".join(_value(each) for each in value) + ")"
    return str(value)


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]
