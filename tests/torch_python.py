"""torch for tests that compare with it: of the .venv, in whose lean wheel CUDA's libraries are stood in for
(scripts/lean_torch.sh).
"""
import sys


def import_torch():
    """torch; exit code 77 (skipped) without."""
    try:
        import torch
        return torch
    except (ImportError, OSError) as error:
        print(f"skipped: {error}; scripts/setup.sh --tests makes torch importable")
        sys.exit(77)
