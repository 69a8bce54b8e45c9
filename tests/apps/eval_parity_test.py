"""supn_eval's figures are those of an independent NumPy computation, on random inputs and, where the
shared data are, on real ones: accuracy, AUSE and AURG under every ensemble uncertainty in circulation,
and by the exact marginals of a Gaussian.

usage: eval_parity_test.py FOLDER_OF_PROGRAMS SOURCE_FOLDER SHARED_FOLDER
exit 77 = skipped, numpy or safetensors is not installed.
"""
import csv
import pathlib
import struct
import subprocess
import sys
import tempfile
import types
import zlib

try:
    import numpy as np
    from safetensors.numpy import save_file
except ImportError as error:
    print(f"skipped: {error}; scripts/setup.sh --tests installs it")
    sys.exit(77)

PROGRAMS, SOURCE, SHARED = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
sys.path.insert(0, str(SOURCE / "tests/evaluation/scores"))
import make_fixtures as definitions  # noqa: E402: the definitions, straight from NumPy

DRIVE = "2011_09_26/2011_09_26_drive_0001_sync"
TOLERANCE = 1e-6
METRICS = ("abs_rel", "rmse", "a1")
VARIANTS = {
    "empirical": lambda u: 0.0,
    "release2020": lambda u: u.sum(0),
    "release2021a": lambda u: np.exp(u).sum(0),
    "release2021b": lambda u: (np.exp(u) ** 2).sum(0),
    "paper": lambda u: (np.exp(u) ** 2).mean(0),
}


def sigmoid(logit):
    return 1 / (1 + np.exp(-logit.astype(np.float64)))


def disparity(logit):
    return 0.01 + 9.99 * sigmoid(logit)


def write_png(path, pixels):
    """8-bit RGB [h,w,3] or 16-bit grey [h,w]."""
    kind = (8, 2) if pixels.ndim == 3 else (16, 0)
    rows = pixels.astype(">u1" if pixels.ndim == 3 else ">u2")
    data = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], *kind, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    )


def read_depth_png(path):
    """16-bit grey, without a package for images."""
    content = path.read_bytes()
    position, data = 8, b""
    while position < len(content):
        length, name = struct.unpack(">I4s", content[position : position + 8])
        body = content[position + 8 : position + 8 + length]
        if name == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
        data += body if name == b"IDAT" else b""
        position += 12 + length
    assert (bits, colour) == (16, 0), path
    return unfiltered(zlib.decompress(data), height, width).view(">u2").reshape(height, width) / 256.0


def unfiltered(data, height, width):
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + 2 * width)
    out = np.zeros((height, 2 * width), np.uint8)
    above = np.zeros(2 * width, np.int64)
    for y, row in enumerate(rows):
        line = row[1:].astype(np.int64)
        if row[0] == 2:
            line = (line + above) % 256
        elif row[0]:
            for i in range(line.size):
                left = line[i - 2] if i >= 2 else 0
                corner = above[i - 2] if i >= 2 else 0
                if row[0] == 1:
                    guess = left
                elif row[0] == 3:
                    guess = (left + above[i]) // 2
                else:
                    guess = min((left, above[i], corner), key=lambda v: abs(left + above[i] - corner - v))
                line[i] = (line[i] + guess) % 256
        out[y], above = line, line
    return out


def run(program, folder, settings, arguments):
    (folder / "set.yaml").write_text("evaluation:\n  seed: 0\n")
    command = [PROGRAMS / program, "--log-level", "warn", "--config", "set.yaml", *arguments]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(list(map(str, command)), check=True, cwd=folder, stdout=subprocess.DEVNULL)


def per_image(folder, settings, arguments):
    run("supn_eval", folder, settings, ["--out", folder / "out", *arguments])
    with open(folder / "out/per_image.csv") as file:
        return {(line["image"], line["model"]): line for line in csv.DictReader(file)}


worst = 0.0


def compare(line, key, expected, what):
    global worst
    found = float(line[key])
    error = abs(found - expected) / max(1.0, abs(expected))
    worst = max(worst, error)
    assert error < TOLERANCE, f"{what}: {key} is {found}, NumPy says {expected}"


def shared_reference():
    """The shared evaluator's own functions; what it imports beside NumPy is not needed for them."""
    path = SHARED / "reference/evaluate_ref.py"
    if not path.exists():
        return None
    for name in ("torch", "torch.nn", "torch.nn.functional", "PIL", "PIL.Image"):
        sys.modules.setdefault(name, types.ModuleType(name))
    for outer, inner in (("torch", "nn"), ("torch.nn", "functional"), ("PIL", "Image")):
        setattr(sys.modules[outer], inner, sys.modules[f"{outer}.{inner}"])
    module = types.ModuleType("evaluate_ref")
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


