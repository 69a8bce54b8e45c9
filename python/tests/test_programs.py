"""The package gives what the programs give, to the last bit. SUPN_BIN: their folder."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch.testing import assert_close

import supn

BIN = os.environ.get("SUPN_BIN", "")
pytestmark = [
    pytest.mark.skipif(not os.path.exists(os.path.join(BIN, "supn_sample")), reason="SUPN_BIN names no programs"),
    pytest.mark.filterwarnings("ignore:.*is unlike the images of training", "ignore:.*deprecated"),
]

CONFIG = """data:
  root: road
  samples: road/samples
  train_split: road/splits/train_files.txt
  val_split: road/splits/val_files.txt
  test_split: road/splits/test_files.txt
  height: 64
  width: 96
network:
  backbone: compact
  order: {order}
training:
  epochs: 1
  batch_size: 2
  output: run
"""


def run(program: str, *arguments: str, code: int = 0) -> str:
    done = subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True)
    assert done.returncode == code, (program, done.returncode, done.stderr)
    return done.stdout + done.stderr


@pytest.fixture(scope="module", params=["raster", "coarse_to_fine"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A folder with a checkpoint, an image of another size than the network's, and what is made of it."""
    folder = tmp_path_factory.mktemp(request.param)
    before = os.getcwd()
    os.chdir(folder)
    Path("a.yaml").write_text(CONFIG.format(order=request.param))
    run("supn_data", "synth", "--out", "road", "--members", "3", "--size", "96x64", "--train", "4", "--val", "1",
        "--test", "1")
    run("supn_train", "--config", "a.yaml", "--device", "cpu")
    pixels = np.random.default_rng(1).integers(0, 256, (70, 120, 3), dtype=np.uint8)
    Image.fromarray(pixels).save("street.png")
    run("supn_sample", "--checkpoint", "run/last", "--image", "street.png", "--count", "5", "--seed", "7", "--out",
        "out", "--save-gaussian", "g.safetensors", "--device", "cpu")
    yield folder
    os.chdir(before)


@pytest.fixture
def gaussian(place) -> supn.StructuredGaussian:
    return supn.load("run/last")("street.png")


def test_same_maps(gaussian):
    saved = supn.StructuredGaussian.read("g.safetensors")
    for found, expected in zip(gaussian._maps, saved._maps):
        assert torch.equal(found, expected) if isinstance(found, torch.Tensor) else found == expected
    assert saved.names == gaussian.names == ("street",)


def test_calibration_is_chosen_as_by_the_programs(place):
    checkpoint = shutil.copytree("run/last", "calibrated", dirs_exist_ok=True)
    for name, value, points in (("temperature.json", 1.25, 0), ("temperature_truth.json", 3.0, 50)):
        Path(checkpoint, name).write_text(json.dumps({
            "temperature": value, "fitted_on": "val_files.txt", "images": 1, "points": points,
            "ll_before": 1.0, "ll_after": 2.0, "standard_error": 0.1}))
    trained = supn.load("run/last")("street.png")
    for calibration, temperature in (("members", 1.25), ("truth", 3.0), ("none", 1.0)):
        network = supn.load(checkpoint, calibration=calibration)
        assert network.temperature == temperature and network.calibration.startswith(calibration)
        run("supn_sample", "--checkpoint", checkpoint, "--calibrated-on", calibration, "--image", "street.png",
            "--count", "1", "--out", "calibrated_out", "--save-gaussian", "calibrated.safetensors", "--device", "cpu")
        found, saved = network("street.png"), supn.StructuredGaussian.read("calibrated.safetensors")
        assert all(torch.equal(a, b) for a, b in zip(found._maps[:3], saved._maps[:3]))
        assert_close(found.stddev, temperature * trained.stddev)
    assert supn.load(checkpoint).temperature == 1.25
    with pytest.raises(ValueError, match="expected members, truth or none"):
        supn.load(checkpoint, calibration="thruth")
    with pytest.raises(RuntimeError, match="--fit-temperature"):
        supn.load("run/last", calibration="truth")


def test_same_seed_same_samples(gaussian):
    assert np.array_equal(gaussian.sample(5, seed=7)[:, 0].numpy(), np.load("out/street/samples.npy"))
    assert np.array_equal(gaussian.mean[0].numpy(), np.load("out/street/mean.npy"))


