"""Compares policies trained with and without backlash, each judged in both worlds and more.

    python benchmarks/backlash.py --plain RUN RUN RUN --backlash RUN RUN RUN --write PAGE

A RUN is a run folder of train.py that has ended, or an ONNX file. The protocol is in
docs/backlash.md, the result goes to benchmarks/results/backlash.json. Without runs, --write renews
the page and its pictures from the stored result.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":  # started as a file, Python puts only the file's own folder on the path
    sys.path[0] = str(ROOT)

STORED = ROOT / "benchmarks" / "results" / "backlash.json"
GROUPS = {
    "plain": "trained without the gap",
    "backlash": "trained with the gap",
    "ideal": "trained without the gap and with --actuator pd",
    "dc": "trained without the gap and with --actuator dc",
}


def main() -> None:
    """Run the command line."""
    args = _parser().parse_args()
    try:
        _run(args)
    except (LookupError, OSError, ValueError) as error:
        sys.exit(f"backlash: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, words in GROUPS.items():
        parser.add_argument(
            f"--{name}", nargs="+", type=Path, default=[], metavar="RUN", help=words
        )
    parser.add_argument("--episodes", type=int, default=8, help="robots a command")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of an episode")
    parser.add_argument("--json", type=Path, default=STORED, help="where the result is kept")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="page to put the tables into")
    return parser


def _run(args: argparse.Namespace) -> None:
    from benchmarks.gap import experiment, page, picture
    from servogym.cli.text import show

    if args.write is not None:
        page.split(args.write)  # a page without a place for tables is found before, not after
    given = {name: getattr(args, name) for name in GROUPS}
    result = _measure(args, given) if any(given.values()) else experiment.load(args.json)
    if args.write is None:
        show(page.write(result, args.json.name, []))
        return
    pictures = picture.draw(result, args.write.parent / "media")
    page.put(page.write(result, args.json.name, pictures), args.write)
    print(f"written: {args.write} and {', '.join(picture.name for picture in pictures)}")


def _measure(args: argparse.Namespace, given: dict[str, list[Path]]) -> dict[str, Any]:
    from benchmarks.gap import experiment, groups
    from servogym.gauge import judgement

    if not given["plain"] or not given["backlash"]:
        raise ValueError("both --plain and --backlash need at least one run")
    command = shlex.join(["python", "benchmarks/backlash.py", *sys.argv[1:]])
    result = experiment.run(
        groups.gather(given), episodes=args.episodes, seconds=args.seconds, command=command
    )
    args.json.parent.mkdir(parents=True, exist_ok=True)
    judgement.write(result, args.json)
    print(f"written: {args.json}")
    return result


if __name__ == "__main__":
    main()
