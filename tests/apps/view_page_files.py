"""A Gaussian to look at, and arrays that the page gives."""
import json
import math
import struct

WIDTH, HEIGHT = 96, 64


def write_gaussian(path):
    """A road below the horizon and a wall above it; deviations are a product of two autoregressions,
    of std 0.15 logits in the middle of the image."""
    a, std = 0.9, 0.15
    diagonal = 1.0 / (std * (1.0 - a * a))
    mean = [-4.2 + 2.4 * max(0.0, y / HEIGHT - 0.4) for y in range(HEIGHT) for _ in range(WIDTH)]
    pixels = WIDTH * HEIGHT
    taps = [-a * diagonal, 0.0, -a * diagonal, a * a * diagonal]  # right; left below, below, right below
    maps = {"mean": (1, mean), "log_diagonal": (1, [math.log(diagonal)] * pixels),
            "off_diagonal": (4, [tap for tap in taps for _ in range(pixels)])}
    header, body = {"__metadata__": {"format": "supn structured gaussian", "format_version": "1",
                                     "quantity": "logit of disparity", "radius": "1", "name": "road"}}, b""
    for name, (channels, values) in maps.items():
        data = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": [1, channels, HEIGHT, WIDTH],
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def read_npy(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - start) // 4}f", data[start:]))
