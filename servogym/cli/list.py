"""`servogym list [KEYWORD]`: the environments and what each is."""

import argparse
import sys

from servogym import robots
from servogym.cli.text import show, table
from servogym.envs import registration


def main() -> int:
    """Print the environments whose id, robot or summary holds the keyword, case ignored.

    Returns:
        1 when there is none, else 0.
    """
    parser = argparse.ArgumentParser(prog="servogym list", description=__doc__)
    parser.add_argument("keyword", nargs="?", default="", help="show only what holds this word")
    keyword = parser.parse_args().keyword
    rows = [_row(env_id, **made_of) for env_id, made_of in registration.ids().items()]
    chosen = [row for row in rows if keyword.lower() in " ".join(row).lower()]
    if not chosen:
        known = ", ".join(row[0] for row in rows)
        print(f"no environment matches {keyword!r}; all of them: {known}", file=sys.stderr)
        return 1
    show(table(("id", "robot", "gears", "what it asks"), chosen))
    return 0


def _row(env_id: str, task: str, backlash: bool) -> tuple[str, str, str, str]:
    record = registration.find(task)
    gears = "with backlash" if backlash else "without gap"
    return env_id, robots.get(record.robot).title, gears, record.summary
