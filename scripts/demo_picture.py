"""Draws a demo into one picture: demo_picture.py runs/demo docs/demo.png (what scripts/demo.sh wrote). With --beside
NAME=FOLDER of another model's supn_sample on the same image, members, samples and deviations of both side by side."""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

SCALE = 5.4
DRIVE = Path("2000_01_01/2000_01_01_drive_0003_sync")
DEPTHS = {"cmap": "magma_r"}
SHOWN = 0.25  # of the depth, at the ends of the colours of deviations


def depth_from_logit(logit):
    return SCALE / (0.01 + 9.99 / (1 + np.exp(-logit.astype(np.float64))))


def png(path):
    return np.asarray(Image.open(path))


def frame_name(demo):
    return sorted(path.name for path in (demo / "samples").iterdir() if path.is_dir())[0]


def read(demo):
    name = frame_name(demo)
    number = name.split("_")[-1]
    road = demo / "road"
    truth = png(road / DRIVE / "proj_depth/groundtruth/image_02" / f"{number}.png") / 256.0
    members = np.load(road / "samples" / DRIVE / "image_02" / number / "logit_0.npy")
    return {
        "name": name,
        "image": png(road / DRIVE / "image_02/data" / f"{number}.png"),
        "truth": np.where(truth > 0, truth, np.nan),
        "members": depth_from_logit(members),
    }


def panel(axes, title, values, **look):
    if look and values.ndim == 2:
        shown = axes.imshow(values, interpolation="nearest", **look)
        bar = axes.figure.colorbar(shown, ax=axes, orientation="horizontal", aspect=45, pad=0.03)
        bar.ax.tick_params(labelsize=7, length=2)
        if "norm" in look:
            bar.minorticks_off()
            bar.set_ticks([depth for depth in (5, 10, 20, 40) if look["norm"].vmin < depth < look["norm"].vmax])
            bar.ax.xaxis.set_major_formatter("{x:g}")
    else:
        axes.imshow(values)
    axes.set_title(title, fontsize=9, loc="left", pad=3)
    axes.set_xticks([])
    axes.set_yticks([])


def depth_look(depth):
    low, high = np.nanquantile(depth[depth < 80], (0.01, 0.99))
    return {**DEPTHS, "norm": matplotlib.colors.LogNorm(low, high)}


def show_deviation(axes, title, maps, index, centre):
    panel(axes, title, (maps[index] - centre) / centre, cmap="RdBu_r", vmin=-SHOWN, vmax=SHOWN)


def draw_demo(demo, out):
    scene = read(demo)
    samples = demo / "samples" / scene["name"]
    mean, std, drawn = (np.load(samples / f"{part}.npy") for part in ("mean", "std", "samples"))
    members = scene["members"]
    depths = depth_look(scene["truth"])
    correlation = np.load(demo / "covariance/0000000000/correlation.npy").squeeze()
    pixel = np.unravel_index(np.argmax(correlation), correlation.shape)
    known = np.loadtxt(demo / "conditioned/0000000000/known.csv", delimiter=",", comments=("#", "x"), ndmin=2)
    figure, grid = plt.subplots(4, 4, figsize=(16, 7.4), constrained_layout=True)
    panel(grid[0, 0], "image (held out)", scene["image"])
    panel(grid[0, 1], "true depth, m", scene["truth"], **depths)
    panel(grid[0, 2], "predicted mean, m", mean, **depths)
    panel(grid[0, 3], "predicted std / depth", std / mean, cmap="viridis", vmin=0, vmax=np.quantile(std / mean, 0.98))
    for i in range(2):
        panel(grid[1, i], f"the ensemble's member {i}, m", members[i], **depths)
        panel(grid[1, 2 + i], f"sample {i}, m", drawn[i], **depths)
        show_deviation(grid[2, i], f"member {i} - mean of members, / depth", members, i, members.mean(0))
        show_deviation(grid[2, 2 + i], f"sample {i} - mean, / depth", drawn, i, mean)
    panel(grid[3, 0], "std of the members / depth", members.std(0, ddof=1) / members.mean(0),
          cmap="viridis", vmin=0, vmax=np.quantile(std / mean, 0.98))
    panel(grid[3, 1], "correlation of one pixel with all others", correlation, cmap="RdBu_r", vmin=-1, vmax=1)
    grid[3, 1].plot(pixel[1], pixel[0], "k+", ms=9, mew=1.5)
    panel(grid[3, 2], "mean given ten measured depths, m", np.load(demo / "conditioned/0000000000/mean.npy"), **depths)
    given = np.load(demo / "conditioned/0000000000/std.npy") / np.load(demo / "conditioned/0000000000/mean.npy")
    panel(grid[3, 3], "std given them / depth", given, cmap="viridis", vmin=0, vmax=np.quantile(std / mean, 0.98))
    for axes in grid[3, 2:]:
        axes.plot(known[:, 0], known[:, 1], "o", ms=4, mfc="none", mec="cyan", mew=1.2)
    figure.savefig(out, dpi=90)


def draw_beside(demo, others, out):
    scene = read(demo)
    depths = depth_look(scene["truth"])
    columns = [("the ensemble", "member", scene["members"], scene["members"].mean(0))]
    for name, folder in others:
        samples = Path(folder) / scene["name"]
        columns.append((name, "sample", np.load(samples / "samples.npy"), np.load(samples / "mean.npy")))
    figure, grid = plt.subplots(5, len(columns), figsize=(16, 11.5), constrained_layout=True)
    for column, (name, drawn, maps, centre) in zip(grid.T, columns):
        panel(column[0], f"{name}: mean, m", centre, **depths)
        for i in range(2):
            panel(column[1 + i], f"{name}: {drawn} {i}, m", maps[i], **depths)
            show_deviation(column[3 + i], f"{name}: {drawn} {i} - mean, / depth", maps, i, centre)
    figure.savefig(out, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--beside", action="append", metavar="NAME=FOLDER", type=lambda text: text.split("=", 1))
    arguments = parser.parse_args()
    if arguments.beside:
        draw_beside(arguments.demo, arguments.beside, arguments.out)
    else:
        draw_demo(arguments.demo, arguments.out)
    print("wrote", arguments.out)


if __name__ == "__main__":
    main()
