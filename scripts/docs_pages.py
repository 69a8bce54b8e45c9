"""Pages of the site that are made from the sources: C++ headers, Python modules, the notebook.

mkdocs calls on_files (mkdocs.yml, hooks).
"""
from __future__ import annotations

import ast
import base64
import json
import re
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
LAYERS = {"gaussian": "The distribution and all that is computed on it", "network": "From an image to a Gaussian",
          "evaluation": "Accuracy, uncertainty, likelihood", "comparison": "Models side by side on a split",
          "training": "Losses, optimiser, runs", "synthetic": "The rendered road world, whose Gaussian is known",
          "ensemble": "Members and their predictions", "data": "Data sets", "io": "Images and depth maps",
          "serialization": "File formats", "config": "Configuration files"}
NOTEBOOK = ROOT / "python/examples/checkpoint_to_conditioned_map.ipynb"


def header_page() -> str:
    """Every public header: its opening comment as text, the rest as code."""
    parts = ["# C++ interface\n\nA folder of `include/supn` is a layer, a library and a CMake target `supn::<layer>`; each "
             "includes only those that are below it. The headers are the reference: what is computed, shapes, units, errors."]
    for layer, title in LAYERS.items():
        parts.append(f"## {layer}\n\n{title}.")
        folder = ROOT / "include/supn" / layer
        for path in sorted(folder.rglob("*.hpp")):
            lines = path.read_text().splitlines()
            end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
            comment = "\n".join(line[3:] for line in lines[:end])
            code = "\n".join(line for line in lines[end:] if not line.startswith(("#pragma", "#include"))).strip()
            parts.append(f"### {path.relative_to(folder)}\n\n```text\n{comment}\n```\n\n```cpp\n{code}\n```")
    return "\n\n".join(parts) + "\n"


def signature(node: ast.FunctionDef | ast.ClassDef) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    decorators = "".join(f"@{ast.unparse(d)}\n" for d in node.decorator_list if ast.unparse(d) in ("property", "classmethod"))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{decorators}def {node.name}({ast.unparse(node.args)}){returns}"


def described(node: ast.FunctionDef | ast.ClassDef, level: int) -> list[str]:
    """Heading, signature and docstring of what is public and documented, members below their class."""
    if node.name.startswith("_") and node.name not in ("__init__", "__call__"):
        return []
    text = ast.get_docstring(node)
    members = [part for child in node.body if isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef)
               for part in described(child, level + 1)]
    if text is None and not members and node.name != "__init__":
        return []
    name = node.name.strip("_") if node.name.startswith("__") else node.name
    return [f"{'#' * level} {name}\n\n```python\n{signature(node)}\n```\n\n{text or ''}".rstrip(), *members]


def operators() -> str:
    """The operators of a Gaussian, as they are declared."""
    declared = re.findall(r'define<&\w+>\(\s*library,\s*"(\w+)"(?:,\s*"([^"]*)")?(?:,\s*"([^"]*)")?\)',
                          (ROOT / "python/src/operators.cpp").read_text())
    lines = [f"{name}(gaussian…{', ' + further if further else ''}) -> {result or 'Tensor'}" for name, further, result in declared]
    return "```text\n" + "\n".join(lines) + "\n```"


def python_page() -> str:
    parts = ["# Python interface\n\nAfter `import supn`."]
    for module in ("network", "gaussian", "conditioned", "depth", "loss", "files"):
        tree = ast.parse((ROOT / f"python/supn/{module}.py").read_text())
        nodes = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
        parts += [part for node in nodes for part in described(node, 2)]
    parts.append("## torch.ops.supn\n\nThe functions of the [C++ interface](cpp.md#gaussian) by name; `gaussian…` stands for "
                 "`Tensor mean, Tensor log_diagonal, Tensor off_diagonal, int[] order`, the order being `[radius]` or "
                 "`[classes, neighbours, levels]`. Fields are [B,S,H,W].\n\n" + operators())
    return "\n\n".join(parts) + "\n"


def notebook_page() -> tuple[str, dict[str, bytes]]:
    """The notebook with its outputs, and its pictures by name."""
    parts, pictures = [], {}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            if "text" in output:
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            if "image/png" in output.get("data", {}):
                name = f"notebook_{len(pictures)}.png"
                pictures[name] = base64.b64decode(output["data"]["image/png"])
                parts.append(f"![{parts[-1].splitlines()[0].strip('`')}]({name})")
    return "\n\n".join(parts) + "\n", pictures


# What the pages link to in the repository, and the site's page that is made of it.
PAGES = {"../python/README.md": "python.md", "../python/examples/checkpoint_to_conditioned_map.ipynb": "notebook.md",
         "../include/supn": "cpp.md"}


def on_page_markdown(markdown: str, **_: object) -> str:
    for source, page in PAGES.items():
        markdown = markdown.replace(f"]({source}", f"]({page}")
    return markdown


def on_files(files: Files, config: object) -> Files:
    def add(name: str, content: str | bytes) -> None:
        files.append(File.generated(config, name, content=content))

    notebook, pictures = notebook_page()
    readme = (ROOT / "python/README.md").read_text().replace("examples/checkpoint_to_conditioned_map.ipynb", "notebook.md")
    add("cpp.md", header_page())
    add("python_api.md", python_page())
    add("python.md", readme)
    add("notebook.md", notebook)
    for name, content in pictures.items():
        add(name, content)
    return files
