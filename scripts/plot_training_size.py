"""Draws distances to the truth by number of training images: plot_training_size.py intervals.csv out.png"""

import csv
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PANELS = [
    ("ll_gap", "truth's log-likelihood - the model's, nats/pixel"),
    ("kl", "KL(true || model), nats/pixel"),
    ("std_error", "marginal std, rms of log ratio"),
    ("covariance_error", "covariance rows, relative error"),
]
RUN = re.compile(r"images(\d+)_seed(\d+)$")


def read(path):
    """{score: {seed: [(images, mean, low, high), …]}} of the rows that training_size.sh trained."""
    scores = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            run = RUN.search(row["model"])
            if run:
                point = (int(run[1]), *(float(row[key]) for key in ("mean", "low", "high")))
                scores.setdefault(row["score"], {}).setdefault(run[2], []).append(point)
    return scores


def draw(axes, seeds, label):
    for seed, points in sorted(seeds.items()):
        images, mean, low, high = zip(*sorted(points))
        bars = [[m - l for m, l in zip(mean, low)], [h - m for m, h in zip(mean, high)]]
        axes.errorbar(images, mean, bars, marker="o", ms=4, capsize=3, label=f"seed {seed}")
    axes.set(xlabel="training images", ylabel=label, xscale="log", ylim=(0, None))
    axes.set_xticks(images, [str(i) for i in images])
    axes.minorticks_off()
    axes.grid(True, alpha=0.25)


def main(csv_path, png_path):
    scores = read(csv_path)
    missing = [name for name, _ in PANELS if name not in scores]
    if missing:
        sys.exit(f"plot_training_size: {csv_path} has no {', '.join(missing)} of training_size.sh's runs")
    figure, grid = plt.subplots(2, 2, figsize=(10, 7), constrained_layout=True)
    for axes, (name, label) in zip(grid.flat, PANELS):
        draw(axes, scores[name], label)
    grid.flat[0].legend(fontsize=8)
    figure.suptitle("Test images of the procedural road world; bars: 95 % of the bootstrap over images", fontsize=9)
    figure.savefig(png_path, dpi=110)
    print("wrote", png_path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plot_training_size.py intervals.csv out.png")
    main(sys.argv[1], sys.argv[2])
