"""A policy is one file: what it says about other files on a disk is not followed."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from servogym.deploy import external
from servogym.deploy.policy import Policy
from tests.deploy import nets


def pointing(tensor: TensorProto, location: str) -> TensorProto:
    """Let a tensor say that its numbers stand somewhere else."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", location
    return tensor


@pytest.fixture
def beside(tmp_path) -> Path:
    """A file that would fit as the weight."""
    (tmp_path / "near.bin").write_bytes(np.zeros((61, 14), np.float32).tobytes())
    return tmp_path


@pytest.mark.parametrize("location", ["near.bin", "../secret.bin", "/dev/zero"])
def test_numbers_in_another_file_are_refused_by_the_tensors_name(beside, location):
    path = nets.duck_file(beside / "duck.onnx")
    model = onnx.load(path)
    pointing(model.graph.initializer[0], location)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ValueError, match=r"duck\.onnx: tensor\(s\) weight stand in another file"):
        Policy(path)


def test_a_file_that_holds_its_numbers_names_no_other(tmp_path):
    assert not list(external.tensors(nets.duck_file(tmp_path / "duck.onnx").read_bytes()))


def hidden(where: str) -> onnx.ModelProto:
    """A model with such a tensor at one of the places where one may lie."""
    tensor = pointing(numpy_helper.from_array(np.zeros(3, np.float32), "secret"), "x.bin")
    node = helper.make_node("Constant", [], ["y"], value=tensor)
    inner = helper.make_graph([node], "inner", [], [])
    graph = helper.make_graph([], "outer", [], [])
    model = helper.make_model(graph)
    if where == "node":
        model.graph.node.append(node)
    elif where == "branch":
        model.graph.node.append(helper.make_node("If", ["c"], ["y"], then_branch=inner))
    elif where == "function":
        opset = [helper.make_opsetid("", 17)]
        model.functions.append(helper.make_function("d", "f", [], ["y"], [node], opset))
    else:
        sparse = model.graph.sparse_initializer.add()
        sparse.values.CopyFrom(tensor)
    return model


@pytest.mark.parametrize("where", ["node", "branch", "function", "sparse"])
def test_such_a_tensor_is_found_wherever_it_lies(where):
    assert list(external.tensors(hidden(where).SerializeToString())) == ["secret"]


@pytest.mark.parametrize("data", [b"hello", b"\x3a\xff", b"\x3a\xff\xff", b"\xff" * 12])
def test_bytes_that_are_no_onnx_are_refused(data):
    with pytest.raises(ValueError, match="no ONNX"):
        list(external.tensors(data))


def test_a_file_cut_short_anywhere_is_refused_by_name(tmp_path):
    data = nets.duck_file(tmp_path / "whole.onnx").read_bytes()
    for end in range(1, len(data), 211):
        (tmp_path / "cut.onnx").write_bytes(data[:end])
        with pytest.raises(ValueError, match=r"cut\.onnx: "):
            Policy(tmp_path / "cut.onnx")
