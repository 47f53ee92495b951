"""Which packages import, tried in one process of their own, and one by one when that dies."""

import json
from collections.abc import Sequence

from servogym.cli.doctor.probe import probe

IMPORT_EACH = """
import importlib, json
errors = {}
for name in NAMES:
    try:
        importlib.import_module(name)
    except Exception as error:
        errors[name] = f"{type(error).__name__}: {error}".strip().splitlines()[-1]
print(json.dumps(errors))
"""


def failures(modules: Sequence[str]) -> dict[str, str]:
    """Import every module.

    Args:
        modules: Names to import.

    Returns:
        The error of each that does not import, in one line; empty when all do.
    """
    lived, said = probe(IMPORT_EACH.replace("NAMES", repr(list(modules))))
    if lived:
        return json.loads(said)
    alone = {module: probe(f"import {module}") for module in modules}
    return {module: said for module, (works, said) in alone.items() if not works}
