"""One thing the doctor looked at."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What was looked at, how it is, and what cures it."""

    subject: str
    """What was looked at, e.g. `torch`."""
    state: Literal["ok", "note", "broken"]
    """`broken` stops training; `note` is worth knowing; `ok` needs nothing."""
    detail: str
    """What was found, e.g. a version or an error's last line."""
    cure: str = ""
    """The command or step that mends it; empty when nothing is to be done."""
