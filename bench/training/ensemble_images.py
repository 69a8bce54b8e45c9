"""What supn_ensemble does, in Python with the same TorchScript files: PIL, torch.jit, numpy.save.

usage: ensemble_images.py --root DIR --split FILE --out DIR --keys A,B,C --threads N MEMBER...

Prints one JSON object: images and seconds, loading of the members included.
"""

import argparse
import json
import os
import time

import numpy as np
import torch
from PIL import Image


def image_path(root, line):
    drive, frame, side = line.split()
    stem = os.path.join(root, drive, "image_02" if side == "l" else "image_03", "data", f"{int(frame):010d}")
    return stem + (".jpg" if os.path.exists(stem + ".jpg") else ".png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--split", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--keys", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("members", nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    lines = [line for line in open(options.split, encoding="utf-8").read().splitlines() if line.strip()]
    start = time.perf_counter()
    members = [torch.jit.load(file).eval() for file in options.members]
    with torch.inference_mode():
        for number, line in enumerate(lines):
            rgb = Image.open(image_path(options.root, line)).convert("RGB").resize((640, 192), Image.LANCZOS)
            image = torch.from_numpy(np.array(rgb)).permute(2, 0, 1)[None].float() / 255
            outputs = [member(image) for member in members]
            folder = os.path.join(options.out, str(number))
            os.makedirs(folder)
            for scale, key in enumerate(options.keys.split(",")):
                maps = torch.cat([output[key] for output in outputs], 1)[0]
                np.save(os.path.join(folder, f"logit_{scale}.npy"), maps.numpy())
    print(json.dumps({"images": len(lines), "seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