def test_files_arrays_and_batches_give_the_same(gaussian):
    both = supn.load("run/last")(["street.png", "street.png"])
    assert_close(both.off_diagonal[:1], gaussian.off_diagonal)
    pixels = supn.read_image("street.png")
    assert torch.equal(supn.load("run/last")(pixels).loc, gaussian.loc)


def test_same_conditioning(place):
    Image.fromarray(np.random.default_rng(2).integers(0, 256, (64, 96, 3), dtype=np.uint8)).save("small.png")
    Path("known.csv").write_text("x,y,depth_m\n20,10,8\n70,50,20\n")
    run("supn_condition", "--checkpoint", "run/last", "--image", "small.png", "--known", "known.csv", "--scale", "5.4",
        "--quantity", "logit", "--samples", "3", "--seed", "7", "--out", "conditioned", "--device", "cpu")
    gaussian = supn.load("run/last")("small.png")
    values = supn.LogitToDepth(5.4).inv(torch.tensor([8.0, 20.0], dtype=torch.float64))
    posterior = gaussian.condition([[10, 20], [50, 70]], values)
    for name, found in (("mean", posterior.mean[0]), ("std", posterior.stddev[0]), ("samples", posterior.sample(3, seed=7)[:, 0])):
        assert_close(found, torch.from_numpy(np.load(f"conditioned/small/{name}.npy")), rtol=1e-5, atol=1e-6)


def test_same_likelihood_of_the_members(place):
    run("supn_eval", "--config", "a.yaml", "--checkpoint", "run/last", "--split", "test", "--out", "table", "--device", "cpu")
    scores = json.loads(Path("table/table.json").read_text())["rows"][0]["scores"]
    frame = "2000_01_01/2000_01_01_drive_0003_sync/image_02"
    image, members = f"road/{frame}/data/0000000000.png", f"road/samples/{frame}/0000000000/logit_0.npy"
    loss = supn.nll_loss(supn.load("run/last")(image), torch.from_numpy(np.load(members))[:, None])
    assert_close(-loss.item(), scores["ll"]["mean"], rtol=1e-6, atol=1e-6)


def test_tensors_must_be_as_the_network_takes_them(place):
    network = supn.load("run/last")
    assert network.size == (64, 96) and network.temperature == 1.0
    with pytest.raises(ValueError, match=r"\[B,3,64,96\]"):
        network(torch.rand(1, 3, 32, 96))
    with pytest.raises(ValueError, match="divide"):
        network(torch.rand(1, 3, 64, 96) * 255)
    with pytest.raises(ValueError, match="uint8"):
        network(np.zeros((64, 96), np.uint8))
    with pytest.raises(RuntimeError, match="none"):
        supn.load("none")
    images = torch.rand(2, 3, 64, 96)
    assert network(images).batch_shape == (2,)


def test_unlike_images_are_warned_of(place):
    network = supn.load("run/last")
    with pytest.warns(RuntimeWarning, match="dark"):
        network(torch.zeros(1, 3, 64, 96), names=["dark"])


def test_the_exported_file_needs_nothing_of_ours(place, gaussian):
    run("supn_export", "--checkpoint", "run/last", "--out", "supn.pt")
    module = torch.jit.load("supn.pt")
    image = torch.rand(2, 3, 64, 96)
    ours = supn.load("run/last")(image)
    for found, expected in zip(module.gaussian(image), ours._maps):
        assert_close(found, expected, rtol=1e-5, atol=1e-5)
    samples = ours.sample(3, seed=5).transpose(0, 1)
    assert_close(module.log_prob(image, samples), ours._call("log_prob", samples), rtol=1e-5, atol=0.1)
    if isinstance(ours.order, supn.CoarseToFine):
        assert_close(module.sample(image, 3, ours._seeds(5)), samples, rtol=1e-4, atol=1e-4)
    large = torch.rand(1, 3, 70, 100)
    assert torch.equal(module.cropped(large), large[:, :, 3:67, 2:98])
    for wrong, reason in ((large, "resize the image"), (image * 255, "divide 0..255 by 255"),
                          ((image * 255).to(torch.uint8), "floating point")):
        with pytest.raises(torch.jit.Error, match=reason):
            module(wrong)
