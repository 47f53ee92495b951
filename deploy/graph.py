"""The ONNX graph of a policy, written node by node: no tracing, no warnings, same bytes again.

obs -> clip to slot bounds -> catch a robot that tips over while asked to stand -> centre, scale,
    clip -> append whether anything is asked, and a side -> MLP -> gain -> clip -> actions
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8


class _Graph:
    """Nodes and constants in the order they are added."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Any, dtype: type = np.float32) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def add(self, op: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, list(inputs), [output], output, **attributes))
        return output


def build(
    network: Mapping[str, Any],
    layers: Sequence[tuple[np.ndarray, np.ndarray]],
    action_clip: float,
    metadata: Mapping[str, str],
) -> onnx.ModelProto:
    """Build the checked model: `obs` (N, obs) float32 in, `actions` (N, j) float32 out.

    Args:
        network: A `servogym.learning.network.Network` as a dictionary.
        layers: Weight `(out, in)` and bias `(out,)` of every linear layer, input side first.
        action_clip: Bound of the actions, in units of action.
        metadata: Keys and texts stored in the file.
    """
    graph = _Graph()
    low = graph.constant("low", network["low"])
    high = graph.constant("high", network["high"])
    center = graph.constant("center", network["center"])
    scale = graph.constant("scale", network["scale"])
    limits = (
        graph.constant("limit_low", -network["limit"]),
        graph.constant("limit_high", network["limit"]),
    )
    weights = [
        (graph.constant(f"weight_{i}", weight), graph.constant(f"bias_{i}", bias))
        for i, (weight, bias) in enumerate(layers)
    ]

    bounded = graph.add("Max", ("obs", low), "above_low")
    bounded = graph.add("Min", (bounded, high), "bounded")
    appended: tuple[str, ...] = ()
    if network["asked"]:
        bounded, appended = _asked(graph, bounded, network)
    x = graph.add("Sub", (bounded, center), "centred")
    x = graph.add("Div", (x, scale), "divided")
    x = graph.add("Clip", (x, *limits), "scaled")
    if appended:
        x = graph.add("Concat", (x, *appended), "inputs", axis=1)
    for i, (weight, bias) in enumerate(weights):
        if i:
            gate = graph.add("Sigmoid", (x,), f"gate_{i}")
            x = graph.add("Mul", (x, gate), f"silu_{i}")
        x = graph.add("Gemm", (x, weight, bias), f"linear_{i}", transB=1)
    total = graph.add("Mul", (x, graph.constant("gain", network["output_gain"])), "mean")
    clip = graph.constant("clip_low", -action_clip), graph.constant("clip_high", action_clip)
    graph.add("Clip", (total, *clip), "actions")

    def tensor(name: str, width: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", width])

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "policy",
            [tensor("obs", len(network["low"]))],
            [tensor("actions", network["actions"])],
            graph.constants,
        ),
        producer_name="servogym",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model


def _asked(graph: _Graph, bounded: str, network: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Add what `servogym.learning.actor.Actor` does with the twist command.

    Returns the observation, the catch in the place of the command where a robot that is asked to
    stand tips over, and what is appended to it: the share that is asked and, if the robot has a
    mirror map, 1 minus the share that was asked before.
    """
    one = graph.constant("one", 1.0)
    gain = graph.constant("asked_gain", network["asked_gain"])
    axis = graph.constant("column_axis", [1], np.int64)

    def share(size: str, name: str) -> str:
        return graph.add("Min", (graph.add("Mul", (size, gain), f"{name}_share"), one), name)

    columns = graph.constant("asked_columns", network["asked"], np.int64)
    size = graph.add("Gather", (bounded, columns), "command", axis=1)
    size = graph.add("Abs", (size,), "command_sizes")
    size = graph.add("ReduceSum", (size, axis), "command_size", keepdims=1)
    side = graph.add("Sub", (one, share(size, "commanded")), "side")
    if network["rolling"]:
        columns = graph.constant("rolling_columns", network["rolling"], np.int64)
        rate = graph.add("Gather", (bounded, columns), "rolling", axis=1)
        rate = graph.add("Mul", (rate, rate), "rolling_squares")
        rate = graph.add("ReduceSum", (rate, axis), "rolling_square", keepdims=1)
        most = graph.constant("tipping", np.float32(network["tipping"] ** 2))
        tipping = graph.add("Greater", (rate, most), "is_tipping")
        standing = graph.add("Equal", (size, graph.constant("zero", 0.0)), "is_standing")
        caught = graph.add("And", (standing, tipping), "is_caught")
        caught = graph.add("Cast", (caught,), "caught", to=TensorProto.FLOAT)
        row = np.zeros((1, len(network["low"])), np.float32)
        row[0, network["asked"]] = network["catch"]
        told = graph.add("Mul", (caught, graph.constant("catch", row)), "catching")
        bounded = graph.add("Add", (bounded, told), "told")
        more = graph.constant("catch_size", np.abs(row).sum())
        size = graph.add("Add", (size, graph.add("Mul", (caught, more), "more")), "told_size")
    asked = share(size, "asked")
    return bounded, (asked, side) if network["obs_index"] else (asked,)
