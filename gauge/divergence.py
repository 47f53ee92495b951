"""When do two runs part? The first moment at which they differ by 1e-6, 1e-3 and 0.1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

THRESHOLDS = (1e-6, 1e-3, 0.1)
"""Rounding has grown visible; the runs differ in practice; they are different runs [units of the
column]."""


@dataclass(frozen=True, kw_only=True)
class Parting:
    """The first time two runs differ by more than a threshold."""

    threshold: float
    """Largest difference that is none [units of the column]."""
    time: float
    """When it is exceeded first [s]; infinite when it is not."""
    step: int | None
    """Number of the sample, from 0; None when it is not."""
    column: str | None
    """Column that differs most then; None when none does."""
    difference: float
    """How much; NaN for a number against none; the largest of all when it is not exceeded."""


def partings(
    a: np.ndarray,
    b: np.ndarray,
    dt: float,
    *,
    start: float = 0.0,
    thresholds: Sequence[float] = THRESHOLDS,
    names: Sequence[str] | None = None,
) -> tuple[Parting, ...]:
    """Compare two runs, sample by sample, by the largest absolute difference of any column.

    A run that ends early is compared as far as both go. NaN on one side alone is a difference of
    any size; on both it is none.

    Args:
        a: one run, (t, columns), e.g. qpos after every physics step.
        b: the other.
        dt: time between two samples [s].
        start: time of the first [s].
        thresholds: in any order; the answer keeps it.
        names: of the columns; None numbers them.

    Raises:
        ValueError: for other shapes, no common sample, wrong names, or a threshold below 0.
    """
    a, b = (np.asarray(x, float) for x in (a, b))
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError(f"runs have shapes {a.shape} and {b.shape}; need (t, columns), alike")
    steps = min(len(a), len(b))
    if not steps or not a.shape[1]:
        raise ValueError(f"runs of {len(a)} and {len(b)} samples of {a.shape[1]} columns: nothing")
    if not (np.isfinite(dt) and dt > 0):
        raise ValueError(f"dt is {dt}; needs a finite time above 0 [s]")
    if names is not None and len(names) != a.shape[1]:
        raise ValueError(f"{len(names)} names for {a.shape[1]} columns")
    if wrong := [t for t in thresholds if not t >= 0]:
        raise ValueError(f"thresholds {wrong}; need numbers of 0 or more")
    a, b = a[:steps], b[:steps]
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b)
    apart = np.where(a == b, 0.0, apart)  # equal infinities
    apart = np.where(np.isnan(a) & np.isnan(b), 0.0, apart)
    sure = np.where(np.isnan(apart), np.inf, apart)
    largest = sure.max(axis=1)
    return tuple(_parting(apart, sure, largest, t, dt, start, names) for t in thresholds)


def table(found: Sequence[Parting]) -> str:
    """Write partings down, one a line."""
    lines = []
    for p in found:
        if p.step is None:
            lines.append(f"> {p.threshold:g}  never; at most {p.difference:.3g}")
        else:
            lines.append(
                f"> {p.threshold:g}  at {p.time:.6g} s (sample {p.step}), {p.column}, "
                f"by {p.difference:.3g}"
            )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Compare two .npy files of (t, columns); print when they part. 0 also when they do."""
    parser = argparse.ArgumentParser(
        prog="python -m servogym.gauge.divergence", description=__doc__
    )
    parser.add_argument("a", type=Path, help="NumPy file of one run, (t, columns)")
    parser.add_argument("b", type=Path, help="NumPy file of the other")
    parser.add_argument("--dt", type=float, required=True, help="time between samples [s]")
    parser.add_argument("--start", type=float, default=0.0, help="time of the first sample [s]")
    args = parser.parse_args(argv)
    try:
        if not np.isfinite(args.start):
            raise ValueError(f"--start {args.start}; needs a finite time [s]")
        found = partings(_load(args.a), _load(args.b), args.dt, start=args.start)
    except (OSError, ValueError) as error:
        print(f"divergence: {error}", file=sys.stderr)
        return 1
    print(table(found))
    return 0


def _load(path: Path) -> np.ndarray:
    """Read a run.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds no single array of real numbers.
    """
    try:
        run = np.load(path, allow_pickle=False)
    except (BadZipFile, EOFError, SyntaxError, ValueError) as error:
        raise ValueError(f"{path} is no .npy file that can be read: {error}") from None
    kind = run.dtype if isinstance(run, np.ndarray) else type(run).__name__
    if not isinstance(run, np.ndarray) or run.dtype.kind not in "biuf":
        raise ValueError(f"{path} holds {kind}; needs one array of real numbers")
    return run


def _parting(
    apart: np.ndarray,
    sure: np.ndarray,
    largest: np.ndarray,
    threshold: float,
    dt: float,
    start: float,
    names: Sequence[str] | None,
) -> Parting:
    past = largest > threshold
    if not past.any():
        return Parting(
            threshold=threshold,
            time=float("inf"),
            step=None,
            column=None,
            difference=float(largest.max()),
        )
    step = int(past.argmax())
    column = int(sure[step].argmax())
    return Parting(
        threshold=threshold,
        time=start + step * dt,
        step=step,
        column=names[column] if names is not None else f"column {column}",
        difference=float(apart[step, column]),
    )


if __name__ == "__main__":
    sys.exit(main())
