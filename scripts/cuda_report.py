"""Puts what cuda_check.sh has run together: report.json and report.txt in its folder.

usage: cuda_report.py FOLDER --device cuda|cpu --torch DIR --status N --seconds build=..,tests=..,bench=..

Fails if a suite for CUDA was skipped though the device is cuda, or if our first loss is not that of
PyTorch's twin. Needs Python's standard library alone.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree

WARM_UP = 3


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        found = re.search(r"model name\s*:\s*(.*)", stream.read())
    return f"{found.group(1) if found else platform.machine()}, {os.cpu_count()} cores"


def machine(torch):
    with open(os.path.join(torch, "version.py"), encoding="utf-8") as stream:
        version = re.search(r"__version__ = '(.*)'", stream.read())
    query = ("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    compiler = re.search(r"release [^,\s]+", output_of("nvcc", "--version"))
    return {
        "card": output_of(*query) or "none",
        "nvcc": compiler.group(0) if compiler else "none",
        "torch": version.group(1) if version else "unknown",
        "compiler": output_of("c++", "--version").split("\n")[0],
        "processor": processor(),
    }


def read_json(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError):
        return None


def suites(path):
    if not os.path.exists(path):
        return []
    found = []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        state = {"run": "passed", "notrun": "skipped", "fail": "failed"}.get(case.get("status"), case.get("status"))
        found.append({"name": case.get("name"), "state": state, "seconds": float(case.get("time", 0))})
    return found


def twins(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("twin_") and name.endswith(".json"):
            result = read_json(os.path.join(folder, name))
            if result:
                times = result["seconds"][WARM_UP:] or result["seconds"]
                found[name[5:-5]] = {"milliseconds": 1e3 * statistics.median(times), "first_loss": result["losses"][0]}
    return found


def differing_losses(report):
    """Ours and the twin's of the same weights and batch, where they are not the same."""
    rows = {row["name"]: row for row in (report["bench"] or {}).get("rows", [])}
    ours, twin = rows.get("training step, raster, paper, float32"), report["twins"].get("eager")
    if not ours or not twin:
        return []
    own = float(ours["note"].split()[-1])
    differ = abs(own - twin["first_loss"]) > 1e-3 * abs(twin["first_loss"])
    return [f"the first losses differ: ours {own}, PyTorch's {twin['first_loss']}"] if differ else []


def text_of(report):
    lines = [f"{key}: {value}" for key, value in report["machine"].items()]
    lines.append("seconds: " + ", ".join(f"{k} {v}" for k, v in report["seconds"].items()))
    counts = {}
    for suite in report["suites"]:
        counts[suite["state"]] = counts.get(suite["state"], 0) + 1
    if report["suites"]:
        lines.append("test suites: " + ", ".join(f"{n} {state}" for state, n in sorted(counts.items())))
    lines += [f"  {s['state']}: {s['name']}" for s in report["suites"] if s["state"] != "passed"]
    for row in (report["bench"] or {}).get("rows", []):
        line = f"{row['name']:<46}{row['milliseconds']:>11.2f} ms"
        if "images_per_second" in row:
            line += f"{row['images_per_second']:>10.1f} images/s"
        if "gigabytes_per_second" in row:
            line += f"{row['gigabytes_per_second']:>10.1f} GB/s"
        lines.append(f"{line}  {row.get('note', '')}".rstrip())
    for name, twin in report["twins"].items():
        lines.append(f"{'PyTorch, ' + name.replace('_', ', '):<46}{twin['milliseconds']:>11.2f} ms  first loss {twin['first_loss']:.6f}")
    return "\n".join(lines + report["faults"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    for name in ("device", "torch", "seconds"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--status", type=int, required=True)
    options = parser.parse_args()
    report = {
        "device": options.device,
        "ok": options.status == 0,
        "machine": machine(options.torch),
        "seconds": {part.split("=")[0]: int(part.split("=")[1]) for part in options.seconds.split(",")},
        "suites": suites(os.path.join(options.folder, "tests.xml")),
        "bench": read_json(os.path.join(options.folder, "bench.json")),
        "twins": twins(options.folder),
    }
    missed = [s["name"] for s in report["suites"] if s["state"] == "skipped" and ".Cuda/" in s["name"]]
    report["faults"] = differing_losses(report)
    if options.device == "cuda":
        report["faults"] += [f"skipped: {name}" for name in missed]
    report["ok"] = report["ok"] and not report["faults"]
    with open(os.path.join(options.folder, "report.json"), "w", encoding="utf-8") as stream:
        json.dump(report, stream, indent=1)
        stream.write("\n")
    text = text_of(report) + ("everything passed\n" if report["ok"] else "NOT everything passed\n")
    with open(os.path.join(options.folder, "report.txt"), "w", encoding="utf-8") as stream:
        stream.write(text)
    print(text, end="")
    sys.exit(0 if report["ok"] else 1)


if __name__ == "__main__":
    main()
