"""Where a checkpoint comes from, as far as its run folder tells: the run and the commit."""

import json
from pathlib import Path
from typing import Any

from servogym.learning import folder
from servogym.learning.bundle import Bundle
from servogym.learning.history import run_of


def source(checkpoint: Path, bundle: Bundle) -> dict[str, Any]:
    """Give `run`, `commit` and `dirty` (files differed from it); what is unknown is left out.

    Args:
        checkpoint: Folder of the checkpoint, in its run folder or moved elsewhere.
        bundle: The checkpoint.

    Raises:
        ValueError: The run folder has a `config.json` that `train.py` did not write.
    """
    try:
        run = run_of(checkpoint)
    except FileNotFoundError:
        return {}
    try:
        config = json.loads((run / folder.CONFIG).read_text("utf-8"))
        steps = int(bundle.counters.get("env_steps") or 0)
        later = [entry for entry in config.get("continued", []) if entry["from"] < steps]
        commit = [config, *later][-1].get("origin", {}).get("commit")
        if not commit:
            return {"run": run.name}
        return {"run": run.name, "commit": commit.rstrip("+"), "dirty": commit.endswith("+")}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError(f"{run / folder.CONFIG}: not as train.py writes it ({error!r})") from error
