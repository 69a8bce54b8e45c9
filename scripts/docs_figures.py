"""Draws the figures of docs/method.md into docs/figures, from the orders as python/supn/read_gaussian.py reads them."""
from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "python/supn"))
import read_gaussian  # noqa: E402

CELL = 26
RASTER = {"radius": "2"}
COARSE_TO_FINE = {"classes": "12", "neighbours": "12", "levels": "2"}
STEP_COLOURS = ["#08306b", "#08519c", "#2171b5", "#4292c6", "#6baed6", "#9ecae1", "#c6dbef", "#deebf7", "#f7fbff"]


def grid(left: int, title: str, colours: list[list[str]], texts: list[list[str]]) -> str:
    parts = [f'<text x="{left}" y="16" font-size="13" fill="#222">{title}</text>']
    for y, row in enumerate(colours):
        for x, colour in enumerate(row):
            at = left + x * CELL, 26 + y * CELL
            parts.append(f'<rect x="{at[0]}" y="{at[1]}" width="{CELL}" height="{CELL}" fill="{colour}" stroke="#888"/>')
            if texts[y][x]:
                ink = "#fff" if colour in STEP_COLOURS[:4] or colour == "#d7301f" else "#222"
                parts.append(f'<text x="{at[0] + CELL / 2}" y="{at[1] + CELL / 2 + 4}" font-size="11" text-anchor="middle" '
                             f'fill="{ink}">{texts[y][x]}</text>')
    return "\n".join(parts)


def write(name: str, width: int, height: int, *grids: str) -> None:
    body = "\n".join(grids)
    (ROOT / "docs/figures" / name).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif">\n<rect width="{width}" height="{height}" fill="#fff"/>\n{body}\n</svg>\n')


def neighbourhood(shape: tuple[int, int], metadata: dict[str, str], pixel: tuple[int, int]) -> tuple[list, list]:
    """Colours: the pixel red, its neighbours blue, what is placed before it grey. Texts: channels."""
    colours = [["#fff"] * shape[1] for _ in range(shape[0])]
    texts = [[""] * shape[1] for _ in range(shape[0])]
    for y, x, others in read_gaussian.pixels(shape, metadata):
        if (y, x) == pixel:
            colours[y][x], texts[y][x] = "#d7301f", "n"
            for k, (ny, nx) in others.items():
                colours[ny][nx], texts[ny][nx] = "#9ecae1", str(k)
            return colours, texts
        colours[y][x] = "#eee"
    raise ValueError(f"no pixel {pixel}")


def steps(shape: tuple[int, int], metadata: dict[str, str]) -> tuple[list, list]:
    """Texts: the class of each pixel in the order of a sample; colours: its level, dark = early."""
    colours = [[""] * shape[1] for _ in range(shape[0])]
    texts = [[""] * shape[1] for _ in range(shape[0])]
    for number, (row, column, stride, _) in enumerate(read_gaussian.classes(*shape, metadata)):
        level = 0 if number == 0 else 1 + (number - 1) // 12
        for y in range(row, shape[0], stride):
            for x in range(column, shape[1], stride):
                colours[y][x], texts[y][x] = STEP_COLOURS[1 + 3 * level], str(number)
    return colours, texts


def main() -> None:
    shape = (9, 9)
    side = 9 * CELL + 24
    write("neighbours.svg", 3 * side, 9 * CELL + 36,
          grid(6, "raster, radius 2", *neighbourhood(shape, RASTER, (4, 4))),
          grid(6 + side, "coarse to fine, early in a level", *neighbourhood(shape, COARSE_TO_FINE, (5, 5))),
          grid(6 + 2 * side, "coarse to fine, the last class", *neighbourhood(shape, COARSE_TO_FINE, (4, 5))))
    raster = [[str(9 * 9 - 1 - (9 * y + x)) for x in range(9)] for y in range(9)]
    shades = [[STEP_COLOURS[min(8, int(number) // 10)] for number in row] for row in raster]
    write("orders.svg", 2 * side, 9 * CELL + 36, grid(6, "raster: pixel by pixel", shades, raster),
          grid(6 + side, "coarse to fine: class by class", *steps(shape, COARSE_TO_FINE)))


if __name__ == "__main__":
    main()
