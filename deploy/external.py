"""Finds what an ONNX file wants to read from other files, without loading it or needing ONNX.

ONNX lets a tensor say that its numbers stand in another file. A policy is one file: what it says
about other files on somebody's disk is not followed. Field numbers: onnx/onnx, onnx/onnx.proto.
"""

from collections.abc import Iterator

_TENSOR = "tensor"
_PARTS = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: _TENSOR, 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: _TENSOR, 6: "graph", 10: _TENSOR, 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: _TENSOR, 2: _TENSOR},
}
"""Message -> its fields in which a tensor may lie, directly or deeper."""
_NAME, _EXTERNAL_DATA, _LOCATION = 8, 13, 14
"""Fields of a tensor."""


def tensors(data: bytes) -> Iterator[str]:
    """Give the name of every tensor whose numbers stand in another file.

    Args:
        data: An ONNX file.

    Raises:
        ValueError: The bytes are no protocol buffer.
    """
    waiting = [("model", memoryview(data))]
    while waiting:
        kind, part = waiting.pop()
        if kind == _TENSOR:
            found = dict(_fields(part))
            if _EXTERNAL_DATA in found or found.get(_LOCATION, 0):
                yield bytes(found.get(_NAME, b"")).decode(errors="replace")
            continue
        inside = _PARTS[kind]
        for number, value in _fields(part):
            if number in inside and isinstance(value, memoryview):
                waiting.append((inside[number], value))


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Give number and value of each field: the bytes of one with a length, else a number."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == 2:
            length, at = _varint(data, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError(f"no ONNX: field {number} has the wire type {wire}")
        if at + length > len(data):
            raise ValueError(f"no ONNX: field {number} is cut short")
        yield number, data[at : at + length] if wire == 2 else 0
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Give the number at a place, and the place after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("no ONNX: a number is cut short")
