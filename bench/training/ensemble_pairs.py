"""supn_ensemble against the same TorchScript members in Python, in turns on the same machine.

usage: ensemble_pairs.py PROGRAM --config FILE --root DIR --split FILE --members A.ts,B.ts,...
       [--keys disp_logit_0,disp_logit_1,disp_logit_2] [--python PYTHON] [--pairs 4] [--threads 2]

PROGRAM is supn_ensemble, FILE a configuration for those members (root, split and members are set
by the options here). PYTHON needs torch (with all its libraries), numpy and Pillow.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ensemble_images.py")
ENVIRONMENT = dict(os.environ, OMP_WAIT_POLICY="passive")


def ours(options, out):
    settings = {"data.root": options.root, "data.samples": out, "data.train_split": options.split,
                "ensemble.members": f"[{options.members}]"}
    command = [options.program, "--config", options.config, "--split", "train", "--device", "cpu",
               "--threads", str(options.threads)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    rate = re.search(r"images written \(([0-9.]+)/s\)", done.stderr)
    if done.returncode != 0 or rate is None:
        sys.exit(done.stderr)
    return float(rate.group(1))


def peer(options, out):
    command = [options.python, PEER, "--root", options.root, "--split", options.split, "--out", out,
               "--keys", options.keys, "--threads", str(options.threads), *options.members.split(",")]
    result = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, env=ENVIRONMENT).stdout)
    return result["images"] / result["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for name in ("config", "root", "split", "members"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--keys", default="disp_logit_0,disp_logit_1,disp_logit_2")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    ratios = []
    for pair in range(options.pairs):
        with tempfile.TemporaryDirectory() as folder:
            runs = [(ours, os.path.join(folder, "ours")), (peer, os.path.join(folder, "peer"))]
            rates = {run: run(options, out) for run, out in (runs if pair % 2 == 0 else runs[::-1])}
        ratios.append(rates[ours] / rates[peer])
        print(f"pair {pair + 1}: ours {rates[ours]:.2f} images/s, Python {rates[peer]:.2f}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}: ours/Python {statistics.median(ratios):.3f} "
          f"({min(ratios):.3f}-{max(ratios):.3f})")


if __name__ == "__main__":
    main()
