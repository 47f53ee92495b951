"""The line of `walk.py` in about five minutes: a duck that walks, but not the best one.

python -m servogym.learning.demo
"""

from servogym.learning.walk import Options, command

MINUTES = 4.5
"""Time for training; the rest of the five minutes goes to judging and filming [min]."""


def main() -> None:
    """Train briefly."""
    command("demo", Options(minutes=MINUTES))


if __name__ == "__main__":
    main()
