"""Tables as Markdown: pages keep it as it is, a terminal gets it drawn by rich."""

import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a Markdown table whose columns line up.

    Args:
        columns: The headings.
        rows: One sequence of cells a row, each as long as `columns`.
    """
    lines = [[str(cell).replace("|", "\\|") for cell in row] for row in (columns, *rows)]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(columns))]
    drawn = [
        "| "
        + " | ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([drawn[0], rule, *drawn[1:]])


def show(markdown: str) -> None:
    """Print Markdown: drawn when somebody watches, as plain text into a pipe or a file.

    Signs that an ASCII terminal lacks become question marks.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(markdown))
    else:
        print(markdown)
