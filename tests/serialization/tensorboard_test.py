"""TensorBoard's own package reads our event files.

usage: tensorboard_test.py PROGRAM; exit 77 = skipped, tensorboard is not installed.
"""
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as error:
    print(f"skipped: {error}; scripts/setup.sh --tests installs it")
    sys.exit(77)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# A whole PNG of 5x2 grey pixels.
PNG = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 5, 2, 8, 0, 0, 0, 0))
       + chunk(b"IDAT", zlib.compress(b"\0\1\2\3\4\5" * 2)) + chunk(b"IEND", b""))

with tempfile.TemporaryDirectory() as folder:
    picture = os.path.join(folder, "picture.png")
    with open(picture, "wb") as file:
        file.write(PNG)
    run = os.path.join(folder, "run")
    subprocess.run([sys.argv[1], run, picture], check=True)
    assert len(os.listdir(run)) == 2, os.listdir(run)

    events = EventAccumulator(run, size_guidance={"histograms": 0, "images": 0, "scalars": 0})
    events.Reload()
    tags = events.Tags()
    assert sorted(tags["scalars"]) == ["loss/nan", "loss/total"], tags
    assert tags["histograms"] == ["factor/phi"] and tags["images"] == ["scene/mean"], tags

    # Step 3 of the first file is taken back by the restart of the second.
    total = [(event.step, event.value) for event in events.Scalars("loss/total")]
    assert total == [(1, 0.25), (2, 0.5), (3, -3.5)], total
    assert math.isnan(events.Scalars("loss/nan")[0].value)
    assert events.Scalars("loss/total")[0].wall_time > 1.6e9

    histogram = events.Histograms("factor/phi")[0]
    assert histogram.step == 3
    value = histogram.histogram_value
    assert (value.min, value.max, value.num, value.sum, value.sum_squares) == (-1.5, 4.0, 303.0, 6.25, 30.0)
    assert list(value.bucket_limit) == [-1.0, 0.0, 2.0, 5.0], value
    assert list(value.bucket) == [1.0, 0.0, 300.0, 2.0], value

    image = events.Images("scene/mean")[0]
    assert (image.step, image.height, image.width) == (3, 2, 5), image
    assert image.encoded_image_string == PNG
print("TensorBoard reads our event files")
