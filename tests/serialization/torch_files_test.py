"""What Python's torch.save writes reads the same here, in both formats; hostile pickles are refused.

usage: torch_files_test.py PROGRAM; exit 77 = skipped, no Python with torch.
"""
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
from collections import OrderedDict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from torch_python import import_torch

torch = import_torch()

PROGRAM = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
FOLDER = tempfile.TemporaryDirectory()
FILE = os.path.join(FOLDER.name, "a.pth")
OUT = os.path.join(FOLDER.name, "a.safetensors")
NAMES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
         "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8,
         "U8": torch.uint8, "BOOL": torch.bool}


def convert():
    """What the program says of FILE: "read", or why not."""
    PROGRAM.stdin.write(f"{FILE}\n{OUT}\n")
    PROGRAM.stdin.flush()
    return PROGRAM.stdout.readline()


def raw(tensor):
    return bytes(tensor.detach().contiguous().reshape(-1).view(torch.uint8).tolist())


def read():
    """Tensors as (dtype, shape, bytes) by name, values, omitted names."""
    answer = convert()
    assert answer == "read\n", answer
    content = open(OUT, "rb").read()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    beside = header.pop("__metadata__")
    data = content[8 + length:]
    tensors = {name: (NAMES[e["dtype"]], tuple(e["shape"]), data[slice(*e["data_offsets"])])
               for name, e in header.items()}
    return tensors, json.loads(beside["values"]), json.loads(beside["omitted"])


def check(obj, tensors, values=None, omitted=(), **options):
    for zipped in (True, False):
        torch.save(obj, FILE, _use_new_zipfile_serialization=zipped, **options)
        found, beside, left_out = read()
        assert sorted(found) == sorted(tensors), (zipped, sorted(found))
        for name, tensor in tensors.items():
            assert found[name] == (tensor.dtype, tuple(tensor.shape), raw(tensor)), (zipped, name)
        assert beside == (values or {}), (zipped, beside)
        assert left_out == list(omitted), (zipped, left_out)


def test_every_dtype():
    state = OrderedDict((str(t), torch.arange(-3, 4).to(t).view(7, 1)) for t in NAMES.values())
    check(state, {name: tensor for name, tensor in state.items()})


def test_views():
    base = torch.arange(60, dtype=torch.float32).view(3, 4, 5)
    views = {"base": base, "part": base[1:, 1:3, ::2], "turned": base.permute(2, 0, 1),
             "grown": base[0, 0, :1].expand(4), "scalar": base[2, 3, 4], "none": base[:, :0],
             "channels_last": torch.rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)}
    check(views, views)


def test_a_module_with_what_lies_beside():
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    state = module.state_dict()  # with _metadata
    del state["1.num_batches_tracked"]
    state["height"], state["width"], state["use_stereo"] = 192, 640, True
    tensors = {name: value for name, value in state.items() if torch.is_tensor(value)}
    check(state, tensors, {"height": 192, "width": 640, "use_stereo": True})
    optimizer = torch.optim.Adam(module.parameters(), lr=0.25)
    module(torch.rand(1, 3, 8, 8)).sum().backward()
    optimizer.step()
    checkpoint = {"model": dict(tensors), "epoch": 3, "loss": 0.125, "note": "größer", "none": None}
    check(checkpoint, {"model." + name: value for name, value in tensors.items()},
          {"epoch": 3, "loss": 0.125, "note": "größer"}, ["none"])
    torch.save(optimizer.state_dict(), FILE)
    found, values, _ = read()
    assert found["state.0.exp_avg"][2] == raw(optimizer.state_dict()["state"][0]["exp_avg"])
    assert values["param_groups.0.lr"] == 0.25 and values["param_groups.0.betas.1"] == 0.999


def test_parameters_sizes_and_dtypes():
    tensor = torch.arange(6.0).view(2, 3)
    check({"p": torch.nn.Parameter(tensor), "size": tensor.shape, "type": torch.float16},
          {"p": tensor}, {"size.0": 2, "size.1": 3, "type": "torch.float16"})
    check(tensor, {"tensor": tensor})
    check([tensor, (tensor, 2)], {"0": tensor, "1.0": tensor}, {"1.1": 2})


def test_newer_pickle_protocols():
    state = {"w": torch.arange(5.0), "big": 1 << 40, "bigger": 1 << 70, "raw": b"abc"}
    for protocol in (3, 4, 5):
        check(state, {"w": state["w"]}, {"big": 1 << 40}, ["bigger", "raw"], pickle_protocol=protocol)


def test_tensors_saved_on_a_gpu():
    original = torch.serialization.location_tag
    torch.serialization.location_tag = lambda storage: "cuda:0"
    try:
        tensor = torch.arange(4.0)
        check({"w": tensor}, {"w": tensor})
    finally:
        torch.serialization.location_tag = original


class Harm:
    def __reduce__(self):
        return os.system, ("touch " + os.path.join(FOLDER.name, "harm"),)


def refused(words):
    answer = convert()
    assert words in answer, answer


def test_refusals():
    for zipped in (True, False):
        torch.save({"w": torch.rand(2), "harm": Harm()}, FILE, _use_new_zipfile_serialization=zipped)
        refused("posix.system")
        assert not os.path.exists(os.path.join(FOLDER.name, "harm"))
        torch.save(torch.nn.Conv2d(1, 1, 1), FILE, _use_new_zipfile_serialization=zipped)
        refused("torch.nn.modules.conv.Conv2d")
        torch.save({"w": torch.rand(2)}, FILE, _use_new_zipfile_serialization=zipped)
        whole = open(FILE, "rb").read()
        open(FILE, "wb").write(whole[:len(whole) - 5])
        refused("truncated")
    torch.jit.save(torch.jit.script(torch.nn.ReLU()), FILE)
    refused("TorchScript")
    with open(FILE, "wb") as file:
        pickle.dump({"w": 1}, file, 2)
    refused("none that torch.save wrote")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed:", name[5:])
PROGRAM.stdin.close()
assert PROGRAM.wait() == 0
FOLDER.cleanup()
