"""`servogym paths ID [WORD]`: scene paths of all whose physics can be edited, and how it is now."""

import argparse
import sys
from collections.abc import Iterator
from math import isfinite

from mujoco import MjModel

from servogym.cli.text import show, table
from servogym.envs import registration
from servogym.envs.core import Core
from servogym.envs.edits import setters
from servogym.scenes.readout import number_of, read
from servogym.scenes.scene import Scene


def main() -> int:
    """Print the paths that hold the word, case ignored.

    Returns:
        2 for an id that does not exist, 1 when no path holds the word, else 0.
    """
    parser = argparse.ArgumentParser(prog="servogym paths", description=__doc__)
    parser.add_argument("id", metavar="ID", help="as `servogym list` gives it")
    parser.add_argument("word", nargs="?", default="", help="show only paths that hold this word")
    words = parser.parse_args()
    try:
        text = page(words.id, words.word)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    if not text:
        print(f"no path of {words.id} holds {words.word!r}", file=sys.stderr)
        return 1
    show(text)
    return 0


def page(env_id: str, word: str = "") -> str:
    """Write the Markdown page of an environment's scene; empty when no path holds the word.

    Raises:
        LookupError: No such environment; the message lists the known ones.
    """
    core = Core(n=1, threads=1, **registration.resolve(env_id))
    scene = core.built.scene()
    model = scene.finalize()
    rows = [row for row in _rows(scene, model) if word.lower() in row[1].lower()]
    if not rows:
        return ""
    taken = [
        (f"`{setter}`", ", ".join(paths) or "-", ", ".join(properties))
        for setter, (paths, properties) in setters().items()
    ]
    parts = (
        f"# Scene paths of {env_id}",
        table(("what", "path", "now"), rows),
        "## What edits them",
        table(("setter", "paths", "properties"), taken),
        "What the motor law, the task or its randomisation decides is refused, with a word on who"
        " does: see docs/scenes.md.",
    )
    return "\n\n".join(parts)


def _rows(scene: Scene, model: MjModel) -> Iterator[tuple[str, str, str]]:
    """Kind, path and a few numbers of everything that has a path."""
    for path, name in _named(scene, "body"):
        body = number_of(model, "body", name)
        yield "body", path, f"mass {read(model, 'body', body, 'mass'):.6g} kg"
    for path, name in _named(scene, "joint"):
        yield "joint", path, _joint(model, number_of(model, "joint", name))
    for path, name in _named(scene, "geom"):
        yield "geom", path, _shape(model, number_of(model, "shape", name))


def _named(scene: Scene, kind) -> Iterator[tuple[str, str]]:
    paths = scene.paths(kind)
    return zip(paths, scene.names(kind, paths), strict=True)


def _joint(model: MjModel, joint: int) -> str:
    if model.jnt_type[joint] == 0:
        return "free"
    low, high = (read(model, "joint", joint, f"limit_{end}") for end in ("lower", "upper"))
    armature = read(model, "joint", joint, "armature")
    limits = f"{low:.4g} … {high:.4g}" if isfinite(high - low) else "without limits"
    return f"{limits}, armature {armature:.4g}"


def _shape(model: MjModel, geom: int) -> str:
    if not read(model, "shape", geom, "collision_enabled"):
        return "seen only"
    rubs = ("sliding_friction", "torsional_friction", "rolling_friction")
    return "friction " + ", ".join(f"{read(model, 'shape', geom, name):g}" for name in rubs)
