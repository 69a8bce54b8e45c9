"""What supn_export writes, run by plain Python torch, gives what the programs here give.

usage: export_test.py FOLDER_OF_PROGRAMS; exit 77 = skipped, no Python with torch and numpy.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from apps.png import write_png
from torch_python import import_torch

torch = import_torch()
try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; scripts/setup.sh --tests installs it")
    sys.exit(77)

BIN = os.path.abspath(sys.argv[1])
CONFIG = """data:
  root: road
  samples: road/samples
  train_split: road/splits/train_files.txt
  val_split: road/splits/val_files.txt
  height: 32
  width: 96
network:
  backbone: compact
training:
  epochs: 1
  batch_size: 2
  output: run
"""


def run(app, *arguments, code=0):
    done = subprocess.run([os.path.join(BIN, app), *arguments], capture_output=True, text=True)
    assert done.returncode == code, (app, done.returncode, done.stderr)
    return done.stdout + done.stderr


def read_safetensors(path):
    content = open(path, "rb").read()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(content[8 + length:][slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in header.items()}


def check(network):
    """The network's maps and the module's; the module's facts of itself."""
    with open("a.yaml", "w") as file:
        file.write(CONFIG.replace("network:\n", "network:\n" + network))
    run("supn_train", "--config", "a.yaml", "--device", "cpu")
    print(run("supn_export", "--checkpoint", "run/last", "--out", "supn.pt").splitlines()[0])
    files = {"supn.json": ""}
    module = torch.jit.load("supn.pt", _extra_files=files)
    facts = json.loads(files["supn.json"])
    assert facts["input_width"] == 96, facts

    image = torch.randint(0, 256, (32, 96, 3), dtype=torch.uint8)
    write_png("image.png", image.numpy())
    run("supn_sample", "--checkpoint", "run/last", "--image", "image.png", "--count", "1", "--out", "samples",
        "--save-gaussian", "g.safetensors", "--device", "cpu")
    expected = read_safetensors("g.safetensors")
    found = module(image.permute(2, 0, 1)[None].float() / 255)
    for name, tensor in zip(("mean", "log_diagonal", "off_diagonal"), found):
        difference = np.abs(tensor.numpy().ravel() - expected[name].ravel())
        worst = float((difference / np.maximum(1, np.abs(expected[name].ravel()))).max())
        assert worst <= 1e-5, (name, worst)
        print(f"{name}: largest difference from the programs here {worst:.2g}")
    jacobi = run("supn_sample", "--checkpoint", "run/last", "--image", "image.png", "--count", "1", "--out", "jacobi",
                 "--method", "jacobi", "--iterations", "300", "--device", "cpu")
    assert "sampling failed" not in jacobi, jacobi
    shutil.rmtree("run")
    return module, facts


with tempfile.TemporaryDirectory() as folder, torch.no_grad():
    os.chdir(folder)
    run("supn_data", "synth", "--out", "road", "--members", "3", "--size", "96x32", "--train", "4", "--val", "1",
        "--test", "1")
    module, facts = check("")
    assert facts["order"] == "raster" and facts["neighbourhood_radius"] == 2, facts
    assert module(torch.rand(2, 3, 64, 48))[2].shape == (2, 12, 64, 48)
    module, facts = check("  order: coarse_to_fine\n")
    assert facts["order"] == "coarse_to_fine" and len(facts["classes"]) > 5, facts
    assert module(torch.rand(2, 3, 32, 96))[2].shape == (2, 12, 32, 96)
    assert "none: " in run("supn_export", "--checkpoint", "none", "--out", "x.pt", code=1)
