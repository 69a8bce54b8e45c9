"""read_gaussian_test.py PROGRAM SCRIPTS_FOLDER: NumPy's log-density and sample against the library's."""
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy")
    sys.exit(77)

sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
import read_gaussian


def tensors(path):
    """Any safetensors file of F64 tensors, by the reader's own parts."""
    import json
    data = open(path, "rb").read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[start + t["data_offsets"][0]:start + t["data_offsets"][1]], "<f8")
            .reshape(t["shape"]) for name, t in header.items()}


ORDERS = {"0": 0, "1": 4, "2": 12, "3": 24, "coarse_to_fine_12": 12, "coarse_to_fine_3": 20}


def check(order, dtype):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder, order, dtype], check=True)
        means, phis, psis, metadata = read_gaussian.read(folder + "/gaussian.safetensors")
        assert metadata["quantity"] == "metres" and metadata["frame"] == "9", metadata
        assert means.shape == (2, 1, 11, 14) and psis.shape == (2, ORDERS[order], 11, 14)
        answers = tensors(folder + "/answers.safetensors")
        for b in range(2):
            maps = means[b, 0], phis[b, 0], psis[b], metadata
            log_prob = read_gaussian.log_prob(answers["d"][b, 0], *maps)
            np.testing.assert_allclose(log_prob, answers["log_prob"][b, 0], rtol=1e-12)
            sample = read_gaussian.sample(answers["noise"][b, 0], *maps)
            np.testing.assert_allclose(sample, answers["sample"][b, 0], rtol=1e-9, atol=1e-9)
        script = subprocess.run([sys.executable, sys.argv[2] + "/read_gaussian.py", folder + "/gaussian.safetensors"],
                                check=True, capture_output=True, text=True)
        assert script.stdout.count("log p(sample)") == 2, script.stdout


for order in ORDERS:
    for dtype in ("F16", "F32", "F64"):
        check(order, dtype)
