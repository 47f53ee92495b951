"""Options that give a policy the physics it was trained with, where its task has another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from servogym.envs import registration, setup
from servogym.envs.built import Built
from servogym.scenes.contact import parse

if TYPE_CHECKING:
    from servogym.deploy.contract import Contract


def physics(contract: Contract, env_id: str) -> dict[str, Any]:
    """Give the options of `Core` for edits and contact setting; empty where nothing is special.

    A draw by value that would leave nothing of an edit was off in training, and is off here. The
    motor law and the encoder stand in the contract by name.

    Args:
        contract: what the policy was trained on.
        env_id: where it will be; the contact setting comes along only to the same task, because
            it belongs to the ground.

    Raises:
        LookupError: there is no such environment, or an edit's path leads nowhere.
        ValueError: an edit cannot be carried out.
    """
    where = registration.resolve(env_id)
    task, options = setup.task(where["task"]), {}
    known = registration.ids().get(contract.task)
    same = known is not None and known["task"] == where["task"]
    if same and contract.contact and parse(contract.contact) != task.contact:
        options["contact"] = contract.contact
    if contract.edits and contract.robot == task.robot:
        options["edits"] = [dict(edit) for edit in contract.edits]
        calm = setup.task(where["task"], randomization=False)
        made = {"actuator": contract.actuator, "backlash": where["backlash"]}
        try:
            built = Built.of(calm, None, edits=contract.edits, **made)
        except TypeError as error:
            raise ValueError(f"contract: edits: {error}") from error
        if drawn := {name for name, _ in built.overridden(task)}:
            options["randomization"] = dict.fromkeys(sorted(drawn))
    return options