REFERENCE = shared_reference()


def check_areas(line, suffix, g, p, u, what):
    scores = definitions.sparsification(g, p, u)
    for i, metric in enumerate(METRICS):
        compare(line, f"ause_{metric}{suffix}", scores[2 * i], what)
        compare(line, f"aurg_{metric}{suffix}", scores[2 * i + 1], what)
    if REFERENCE:
        for metric, (ause, aurg) in REFERENCE.ause_aurg(g, p, u).items():
            compare(line, f"ause_{metric}{suffix}", ause, what + ", shared reference")
            compare(line, f"aurg_{metric}{suffix}", aurg, what + ", shared reference")
    # AUSE + AURG does not hang on the uncertainty.
    constant = definitions.sparsification(g, p, np.ones_like(u))
    ratio = np.maximum(g / p, p / g)
    full = (np.mean(np.abs(g - p) / g), np.sqrt(np.mean((g - p) ** 2)), np.mean(ratio >= 1.25))
    for i, metric in enumerate(METRICS):
        total = float(line[f"ause_{metric}{suffix}"]) + float(line[f"aurg_{metric}{suffix}"])
        assert abs(total - constant[2 * i] - constant[2 * i + 1]) < TOLERANCE, what
        assert abs(constant[2 * i + 1] - 0.01 * full[i]) < 1e-12, what


def check_ensemble(lines, image, depth, logits, log_scale, protocol, mode):
    mask = definitions.mask_of(depth, protocol)
    g = depth[mask]
    mean = 0.01 + 9.99 * sigmoid(logits).mean(0, keepdims=True)
    p = definitions.depth_at(mean, depth, mask, mode)[0]
    members = definitions.depth_at(disparity(logits), depth, mask, mode)
    each = np.array([definitions.accuracy(g, one) for one in members])
    if REFERENCE:
        assert (REFERENCE.mask_of(depth) == definitions.mask_of(depth, "eigen")).all()
    for variant, term in VARIANTS.items():
        line = lines[image, f"ensemble, {variant}"]
        what = f"{image}, {variant}, {protocol}, {mode}"
        for key, value in zip(("abs_rel", "sq_rel", "rmse", "rmse_log", "a1", "a2", "a3"), definitions.accuracy(g, p)):
            compare(line, key, value, what)
        compare(line, "abs_rel_best", each[:, 0].min(), what)
        compare(line, "rmse_best", each[:, 2].min(), what)
        compare(line, "a1_best", each[:, 4].max(), what)
        uncertainty = sigmoid(logits).var(0, ddof=1) + term(log_scale.astype(np.float64))
        check_areas(line, "", g, p, definitions.resize_bilinear(uncertainty[None], *depth.shape)[0][mask], what)


