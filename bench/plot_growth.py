"""Draws how cost grows (the curves in bench.json): plot_growth.py bench.json growth.png"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

PANELS = [
    ("pixels", "pixels of the image, N", "ms per sample or image"),
    ("samples", "samples at once, S (640x192)", "ms per sample"),
    ("known", "known pixels, K", "ms per conditioning with 8 samples"),
    ("threads", "threads (640x192)", "ms per sample or image"),
    ("radius", "radius of the neighbourhood, r (640x192)", "ms per sample or image"),
]


def lines_of(curves, panel):
    lines = {}
    for point in curves:
        if point["panel"] == panel:
            lines.setdefault(point["line"], []).append(point)
    return {name: sorted(points, key=lambda p: p["x"]) for name, points in lines.items()}


def draw(axes, curves, panel, x_label, y_label):
    for name, points in lines_of(curves, panel).items():
        median = [1e3 * p["seconds"]["median"] for p in points]
        low = [m - 1e3 * p["seconds"]["p5"] for m, p in zip(median, points)]
        high = [1e3 * p["seconds"]["p95"] - m for m, p in zip(median, points)]
        axes.errorbar([p["x"] for p in points], median, [low, high], label=name, marker="o", ms=4, capsize=3)
    axes.set(xlabel=x_label, ylabel=y_label, yscale="log", xscale="linear" if panel in ("radius", "threads") else "log")
    if panel in ("radius", "threads"):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(fontsize=7)


def main(json_path, png_path):
    with open(json_path, encoding="utf-8") as file:
        results = json.load(file)
    if not results["curves"]:
        print("plot_growth: no curves in", json_path, "(section growth was not run); nothing drawn")
        return
    run = results["run"]
    figure, grid = plt.subplots(2, 3, figsize=(18, 9), constrained_layout=True)
    grid.flat[-1].set_axis_off()
    for axes, (panel, x_label, y_label) in zip(grid.flat, PANELS):
        draw(axes, results["curves"], panel, x_label, y_label)
    figure.suptitle(
        f"{run['cpu']} ({run['vector_extensions']}), {run['threads']} threads, {run['extent']} run of {run['date']}; "
        f"load {run['load_before']:.1f}-{run['load_after']:.1f}; medians, bars 5-95 %",
        fontsize=9,
    )
    figure.savefig(png_path, dpi=110)
    print("wrote", png_path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plot_growth.py bench.json growth.png")
    main(sys.argv[1], sys.argv[2])
