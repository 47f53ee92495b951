"""Finds the sub-command and runs it; every sub-command is imported only when asked for."""

import sys
from collections.abc import Sequence
from importlib import import_module

import servogym

COMMANDS = {
    "list": ("servogym.cli.list", "the environments, with a keyword only those that match"),
    "describe": ("servogym.cli.describe", "observation, action, rewards … of one environment"),
    "paths": ("servogym.cli.paths", "scene paths of one environment, for edits of its physics"),
    "doctor": ("servogym.cli.doctor.main", "what is installed, what works, how to cure the rest"),
    "train": ("servogym.train", "train a policy (the same as train.py)"),
    "export": (
        "servogym.export",
        "write a trained policy as one ONNX file (the same as export.py)",
    ),
    "verify": ("servogym.cli.verify", "whether a policy file does alone what it did in training"),
    "evaluate": ("servogym.evaluate", "say how good a policy is (the same as evaluate.py)"),
    "play": ("servogym.play", "drive a policy live in a browser (the same as play.py)"),
    "explain": ("servogym.cli.explain", "what a reward pays for walking and not, and its trap"),
}


def usage() -> str:
    """Give the text of `servogym --help`."""
    lines = [f"  {name:<10} {purpose}" for name, (_, purpose) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: servogym COMMAND [ARGUMENTS]",
            "",
            *lines,
            "",
            "servogym COMMAND --help says more.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command.

    Args:
        arguments: The words after `servogym`; those of the process when omitted.

    Returns:
        The exit code: 0 when all is well, 2 for a command that does not exist.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["--version"]:
        print(f"servogym {servogym.__version__}")
        return 0
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    if words[0] not in COMMANDS:
        print(
            f"servogym: unknown command {words[0]!r}; known: {', '.join(COMMANDS)}", file=sys.stderr
        )
        return 2
    sys.argv = [f"servogym {words[0]}", *words[1:]]
    try:
        return import_module(COMMANDS[words[0]][0]).main() or 0
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "servogym"):
            raise
        print(f"servogym {words[0]} needs {missing}: pip install {missing}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0
