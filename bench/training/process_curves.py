"""The loss curve of one training process against that of several with a part of the batch each.

usage: process_curves.py PROGRAM --config FILE [--processes 2] [--threads 1] [--threads-too] [--set KEY=VALUE ...]

PROGRAM is supn_train, FILE a configuration for it; both runs take all of its epochs. Printed: the
relative differences of loss and gradient norm at some steps, and how many of the first steps keep
within 1e-5. Rounding differs (sums over images are taken in another order), and training amplifies
it; --threads-too compares one process with itself at one thread more, which only rounds differently.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile


def steps_of(folder):
    with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    return [line for line in lines if line["kind"] == "step"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def train(options, output, processes, threads):
    command = [options.program, "--config", options.config, "--device", "cpu", "--log-level", "warn"]
    command += ["--threads", str(threads), "--set", f"training.output={output}"]
    for setting in options.set:
        command += ["--set", setting]
    port = free_port()
    running = []
    for rank in range(processes):
        place = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": processes, "MASTER_PORT": port}
        environment = dict(os.environ, OMP_WAIT_POLICY="passive", MASTER_ADDR="127.0.0.1")
        environment.update({name: str(value) for name, value in place.items()} if processes > 1 else {})
        running.append(subprocess.Popen(command, env=environment))
    if any([process.wait() for process in running]):
        sys.exit("a process failed")
    return steps_of(output)


def compare(title, one, other):
    if len(one) != len(other):
        sys.exit(f"{len(one)} steps against {len(other)}")
    print(f"{title}, {len(one)} steps, relative differences:")
    shown = sorted({0, 1, 2, 4, 9, 19, 49, 99, len(one) - 1} & set(range(len(one))))
    for key in ("loss", "gradient_norm"):
        differences = [abs(a[key] - b[key]) / max(abs(a[key]), 1e-12) for a, b in zip(one, other)]
        within = next((i for i, value in enumerate(differences) if value > 1e-5), len(differences))
        text = ", ".join(f"step {i + 1} {differences[i]:.1g}" for i in shown)
        print(f"  {key}: {text}; the first {within} within 1e-5", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--config", required=True)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--threads-too", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lone = train(options, os.path.join(folder, "one"), 1, options.threads)
        shared = train(options, os.path.join(folder, "several"), options.processes, options.threads)
        compare(f"one process against {options.processes}", lone, shared)
        if options.threads_too:
            rounded = train(options, os.path.join(folder, "threads"), 1, options.threads + 1)
            compare(f"{options.threads} threads against {options.threads + 1}", lone, rounded)


if __name__ == "__main__":
    main()
