"""Runs the tests with pytest; exit code 77 (skipped) where this Python has no fitting torch, or no pytest.

usage: run.py FOLDER_OF_THE_BUILT_PACKAGE FOLDER_OF_PROGRAMS [TEST ...]
"""
import os
import sys

package, programs, *tests = sys.argv[1:]
sys.path.insert(0, package)
os.environ["SUPN_BIN"] = os.path.abspath(programs)
try:
    import pytest
    import supn  # noqa: F401
except (ImportError, OSError) as error:
    print(f"[  SKIPPED ] python ({error}; scripts/setup.sh --tests installs what is needed)")
    sys.exit(77)
here = os.path.dirname(os.path.abspath(__file__))
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *[os.path.join(here, test) for test in tests or ["."]]]))
