"""Measures an ensemble beside one SUPN and writes the table; scripts/eight_or_one.sh is its user.

usage: eight_or_one.py --bin DIR --checkpoint DIR --out DIR --images N --rounds N --threads N [options] -- ARGUMENTS

ARGUMENTS: --config and --set for every program. The programs of a round run in turn, the rounds too, so that
another load hits all alike; of the rounds the median counts. Programs of ours are run on 2 images and on N:
their difference is free of loading. Python times itself without its first image.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

FEW = 2
BATCHED = 4


def run(command, log, libraries=None):
    """Wall seconds, processor seconds, largest memory in MiB; the command's standard output."""
    with open(log, "w") as stream:
        start = time.perf_counter()
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries} if libraries else None
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stream, text=True, env=environment)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"eight_or_one: failed, see {log}: {' '.join(command)}")
    return (seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), output


def settings_of(options):
    """What the configuration says, by its path of keys."""
    text = subprocess.run(
        [f"{options.bin}/supn_ensemble", *options.arguments, "--print-config"], capture_output=True, text=True
    )
    if text.returncode != 0:
        sys.exit(text.stderr)
    found, path = {}, []
    for line in text.stdout.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        key, _, value = line.strip().partition(":")
        path = path[:depth] + [key]
        found[".".join(path)] = value.strip().strip('"')
    for key in ("ensemble.members", "ensemble.output_keys"):
        found[key] = json.loads(found[key])
    return found


class Runner:
    def __init__(self, options, settings):
        self.options, self.settings = options, settings
        self.work = os.path.join(options.out, "work")
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        lines = [line for line in open(settings["data.test_split"]).read().splitlines() if line.strip()]
        if len(lines) < options.images:
            sys.exit(f"eight_or_one: the test split has {len(lines)} images; choose a smaller --images")
        for count in (FEW, options.images):
            with open(self.split(count), "w") as stream:
                stream.write("".join(line + "\n" for line in lines[:count]))

    def split(self, count):
        return f"{self.work}/{count}.txt"

    def ours(self, program, extra):
        """Per image: seconds, processor seconds; and memory."""
        results = []
        for count in (FEW, self.options.images):
            out = f"{self.work}/{program}"
            shutil.rmtree(out, ignore_errors=True)
            command = [f"{self.options.bin}/{program}", *self.options.arguments, *extra(out)]
            command += ["--set", f"data.test_split={self.split(count)}", "--split", "test"]
            results.append(run([*command, "--threads", str(self.options.threads)], f"{self.work}/{program}.log")[0])
        images = self.options.images - FEW
        return tuple((many - few) / images for few, many in zip(results[0][:2], results[1][:2])) + (results[1][2],)

    def supn(self, order):
        return self.ours(
            "supn_sample",
            lambda out: ["--checkpoint", self.options.checkpoint, "--out", out, "--count", "8", "--std-samples", "8",
                         "--no-picture", *(["--in-turn"] if order == "latency" else [])],
        )

    def supn_ensemble(self, order):
        # The finest scale alone, as the others give it.
        keys = self.settings["ensemble.output_keys"][:1]
        return self.ours(
            "supn_ensemble",
            lambda out: ["--set", f"data.samples={out}", "--set", f"ensemble.output_keys={json.dumps(keys)}",
                         "--set", "ensemble.log_scale_key=",
                         "--set", f"ensemble.batch_size={1 if order == 'latency' else BATCHED}"],
        )

    def python(self, order, extra=()):
        out = f"{self.work}/python"
        shutil.rmtree(out, ignore_errors=True)
        command = [self.options.python, "bench/inference/eager_members.py", "--root", self.settings["data.root"],
                   "--split", self.split(self.options.images), "--out", out, "--threads", str(self.options.threads),
                   "--height", self.settings["data.height"], "--width", self.settings["data.width"],
                   "--batch", str(1 if order == "latency" else BATCHED), *extra, *self.settings["ensemble.members"]]
        output = run(command, f"{self.work}/python.log", self.options.python_libraries)[1]
        figures = json.loads(output.splitlines()[-1])
        images = figures["images"]
        return figures["seconds"] / images, figures["processor_seconds"] / images, figures["memory_mib"]

    def compiled(self, order):
        return self.python(order, ("--compile",))

    eager = python


def agreement(runner):
    """Largest difference between the finest maps of Python's members and of supn_ensemble's."""
    import numpy

    ours = []
    for folder, _, files in os.walk(f"{runner.work}/supn_ensemble"):
        ours += [os.path.join(folder, f) for f in files if f.endswith(".npy")]
    python = [numpy.load(f"{runner.work}/python/{n}.npy") for n in range(runner.options.images)]
    differences = []
    for file in ours:
        maps = numpy.load(file).astype(numpy.float32)
        differences.append(min(float(numpy.abs(maps - other).max()) for other in python if other.shape == maps.shape))
    return max(differences)


def size_of(paths):
    return sum(os.path.getsize(path) for path in paths) / 2**20


