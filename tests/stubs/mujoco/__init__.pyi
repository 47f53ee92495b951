"""MuJoCo's compiled modules carry no types: the type checker may take any name from them."""

from typing import Any

def __getattr__(name: str) -> Any: ...
