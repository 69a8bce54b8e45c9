"""A Python that can import torch: this one, that of SUPN_TEST_TORCH_PYTHON, or the system's.

LibTorch's lean wheel (scripts/setup.sh) cannot be imported into Python; Debian's python3-torch can.
"""
import os
import sys

TRIED = "SUPN_TEST_TRIED_PYTHONS"


def import_torch():
    """torch, in such a Python, in which the script starts anew; exit code 77 (skipped) for none."""
    tried = os.environ.get(TRIED, "").split(os.pathsep)
    if os.environ.get("SUPN_TEST_TORCH_PYTHON", sys.executable) in tried + [sys.executable]:
        try:
            import torch
            return torch
        except ImportError:
            pass
    for python in (os.environ.get("SUPN_TEST_TORCH_PYTHON"), "/usr/bin/python3"):
        if python and os.path.exists(python) and python not in tried:
            os.environ[TRIED] = os.pathsep.join(tried + [python])
            os.execv(python, [python] + sys.argv)
    print("skipped: no Python here can import torch; scripts/setup.sh --tests installs Debian's")
    sys.exit(77)
