"""Rebuilds a frozen record from JSON, naming the field that does not fit it."""

import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Kind = TypeVar("Kind")
_WORDS = {str: "a text", int: "a whole number", float: "a finite number", bool: "true or false"}


def rebuild(kind: type[Kind], data: Any, what: str, *, complete: bool = True) -> Kind:
    """Build a dataclass, and the dataclasses inside it, from what `json.loads` gave.

    Args:
        kind: The dataclass; its annotations say what fits. Lists become tuples.
        data: A JSON object.
        what: What the object is called in messages, e.g. `contract`.
        complete: Whether fields that have a default must be there too.

    Raises:
        ValueError: A field is missing, unknown, of the wrong type or impossible; the message names
            it.
    """
    if not isinstance(data, dict):
        raise ValueError(f"{what}: a JSON object is needed, got {_short(data)}")
    known = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    needed = {
        name
        for name, entry in known.items()
        if complete or (entry.default is MISSING and entry.default_factory is MISSING)
    }
    if missing := [name for name in known if name in needed - set(data)]:
        raise ValueError(f"{what}: field(s) missing: {', '.join(missing)}")
    if unknown := sorted(set(data) - set(known)):
        raise ValueError(
            f"{what}: field(s) not understood: {hinted(unknown, set(known) - {*data})}"
        )
    hints = get_type_hints(kind)
    return kind(
        **{
            name: _fit(value, hints[name], f"{what}: {name}", complete)
            for name, value in data.items()
        }
    )


def hinted(unknown: list[str], known: set[str]) -> str:
    """Give unknown names as text, each with the known name it resembles."""
    words = []
    for name in unknown:
        near = get_close_matches(name, sorted(known), n=1)
        words.append(f"{name} (did you mean {near[0]}?)" if near else name)
    return ", ".join(words)


def _fit(value: Any, hint: Any, where: str, complete: bool) -> Any:
    """Give the value as the annotation wants it, or say what would have fitted."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, UnionType):
        return _one_of(value, inside, where, complete)
    if origin is Literal:
        if value not in inside:
            accepted = " or ".join(map(repr, inside))
            raise ValueError(f"{where} {_short(value)}: {accepted} is accepted")
        return value
    if is_dataclass(hint):
        return rebuild(hint, value, where, complete=complete)  # type: ignore[arg-type]
    if not _shaped(value, hint):
        raise ValueError(f"{where} {_short(value)}: {_wanted(hint)} is needed")
    if origin in (tuple, list):
        return origin(_fit(v, inside[0], f"{where}[{i}]", complete) for i, v in enumerate(value))
    if origin is Mapping:
        return {k: _fit(v, inside[1], f"{where}[{k!r}]", complete) for k, v in value.items()}
    return value


def _one_of(value: Any, options: tuple[Any, ...], where: str, complete: bool) -> Any:
    for option in options:
        if _shaped(value, option):
            return _fit(value, option, where, complete)
    wanted = " or ".join(_wanted(option) for option in options)
    raise ValueError(f"{where} {_short(value)}: {wanted} is needed")


def _shaped(value: Any, hint: Any) -> bool:
    """Whether a value is, on the outside, what the annotation wants."""
    origin = get_origin(hint) or hint
    if origin in (tuple, list):
        return isinstance(value, list)
    if origin is Mapping or is_dataclass(hint):
        return isinstance(value, dict)
    if origin is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and abs(value) <= sys.float_info.max
    if origin is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return isinstance(value, origin)


def _wanted(hint: Any) -> str:
    origin = get_origin(hint) or hint
    if origin in (tuple, list):
        return "a list"
    if origin is Mapping or is_dataclass(hint):
        return "an object"
    return "null" if hint is type(None) else _WORDS.get(origin, str(hint))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
