"""`servogym doctor`: prints every finding; the exit code is 1 when training cannot work."""

import argparse

from servogym.cli.doctor import graphics, installation, machine, packages
from servogym.cli.text import show, table


def main() -> int:
    """Run every check and print the findings, the cures last.

    Returns:
        1 when something breaks training, else 0.
    """
    argparse.ArgumentParser(prog="servogym doctor", description=__doc__).parse_args()
    findings = [
        finding
        for look in (machine.check, installation.check, packages.check, graphics.check)
        for finding in look()
    ]
    show(table(("", "what", "found"), [(f.state, f.subject, f.detail) for f in findings]))
    cures = [f"* {finding.subject}: `{finding.cure}`" for finding in findings if finding.cure]
    if cures:
        show("\nCures:\n\n" + "\n".join(cures))
    broken = [finding.subject for finding in findings if finding.state == "broken"]
    show(f"\nTraining cannot work: {', '.join(broken)}." if broken else "\nTraining can work.")
    return 1 if broken else 0