def measure(options, settings):
    runner = Runner(options, settings)
    names = ["supn", *options.peers]
    figures = {name: {"throughput": [], "latency": []} for name in names}
    for round_number in range(options.rounds):
        for order in ("throughput", "latency"):
            for name in names if round_number % 2 == 0 else reversed(names):
                figures[name][order].append(getattr(runner, name)(order))
                print(f"round {round_number + 1}, {order}, {name}: "
                      "{:.3f} s, {:.3f} s of processor, {:.0f} MiB".format(*figures[name][order][-1]), flush=True)
    rows = {}
    for name in names:
        row = rows[name] = {}
        for order in ("throughput", "latency"):
            columns = list(zip(*figures[name][order]))
            row[order], row[order + "_processor"] = (statistics.median(column) for column in columns[:2])
            row["memory"] = max(row.get("memory", 0), *columns[2])
            # Of what ran in the same round.
            for kind, what in enumerate(("", "_processor")):
                ratios = [run[kind] / max(one[kind], 1e-9) for run, one in zip(figures[name][order], figures["supn"][order])]
                row[order + what + "_ratio"] = statistics.median(ratios)
        row["disk"] = size_of([f"{options.checkpoint}/model.safetensors"] if name == "supn" else settings["ensemble.members"])
    if "eager" in rows or "compiled" in rows:
        difference = agreement(runner)
        print(f"Python's maps differ from supn_ensemble's by {difference:.2g} at most")
        if not difference < 1e-2:
            sys.exit("eight_or_one: Python's members predict something else than supn_ensemble's; nothing is compared")
    shutil.rmtree(runner.work)
    return rows


def speed_table(rows, members):
    titles = {"supn": "one SUPN", "supn_ensemble": f"{members} by `supn_ensemble`", "eager": f"{members}, eager PyTorch",
              "compiled": f"{members}, `torch.compile`"}
    lines = ["| | s an image, many images | of processor | s an image, one at a time | of processor | memory, MiB | disk, MiB |",
             "|---|---|---|---|---|---|---|"]
    for name, row in rows.items():
        cells = []
        for column in ("throughput", "throughput_processor", "latency", "latency_processor"):
            ratio = "" if name == "supn" else f" ({row[column + '_ratio']:.1f} x)"
            cells.append(f"{row[column]:.3f}{ratio}")
        cells += [f"{row['memory']:.0f}", f"{row['disk']:.1f}"]
        lines.append(f"| {titles[name]} | " + " | ".join(cells) + " |")
    return lines


def quality_table(folder):
    with open(f"{folder}/table.json") as stream:
        rows = {row["name"]: row["scores"] for row in json.load(stream)["rows"]}
    model = next(iter(rows))

    def cell(row, score):
        value = rows.get(row, {}).get(score)
        return "" if value is None else f"{value['mean']:.4f}".replace("0.", ".", 1)

    pairs = [("one SUPN", model), ("the members", "ensemble"), ("their mean and variance, pixel by pixel", "ensemble fit: diagonal"),
             ("depth itself", f"{model}, depth itself")]
    lines = ["| | AbsRel | AURG, sigmoid | logit | depth | depths in 50 % | in 90 % | region means in 90 % |",
             "|---|---|---|---|---|---|---|---|"]
    scores = ("abs_rel", "aurg_sigmoid", "aurg_logit", "aurg_depth", "depth_in_50", "depth_in_90", "region_depth_in_90")
    for title, row in pairs:
        if row in rows:
            lines.append(f"| {title} | " + " | ".join(cell(row, score) for score in scores) + " |")
    counts = [n for n in (10, 25, 100) if f"{model}, {n} points" in rows]
    if counts:
        lines += ["", "| AbsRel given | " + " | ".join(f"{n} depths" for n in counts) + " |", "|---|" + "---|" * len(counts)]
        rivals = ["", ": interpolation of log depth", ": mean x interpolated ratio", ": mean x isotropic GP of the ratio",
                  ": mean x median ratio"]
        for rival in rivals:
            cells = [cell(f"{model}, {n} points{rival}", "abs_rel") for n in counts]
            if any(cells):
                lines.append(f"| {rival[2:] or 'one SUPN, conditioned'} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--bin", "--checkpoint", "--out"):
        parser.add_argument(name, required=True)
    for name in ("--images", "--rounds", "--threads"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--peers", type=lambda text: text.split(","), default=["supn_ensemble", "eager", "compiled"])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--python-libraries", help="LD_LIBRARY_PATH of Python's programs")
    parser.add_argument("--evaluation")
    parser.add_argument("arguments", nargs="+")
    options = parser.parse_args()
    settings = settings_of(options)
    load = os.getloadavg()[0]
    rows = measure(options, settings)
    members = len(settings["ensemble.members"])
    numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"]
    lines = speed_table(rows, numbers[members] if members < len(numbers) else str(members))
    lines += ["", f"{settings['network.backbone']}, {settings['network.order']}, {settings['data.width']}x{settings['data.height']}, "
              f"{options.threads} threads, {options.images} images, median of {options.rounds} rounds, load average before {load:.1f}. "
              "In brackets: times the SUPN's of the same round."]
    if options.evaluation:
        lines += ["", *quality_table(options.evaluation)]
    with open(f"{options.out}/table.md", "w") as stream:
        stream.write("\n".join(lines) + "\n")
    with open(f"{options.out}/table.json", "w") as stream:
        json.dump(rows, stream, indent=2)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
