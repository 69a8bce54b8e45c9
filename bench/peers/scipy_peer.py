"""SciPy as a competitor of the C++ benchmarks, in a process of its own (peer_process.hpp).

Only the call that is raced is timed, by this process's own clock. Commands:

  {"do": "spsolve_triangular" | "splu", ...}    L⁻ᵀb
  {"do": "condition", ...}                      conditional fields
"""

import ctypes
import json
import os
import sys
import time

import numpy as np
import scipy
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg


class Problem:
    def __init__(self, folder, samples):
        self.folder = folder
        value = self.array("value.f64", np.float64)
        row = self.array("row.i32", np.int32)
        start = self.array("start.i32", np.int32)
        self.pixels = len(start) - 1
        self.lower = sparse.csc_matrix((value, row, start), shape=(self.pixels, self.pixels))
        self.right = self.array("b.f64", np.float64).reshape(samples, self.pixels)
        self.upper = None
        self.factor = None
        self.precision = None

    def array(self, name, dtype):
        return np.fromfile(os.path.join(self.folder, name), dtype=dtype)

    def spsolve_triangular(self):
        """Lᵀ as CSC, which spsolve_triangular works on without a conversion."""
        if self.upper is None:
            self.upper = self.lower.T.tocsc()
        right = np.ascontiguousarray(self.right.T)
        start = time.perf_counter()
        solution = linalg.spsolve_triangular(self.upper, right, lower=False)
        return time.perf_counter() - start, solution.T

    def splu(self):
        """The factorisation is made before, without pivoting or reordering: L is its own factor."""
        if self.factor is None:
            self.factor = linalg.splu(
                self.lower, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        right = np.asfortranarray(self.right.T)
        start = time.perf_counter()
        solution = self.factor.solve(right, "T")
        return time.perf_counter() - start, solution.T

    def condition(self):
        """Λ_UU by splu with the minimum degree ordering of AᵀA's symmetric form."""
        if self.precision is None:
            self.precision = (self.lower @ self.lower.T).tocsc()
        known = self.array("known.i64", np.int64)
        values = self.array("values.f64", np.float64)
        prior = self.array("prior.f64", np.float64).reshape(-1, self.pixels)
        start = time.perf_counter()
        unknown = np.setdiff1d(np.arange(self.pixels), known, assume_unique=True)
        rows = self.precision[unknown]
        step = values - prior[:, known]
        right = -(rows[:, known] @ step.T)
        factor = linalg.splu(
            rows[:, unknown].tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        fields = prior.copy()
        fields[:, known] += step
        fields[:, unknown] += factor.solve(right).T
        return time.perf_counter() - start, fields


def running_blas():
    """What the OpenBLAS inside SciPy's wheel, which SuperLU calls, says of itself."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps if "scipy.libs" in line and "openblas" in line}
    for path in sorted(files):
        library = ctypes.CDLL(path)
        for prefix, suffix in (("scipy_", ""), ("scipy_", "64_"), ("", "")):
            names = [f"{prefix}openblas_{what}{suffix}" for what in ("get_config", "get_corename")]
            if all(hasattr(library, name) for name in names):
                functions = [getattr(library, name) for name in names]
                for function in functions:
                    function.restype = ctypes.c_char_p
                config, kernels = (function().decode() for function in functions)
                return f"{os.path.basename(path)}, {config}, kernels for {kernels}"
    return "not known"


def answer_of(problem, command):
    if command["do"] not in ("spsolve_triangular", "splu", "condition"):
        raise ValueError(f"no such command: {command['do']}")
    seconds, answer = getattr(problem, command["do"])()
    if command["save"]:
        np.ascontiguousarray(answer).tofile(os.path.join(problem.folder, "answer.f64"))
    return {"seconds": seconds}


def main():
    problem = None
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if command["do"] == "load":
                problem = Problem(command["folder"], command["samples"])
                reply = {"blas": f"{running_blas()}, SciPy {scipy.__version__}"}
            else:
                reply = answer_of(problem, command)
        except Exception as error:  # the other side refuses the row with this text
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
