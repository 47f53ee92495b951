"""The ids: every task file gives `<Robot>-<Task>-vN` and its twin `<Robot>-<Task>-Backlash-vN`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import gymnasium

from servogym import robots
from servogym.envs import tasks

if TYPE_CHECKING:
    from servogym.envs.task import Task

_GROUP = "servogym.tasks"


def all_tasks() -> Iterator[tuple[str, Task]]:
    """Yield (module or entry point name, task) of every file in `envs/tasks` and every plug-in.

    A plug-in is an entry point of group `servogym.tasks` whose value is a `Task`.
    """
    for module in iter_modules(tasks.__path__):
        if module.name.startswith("_"):  # what several task files share
            continue
        yield module.name, import_module(f"{tasks.__name__}.{module.name}").TASK
    for entry in entry_points(group=_GROUP):
        try:
            yield entry.name, entry.load()
        except Exception as error:  # a broken plug-in must not take the others with it
            warnings.warn(
                f"task plug-in {entry.name} ({entry.value}) left out: {error}", stacklevel=2
            )


def find(name: str) -> Task:
    """Return the task called name: its file in `envs/tasks`, or its entry point.

    Raises:
        LookupError: listing the known tasks.
    """
    known = dict(all_tasks())
    if name not in known:
        raise LookupError(f"unknown task {name!r}; known: {', '.join(sorted(known))}")
    return known[name]


def ids() -> dict[str, dict]:
    """Return every environment id and what `RobotEnv` needs to be it: task and backlash.

    Raises:
        LookupError: A task names a robot that does not exist; the message names both.
    """
    table = {}
    for name, task in all_tasks():
        for backlash in (False, True):
            try:
                env_id = id_of(task, backlash)
            except LookupError as error:
                raise LookupError(f"task {name!r}: {error.args[0]}") from error
            table[env_id] = {"task": name, "backlash": backlash}
    return table


def id_of(task: Task, backlash: bool) -> str:
    """Return the environment id of a task or of its twin with backlash."""
    twin = "-Backlash" if backlash else ""
    return f"{robots.get(task.robot).title}-{task.name}{twin}-v{task.version}"


def resolve(env_id: str) -> dict:
    """Return {"task", "backlash"} of an id.

    Raises:
        LookupError: naming the nearest ids and listing all.
    """
    table = ids()
    if env_id not in table:
        near = get_close_matches(env_id, table, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise LookupError(f"unknown environment {env_id!r}{hint} Known: {', '.join(table)}")
    return table[env_id]


def register_all() -> None:
    """Register every id with Gymnasium, by strings: neither MuJoCo nor PyTorch is loaded."""
    for env_id, kwargs in ids().items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="servogym.envs.single:RobotEnv",
                vector_entry_point="servogym.envs.vector:RobotVectorEnv",
                max_episode_steps=find(kwargs["task"]).max_episode_steps,
                kwargs=kwargs,
            )
