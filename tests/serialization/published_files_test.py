"""Published .pth files read exactly: against Python's own pickle and zipfile, without torch.

usage: published_files_test.py PROGRAM FOLDER; exit 77 = skipped, no numpy or no such folder.
"""
import glob
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections import OrderedDict

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; scripts/setup.sh --tests installs it")
    sys.exit(77)

PROGRAM, SOURCE = sys.argv[1:]
FILES = sorted(glob.glob(os.path.join(SOURCE, "**", "*.pth"), recursive=True))
if not FILES:
    print(f"skipped: no .pth files below {SOURCE}")
    sys.exit(77)
TYPES = {"FloatStorage": "<f4", "LongStorage": "<i8"}


class Unpickler(pickle.Unpickler):
    def __init__(self, archive):
        self.archive = archive
        self.folder = archive.namelist()[0].split("/")[0]
        super().__init__(archive.open(self.folder + "/data.pkl"))

    def find_class(self, module, name):
        if name == "OrderedDict":
            return OrderedDict
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, size, stride, *_: np.lib.stride_tricks.as_strided(
                storage[offset:], size, [s * storage.itemsize for s in stride])
        return TYPES[name]

    def persistent_load(self, name):
        return np.frombuffer(self.archive.read(f"{self.folder}/data/{name[2]}"), name[1])


with tempfile.TemporaryDirectory() as folder:
    for path in FILES:
        out = os.path.join(folder, "a.safetensors")
        run = subprocess.run([PROGRAM], input=f"{path}\n{out}\n", stdout=subprocess.PIPE, text=True)
        assert run.stdout == "read\n", run
        content = open(out, "rb").read()
        length = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8:8 + length])
        beside = header.pop("__metadata__")
        expected = Unpickler(zipfile.ZipFile(path)).load()
        arrays = {k: v for k, v in expected.items() if isinstance(v, np.ndarray)}
        values = {k: v for k, v in expected.items() if not isinstance(v, np.ndarray)}
        assert sorted(header) == sorted(arrays), path
        for name, entry in header.items():
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            assert entry["shape"] == list(arrays[name].shape), (path, name)
            assert content[begin:end] == np.ascontiguousarray(arrays[name]).tobytes(), (path, name)
        assert json.loads(beside["values"]) == values, (path, values)
        print(f"{os.path.basename(path)}: {len(arrays)} tensors, {values} read exactly")
