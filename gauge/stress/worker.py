"""Plays one point in a process of its own: `python -m servogym.gauge.stress.worker JOB OUT`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from servogym.gauge import judgement
from servogym.gauge.stress.point import from_record, play_point
from servogym.gauge.subject import find


def main(job: str, out: str) -> None:
    """Play the point of a job file; write what came of it."""
    told = json.loads(Path(job).read_text())
    point = from_record(told["point"])
    subject = find(told["policy"], point.cell.task)
    judgement.write(play_point(point, subject), Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
