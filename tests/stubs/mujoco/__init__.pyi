"""MuJoCo's compiled modules carry no types; this lets the type checker take every name from them."""

from typing import Any

def __getattr__(name: str) -> Any: ...
