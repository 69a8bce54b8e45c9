"""Our safetensors and npy files are Python's, and the other way round.

usage: python_files_test.py PROGRAM; exit 77 = skipped, numpy or safetensors is not installed.
"""
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}; scripts/setup.sh --tests installs it")
    sys.exit(77)

TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "bool"]


def values(dtype):
    return (np.arange(24).reshape(2, 3, 4) - 5).astype(dtype)


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], "write", folder], check=True)
    ours = load_file(f"{folder}/ours.safetensors")
    assert sorted(ours) == sorted(TYPES), sorted(ours)
    with safe_open(f"{folder}/ours.safetensors", "numpy") as file:
        assert file.metadata() == {"who": "supn"}
    for name in TYPES:
        assert ours[name].dtype == np.dtype(name) and (ours[name] == values(name)).all(), name
        array = np.load(f"{folder}/ours_{name}.npy")
        assert array.dtype == np.dtype(name) and (array == values(name)).all(), name
        np.save(f"{folder}/theirs_{name}.npy", values(name))
    save_file({name: values(name) for name in TYPES}, f"{folder}/theirs.safetensors", {"who": "python"})
    subprocess.run([sys.argv[1], "read", folder], check=True)
print("safetensors and npy agree with Python's")