def dense_factor(log_diagonal, off_diagonal, radius):
    """Lᵀ as a matrix, row by row."""
    height, width = log_diagonal.shape
    offsets = [(0, x) for x in range(1, radius + 1)]
    offsets += [(y, x) for y in range(1, radius + 1) for x in range(-radius, radius + 1)]
    matrix = np.diag(np.exp(log_diagonal).ravel())
    for n in range(height * width):
        for k, (dy, dx) in enumerate(offsets):
            y, x = n // width + dy, n % width + dx
            if y < height and 0 <= x < width:
                matrix[n, y * width + x] = off_diagonal[k, n // width, n % width]
    return matrix


def sigmoid_std(mean, std):
    nodes, weights = np.polynomial.hermite_e.hermegauss(101)
    values = sigmoid(mean[..., None] + std[..., None] * nodes)
    weights = weights / weights.sum()
    first = values @ weights
    return np.sqrt(((values - first[..., None]) ** 2) @ weights)


def check_truth(lines, image, depth, factor, protocol, mode):
    mask = definitions.mask_of(depth, protocol)
    g = depth[mask]
    mean, phi, psi = (factor[key][0].astype(np.float64) for key in ("mean", "log_diagonal", "off_diagonal"))
    precision_root = dense_factor(phi[0], psi, 1)
    variance = np.diag(np.linalg.inv(precision_root.T @ precision_root)).reshape(mean[0].shape)
    std = sigmoid_std(mean[0], np.sqrt(variance))
    p = definitions.depth_at(disparity(mean), depth, mask, mode)[0]
    exact = definitions.resize_bilinear(std[None], *depth.shape)[0][mask]
    what = f"{image}, exact marginals, {protocol}, {mode}"
    check_areas(lines[image, "truth"], "_exact", g, p, exact, what)


def random_set(folder, rng):
    """Two frames, smooth enough that depth is not noise alone."""
    height, width, images = 32, 48, {}
    for frame in range(2):
        name = f"{frame:010d}"
        base = -2.5 + np.cumsum(rng.normal(0, 0.05, (height, width)), axis=1)
        logits = (base + rng.normal(0, 0.3, (5, height, width))).astype(np.float32)
        log_scale = rng.normal(-2, 0.4, logits.shape).astype(np.float32)
        factor = {
            "mean": base[None, None].astype(np.float32),
            "log_diagonal": rng.normal(1.5, 0.3, (1, 1, height, width)).astype(np.float32),
            "off_diagonal": rng.normal(-0.4, 0.4, (1, 4, height, width)).astype(np.float32),
        }
        depth = rng.uniform(1, 90, (61, 97)) * (rng.random((61, 97)) < 0.5)
        depth = np.round(depth * 256) / 256
        samples = folder / "samples" / DRIVE / "image_02" / name
        samples.mkdir(parents=True)
        np.save(samples / "logit_0.npy", logits)
        np.save(samples / "log_scale_0.npy", log_scale)
        truth = folder / "truth" / DRIVE / "image_02"
        truth.mkdir(parents=True, exist_ok=True)
        save_file(factor, truth / f"{name}.safetensors")
        write_png(folder / "kitti" / DRIVE / "image_02/data" / f"{name}.png", rng.integers(0, 256, (*depth.shape, 3)))
        write_png(folder / "kitti" / DRIVE / "proj_depth/groundtruth/image_02" / f"{name}.png", depth * 256)
        images[f"{DRIVE}/image_02/{name}"] = (depth, logits, log_scale, factor)
    (folder / "test.txt").write_text(f"{DRIVE} 0 l\n{DRIVE} 1 l\n")
    return images


def check_random():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        images = random_set(folder, np.random.default_rng(5))
        for protocol in ("eigen", "eigen_benchmark"):
            for mode in ("fixed", "median"):
                settings = {
                    "data.root": "kitti", "data.samples": "samples", "data.truth": "truth",
                    "data.test_split": "test.txt", "data.height": 32, "data.width": 48,
                    "evaluation.protocol": protocol, "evaluation.scale": mode, "evaluation.samples": 2,
                }
                lines = per_image(folder, settings, ["--ensemble-variants", "--truth"])
                for image, (depth, logits, log_scale, factor) in images.items():
                    check_ensemble(lines, image, depth, logits, log_scale, protocol, mode)
                    check_truth(lines, image, depth, factor, protocol, mode)


def check_real():
    root, members = SHARED / "data/kitti_mini", SHARED / "data/members"
    if not (root / "splits/test_eigen_files.txt").exists() or not (members / "boot_0.ts").exists():
        print("no real inputs: the shared KITTI set or its members are not there")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = (root / "splits/test_eigen_files.txt").read_text().splitlines()
        (folder / "test.txt").write_text(lines[0] + "\n")
        ensemble = ", ".join(str(members / f"boot_{i}.ts") for i in range(3))
        settings = {
            "data.root": root, "data.samples": folder / "samples", "data.test_split": "test.txt",
            "ensemble.members": f"[{ensemble}]", "ensemble.quantity": "logit", "ensemble.log_scale_key": "log_scale_0",
            "ensemble.output_keys": "[disp_logit_0]",
        }
        run("supn_ensemble", folder, settings, ["--split", "test"])
        drive, frame, side = lines[0].split()
        image = f"{drive}/{'image_02' if side == 'l' else 'image_03'}/{int(frame):010d}"
        camera, file = image.rsplit("/", 2)[1:]
        choices = [root / drive / kind / camera / f"{file}.png" for kind in ("proj_depth/groundtruth", "stereo_depth", "lidar_depth")]
        depth = read_depth_png(next(path for path in choices if path.exists()))
        samples = folder / "samples" / image
        logits, log_scale = np.load(samples / "logit_0.npy"), np.load(samples / "log_scale_0.npy")
        scores = per_image(folder, settings, ["--ensemble-variants"])
        check_ensemble(scores, image, depth, logits, log_scale, "eigen", "fixed")
        print(f"real inputs: {image}")


check_random()
check_real()
print(f"largest error {worst:.1e}{'' if REFERENCE else '; the shared reference is not there'}")
