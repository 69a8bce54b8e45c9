"""Runs notebooks from the first cell to the last; a cell that fails is an error.

usage: execute.py [--write] NOTEBOOK ...      --write: keep the outputs in the files
Exit code 77 (skipped) without nbclient, ipykernel, Matplotlib, or a torch that supn fits.
"""
import sys
from pathlib import Path

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbformat
    from nbclient import NotebookClient

    import supn  # noqa: F401
except (ImportError, OSError) as error:
    print(f"[  SKIPPED ] notebooks ({error}; scripts/setup.sh --tests installs what is needed)")
    sys.exit(77)

for path in map(Path, [a for a in sys.argv[1:] if a != "--write"]):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, coalesce_streams=True, resources={"metadata": {"path": str(path.parent)}}).execute()
    if "--write" in sys.argv:
        for cell in notebook.cells:
            cell.get("metadata", {}).pop("execution", None)  # times of day
        notebook.metadata.pop("language_info", None)  # this Python's version
        nbformat.write(notebook, path)
    print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells run")
