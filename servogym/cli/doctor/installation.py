"""Where servogym itself comes from, and whether two copies are in each other's way."""

import json
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import servogym
from servogym.cli.doctor.finding import Finding


def check() -> Iterator[Finding]:
    """Compare the imported copy with the installed one, and look for doubled packages."""
    used = Path(servogym.__file__).resolve().parent
    installed = _installed_copy()
    yield Finding(subject="servogym", state="ok", detail=f"{servogym.__version__} from {used}")
    if installed is not None and installed != used:
        yield Finding(
            subject="two copies",
            state="note",
            detail=f"this checkout hides the copy installed in {installed}",
            cure="work from another folder, or: pip uninstall servogym; pip install -e .",
        )
    counts = Counter(str(found.metadata["Name"]).lower() for found in metadata.distributions())
    for name in ("servogym", "mujoco", "mujoco-core", "numpy", "torch", "gymnasium"):
        if counts[name] > 1:
            yield Finding(
                subject=name,
                state="note",
                detail=f"{counts[name]} installations of it lie on the search path",
                cure=f"pip uninstall {name}, until none is left; then install it again",
            )


def _installed_copy() -> Path | None:
    """The folder of the installed package; None without one or when it points to a checkout."""
    try:
        found = metadata.distribution("servogym")
    except metadata.PackageNotFoundError:
        return None
    origin = json.loads(found.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        return None
    folder = Path(str(found.locate_file("servogym"))).resolve()
    return folder if (folder / "__init__.py").is_file() else None
