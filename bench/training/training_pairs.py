"""Our training step against PyTorch's eager twin, in turns on the same machine.

usage: training_pairs.py PROGRAM [--python PYTHON] [--pairs 5] [--steps 5] [--threads 2] [--work DIR]

PROGRAM is supn_bench_step. PYTHON needs torch (with all its libraries), numpy and safetensors. In
each pair both run --steps steps of 640x192, 2 images, 8 members, 4 scales from the same weights on
the same batch, ours first in one pair and last in the next. Their losses must agree; the first two
steps are not timed. Printed: medians, the ratio's median and range over the pairs, by the wall clock
and by the processor's, peak memory, and the loss's share of a step.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

WARM_UP = 2
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "eager_step.py")


def run(command):
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
    return json.loads(done.stdout)


def median_step(result, clock):
    return statistics.median(result[clock][WARM_UP:])


def text_of(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f}-{max(values):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", default=None)
    options = parser.parse_args()
    if options.steps <= WARM_UP:
        parser.error(f"--steps: expected more than {WARM_UP}")
    work = options.work or tempfile.mkdtemp(prefix="supn_step_")
    common = ["--steps", str(options.steps), "--threads", str(options.threads)]
    ours_command = [options.program, "--out", work, "--save", *common]
    twin_command = [options.python, PEER, work, *common]
    pairs = []
    for pair in range(options.pairs):
        ours, twin = None, None
        if pair % 2 == 0:
            ours = run(ours_command)
        twin = run(twin_command)
        if ours is None:
            ours = run(ours_command)
        difference = abs(ours["losses"][0] - twin["losses"][0])
        if difference > 1e-4 * abs(twin["losses"][0]):
            sys.exit(f"the losses differ: ours {ours['losses'][0]}, the twin's {twin['losses'][0]}")
        pairs.append((ours, twin))
        print(
            f"pair {pair + 1}: ours {median_step(ours, 'seconds'):.3f} s, twin {median_step(twin, 'seconds'):.3f} s; "
            f"first losses {ours['losses'][0]:.6f} {twin['losses'][0]:.6f}",
            flush=True,
        )
    print(f"load {os.getloadavg()[0]:.1f}, {options.threads} threads, {options.pairs} pairs")
    for clock in ("seconds", "processor_seconds"):
        ratios = [median_step(ours, clock) / median_step(twin, clock) for ours, twin in pairs]
        print(f"step, {clock}: ours/twin {text_of(ratios)}")
    memory = [ours["peak_mib"] / twin["peak_mib"] for ours, twin in pairs]
    print(f"peak memory: ours {pairs[0][0]['peak_mib']:.0f} MiB, ours/twin {text_of(memory)}")
    for index, name in enumerate(("ours", "twin")):
        shares = [
            statistics.median(pair[index]["loss_seconds"]) / median_step(pair[index], "seconds") for pair in pairs
        ]
        print(f"loss's share of a step, {name}: {text_of(shares)}")


if __name__ == "__main__":
    main()
